package source

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The forms of a wall-clock time, each a whole text: a date inside a sentence is none of them.
var (
	timeEpoch = regexp.MustCompile(`^(1\d{9})(?:[.,](\d{1,9}))?$|^(1\d{12}|1\d{15}|1\d{18})$`)
	timeISO   = regexp.MustCompile(`^(\d{4})([-/])(\d{2})[-/](\d{2})[T _](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))? ?(\S*)$`)
	// Sun Nov 29 11:25:15 UTC 2026, Sun Nov 29 11:25:15 AM UTC 2026
	timeC = regexp.MustCompile(`^(?:\pL+\.?,? )?(\pL{3}) +(\d{1,2}) (\d{1,2}:\d{2}:\d{2})(?: ([AP]M))?(?: (\S+))? (\d{4})$`)
	// So 29. Nov 11:25:15 CET 2026, dim. 29 nov. 2026 11:25:15 CET, Sun, 29 Nov 2026 11:25:15 +0000
	timeDay = regexp.MustCompile(`^(?:\pL+\.?,? +)?(\d{1,2})\.? (?:de )?(\pL{3,12})\.?,? (?:(?:de )?(\d{4}),? )?(\d{1,2}:\d{2}:\d{2})(?: ([AP]M))?,?(?: (\S+?))?(?: (\d{4}))?$`)
	// 2026年 11月 29日 星期日 11:25:15 UTC, 2026. 11. 29. (일) 오전 11:25:15 KST
	timeEast = regexp.MustCompile(`^(\d{4})(?:年|\.) *(\d{1,2})(?:月|\.) *(\d{1,2})(?:日|\.)?([^\d:]{1,24})(\d{1,2}:\d{2}:\d{2})(?: (\S+))?$`)
	// 29.11.2026 11:25:15
	timeDots = regexp.MustCompile(`^(?:\pL+\.?,? )?(\d{1,2})\.(\d{1,2})\.(\d{4}),? (\d{1,2}:\d{2}:\d{2})(?: (\S+))?$`)
	zoneForm = regexp.MustCompile(`^\(?(?:UTC|GMT)?([+-])(\d{2}):?(\d{2})?\)?$`)
)

// ParseTime reads a wall-clock time as date, date -Is, date +%s[.%N] and loggers write it, in the C locale, with the
// year first, or with the names of months of English, German, French, Spanish, Italian, Portuguese, Dutch, the
// Scandinavian languages or Russian, to nanoseconds since 1970. Without a zone, or with the name of one that stands
// for several (CST, IST), it counts as UTC. Numbers that could be day and month either way round are no time.
func ParseTime(s string) (int64, bool) {
	if len(s) > maxMark {
		return 0, false
	}
	for _, form := range timeForms {
		if g := form.re.FindStringSubmatch(s); g != nil {
			return form.read(g)
		}
	}
	return 0, false
}

var timeForms = []struct {
	re   *regexp.Regexp
	read func(g []string) (int64, bool)
}{
	{timeEpoch, func(g []string) (int64, bool) { return epoch(g[1], g[2], g[3]) }},
	{timeISO, func(g []string) (int64, bool) {
		return civil{year: g[1], month: g[3], day: g[4], clock: g[5], frac: g[6], zone: g[7], strict: true}.nanos()
	}},
	{timeC, func(g []string) (int64, bool) {
		return civil{year: g[6], month: monthOf(g[1]), day: g[2], clock: g[3], half: g[4], zone: g[5]}.nanos()
	}},
	{timeDay, func(g []string) (int64, bool) {
		if (g[3] == "") == (g[7] == "") { // the year is in one of two places
			return 0, false
		}
		return civil{year: g[3] + g[7], month: monthOf(g[2]), day: g[1], clock: g[4], half: g[5], zone: g[6]}.nanos()
	}},
	{timeEast, func(g []string) (int64, bool) {
		return civil{year: g[1], month: g[2], day: g[3], clock: g[5], half: eastHalf(g[4]), zone: g[6]}.nanos()
	}},
	{timeDots, func(g []string) (int64, bool) {
		return civil{year: g[3], month: g[2], day: g[1], clock: g[4], zone: g[5]}.nanos()
	}},
}

// civil is a date and time in words and digits. half is AM or PM of a clock of twelve hours.
type civil struct {
	year, month, day, clock, half, frac, zone string
	strict                                    bool // a zone that is none makes it no time
}

// nanos gives nanoseconds since 1970. Years outside 1970 to 2261 do not fit and are no times of captures.
func (c civil) nanos() (int64, bool) {
	layout, text := "2006-1-2 15:04:05", c.year+"-"+c.month+"-"+c.day+" "+c.clock
	if c.half != "" {
		layout, text = "2006-1-2 3:04:05 PM", text+" "+c.half
	}
	t, err := time.Parse(layout, text)
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		return 0, false
	}
	ns, ok := offset(c.zone)
	return t.UnixNano() + fraction(c.frac) - ns, ok || !c.strict
}

// epoch reads seconds with a fraction, or one long number of milli-, micro- or nanoseconds.
func epoch(sec, frac, long string) (int64, bool) {
	if long != "" {
		sec, frac = long[:10], long[10:]
	}
	n, err := strconv.ParseInt(sec, 10, 64)
	return n*1e9 + fraction(frac), err == nil
}

// fraction reads the digits behind the point as nanoseconds.
func fraction(digits string) int64 {
	n, _ := strconv.ParseInt((digits + "000000000")[:9], 10, 64)
	return n
}

// zones are the names that stand for one offset only, in hours; so a change to summer time is no jump of the clock.
var zones = map[string]int64{
	"": 0, "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
	"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11,
}

// offset gives a zone in nanoseconds east of UTC; ok is false if it is unknown.
func offset(zone string) (ns int64, ok bool) {
	if h, ok := zones[zone]; ok {
		return h * 3600e9, true
	}
	g := zoneForm.FindStringSubmatch(zone)
	if g == nil {
		return 0, false
	}
	h, _ := strconv.ParseInt(g[2], 10, 64)
	m, _ := strconv.ParseInt(g[3], 10, 64)
	ns = (h*60 + m) * 60e9
	if g[1] == "-" {
		ns = -ns
	}
	return ns, true
}

// months are the beginnings of the names of months. Languages in which one beginning means another month (Polish and
// Croatian: lip, lis) are left out.
var months = [...][]string{
	{"jan", "ene", "gen", "янв"}, {"feb", "fév", "fev", "фев"}, {"mar", "mär", "mrz", "mrt", "maa", "мар"}, {"apr", "avr", "abr", "апр"},
	{"may", "mai", "maj", "mei", "mag", "мая", "май"}, {"jun", "juin", "giu", "июн"}, {"jul", "juil", "lug", "июл"}, {"aug", "aoû", "aou", "ago", "авг"},
	{"sep", "set", "сен"}, {"oct", "okt", "ott", "out", "окт"}, {"nov", "ноя"}, {"dec", "dez", "déc", "dic", "des", "дек"},
}

// monthOf gives the number of a month; empty, which is no month, for any other word.
func monthOf(word string) string {
	word = strings.ToLower(word)
	for i, names := range months {
		for _, name := range names {
			if strings.HasPrefix(word, name) {
				return strconv.Itoa(i + 1)
			}
		}
	}
	return ""
}

// eastHalf reads the half of the day between weekday and clock.
func eastHalf(words string) string {
	for _, pm := range []string{"오후", "下午", "午後"} {
		if strings.Contains(words, pm) {
			return "PM"
		}
	}
	for _, am := range []string{"오전", "上午", "午前"} {
		if strings.Contains(words, am) {
			return "AM"
		}
	}
	return ""
}
