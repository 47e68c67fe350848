package sarif

import (
	"cmp"
	"slices"

	"github.com/memtide/memtide/report/internal/ruling"
)

// meanings say what the rules look for, in a sentence and in what to do about it.
var meanings = map[string]struct{ name, is, help string }{
	"growth":          {"MemoryGrowth", "Memory keeps growing.", "Take heap profiles at two moments of the same scenario and compare them."},
	"handle-leak":     {"HandleLeak", "Counted things keep growing in number.", "Repeat one scenario and see whether their number returns to what it was."},
	"regression":      {"MemoryRegression", "Memory is more than before.", "Take heap profiles of both builds at the same moment and compare them."},
	"redline":         {"RedLine", "Memory crossed a limit of the device or system.", "See what grew before the crossing, and whether the limit fits."},
	"limit":           {"PolicyLimit", "Memory is above a limit of the policy.", "See what holds the memory, or change the limit in the policy."},
	"finding":         {"PolicyFinding", "There is a finding that the policy does not allow.", "Read the finding, or name it in the policy with a reason and a date."},
	"require":         {"PolicyRequire", "Something that the policy asks for was not measured.", "Check that the capture is there and holds the process and metric."},
	"fault":           {"MemoryFault", "The process was killed or crashed over memory.", "Look at the top frames of the stack, and at what grew before."},
	"leaked":          {"Leaked", "Something was allocated and never freed.", "Look at the stack of the allocation."},
	"double-free":     {"DoubleFree", "Something was freed twice.", "Look at the stacks of both."},
	"use-after-free":  {"UseAfterFree", "Something was used after it was freed.", "Look at the stacks of the release and of the use."},
	"over-retain":     {"OverRetain", "A reference was taken and never given back.", "Look at who takes it."},
	"over-release":    {"OverRelease", "A reference was given back more often than it was taken.", "Look at who gives it back."},
	"mismatched-pair": {"MismatchedPair", "Memory was freed by the wrong function.", "Free it with the partner of what allocated it."},
	"racy-release":    {"RacyRelease", "Something is used by one thread and ended by another, with nothing that orders the two.", "Look at both stacks, and at what should make the end wait."},
	"reconcile":       {"Reconcile", "Two sources disagree about the same memory.", "See which of the two the capture can be trusted for."},
	"dwell":           {"HeldUnused", "Memory is held long after its last use.", "End the objects right after their last use."},
	"advice":          {"KernelAdvice", "A kernel would gain from a change.", "Read the figures and what to try."},
	"verdict":         {"Verdict", "The verdict of the whole result.", "Read the report."},
}

// rulebook collects the rules that the results name, in order of their first result.
type rulebook struct {
	list []rule
	at   map[string]int
	tags map[string]bool
}

func newRulebook() *rulebook {
	return &rulebook{list: []rule{}, at: map[string]int{}, tags: map[string]bool{}}
}

// index is the place of the rule; its class becomes a tag, while there is room.
func (b *rulebook) index(i ruling.Ruling) int {
	at, ok := b.at[i.Rule]
	if !ok {
		at = len(b.list)
		b.at[i.Rule] = at
		m := meanings[i.Rule]
		is := cmp.Or(m.is, "memtide: "+i.Rule+".")
		b.list = append(b.list, rule{ID: i.Rule, Name: m.name, Short: message{plain(is)}, Full: message{plain(is)}, Help: message{cmp.Or(m.help, "Read the message and the report.")},
			Config: configuration{levels[i.Severity]}, Properties: map[string]any{"tags": []string{"memory"}}})
	}
	b.tag(&b.list[at], i.Class)
	return at
}

func (b *rulebook) tag(r *rule, tag string) {
	tags := r.Properties["tags"].([]string)
	if tag == "" || slices.Contains(tags, tag) {
		return
	}
	if len(tags) < limits.tags {
		r.Properties["tags"] = append(tags, tag)
		return
	}
	if key := r.ID + "\x00" + tag; !b.tags[key] {
		b.tags[key] = true
		left, _ := r.Properties["tagsLeftOut"].(int)
		r.Properties["tagsLeftOut"] = left + 1
	}
}
