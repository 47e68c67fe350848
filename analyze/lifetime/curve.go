package lifetime

import "slices"

// generations is into how many spans of the log the births of live objects are counted.
const generations = 20

// bins is how many steps of time a curve keeps at least half of: when the log goes on beyond the last one, pairs are joined.
const bins = 512

// Points is how many equal steps of time a curve is given in.
const Points = 100

// clock divides the time of a log into bins whose width doubles when it must.
type clock struct {
	from, width int64
	doubled     int
}

func (c *clock) bin(t int64) (i int, grow bool) {
	n := (t - c.from) / c.width
	return int(n), n >= bins
}

// curve is the level at the end of each bin, and the least in it, as changes against the level before. Bins in which nothing
// changed are not there: a log may have a site for each of its events.
type curve struct {
	steps   []change // in order of bin
	doubled int      // of the clock when they were last laid out
}

// change is what one bin does to the level.
type change struct {
	bin   int32
	delta int64
	dip   int64 // the least level in the bin against that at its start, 0 or below
}

// add notes a change at a bin. Curves are laid out again only when they are touched.
func (c *curve) add(k *clock, i int, v int64) {
	c.follow(k)
	at := len(c.steps)
	for at > 0 && int(c.steps[at-1].bin) > i { // an event that came late
		at--
	}
	if at == 0 || int(c.steps[at-1].bin) != i {
		c.steps = slices.Insert(c.steps, at, change{bin: int32(i)})
		at++
	}
	s := &c.steps[at-1]
	s.delta += v
	s.dip = min(s.dip, s.delta)
}

func (c *curve) follow(k *clock) {
	for ; c.doubled < k.doubled; c.doubled++ {
		joined := c.steps[:0]
		for _, s := range c.steps {
			s.bin /= 2
			if n := len(joined); n > 0 && joined[n-1].bin == s.bin {
				last := &joined[n-1]
				last.dip = min(last.dip, last.delta+s.dip)
				last.delta += s.delta
				continue
			}
			joined = append(joined, s)
		}
		c.steps = joined
	}
}

// levels gives the level at the end of each of Points equal steps of a span of time, and the least in each.
func (c *curve) levels(k *clock, from, to int64) (level, least []int64) {
	c.follow(k)
	level, least = make([]int64, Points), make([]int64, Points)
	start, span := float64(from-k.from), float64(max(to-from, 1))
	now, i := int64(0), 0
	for p := range level {
		end := start + span*float64(p+1)/Points
		low := now
		for i < len(c.steps) && (float64(c.steps[i].bin+1)*float64(k.width) <= end*(1+1e-9) || p == Points-1) {
			low = min(low, now+c.steps[i].dip)
			now += c.steps[i].delta
			i++
		}
		level[p], least[p] = now, low
	}
	return level, least
}
