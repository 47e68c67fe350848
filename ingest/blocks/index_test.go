package blocks

import "testing"

// TestIndex: what was put in is found by its own number and nothing else is, whatever stands near to it and whichever hashes are
// the same.
func TestIndex(t *testing.T) {
	for name, of := range map[string]func(v uint32) (near, hash uint32){
		"spread":   func(v uint32) (uint32, uint32) { h := Mix(uint64(v), 0); return uint32(h), uint32(h >> 32) },
		"one line": func(v uint32) (uint32, uint32) { return 7, uint32(Mix(uint64(v), 0)) },
		"one hash": func(v uint32) (uint32, uint32) { return v / 3, 0xffffffff },
	} {
		var x Index
		var list []uint32
		find := func(v uint32) int {
			near, hash := of(v)
			return x.Find(near, hash, func(i uint32) bool { return list[i] == v })
		}
		for v := uint32(0); v < 4000; v += 2 {
			if at := find(v); at >= 0 {
				t.Fatalf("%s: %d is at %d before it was added", name, v, at)
			}
			list = append(list, v)
			near, hash := of(v)
			x.Add(near, hash, func(i uint32) (near, hash uint32) { return of(list[i]) })
		}
		for v := range uint32(4000) {
			if at := find(v); v%2 == 0 && at != int(v/2) || v%2 == 1 && at >= 0 {
				t.Fatalf("%s: %d is at %d", name, v, at)
			}
		}
	}
}
