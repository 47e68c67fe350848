// Package stat is the arithmetic of the verdicts: pure functions on []float64 that know nothing of captures.
//
// Every function leaves its arguments as they were, draws no random number without a seed that was passed in, and
// answers the same for the same input. Values must be finite: the caller drops NaN and counts what it dropped.
// The worked numbers of the formulas are in the tests.
package stat
