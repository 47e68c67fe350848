package analyze

// GrowthKind is what a series counts. It chooses the size from which growth is worth a warning, and nothing else.
type GrowthKind string

// The kinds of series.
const (
	Bytes   GrowthKind = "bytes"   // of a process, category or device
	Site    GrowthKind = "site"    // bytes of one allocation site or class
	Objects GrowthKind = "count"   // live objects of a class
	Handles GrowthKind = "handles" // open files, threads, events, buffers: no floor
	Shares  GrowthKind = "share"   // parts per million of a whole
	Times   GrowthKind = "time"    // nanoseconds
)

// GrowthInput is one series to judge. The slices are left as they are.
type GrowthInput struct {
	T          []float64 // seconds, any order; the samples are sorted by it
	Y          []float64 // values, one for each T; NaN is unknown
	Iterations []float64 // number of the iteration each sample was taken in, one for each T, or nil
	Kind       GrowthKind
	Tick       string  // what a second of T stands for where the capture has no time: "sample"; empty for seconds
	Limit      float64 // the value that must not be reached, for EtaS; 0 for none
}

// GrowthConfig holds the thresholds of JudgeGrowth. DefaultGrowth has the values that were measured; docs/methods.md
// says how, and what each gate is for.
type GrowthConfig struct {
	WarmUp      float64 // share of the samples at the start that is left out
	Bins        int     // longer series are reduced to this many bins
	Alpha       float64 // one-sided level of the test for growth, on samples and troughs
	FloorAlpha  float64 // the same on the least values of blocks
	WindowAlpha float64 // the same on what is left after more than WarmUp was cut off
	LateRatio   float64 // least share of the whole slope that the second half must still have
	TailRatio   float64 // least share of the claimed slope that the last part must still have
	StepRatio   float64 // cost of two levels over cost of a line below which growth is one step
	Drift       float64 // least t value of the mean rise from block to block
	WindowDrift float64 // the same on what is left after more than WarmUp was cut off
	Drawdown    float64 // greatest fall from an earlier level, as a share of the growth
	Agree       float64 // least share of the claimed slope that what lies beneath the samples of the last half must have
	FloorAgree  float64 // the same for coarser floors, when floors were judged
	Record      float64 // share of the growth by which the end must exceed what came before a window
	Level       float64 // confidence of the interval of the slope
	MinSamples  int     // fewer are inconclusive

	Floors    map[GrowthKind]float64 // growth from which severity is warning, in the unit of the series
	Share     float64                // the same as a share of the median, for Bytes; the larger of the two counts
	Critical  float64                // growth over the level at the start from which severity is critical
	CriticalS float64                // seconds to the limit below which severity is critical
}

// DefaultGrowth are the thresholds in force unless a policy says otherwise.
var DefaultGrowth = GrowthConfig{
	WarmUp: 0.1, Bins: 100, Alpha: 0.01, FloorAlpha: 0.002, WindowAlpha: 0.0014,
	LateRatio: 0.5, TailRatio: 0.25, StepRatio: 0.6, Drift: 1.9, WindowDrift: 3, Drawdown: 0.4, Agree: 0.6, FloorAgree: 0.1, Record: 0.3,
	Level: 0.95, MinSamples: 5,
	Floors: map[GrowthKind]float64{Bytes: 1 << 20, Site: 4096, Objects: 4, Handles: 0, Shares: 10_000, Times: 0}, Share: 0.02,
	Critical: 0.5, CriticalS: 24 * 3600,
}

// Judgement is what JudgeGrowth says of one series. Pointers are nil where there is nothing to say.
type Judgement struct {
	Verdict    Verdict
	Confidence string // high or medium, for Leak
	Severity   string // note, warning or critical, for Leak: whether it matters
	N          int    // samples judged
	Dropped    int    // samples left out: unknown, negative or absurd
	DurationS  float64
	SlopePerS  *float64
	SlopeLo    *float64
	SlopeHi    *float64
	Growth     *float64 // over the time judged: what is left after warm-up, or since OnsetS
	GrowthS    float64  // that time, in seconds
	RateS      *float64 // the slope is that of so many seconds before the last sample; nil: of all the time judged
	Resolvable *float64 // half the interval that growth is told by times the time judged: less than this would not have shown
	P          *float64 // one-sided, against growth
	Basis      string   // what was tested: samples, trough, floor, cycle or doubling
	OnsetS     *float64 // when growth began, on the time axis of the input
	EtaS       *float64 // seconds from the last sample to Limit at this slope
	Iteration  *IterationGrowth
	Reason     string // a sentence with the numbers the verdict rests on
}

// IterationGrowth is growth by iteration, after the first ones were left out as warm-up.
type IterationGrowth struct {
	Slope, Lo, Hi float64 // per iteration
	Cycles        int     // differences between successive iterations
	EveryRises    bool    // all of them are positive: strong evidence (the rule of CPython's and LeakCanary's own checks)
	Weakest       float64 // least difference over the mean one; a leak has 0.8, a warm-up 0.03
}

// JudgeGrowth says whether one series grows, how fast, since when and why it says so. It tries the windows and bases of
// candidates in order; growth is what passes every gate. Growth in forms no straight line fits is looked for last. What
// does not grow is told apart by what it did instead.
func JudgeGrowth(in GrowthInput, c GrowthConfig) Judgement {
	g := newGrower(in, c)
	if why := g.unfit(); why != "" {
		return Judgement{Verdict: Undetermined, N: g.n, Dropped: g.dropped, DurationS: g.duration(), Basis: "samples", Reason: why + g.omitted()}
	}
	main := g.candidates(c.WarmUp)
	for _, share := range []float64{c.WarmUp, 0.25, 0.4, 0.55} {
		window := main
		if share > c.WarmUp {
			window = g.candidates(share)
		}
		for i := range window {
			if window[i].passes() {
				return g.leak(&window[i])
			}
		}
	}
	for _, pattern := range []func(*candidate) *finding{g.cycles, g.doubling, g.everyIteration} {
		if f := pattern(&main[0]); f != nil {
			return g.patterned(f)
		}
	}
	return g.noLeak(main)
}
