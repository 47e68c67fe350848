package nsight

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

const nvtxTable = "NVTX_EVENTS"

// iteration is an NVTX range that a program named by number: step 7.
type iteration struct {
	start, end, number int64
	word               int8 // index into iterationWords
}

// iterationWords name ranges that repeat. Of several kinds in one program the most numerous counts, of equals the first.
var iterationWords = []string{"step", "iter", "iteration", "batch", "epoch"}

const rangePush, rangeStart = 59, 60 // NVTX_EVENTS.eventType of ranges

// readIterations reads the ranges that number the iterations of a process.
func (c *capture) readIterations() {
	if !c.t.has(nvtxTable) || !c.needs(nvtxTable, "start", "end", "globalTid") {
		return
	}
	texts := map[int64]iteration{}
	c.scan(query{table: "StringIds", columns: []string{"id", "value"}}, func(r row) {
		if it, ok := iterationOf(r.text(1)); ok {
			texts[r.int(0).V] = it
		}
	})
	found := map[int32][]iteration{}
	c.scan(query{nvtxTable, []string{"start", "end", "globalTid", "text", "textId"}, "eventType", []int64{rangePush, rangeStart}}, func(r row) {
		it, ok := iterationOf(r.text(3))
		if !ok {
			if it, ok = texts[r.int(4).V]; !ok || !r.int(4).OK {
				return
			}
		}
		start, end := r.int(0), r.int(1)
		if it.start, it.end = start.V, end.V; !end.OK {
			it.end = math.MaxInt64 // open when the capture ended
		}
		if global := r.int(2); start.OK && global.OK {
			found[pidOf(global.V)] = append(found[pidOf(global.V)], it)
		}
	})
	for pid, list := range found {
		c.iterations[pid] = axis(list)
	}
}

// axis takes the ranges of one kind in order of time. Numbers that begin again, as batches do in each epoch, are counted on.
func axis(all []iteration) []iteration {
	var count [8]int
	for _, it := range all {
		count[it.word]++
	}
	best := int8(0)
	for w := range iterationWords {
		if count[w] > count[best] {
			best = int8(w)
		}
	}
	list := slices.DeleteFunc(all, func(it iteration) bool { return it.word != best })
	slices.SortFunc(list, func(x, y iteration) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end), cmp.Compare(x.number, y.number))
	})
	if slices.IsSortedFunc(list, func(x, y iteration) int { return cmp.Compare(x.number, y.number) }) {
		return list
	}
	for i := range list {
		list[i].number = list[0].number + int64(i)
	}
	return list
}

// lookBack is how many ranges, of threads that overlap, are looked at for a time.
const lookBack = 8

// iterationAt gives the iteration of a process at a time: the one begun last of those that hold it.
func (c *capture) iterationAt(pid int32, at int64) table.Int {
	list := c.iterations[pid]
	if len(list) == 0 {
		return table.Int{}
	}
	i, _ := slices.BinarySearchFunc(list, at, func(it iteration, at int64) int {
		if it.start <= at {
			return -1
		}
		return 1
	})
	for k := i - 1; k >= max(0, i-lookBack); k-- {
		if at <= list[k].end {
			return table.Known(list[k].number)
		}
	}
	return table.Int{}
}

// iterationOf reads the name of a range: one of the words, what separates, and a number at the end.
func iterationOf(name []byte) (iteration, bool) {
	if len(name) < 5 || len(name) > 40 || name[len(name)-1] < '0' || name[len(name)-1] > '9' {
		return iteration{}, false
	}
	s := strings.ToLower(string(name))
	word := strings.TrimRight(s, "0123456789")
	n, err := strconv.ParseInt(s[len(word):], 10, 64)
	i := slices.Index(iterationWords, strings.Trim(word, " \t_-:#=/.[("))
	if err != nil || i < 0 {
		return iteration{}, false
	}
	if iterationWords[i] == "iteration" {
		i--
	}
	return iteration{number: n, word: int8(i)}, true
}
