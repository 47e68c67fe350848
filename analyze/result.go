package analyze

import (
	"github.com/memtide/memtide/analyze/lifetime"
	"github.com/memtide/memtide/ingest/table"
)

// Schema names the layout of Result; it changes when a reader of the JSON would have to.
const Schema = "memtide/result/1"

// Result is all that one command found out, before anything is rendered: every renderer and every policy reads
// it and nothing else. Sizes are bytes, times seconds or nanoseconds as the name says; nil is "not known".
type Result struct {
	Schema   string     `json:"schema"`
	Tool     Tool       `json:"tool"`
	Command  string     `json:"command"`
	Seed     uint64     `json:"seed"`
	Verdict  Outcome    `json:"verdict"`
	Summary  string     `json:"summary"` // the verdict in a sentence
	Inputs   []Input    `json:"inputs"`
	Series   []Series   `json:"series"`
	Findings []Finding  `json:"findings"`
	Deltas   []Delta    `json:"deltas"`
	Problems []Problem  `json:"problems"`
	Warnings []string   `json:"warnings"`
	Method   []Setting  `json:"method"` // thresholds in force
	Timeline []Timeline `json:"timeline,omitempty"`
	Anchors  []Anchors  `json:"anchors,omitempty"` // what the runs can be aligned at
	Align    *AlignAt   `json:"align,omitempty"`   // where charts count from, if that is not the start of each run
	Policy   *PolicyRef `json:"policy,omitempty"`  // what gate held the result against
	Checks   []Check    `json:"checks,omitempty"`  // one for each thing that the policy demands
	Redlines []Margin   `json:"redlines,omitempty"`

	Stacks []StackDelta `json:"stacks,omitempty"` // what each call chain holds at the end, those that changed most first

	Histories []History `json:"histories,omitempty"` // one for each total and category over the builds
	Release   []Delta   `json:"release,omitempty"`   // the after side against a release, if one was given

	Shared    []Shared     `json:"shared,omitempty"`    // mappings that several processes have in common
	Classes   []ClassCount `json:"classes,omitempty"`   // classes that were asked for, at each moment
	Services  []Service    `json:"services,omitempty"`  // how objectives were kept
	Fits      []Fit        `json:"fits,omitempty"`      // what would fit below a red line
	Reliefs   []Relief     `json:"reliefs,omitempty"`   // what moving memory off a device would buy
	Couplings []Coupling   `json:"couplings,omitempty"` // growth held against the work that was given

	Lifetimes       []Lifetime       `json:"lifetimes,omitempty"`       // what became of the objects of logs of events
	Peaks           []Peak           `json:"peaks,omitempty"`           // what held the memory when most was alive
	Reconciliations []Reconciliation `json:"reconciliations,omitempty"` // heap totals against resident sets, views of a device
	Views           *Views           `json:"views,omitempty"`           // what several captures say of the same sites
	DeviceJoins     []DeviceJoin     `json:"device_joins,omitempty"`    // device memory by both sides, by address
}

// PolicyRef names the policy file of a gate.
type PolicyRef struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Check is one demand of a policy on one subject, and whether it holds: a test case of a CI report.
type Check struct {
	Name        string   `json:"name"` // stable from build to build: rule of the policy and subject
	Rule        string   `json:"rule"` // limit, growth, regression, finding, require, known
	Subject     Subject  `json:"subject"`
	Outcome     Outcome  `json:"outcome"`
	Severity    string   `json:"severity"`
	Message     string   `json:"message"` // a sentence with the numbers in it
	Value       *float64 `json:"value"`   // what was measured, in the unit of the metric
	Limit       *float64 `json:"limit"`   // what the policy allows
	Fingerprint string   `json:"fingerprint"`
	Excused     string   `json:"excused,omitempty"` // the reason of a known finding that is let through
}

// Tool is the program that wrote a Result.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Outcome is the verdict of the whole.
type Outcome string

// The outcomes of a Result.
const (
	Pass         Outcome = "pass"
	Fail         Outcome = "fail"
	Inconclusive Outcome = "inconclusive"
)

// Input is one file that was read (a member of an archive counts as a file: "bugreport.zip!/main.txt").
type Input struct {
	Side     string   `json:"side,omitempty"` // "before", "after", or empty for one-sided commands
	Run      string   `json:"run"`
	Path     string   `json:"path"`
	Format   string   `json:"format"`
	Bytes    int64    `json:"bytes"`
	SHA256   string   `json:"sha256"`
	Tool     string   `json:"tool,omitempty"`
	Device   string   `json:"device,omitempty"`
	Process  []string `json:"process"`
	PID      []int64  `json:"pid,omitempty"`   // at most 20 are named
	Start    string   `json:"start,omitempty"` // of its first sample, RFC 3339, only if the capture says it
	Duration float64  `json:"duration_s"`      // from its first sample to its last
	Clock    string   `json:"clock"`           // wall, boot, name, trace or order
	Samples  int      `json:"samples"`         // snapshots with data
	NoData   int      `json:"no_data"`         // snapshots that hold none
	Rows     int      `json:"rows"`
	Problems int      `json:"problems"`
	Lossy    bool     `json:"lossy"`
	Facts    []Fact   `json:"facts,omitempty"`
}

// Fact is something a capture says about itself: page_size, android, kernel, tool version.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Subject is what a series or delta is about; it is the identity across runs, so it holds no pid and no address.
type Subject struct {
	Process string `json:"process"`
	Scope   string `json:"scope"`
	Name    string `json:"name"`
	Metric  string `json:"metric"`
}

// Unit is what the values of the metric are: bytes, count, ppm (parts per million) or ns.
func (s Subject) Unit() string { return table.MetricOf(s.Metric).Unit }

// Verdict is what is said of one series.
type Verdict string

// The verdicts of a series.
const (
	Leak         Verdict = "leak"
	Step         Verdict = "step"
	WarmUp       Verdict = "warm-up"
	Plateau      Verdict = "plateau"
	Stable       Verdict = "stable"
	Falling      Verdict = "falling"
	Undetermined Verdict = "inconclusive"
)

// Series is the verdict on one metric of one subject in one run, with the numbers it rests on.
type Series struct {
	Side    string  `json:"side,omitempty"`
	Run     string  `json:"run"`
	Subject Subject `json:"subject"`
	PID     *int64  `json:"pid"`
	Part    int     `json:"part"` // 0, 1, … when restarts cut the series

	N         int     `json:"n"`
	DurationS float64 `json:"duration_s"`
	First     int64   `json:"first"`
	Last      int64   `json:"last"`
	Min       int64   `json:"min"`
	Max       int64   `json:"max"`
	Median    int64   `json:"median"`
	Steady    int64   `json:"steady_median"` // median of the last half

	Verdict        Verdict  `json:"verdict"`
	Confidence     string   `json:"confidence,omitempty"` // high or medium, for a leak
	Severity       string   `json:"severity,omitempty"`   // note, warning or critical: does it matter
	Per            string   `json:"per,omitempty"`        // what a second stands for, where the capture has no time: sample, 1e9 instructions
	SlopePerS      *float64 `json:"slope_per_s"`
	SlopeLo        *float64 `json:"slope_lo"`
	SlopeHi        *float64 `json:"slope_hi"`
	RateS          *float64 `json:"rate_s,omitempty"`   // the slope is that of so many seconds before the last sample, as growth came at another rate before; else of all the time judged
	GrowthS        float64  `json:"growth_s,omitempty"` // the time judged, back from the last sample
	Growth         *float64 `json:"growth"`             // over the time judged: without warm-up, since onset_s
	Resolvable     *float64 `json:"resolvable"`         // the smallest growth this series could have shown
	IterationSlope *float64 `json:"iteration_slope,omitempty"`
	IterationLo    *float64 `json:"iteration_lo,omitempty"`
	IterationHi    *float64 `json:"iteration_hi,omitempty"`
	OnsetS         *float64 `json:"onset_s,omitempty"`  // when growth began, on the time axis of the run
	DetectS        *float64 `json:"detect_s,omitempty"` // when it could first have been told, on the same axis
	Basis          string   `json:"basis"`              // samples, trough, …
	P              *float64 `json:"p"`
	EtaS           *float64 `json:"eta_s,omitempty"`
	Reason         string   `json:"reason"`

	evidence []Evidence
	chance   bool // its growth does not stand among all series of the capture
}

// Finding is one thing that is wrong, with what it rests on and what to try.
type Finding struct {
	Rule        string             `json:"rule"`
	Class       string             `json:"class"`
	Severity    string             `json:"severity"` // note, warning or critical
	Side        string             `json:"side,omitempty"`
	Run         string             `json:"run,omitempty"`
	Subject     Subject            `json:"subject"`
	Message     string             `json:"message"`
	Evidence    []Evidence         `json:"evidence"`
	Stats       map[string]float64 `json:"stats"`
	Stack       []string           `json:"stack,omitempty"`       // leaf first
	FreeStack   []string           `json:"free_stack,omitempty"`  // where it was freed, of a misuse
	AllocStack  []string           `json:"alloc_stack,omitempty"` // where it was made, of a misuse
	Source      []string           `json:"source,omitempty"`      // the statement, then the lines around it, if the source was given
	Grain       string             `json:"grain,omitempty"`       // function, chain or thread: how the evidence is gathered
	Grains      []Grain            `json:"grains,omitempty"`      // the same by the other grains
	Balance     []BalanceNode      `json:"balance,omitempty"`     // of an over-retain: who retained and did not release
	Held        []Holder           `json:"held,omitempty"`        // of device memory that ran out: what held it then
	Joined      *Joined            `json:"joined,omitempty"`      // of device memory: what the capture of the other side says of the same addresses
	Advice      string             `json:"advice"`
	Warnings    []string           `json:"warnings"`
	Fingerprint string             `json:"fingerprint"`
	Status      string             `json:"status,omitempty"` // of a comparison: new, fixed or kept

	calls    []table.Call
	object   *lifetime.Mistake // of a misuse: which object at which time
	suspects []string          // what the fingerprint holds beside rule and subject
	settled  bool              // a note for a reason that a longer capture would not change
}

// Evidence is a place in a capture that a finding rests on.
type Evidence struct {
	File   string `json:"file"`
	Line   int64  `json:"line"`
	TimeNS *int64 `json:"time_ns,omitempty"`
	Value  *int64 `json:"value,omitempty"`
}

// Change is what an A/B comparison says of one subject.
type Change string

// The verdicts of a Delta.
const (
	Regression  Change = "regression"
	Improvement Change = "improvement"
	Equivalent  Change = "equivalent"
	Unsettled   Change = "inconclusive"
	New         Change = "new"
	Removed     Change = "removed"
)

// Delta is the difference of one subject between two sides; the run is the unit. After minus before, in the
// metric's unit.
type Delta struct {
	Subject   Subject  `json:"subject"`
	Before    Level    `json:"before"`
	After     Level    `json:"after"`
	Shift     *float64 `json:"shift"` // Hodges-Lehmann, or the difference of the steady medians
	ShiftLo   *float64 `json:"shift_lo"`
	ShiftHi   *float64 `json:"shift_hi"`
	Relative  *float64 `json:"relative"` // shift / before median
	P         *float64 `json:"p,omitempty"`
	PAdjusted *float64 `json:"p_adjusted,omitempty"`
	Verdict   Change   `json:"verdict"`
	Share     *float64 `json:"share,omitempty"` // of the change of the process total
	Band      float64  `json:"band"`            // tolerance the interval is held against
	Note      string   `json:"note"`
}

// Level is one side of a Delta. The values are medians over the runs of the side; nil where the side has none.
type Level struct {
	Runs   int       `json:"runs"`
	N      int       `json:"n"`      // samples over all runs
	Median *float64  `json:"median"` // of the runs' steady medians
	Lo     *float64  `json:"lo"`     // least and greatest steady median
	Hi     *float64  `json:"hi"`
	Peak   *float64  `json:"peak"`
	End    *float64  `json:"end"`
	Values []float64 `json:"values,omitempty"` // steady median of each run, in run order
}

// Problem is a record that could not be read as it should be.
type Problem struct {
	Side    string `json:"side,omitempty"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}

// Setting is one threshold in force: name, value as text, and what it does.
type Setting struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
}

// Timeline is a series to draw: at most a few hundred columns, each with the least, middle and greatest value
// in it, so that no peak is lost. Columns without a sample are left out.
type Timeline struct {
	Side    string    `json:"side,omitempty"`
	Run     string    `json:"run"`
	Subject Subject   `json:"subject"`
	Part    int       `json:"part"`
	TimeS   []float64 `json:"t"`
	Min     []float64 `json:"min"`
	Mid     []float64 `json:"mid"`
	Max     []float64 `json:"max"`
	Limit   *float64  `json:"limit,omitempty"` // a red line to draw in
}
