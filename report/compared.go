package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtide/memtide/analyze"
)

// longRun is how many characters of the name of a run stand in a header.
const longRun = 44

// sides say what was compared: for each side the names of its runs, and of which process, when and how long.
func (s *story) sides() []Side {
	if !s.twoSided() {
		return nil
	}
	var out []Side
	for _, side := range []string{"before", "after", "release"} {
		if len(s.runsOf(side)) > 0 {
			out = append(out, s.side(side))
		}
	}
	return out
}

func (s *story) side(side string) Side {
	out := Side{Name: side}
	if len(s.runsOf(side)) > 1 {
		out.Dates = s.dateOf(side)
	}
	out.Text = s.sideText(side)
	return out
}

// sideText is the name of one run with what is known of it, or the number of runs and their names.
func (s *story) sideText(side string) string {
	text := s.runsText(side, commonDir(slices.Concat(s.runsOf("before"), s.runsOf("after"), s.runsOf("release"))))
	if len(s.runsOf(side)) > 1 {
		return text
	}
	var more []string
	for _, part := range []string{s.pidOf(side), s.dateOf(side), s.lengthOf(side)} {
		if part != "" {
			more = append(more, part)
		}
	}
	switch {
	case text == side && len(more) > 0:
		text = strings.Join(more, ", ") // the name says nothing
	case len(more) > 0:
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// captureText says of one side which capture it is, and when it was taken.
func (s *story) captureText() string {
	runs := s.runsOf("")
	if s.twoSided() || len(runs) == 0 {
		return ""
	}
	text := plural(len(runs), "run")
	if len(runs) == 1 {
		text = s.runsText("", commonDir(runs))
	}
	if date := s.dateOf(""); date != "" {
		text += " · " + date
	}
	return text
}

// runsOf lists the runs of a side in their order.
func (s *story) runsOf(side string) []string {
	return distinct(s.Inputs, func(in analyze.Input) string {
		if in.Side != side {
			return ""
		}
		return in.Run
	})
}

// runsText names a run without the directory that all have, or several by the first and the last.
func (s *story) runsText(side, common string) string {
	runs := s.runsOf(side)
	short := func(run string) string { return cut(name(strings.TrimPrefix(run, common)), longRun) }
	if len(runs) == 1 {
		return short(runs[0])
	}
	text, own := plural(len(runs), "run"), commonDir(runs)
	if n := s.lengthOf(side); n != "" {
		text += " of " + n
	}
	if where := strings.Trim(strings.TrimPrefix(own, common), `/\`); where != "" {
		text += " in " + cut(name(where), longRun)
	}
	common = own
	return fmt.Sprintf("%s, %s to %s", text, short(runs[0]), short(runs[len(runs)-1]))
}

// pidOf is the pid of the process that the report is about, if a side has one only and it is not the process's name.
func (s *story) pidOf(side string) string {
	pids := distinct(s.Series, func(v analyze.Series) string {
		if v.Side != side || v.PID == nil || len(s.processes) != 1 || v.Subject.Process != s.processes[0] {
			return ""
		}
		return fmt.Sprintf("pid %d", *v.PID)
	})
	if len(pids) != 1 || pids[0] == s.unnamed {
		return ""
	}
	return pids[0]
}

// dateOf is when the captures of a side were taken, in the time that they say: a minute, or the first and last day.
func (s *story) dateOf(side string) string {
	var first, last time.Time
	for _, in := range s.Inputs {
		at, err := time.Parse(time.RFC3339, in.Start)
		if in.Side != side || err != nil {
			continue
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	const day = "2006-01-02"
	switch {
	case first.IsZero():
		return ""
	case first.Format(day) != last.Format(day):
		return first.Format(day) + " to " + last.Format(day)
	}
	return first.Format(day + " 15:04")
}

// lengthOf is how many samples a run of a side has: the longest series in it, else what its inputs say.
func (s *story) lengthOf(side string) string {
	least, most := 0, 0
	runs := s.runsOf(side)
	for _, run := range runs {
		n := 0
		for _, v := range s.Series {
			if v.Side == side && v.Run == run {
				n = max(n, v.N)
			}
		}
		if n == 0 {
			for _, in := range s.Inputs {
				if in.Side == side && in.Run == run {
					n += in.Samples
				}
			}
		}
		if least == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	switch {
	case most == 0:
		return ""
	case least == most:
		return plural(most, "sample")
	}
	return fmt.Sprintf("%d to %s", least, plural(most, "sample"))
}
