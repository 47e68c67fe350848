package analyze

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtide/memtide/analyze/stat"
)

// Objective is a level of service: a limit that a series may leave for a moment, and must not leave for long.
type Objective struct {
	Name      string
	Match     Match
	Limit     float64 // in the unit of the metric
	Below     bool    // the series must not fall below it
	Deviation float64 // share of the limit by which the median of a window may miss it
	WindowS   float64 // seconds; 60 if 0
	StepS     float64 // seconds from window to window; 5 if 0
	Windows   int     // so many in a row break it; 3 if 0
	Severity  string  // of the finding; warning if empty
}

// The windows of an objective that says nothing of them.
const (
	defaultWindowS = 60
	defaultStepS   = 5
	defaultWindows = 3
)

// Service is how one series kept one objective.
type Service struct {
	Objective string      `json:"objective"`
	Severity  string      `json:"severity"`
	Side      string      `json:"side,omitempty"`
	Run       string      `json:"run"`
	Subject   Subject     `json:"subject"`
	Limit     float64     `json:"limit"`
	Below     bool        `json:"below,omitempty"`
	Deviation float64     `json:"deviation"` // allowed
	WindowS   float64     `json:"window_s"`
	StepS     float64     `json:"step_s"`
	InRow     int         `json:"windows_in_a_row"`
	Windows   int         `json:"windows"` // with samples in them
	Broken    int         `json:"broken"`  // of them
	Worst     float64     `json:"worst"`   // greatest deviation of a window, as a share of the limit; below 0 if it was always kept
	Breaches  []Violation `json:"violations"`
	Note      string      `json:"note,omitempty"`
}

// Violation is a time in which an objective was broken by as many windows in a row as it takes. Seconds are on the time axis of
// the run.
type Violation struct {
	StartS  float64 `json:"start_s"`  // of the first sample beyond the limit in its first window
	DetectS float64 `json:"detect_s"` // end of the window that made it one: so much later it is known
	EndS    float64 `json:"end_s"`    // of its last window
	Worst   float64 `json:"worst"`
}

// service holds the tracks of a run against the objectives.
func (r *Result) service(c *Capture, tracks []*track, objectives []Objective) {
	for _, o := range objectives {
		o.fill()
		for _, k := range tracks {
			if !o.Match.Fits(k.subject) || len(k.y) == 0 {
				continue
			}
			s, e := k.serve(o)
			s.Side, s.Run = c.Side, k.run
			r.Services = append(r.Services, s)
			if len(s.Breaches) > 0 {
				r.Findings = append(r.Findings, s.finding(e))
			}
		}
	}
}

func (o *Objective) fill() {
	if o.WindowS == 0 {
		o.WindowS = defaultWindowS
	}
	if o.StepS == 0 {
		o.StepS = defaultStepS
	}
	if o.Windows == 0 {
		o.Windows = defaultWindows
	}
	if o.Severity == "" {
		o.Severity = "warning"
	}
}

// serve slides a window over a series. A window without a sample says nothing and ends what is in a row.
func (k *track) serve(o Objective) (Service, []Evidence) {
	s := Service{Objective: o.Name, Severity: o.Severity, Subject: k.subject, Limit: o.Limit, Below: o.Below, Deviation: o.Deviation, WindowS: o.WindowS, StepS: o.StepS, InRow: o.Windows,
		Worst: math.Inf(-1), Breaches: []Violation{}}
	var evidence []Evidence
	row, from, open := 0, 0, false
	lo, hi := 0, 0
	for end := k.t[0] + o.WindowS; end <= k.t[len(k.t)-1]+o.StepS/2; end += o.StepS {
		for hi < len(k.t) && k.t[hi] <= end {
			hi++
		}
		for lo < hi && k.t[lo] <= end-o.WindowS && lo < len(k.t)-1 {
			lo++
		}
		if lo >= hi {
			row, open = 0, false
			if lo < len(k.t) { // a gap: go on at its end
				end += math.Floor(max(k.t[lo]-end, 0)/o.StepS) * o.StepS
			}
			continue
		}
		dev := o.deviation(stat.Median(k.y[lo:hi]))
		s.Windows, s.Worst = s.Windows+1, max(s.Worst, dev)
		if dev <= o.Deviation {
			row, open = 0, false
			continue
		}
		if s.Broken++; row == 0 {
			from = lo
		}
		if row++; row < o.Windows {
			continue
		}
		if !open {
			open = true
			start := k.firstBeyond(from, hi, o)
			s.Breaches = append(s.Breaches, Violation{StartS: k.t[start], DetectS: end, Worst: dev})
			evidence = append(evidence, k.place(start))
		}
		last := &s.Breaches[len(s.Breaches)-1]
		last.EndS, last.Worst = end, max(last.Worst, dev)
	}
	if s.Windows == 0 {
		s.Worst = 0
		s.Note = fmt.Sprintf("the series is shorter than a window of %s", span(o.WindowS))
	}
	return s, evidence
}

// deviation is how far a value is beyond the limit, as a share of it; below 0 on the good side.
func (o *Objective) deviation(v float64) float64 {
	d := (v - o.Limit) / math.Abs(o.Limit)
	if o.Below {
		return -d
	}
	return d
}

func (k *track) firstBeyond(from, to int, o Objective) int {
	i := slices.IndexFunc(k.y[from:to], func(v float64) bool { return o.deviation(v) > o.Deviation })
	return from + max(i, 0)
}

func (s *Service) finding(e []Evidence) Finding {
	v := s.Breaches[0]
	k := &track{subject: s.Subject}
	word := "above"
	if s.Below {
		word = "below"
	}
	allowed := ""
	if s.Deviation > 0 {
		allowed = fmt.Sprintf(" by more than %.3g %%", 100*s.Deviation)
	}
	f := Finding{Rule: "objective", Class: s.Objective, Severity: s.Severity, Side: s.Side, Run: s.Run, Subject: s.Subject, Evidence: e, Warnings: []string{},
		Message: fmt.Sprintf("%s was %s its objective of %s%s: %d of %d windows of %s, %s; first from %s on, known %s later; at worst %.3g %% beyond it.", title(s.Subject), word,
			k.amount(s.Limit), allowed, s.Broken, s.Windows, span(s.WindowS), plural(len(s.Breaches), "violation"), span(v.StartS), span(v.DetectS-v.StartS), 100*s.Worst),
		Stats:  map[string]float64{"windows": float64(s.Windows), "broken": float64(s.Broken), "violations": float64(len(s.Breaches)), "start_s": v.StartS, "time_to_detect_s": v.DetectS - v.StartS, "worst": s.Worst},
		Advice: "See what the process did when the violation began; the growth verdict of the same series says whether it will go on."}
	f.Fingerprint = fingerprint(f.Rule, f.Subject, s.Objective)
	return f
}
