package lifetime

import (
	"math/rand/v2"
	"testing"
)

// TestBalanceOfManyStacks: however many stacks count an object up and down, their sums stay, in room and time in proportion.
func TestBalanceOfManyStacks(t *testing.T) {
	for _, stacks := range []int{1, 60, 65, 5000, 100_000} {
		l, o, r := New(nil), &object{}, rand.New(rand.NewPCG(1, 2))
		want := map[int64]int64{}
		for range 400_000 {
			s := step{int64(r.IntN(stacks)), int64(1 - 2*r.IntN(2))}
			want[s.stack] += s.by
			l.balance(o, s)
		}
		steps := l.balances[o.number]
		for _, s := range steps {
			want[s.stack] -= s.by
		}
		for stack, rest := range want {
			if rest != 0 {
				t.Fatalf("%d stacks: the sum of stack %d is off by %d", stacks, stack, rest)
			}
		}
		if len(steps) > 8*stacks+2*mostSteps {
			t.Errorf("%d stacks: %d steps are kept", stacks, len(steps))
		}
	}
}
