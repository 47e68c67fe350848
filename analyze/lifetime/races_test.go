package lifetime

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// told enters lines such as "2 use 10" (thread, operation, object, count), and gives the races as "use line-end line" and the
// mistakes as "rule/unordered".
func told(lines string) []string { return toldBy(New(nil), lines) }

func toldBy(l *Ledger, lines string) (out []string) {
	for i, line := range strings.Split(lines, "; ") {
		f := strings.Fields(line)
		e := Event{TimeNS: int64(i + 1), Line: int64(i + 1), PID: 1, Op: Ops[f[1]], Kind: 1, Named: true, Stack: int64(i + 1), Size: -1}
		e.TID, _ = strconv.ParseInt(f[0], 10, 64)
		e.Object, _ = strconv.ParseUint(f[2], 10, 64)
		if len(f) > 3 {
			e.Count, _ = strconv.ParseInt(f[3], 10, 64)
			e.HasCount = true
		}
		l.Add(&e)
	}
	b := l.Close()
	for _, r := range b.Races {
		out = append(out, fmt.Sprintf("%d-%d", r.Use.Line, r.End.Line))
	}
	for _, m := range b.Mistakes {
		out = append(out, fmt.Sprintf("%s/%d", m.Rule, m.Unordered))
	}
	return out
}

// TestWorkedRaces are the rules by example.
func TestWorkedRaces(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"no order in the log":              {"1 alloc 10; 2 use 10; 1 free 10", ""},
		"nothing makes the end wait":       {"1 alloc 10; 1 fork 2; 2 use 10; 1 free 10", "3-4"},
		"joined":                           {"1 alloc 10; 1 fork 2; 2 use 10; 1 join 2; 1 free 10", ""},
		"joined by its token":              {"1 alloc 10; 1 fork 99; 2 begin 99; 2 use 10; 1 join 99; 1 free 10", ""},
		"used again before it was joined":  {"1 alloc 10; 1 fork 2; 2 use 10; 1 use 10; 2 use 10; 1 free 10; 1 join 2", "5-6"},
		"used before the fork":             {"1 alloc 10; 1 use 10; 1 fork 2; 2 free 10", ""},
		"used behind the fork":             {"1 alloc 10; 1 fork 2; 1 use 10; 2 free 10", "3-4"},
		"a fork that is not in the log":    {"1 alloc 10; 1 use 10; 1 signal 5; 2 lock 7; 2 free 10", ""},
		"a lock":                           {"1 alloc 10; 1 fork 2; 2 lock 7; 2 use 10; 2 unlock 7; 1 lock 7; 1 free 10; 1 unlock 7", ""},
		"two locks":                        {"1 alloc 10; 1 fork 2; 2 lock 7; 2 use 10; 2 unlock 7; 1 lock 8; 1 free 10; 1 unlock 8", "4-7"},
		"the other way round":              {"1 alloc 10; 1 fork 2; 1 lock 7; 1 unlock 7; 2 lock 7; 2 use 10; 2 unlock 7; 1 free 10", "6-8"},
		"posted":                           {"1 alloc 10; 1 fork 2; 2 use 10; 2 signal 7; 1 wait 7; 1 free 10", ""},
		"posted too early":                 {"1 alloc 10; 1 fork 2; 2 signal 7; 2 use 10; 1 wait 7; 1 free 10", "4-6"},
		"handed on":                        {"1 fork 2; 1 fork 3; 2 alloc 10; 2 use 10; 2 signal 7; 3 wait 7; 3 use 10; 3 free 10", ""},
		"two that use, one that is joined": {"1 alloc 10; 1 fork 2; 1 fork 3; 2 use 10; 3 use 10; 1 join 2; 1 free 10", "5-7"},
		"by address, not by object":        {"1 alloc 10; 1 fork 2; 2 use 10; 2 free 10; 1 alloc 10; 1 free 10", ""},
		"there before the log":             {"1 fork 2; 2 use 10; 1 free 10", ""},
		"a thread without order":           {"1 alloc 10; 1 lock 7; 1 unlock 7; 2 use 10; 1 free 10", ""},
		"counted":                          {"1 create 10 1; 1 retain 10 2; 1 fork 2; 2 use 10; 2 release 10 1; 1 release 10 0; 1 destroy 10", ""},
		"counted, ended by the other":      {"1 create 10 1; 1 retain 10 2; 1 fork 2; 1 release 10 1; 2 use 10; 2 release 10 0; 2 destroy 10", ""},
		"ended in the release":             {"1 create 10 1; 1 retain 10 2; 1 fork 2; 2 use 10; 2 release 10 1; 1 destroy 10; 1 release 10 0", ""},
		"a release that is written late":   {"1 create 10 1; 1 retain 10 2; 1 fork 2; 2 use 10; 1 destroy 10; 1 release 10 0; 2 release 10 1", ""},
		"late, and ended behind":           {"1 create 10 1; 1 retain 10 2; 1 fork 2; 2 use 10; 1 release 10 0; 2 release 10 1; 1 destroy 10", ""},
		"never released":                   {"1 create 10 1; 1 retain 10 2; 1 fork 2; 2 use 10; 1 destroy 10", "4-5"},
		"used without a reference":         {"1 create 10 1; 1 fork 2; 2 use 10; 1 release 10 0; 1 destroy 10", "3-5"},
		"used behind the end":              {"1 alloc 10; 1 fork 2; 1 free 10; 2 use 10", "use-after-free/1"},
		"used behind the end, in order":    {"1 alloc 10; 1 fork 2; 1 free 10; 1 signal 7; 2 wait 7; 2 use 10", "use-after-free/0"},
		"ended twice at once":              {"1 alloc 10; 1 fork 2; 1 free 10; 2 free 10", "double-free/1"},
		"ended twice in a thread":          {"1 alloc 10; 1 fork 2; 1 free 10; 1 free 10", "double-free/0"},
		"given up twice at once":           {"1 create 10 1; 1 fork 2; 1 release 10 0; 2 release 10 0", "over-release/1"},
		"enlarged by another thread":       {"1 alloc 10; 1 fork 2; 2 realloc 10; 1 free 10", "3-4"},
	} {
		if got := strings.Join(told(c.lines), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOrderIsNoObject: what orders threads leaves the books of objects as they are, in all but races.
func TestOrderIsNoObject(t *testing.T) {
	plain, ordered := New(nil), New(nil)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range int64(3000) {
		if k := uint64(r.IntN(8)); i > 500 && i < 2500 {
			ordered.Add(&Event{TimeNS: 1000*i - 1, PID: 1 + i%3, TID: 1, Op: Lock + Op(k)%7, Kind: 9, Object: k, Named: true, Stack: 9, Size: 7})
		}
		for _, l := range []*Ledger{plain, ordered} {
			l.Add(&Event{TimeNS: 1000 * i, PID: 1, TID: 1, Op: []Op{Alloc, Free}[i%2], Kind: 1, Object: uint64(i / 2 % 50), Named: true, Stack: i % 7, Size: 8})
		}
	}
	ordered.Add(&Event{TimeNS: 1e12, PID: 7, TID: 1, Op: Lock, Object: 1, Named: true})
	a, b := plain.Close(), ordered.Close()
	for i := range a.Sites {
		x, y, z := a.Sites[i].Levels()
		u, v, w := b.Sites[i].Levels()
		if fmt.Sprint(x, y, z) != fmt.Sprint(u, v, w) {
			t.Errorf("the levels of site %d differ", i)
		}
		if x, y := plainSite(&a.Sites[i]), plainSite(&b.Sites[i]); x != y {
			t.Errorf("site %d: %s\n%s", i, x, y)
		}
	}
	a.Sites, b.Sites, a.clock, b.clock = nil, nil, nil, nil
	if x, y := fmt.Sprintf("%+v", *a), fmt.Sprintf("%+v", *b); x != y {
		t.Errorf("%s\n%s", x, y)
	}
}

// plainSite writes a site without its curves, which Levels gives.
func plainSite(c *Curves) string {
	s := *c.Site
	s.count, s.bytes, s.ends, s.aligned = curve{}, curve{}, nil, nil
	return fmt.Sprintf("%+v %d %d %d", s, c.FromNS, c.ToNS, c.EndThread)
}

// statistics is how many made-up programs are tried.
func statistics() int {
	if n, err := strconv.Atoi(os.Getenv("MEMTIDE_STATISTICS")); err == nil {
		return 50 * n
	}
	return 300
}

// TestRacesOfPrograms: programs whose threads make every end wait have no race; the one that is put into them is found.
func TestRacesOfPrograms(t *testing.T) {
	programs, events, accused, found, raced := statistics(), int64(0), 0, 0, 0
	for seed := range programs {
		for _, racy := range []bool{false, true} {
			b, use, end := scheduled(uint64(seed), racy)
			events += b.Events
			raced += min(int(use), 1)
			switch {
			case len(b.Mistakes) > 0:
				t.Errorf("seed %d: %+v", seed, b.Mistakes[0])
			case use == 0:
				accused += min(len(b.Races), 1)
			case len(b.Races) == 1 && b.Races[0].Use.Line == use && b.Races[0].End.Line == end && b.Races[0].Events == 1:
				found++
			}
		}
	}
	t.Logf("%d of %d programs with a race found, %d of %d without accused; %d events of objects", found, raced, accused, programs, events)
	if found != raced || raced < programs*9/10 || accused > 0 {
		t.Error("want all, and none")
	}
}

// TestMemoryOfOrder: uses of objects that were ended are not kept, nor counts of those.
func TestMemoryOfOrder(t *testing.T) {
	l := New(nil)
	at := int64(0)
	add := func(tid int64, op Op, object uint64, count int64) {
		at++
		l.Add(&Event{TimeNS: at, PID: 1, TID: tid, Op: op, Kind: 1, Object: object, Named: true, Stack: 1, Size: 8, Count: count, HasCount: count >= 0})
	}
	add(1, Fork, 2, -1)
	for i := range uint64(mostDead * 5 / 4) {
		add(1, Create, i, 1)
		add(1, Retain, i, 2)
		add(2, Use, i, -1)
		add(2, Release, i, 1)
		add(1, Release, i, 0)
		add(1, Destroy, i, -1)
	}
	o := l.order
	if len(o.uses) > 100 || len(o.open) > 0 || len(o.marks) > 4*mostDead || len(o.races) > 0 {
		t.Errorf("%d uses, %d open, %d marks, %d races", len(o.uses), len(o.open), len(o.marks), len(o.races))
	}
}

// TestLateDoubleFree: in a log without stacks a second free is judged by what ordered the threads when it was done, and by the
// end of its own object, though it is told at the end of the log.
func TestLateDoubleFree(t *testing.T) {
	for lines, want := range map[string]string{
		"1 alloc 10; 1 fork 2; 1 free 10; 2 free 10; 1 signal 7; 2 wait 7":                        "double-free/1",
		"1 alloc 10; 1 fork 2; 1 free 10; 1 signal 7; 2 wait 7; 2 free 10; 1 alloc 10; 1 free 10": "double-free/0",
	} {
		if got := strings.Join(toldBy(New(func(int64) bool { return true }), lines), " "); got != want {
			t.Errorf("%s: %s, want %s", lines, got, want)
		}
	}
}
