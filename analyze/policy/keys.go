package policy

import "github.com/memtide/memtide/analyze"

// field is one key of a mapping. The tables below are the grammar: the decoder, the schema and the errors all follow them.
type field struct {
	key      string
	kind     *kind   // of a scalar
	fields   []field // of a mapping
	list     bool    // of such mappings
	required bool
	doc      string
}

// topKeys are the keys of a policy.
var topKeys = []field{
	{key: "version", kind: one, required: true, doc: "Version of this format: 1."},
	{key: "fail_on", kind: severity, doc: "The least severity that breaks the policy. Default: warning."},
	{key: "on_inconclusive", kind: outcome, doc: "What becomes of a check that could not be decided: pass, warn or fail. Default: warn. Where no check was decided the gate does not pass, whatever stands here."},
	{key: "on_kept", kind: outcome, doc: "What becomes of a finding that both sides of a comparison have: pass, warn or fail. Default: warn."},
	{key: "limits", list: true, fields: limitKeys, doc: "Levels that must not be exceeded, or not be undercut. All that fit a series hold for it."},
	{key: "growth", list: true, fields: growthKeys, doc: "How fast something may grow. The first rule that fits a series holds for it."},
	{key: "objectives", list: true, fields: objectiveKeys, doc: "Levels that may be left for a moment, and not for long: objectives of a service."},
	{key: "regressions", list: true, fields: regressionKeys, doc: "How much more than before is tolerated in a comparison. The first rule that fits a subject holds for it; without any, the totals of processes are held against the built-in tolerances."},
	{key: "alignment", list: true, fields: alignmentKeys, doc: "Multiples at which objects of a kind or mappings must begin, in a policy for one side."},
	{key: "advice", kind: onOff, doc: "Advice on kernels of a GPU profile among the findings. Default: off."},
	{key: "known", list: true, fields: knownKeys, doc: "Findings that are let through for a time."},
	{key: "redlines", fields: redlineKeys(), doc: "The built-in red lines."},
}

// patternKeys choose subjects, in every rule that has some.
var patternKeys = []field{
	{key: "metric", kind: glob, required: true, doc: "Metric, such as rss, pss, footprint, gpu_used, count; * stands for any text."},
	{key: "process", kind: glob, doc: "Name of the process; * stands for any text. Default: any."},
	{key: "category", kind: glob, doc: "A category of the process, such as heap or Native Heap, in place of its total."},
	{key: "mapping", kind: glob, doc: "A mapping of the process, in place of its total."},
	{key: "device", kind: glob, doc: "A device by its name."},
	{key: "scope", kind: glob, doc: "Any other scope: system, pool, class, handle, region, zone."},
	{key: "name", kind: glob, doc: "The name within scope."},
}

// ruleKeys are those of every rule with a pattern.
var ruleKeys = []field{
	{key: "severity", kind: severity, doc: "Severity if the rule is broken. Default: critical."},
	{key: "require", kind: onOff, doc: "The pattern must fit something; otherwise the policy is broken. Without it, a pattern that fits nothing is a warning."},
}

var limitKeys = join([]field{
	{key: "title", kind: anyText, doc: "What the limit is called in reports. Default: made from the pattern."},
}, patternKeys, []field{
	{key: "max", kind: level, doc: "The greatest level: a size (512 MiB; 75 GB is decimal), a count, or a share of a total that the capture states (90 % of mem_limit, of mem_total, of gpu_total)."},
	{key: "min", kind: level, doc: "The least level, for what must not run out, such as mem_available."},
	{key: "every", kind: whole, doc: "Look at the first sample of every so many iterations only, where the capture counts iterations."},
}, ruleKeys)

var growthKeys = join(patternKeys, []field{
	{key: "max", kind: rate, required: true, doc: "The fastest growth: a rate (1 MiB/h; per s, min, h, d or iteration), or the growth of one run (4 MiB)."},
	{key: "expires", kind: date, doc: "The last day on which the rule holds. After it the next rule that fits does. Default: none."},
}, ruleKeys)

var objectiveKeys = join([]field{
	{key: "title", kind: anyText, doc: "What the objective is called in reports. Default: made from the pattern."},
}, patternKeys, []field{
	{key: "max", kind: difference, doc: "The level to keep below: a size or a count."},
	{key: "min", kind: difference, doc: "The level to keep above."},
	{key: "deviation", kind: percent, doc: "The share of the level by which the median of a window may miss it. Default: 0 %."},
	{key: "window", kind: duration, doc: "Length of a window. Default: 60 s."},
	{key: "step", kind: duration, doc: "Time from one window to the next. Default: 5 s."},
	{key: "windows", kind: whole, doc: "So many windows in a row break the objective. Default: 3."},
}, ruleKeys)

var alignmentKeys = []field{
	{key: "title", kind: anyText, doc: "What the rule is called in reports. Default: made from the pattern."},
	{key: "kind", kind: glob, doc: "Kind of objects in a log of events, such as MTLBuffer or gpu-memory; * stands for any text."},
	{key: "mapping", kind: glob, doc: "Path of mappings; their starts and their offsets in the file are held."},
	{key: "multiple", kind: power, required: true, doc: "A power of two, in bytes: 64, 256, 4096."},
	{key: "severity", kind: severity, doc: "Severity if the rule is broken. Default: warning."},
}

var regressionKeys = join(patternKeys, []field{
	{key: "absolute", kind: difference, doc: "A difference up to this size or count is tolerated."},
	{key: "relative", kind: percent, doc: "A difference up to this share of the level before is tolerated. With absolute the larger of both counts."},
	{key: "single_run", kind: percent, doc: "Where a side has fewer than four runs, the share of the level before that a difference must exceed to count. Default: 10 %."},
}, ruleKeys)

var knownKeys = []field{
	{key: "fingerprint", kind: fingerprint, required: true, doc: "Of the finding, as it stands in the report."},
	{key: "reason", kind: anyText, required: true, doc: "Why it is let through: a ticket, a name."},
	{key: "expires", kind: date, required: true, doc: "The last day on which it is let through."},
}

func redlineKeys() []field {
	out := []field{{key: "built_in", kind: onOff, doc: "off takes all of them away. Default: on."}}
	for _, name := range analyze.BuiltInRedlines {
		out = append(out, field{key: name, kind: replacement, doc: "Another limit for this line, or off."})
	}
	return out
}

func join(lists ...[]field) (out []field) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func keysOf(fields []field) (out []string) {
	for _, f := range fields {
		out = append(out, f.key)
	}
	return out
}
