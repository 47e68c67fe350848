package analyze

import (
	"fmt"
	"math"
	"slices"
)

// checkHistories holds that the histories of a result that was read from a file can be told: all of the same builds, with
// changes among these.
func (r *Result) checkHistories() error {
	for i := range r.Histories {
		h := &r.Histories[i]
		err := known("verdict", h.Verdict, changes)
		if n := len(r.Histories[0].Builds); err == nil && (len(h.Builds) != n || n == 0) {
			err = fmt.Errorf("want %d builds as the first has, have %d", n, len(h.Builds))
		}
		for k := range h.Changes {
			if err == nil {
				err = h.checkChange(k)
			}
		}
		for k := range h.Builds {
			if v := h.Builds[k].Median; err == nil && v != nil && math.Abs(*v) > most {
				err = fmt.Errorf("build %d: %g is no size", k, *v)
			}
		}
		if d := h.Drift; err == nil && d != nil {
			err = known("verdict", d.Verdict, changes)
		}
		if err != nil {
			return fmt.Errorf("history %d (%s): %w", i, title(h.Subject), err)
		}
	}
	return nil
}

func (h *History) checkChange(k int) error {
	p := &h.Changes[k]
	if p.Index < 1 || p.Index >= len(h.Builds) || k > 0 && p.Index <= h.Changes[k-1].Index {
		return fmt.Errorf("change %d: index %d among %d builds", k, p.Index, len(h.Builds))
	}
	if b := &h.Builds[p.Index]; b.Runs == 0 || b.Median == nil {
		return fmt.Errorf("change %d: build %d has no level", k, p.Index)
	}
	if !slices.Contains([]Change{Regression, Improvement}, p.Verdict) {
		return fmt.Errorf("change %d: want regression or improvement, have %q", k, p.Verdict)
	}
	return nil
}
