package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AlignAt is where the runs of a chart are laid on one another.
type AlignAt struct {
	At     string `json:"at"`               // start, end, iteration or mark
	Number int64  `json:"number,omitempty"` // of the iteration
	Name   string `json:"name,omitempty"`   // of the mark
}

// The points that runs can be aligned at. Every run has a start and an end.
const (
	AtStart     = "start"
	AtEnd       = "end"
	AtIteration = "iteration"
	AtMark      = "mark"
)

// ParseAlignAt reads start, end, iteration:N or mark:NAME.
func ParseAlignAt(text string) (AlignAt, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch {
	case text == AtStart || text == AtEnd:
		return AlignAt{At: text}, nil
	case kind == AtMark && rest != "":
		return AlignAt{At: kind, Name: rest}, nil
	case kind == AtIteration:
		if n, err := strconv.ParseInt(rest, 10, 64); err == nil {
			return AlignAt{At: kind, Number: n}, nil
		}
	}
	return AlignAt{}, fmt.Errorf("want start, end, iteration:N or mark:NAME, have %q", text)
}

// String is what ParseAlignAt reads.
func (a AlignAt) String() string {
	switch a.At {
	case AtIteration:
		return fmt.Sprintf("%s:%d", a.At, a.Number)
	case AtMark:
		return a.At + ":" + a.Name
	}
	return a.At
}

// NoAnchor says that a run does not have what it is to be aligned at; Has is what it has instead.
type NoAnchor struct {
	Side, Run string
	Want      AlignAt
	Has       Anchors
}

// Error names the run and what it lacks.
func (e *NoAnchor) Error() string { return fmt.Errorf("run %q has no %s", e.Run, e.Want).Error() }

// SetAlign has charts count from where. The error is a *NoAnchor of the first run that is drawn and does not have it.
func (r *Result) SetAlign(where AlignAt) error {
	if where.At == AtStart {
		r.Align = nil
		return nil
	}
	if err := r.hasAnchor(where); err != nil {
		return err
	}
	r.Align = &where
	return nil
}

// checkAlign holds that a result that was read from a file counts from a point that every run that is drawn has.
func (r *Result) checkAlign() error {
	if r.Align == nil {
		return nil
	}
	if err := known("align", r.Align.At, []string{AtStart, AtEnd, AtIteration, AtMark}); err != nil {
		return err
	}
	return r.hasAnchor(*r.Align)
}

// hasAnchor gives a *NoAnchor of the first run that is drawn and does not have a point.
func (r *Result) hasAnchor(where AlignAt) error {
	seen := map[[2]string]bool{}
	for i := range r.Timeline {
		l := &r.Timeline[i]
		if seen[[2]string{l.Side, l.Run}] {
			continue
		}
		seen[[2]string{l.Side, l.Run}] = true
		if _, ok := r.zero(where, l.Side, l.Run); !ok {
			return &NoAnchor{l.Side, l.Run, where, r.anchorsOf(l.Side, l.Run)}
		}
	}
	return nil
}

// Zero is the time of a run, in seconds from its start, that charts count from.
func (r *Result) Zero(side, run string) float64 {
	if r.Align == nil {
		return 0
	}
	t, _ := r.zero(*r.Align, side, run)
	return t
}

func (r *Result) zero(where AlignAt, side, run string) (float64, bool) {
	a := r.anchorsOf(side, run)
	switch where.At {
	case AtIteration:
		return a.TimeOf(where.Number)
	case AtMark:
		return a.TimeOfMark(where.Name)
	case AtEnd:
		end := 0.0
		for i := range r.Timeline {
			if l := &r.Timeline[i]; l.Side == side && l.Run == run && len(l.TimeS) > 0 {
				end = max(end, l.TimeS[len(l.TimeS)-1])
			}
		}
		return end, true
	}
	return 0, true
}

// anchorsOf are those of a run; none if the result has none of it.
func (r *Result) anchorsOf(side, run string) Anchors {
	i := slices.IndexFunc(r.Anchors, func(a Anchors) bool { return a.Side == side && a.Run == run })
	if i < 0 {
		return Anchors{Side: side, Run: run}
	}
	return r.Anchors[i]
}
