package source

import (
	"path"
	"regexp"
	"strconv"
)

var (
	nameEpoch  = regexp.MustCompile(`(?:^|[^0-9])(1[0-9]{9})(?:\.([0-9]{1,9})|([0-9]{3}))?(?:[^0-9]|$)`)
	nameDate   = regexp.MustCompile(`(?:^|[^0-9])(20[0-9]{2})[-_.]?([01][0-9])[-_.]?([0-3][0-9])[-_T. ]?([0-2][0-9])[-_:.h]?([0-5][0-9])[-_:.m]?([0-5][0-9])(?:[^0-9]|$)`)
	namePID    = regexp.MustCompile(`(?i)(?:smaps|smaps_rollup|rollup|status|statm|maps|meminfo|pmap|showmap|pid)[-_.=]?([0-9]{1,7})(?:[^0-9]|$)`)
	nameNumber = regexp.MustCompile(`[0-9]+`)
	dirPID     = regexp.MustCompile(`(?:^|/)([0-9]{1,7})/(?:smaps|smaps_rollup|status|statm|maps)(?:\.[a-z0-9.]*)?$`)
)

// NameTime reads a time in a file name: smaps-9203-1795950676.311.txt (epoch), 2017-11-24-09-14-08.txt,
// meminfo_20240131_101500.txt. Nanoseconds since 1970, the zone taken as UTC.
func NameTime(name string) (int64, bool) {
	base := path.Base(name)
	if g := nameDate.FindStringSubmatch(base); g != nil {
		return civil{year: g[1], month: g[2], day: g[3], clock: g[4] + ":" + g[5] + ":" + g[6]}.nanos()
	}
	if g := nameEpoch.FindStringSubmatch(base); g != nil {
		return epoch(g[1], g[2]+g[3], "")
	}
	return 0, false
}

// Unnumbered is a name without its numbers. Files whose names differ in nothing else were numbered or dated by whoever
// took them, so that the order of the numbers is the order of the captures; other names tell no order.
func Unnumbered(name string) string { return nameNumber.ReplaceAllString(name, "#") }

// NamePID reads a pid in a path: a folder of /proc (1234/smaps), or digits right behind the word of the format
// (smaps-9203-…, status_9203). A number that is the only one in the name and counts samples (smaps_1, smaps_2)
// cannot be told from a pid here; the caller sees that it differs in every file.
func NamePID(name string) (int64, bool) {
	g := dirPID.FindStringSubmatch(name)
	if g == nil {
		g = namePID.FindStringSubmatch(nameDate.ReplaceAllString(path.Base(name), " ")) // a year is no pid
	}
	if g == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(g[1], 10, 64)
	return n, err == nil
}
