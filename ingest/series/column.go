package series

import "strings"

// role is what a column is for.
type role uint8

const (
	skipped   role = iota // no figure of memory: named in the facts
	clockRole             // the time of the line
	dayTime               // the time of day beside a column that holds only the date
	iteration
	pidRole
	nameRole
	markRole // names what begins at a line
	figure   // a column of a name that is known
	guess    // of another name: a figure if its first value is a number
	refused
	nameless
)

// meaning is what the name of a column says.
type meaning struct {
	role role
	unit uint64 // bytes of a figure, ns of a time (0: by the size of the first value)
	target
	binary bool // a unit such as MB was read as 1024²
}

// meaningOf reads the name of a column by the rules for series of figures: counts, whole names, endings, else a
// pool by its whole name.
func meaningOf(raw string) meaning {
	name := normal(raw)
	if m, ok := plainMeaning(name); ok {
		return m
	}
	humps := normal(snake(raw))
	if m, ok := sizeMeaning(name); ok {
		return m
	}
	if m, ok := sizeMeaning(humps); ok {
		return m
	}
	if m, ok := glued(name); ok {
		return m
	}
	return poolMeaning(name, humps)
}

// plainMeaning finds columns that are no sizes.
func plainMeaning(name string) (meaning, bool) {
	if m, ok := timeMeaning(name); ok {
		return m, true
	}
	switch {
	case name == "":
		return meaning{role: nameless}, true
	case name == "pid":
		return meaning{role: pidRole}, true
	case textNames[name]:
		return meaning{role: nameRole}, true
	case markNames[name]:
		return meaning{role: markRole}, true
	case idNames[name], noMemory(name):
		return meaning{role: skipped}, true
	}
	if m, ok := countMeaning(name); ok {
		return m, true
	}
	if _, ok := known(name); !ok && pages(name) {
		return meaning{role: refused}, true
	}
	return meaning{}, false
}

// pages says whether a column counts pages, whose size the file does not tell.
func pages(name string) bool {
	_, unit := cutUnit(name)
	return name == "pages" || unit == "pages"
}

// noMemory knows rates, shares and times by their names.
func noMemory(name string) bool {
	if name == "cpu" || strings.HasPrefix(name, "cpu_") || strings.ContainsRune(name, '%') {
		return true
	}
	for _, end := range []string{"_pct", "_percent", "_per_s", "/s", "_per_sec"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	switch _, unit := cutUnit(name); unit {
	case "s", "sec", "ms", "us", "ns":
		return true
	}
	return false
}

func timeMeaning(name string) (meaning, bool) {
	if unit, ok := timeNames[name]; ok {
		return meaning{role: clockRole, unit: uint64(unit)}, true
	}
	if iterationNames[name] {
		return meaning{role: iteration}, true
	}
	rest, unit := cutUnit(name)
	own, ok := timeNames[rest]
	if !ok || own != 0 || timeUnits[unit] == 0 {
		return meaning{}, false
	}
	return meaning{role: clockRole, unit: uint64(timeUnits[unit])}, true
}

// driver is a count of the work given, whatever its name says beside.
func driver(name string) meaning { return count("driver", name) }

func isDriver(name string) bool {
	for _, end := range []string{"_total", "_count"} {
		name = strings.TrimSuffix(name, end)
	}
	for _, start := range []string{"num_", "nr_"} {
		name = strings.TrimPrefix(name, start)
	}
	return driverNames[name]
}

func countMeaning(name string) (meaning, bool) {
	if isDriver(name) {
		return driver(name), true
	}
	if thing, ok := countNames[name]; ok {
		return count("handle", thing), true
	}
	if thing, ok := classNames[name]; ok {
		return count("class", thing), true
	}
	if processNames[name] != "" {
		return meaning{}, false
	}
	for _, start := range []string{"num_", "nr_"} {
		if x, ok := strings.CutPrefix(name, start); ok && x != "" {
			return count("handle", x), true
		}
	}
	if x, ok := strings.CutSuffix(name, "_count"); ok && x != "" {
		return count("handle", x), true
	}
	return meaning{}, false
}

func count(scope, name string) meaning {
	return meaning{role: figure, unit: 1, target: target{scope, name, "count"}}
}

// sizeMeaning finds a known name, whole or as an ending, with its unit.
func sizeMeaning(name string) (meaning, bool) {
	if t, ok := known(name); ok {
		return meaning{role: figure, unit: 1, target: t}, true
	}
	rest, unit := cutUnit(name)
	size, ok := sizeUnits[unit]
	if t, found := ending(name); found || !ok { // x_live_bytes is no x_live in bytes
		return meaning{role: figure, unit: 1, target: t}, found
	}
	t, ok := known(rest)
	if !ok {
		t, ok = ending(rest)
	}
	return meaning{role: figure, unit: size, target: t, binary: isBinary(unit)}, ok
}

// known finds a name that stands for a metric as a whole.
func known(name string) (target, bool) {
	if metric, ok := processNames[name]; ok {
		return target{"process", "", metric}, true
	}
	if metric, ok := systemNames[name]; ok {
		return target{"system", "", metric}, true
	}
	return target{}, false
}

// ending finds a category and behind it the longest known name: dalvik_heap_private_dirty.
func ending(name string) (target, bool) {
	for i := 1; i < len(name)-1; i++ {
		if name[i] != '_' {
			continue
		}
		if metric, ok := processNames[name[i+1:]]; ok {
			return target{"category", name[:i], metric}, true
		}
	}
	return target{}, false
}

// glued finds a known name with a unit and nothing between.
func glued(name string) (meaning, bool) {
	for _, unit := range gluedUnits {
		if rest, ok := strings.CutSuffix(name, unit); ok {
			if t, ok := known(rest); ok {
				return meaning{role: figure, unit: sizeUnits[unit], target: t, binary: isBinary(unit)}, true
			}
		}
	}
	return meaning{}, false
}

// poolMeaning takes any other name for a pool; its unit is looked for at a hump too.
func poolMeaning(names ...string) meaning {
	for _, name := range names {
		rest, unit := cutUnit(name)
		if size, ok := sizeUnits[unit]; ok && rest != "" {
			return meaning{role: guess, unit: size, target: target{"pool", rest, "live_bytes"}, binary: isBinary(unit)}
		}
	}
	return meaning{role: guess, unit: 1, target: target{"pool", names[0], "live_bytes"}}
}

// isBinary says whether a unit could also be meant as a power of 1000.
func isBinary(unit string) bool {
	switch unit {
	case "k", "kb", "m", "mb", "g", "gb":
		return true
	}
	return false
}
