package torch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtide/memtide/ingest/table"
)

var roomColumns = []string{"scope", "name", "metric", "value"}

func roomsIn(r result) []string {
	var out []string
	for _, m := range []string{"gpu_inactive", "gpu_largest_free", "gpu_non_releasable", "gpu_split_segments"} {
		out = append(out, lines(r.where(table.Samples, "metric="+m), roomColumns...)...)
	}
	return out
}

func details(r result) []string { return lines(r.tables[table.Faults], "detail") }

// TestRooms: at the end 16 and 8 MiB are free in the two large segments, 20 MiB in the one of a private pool, all but 512 B in the small
// one. At the first request that is refused a block of 4 MiB still parts the 16 into 6 and 6.
func TestRooms(t *testing.T) {
	r := snapshotOf(t, "fragmented.json")
	same(t, "rooms", roomsIn(r),
		"device GPU 0 gpu_inactive 48233984", "pool GPU 0 small gpu_inactive 2096640", "pool GPU 0 large gpu_inactive 25165824", "pool GPU 0 large of pool (1, 0) gpu_inactive 20971520",
		"device GPU 0 gpu_largest_free 16777216", "pool GPU 0 small gpu_largest_free 2096640", "pool GPU 0 large gpu_largest_free 16777216", "pool GPU 0 large of pool (1, 0) gpu_largest_free 20971520",
		"device GPU 0 gpu_non_releasable 27262464",
		"pool GPU 0 small gpu_split_segments 1", "pool GPU 0 large gpu_split_segments 2", "pool GPU 0 large of pool (1, 0) gpu_split_segments 0")
	last := "GPU 0, device_free 1048576, inactive 48233984, fitting 25165824, largest_free 16777216"
	same(t, "refusals", details(r), "GPU 0, device_free 1048576, inactive 44039680, fitting 20971520, largest_free 8388608, slack 1048576", last, last, last, last)
}

// TestRoomsNotKnown: what does not fit together gives no figure, and damage is told.
func TestRoomsNotKnown(t *testing.T) {
	text := string(fixture(t, "torch-snapshot/fragmented.json"))
	bare := "GPU 0, device_free 1048576"
	for _, c := range []struct {
		name, from, to string
		rooms          bool
		first, problem string
	}{
		{"a block that is too small", `"size": 12582912,` + "\n" + `     "requested_size": 12582912,`, `"size": 4096,` + "\n" + `     "requested_size": 12582912,`, false, bare, "want blocks that fill their segment"},
		{"no size of a block", `"size": 16777216,`, `"sise": 16777216,`, false, bare, ""},
		{"settings that round", `"PYTORCH_CUDA_ALLOC_CONF": ""`, `"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:4"`, true, bare, ""},
		{"a free that was not there", `"action": "snapshot",`, `"action": "segment_free",`, true, bare, ""},
		{"a later event that is not known", `"action": "snapshot",`, `"action": "melt",`, true, bare, "melt"},
		{"a pool that is no pair", "[\n     1,\n     0\n   ]", "7", true, "", ""},
	} {
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text && !strings.HasPrefix(c.name, "a pool") {
			t.Fatalf("%s: nothing to change", c.name)
		}
		r := decodeBytes(t, DecodeSnapshot, "x", []byte(changed))
		if got := len(roomsIn(r)) > 0; got != c.rooms {
			t.Errorf("%s: rooms %v", c.name, roomsIn(r))
		}
		if c.first != "" && details(r)[0] != c.first {
			t.Errorf("%s: %s", c.name, details(r)[0])
		}
		if !strings.Contains(fmt.Sprint(r.problems), c.problem) {
			t.Errorf("%s: problems %q", c.name, r.problems)
		}
	}
}

// TestRoomsOfExpandable: memory that is mapped and unmapped behind a request that was refused is taken back piece by piece, and what
// can grow has nothing that it could not give back.
func TestRoomsOfExpandable(t *testing.T) {
	const m = 1 << 20
	s := model{segments: []modelSegment{{at: 1 << 32, size: 40 * m, grows: true, blocks: []modelBlock{{10 * m, true}, {30 * m, false}}}}}
	s.event("oom", 0, 25*m)
	s.event("free_completed", 1<<32+20*m, 10*m) // then 60 MiB were mapped, and two blocks of 10 MiB in use
	s.event("segment_unmap", 1<<32+40*m, 20*m)
	r := decodeBytes(t, DecodeSnapshot, "x", s.json())
	same(t, "detail", details(r), fmt.Sprintf("GPU 0, inactive %d, fitting %d, largest_free %d, expandable", 40*m, 40*m, 30*m))
	same(t, "stuck", lines(r.where(table.Samples, "metric=gpu_non_releasable"), "value"), "0")
}

// model is a caching allocator of one large pool, which writes what torch would.
type model struct {
	segments []modelSegment
	events   []map[string]any
}

type modelSegment struct {
	at, size int64
	grows    bool
	blocks   []modelBlock
}

type modelBlock struct {
	size int64
	live bool
}

func (s *model) event(action string, at, size int64) {
	e := map[string]any{"action": action, "size": size, "stream": 0}
	if action != "oom" {
		e["addr"] = at
	}
	s.events = append(s.events, e)
}

func (s *model) json() []byte {
	var segments []any
	for _, g := range s.segments {
		var blocks []any
		for _, b := range g.blocks {
			state := map[bool]string{true: "active_allocated", false: "inactive"}[b.live]
			blocks = append(blocks, map[string]any{"size": b.size, "requested_size": b.size, "state": state})
		}
		segments = append(segments, map[string]any{"device": 0, "address": g.at, "total_size": g.size, "stream": 0, "segment_type": "large", "is_expandable": g.grows, "blocks": blocks})
	}
	text, _ := json.Marshal(map[string]any{"segments": segments, "device_traces": []any{s.events}})
	return text
}

// alloc takes the first block that is large enough, or a new segment; up to 1 MiB is not split off.
func (s *model) alloc(size int64) {
	for i := range s.segments {
		g, at := &s.segments[i], s.segments[i].at
		for k, b := range g.blocks {
			if rest := b.size - size; !b.live && rest >= 0 {
				parts := []modelBlock{{b.size, true}}
				if rest > smallest {
					parts = []modelBlock{{size, true}, {rest, false}}
				}
				g.blocks = append(append(append([]modelBlock{}, g.blocks[:k]...), parts...), g.blocks[k+1:]...)
				s.event("alloc", at, size)
				return
			}
			at += b.size
		}
	}
	at := int64(1+len(s.events)) << 32
	s.segments = append(s.segments, modelSegment{at: at, size: 40 << 20, blocks: []modelBlock{{40 << 20, false}}})
	s.event("segment_alloc", at, 40<<20)
	s.alloc(size)
}

// free gives back a block that is in use, what was asked for it, and joins what is free beside it.
func (s *model) free(asked map[int64]int64, n int) {
	for i := range s.segments {
		g, at := &s.segments[i], s.segments[i].at
		for k := range g.blocks {
			if b := &g.blocks[k]; b.live {
				if n--; n < 0 {
					b.live = false
					s.event("free_completed", at, asked[at])
					g.join()
					return
				}
			}
			at += g.blocks[k].size
		}
	}
}

func (g *modelSegment) join() {
	var out []modelBlock
	for _, b := range g.blocks {
		if n := len(out); n > 0 && !b.live && !out[n-1].live {
			out[n-1].size += b.size
			continue
		}
		out = append(out, b)
	}
	g.blocks = out
}

func (s *model) empty() {
	var kept []modelSegment
	for _, g := range s.segments {
		if len(g.blocks) == 1 && !g.blocks[0].live {
			s.event("segment_free", g.at, g.size)
			continue
		}
		kept = append(kept, g)
	}
	s.segments = kept
}

func (s *model) free64() (all, largest int64) {
	for _, g := range s.segments {
		for _, b := range g.blocks {
			if !b.live {
				all, largest = all+b.size, max(largest, b.size)
			}
		}
	}
	return all, largest
}

// TestRewind: whatever an allocator does behind a request that it refused, going back from the end finds what was free then.
func TestRewind(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s, asked := &model{}, map[int64]int64{}
		var want [][2]int64
		for range 200 {
			switch n := rng.IntN(20); {
			case n < 11:
				s.alloc((smallest/512 + 1 + rng.Int64N(20_000)) * 512)
				last := s.events[len(s.events)-1]
				asked[last["addr"].(int64)] = last["size"].(int64)
			case n < 18:
				s.free(asked, rng.IntN(12))
			case n == 18:
				s.empty()
			default:
				all, largest := s.free64()
				s.event("oom", 0, 64<<20)
				want = append(want, [2]int64{all, largest})
			}
		}
		r := decodeBytes(t, DecodeSnapshot, "x", s.json())
		got := details(r)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d details, want %d", seed, len(got), len(want))
		}
		for i, text := range got {
			checkRewound(t, text, want[i][0], want[i][1])
		}
		all, largest := s.free64()
		same(t, "at the end", lines(r.where(table.Samples, "scope=device;metric=gpu_inactive"), "value"), fmt.Sprint(all))
		same(t, "at the end", lines(r.where(table.Samples, "scope=device;metric=gpu_largest_free"), "value"), fmt.Sprint(largest))
	}
}

// checkRewound: what is said to be free is exact, but for what a block that was freed later may have kept.
func checkRewound(t *testing.T, text string, all, largest int64) {
	t.Helper()
	var free, fit, block, slack int64
	n, _ := fmt.Sscanf(text, "GPU 0, inactive %d, fitting %d, largest_free %d, slack %d", &free, &fit, &block, &slack)
	if n < 3 || fit != free || free < all || free > all+slack || block < largest || block > largest+min(slack, smallest) {
		t.Errorf("%s: want %d, the largest block %d", text, all, largest)
	}
}

// TestRoomsHoldTogether: largest ≤ free ≤ reserved and stuck ≤ free, whatever is cut out of a capture.
func TestRoomsHoldTogether(t *testing.T) {
	text := fixture(t, "torch-snapshot/fragmented.json")
	at := bytes.Index(text, []byte(`"device_traces"`))
	for i := 0; i < at; i += 41 {
		r := decodeBytes(t, DecodeSnapshot, "x", append(append([]byte{}, text[:i]...), text[min(i+1+i%5, at):]...))
		v := map[string]int64{}
		for _, row := range r.where(table.Samples, "scope=device") {
			v[row["name"]+row["metric"]] = number(t, row["value"])
		}
		for _, row := range r.where(table.Samples, "metric=gpu_inactive;scope=device") {
			d := row["name"]
			if v[d+"gpu_largest_free"] > v[d+"gpu_inactive"] || v[d+"gpu_non_releasable"] > v[d+"gpu_inactive"] {
				t.Fatalf("cut at %d: %v", i, v)
			}
			if reserved, ok := v[d+"gpu_reserved"]; ok && v[d+"gpu_inactive"] > reserved {
				t.Fatalf("cut at %d: %v", i, v)
			}
		}
	}
}

// segmentsOf is a snapshot of one device with segments of one block each: address, size and state as JSON.
func segmentsOf(list ...[3]string) []byte {
	var out []string
	for _, g := range list {
		out = append(out, fmt.Sprintf(`{"device": 0, "address": %[1]s, "total_size": %[2]s, "stream": 0, "segment_type": "large", "segment_pool_id": [0, 0], "is_expandable": false,
 "blocks": [{"address": %[1]s, "size": %[2]s, "requested_size": %[2]s, "state": %[3]s, "frames": []}]}`, g[0], g[1], g[2]))
	}
	return []byte(`{"segments": [` + strings.Join(out, ",\n") + `], "device_traces": [[]], "allocator_settings": {}}`)
}

// TestRoomsTooLarge: sums that do not fit in 63 bits are told and have no rows; what fits has.
func TestRoomsTooLarge(t *testing.T) {
	const half = "4611686018427387904"
	r := decodeBytes(t, DecodeSnapshot, "x", segmentsOf([3]string{"4096", half, `"inactive"`}, [3]string{"4611686018427392000", half, `"inactive"`}, [3]string{"9223372036854779904", half, `"inactive"`}))
	same(t, "rooms", roomsIn(r), "device GPU 0 gpu_largest_free "+half, "pool GPU 0 large gpu_largest_free "+half, "device GPU 0 gpu_non_releasable 0", "pool GPU 0 large gpu_split_segments 0")
	if text := fmt.Sprint(r.problems); !strings.Contains(text, "its gpu_inactive is not known") || !strings.Contains(text, "its gpu_reserved is not known") {
		t.Errorf("problems %s", text)
	}
}

// TestRoomsDamaged: segments at the top of the address space are as good as others; what contradicts itself has no rooms and says so.
func TestRoomsDamaged(t *testing.T) {
	const size = "20971520"
	active := `"active_allocated"`
	blocks := strings.Replace(string(segmentsOf([3]string{"4096", size, active})), `"blocks": [{"address": 4096`, `"blocks": [{"address": 8192`, 1)
	for _, c := range []struct {
		name, problem string
		data          []byte
		rooms         int
	}{
		{"ends at 2^64", "", segmentsOf([3]string{"18446744073688580096", size, active}), 6},
		{"ends beyond", "want segments that end below 2^64", segmentsOf([3]string{"18446744073699065856", size, active}), 0},
		{"overlap", "want segments of a device that do not overlap", segmentsOf([3]string{"4096", size, active}, [3]string{"1052672", size, active}), 0},
		{"touch", "", segmentsOf([3]string{"4096", size, active}, [3]string{"20975616", size, active}), 6},
		{"one address", "want segments of a device that do not overlap", segmentsOf([3]string{"4096", size, active}, [3]string{"4096", size, `"inactive"`}), 0},
		{"no state", "whether it is in use is not known", segmentsOf([3]string{"4096", size, "null"}), 0},
		{"a state that is none", `have "weird"`, segmentsOf([3]string{"4096", size, `"weird"`}), 0},
		{"addresses of blocks", "want blocks whose addresses follow each other", []byte(blocks), 0},
	} {
		r := decodeBytes(t, DecodeSnapshot, "x", c.data)
		if text := strings.Join(r.problems, "; "); len(roomsIn(r)) != c.rooms || (c.problem == "") != (text == "") || !strings.Contains(text, c.problem) {
			t.Errorf("%s: rooms %q, problems %q", c.name, roomsIn(r), text)
		}
		if unsure := strings.Contains(c.name, "state"); unsure != (len(r.where(table.Samples, "metric=gpu_allocated")) == 0) || unsure != (len(r.tables[table.Sites]) == 0) {
			t.Errorf("%s: gpu_allocated %q, %d sites", c.name, r.where(table.Samples, "metric=gpu_allocated"), len(r.tables[table.Sites]))
		}
	}
}
