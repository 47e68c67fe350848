package lifetime

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

// curve is the level at the end of each bin, and the least in it, as changes against the level before: bins in which nothing
// changed cost nothing to write.
type curve struct {
	delta   []int64 // what the bin adds to the level
	dip     []int64 // the least level in the bin against that at its start, 0 or below
	doubled int     // of the clock when they were last laid out
}

// add notes a change at a bin. Curves are laid out again only when they are touched.
func (c *curve) add(k *clock, i int, v int64) {
	c.follow(k)
	for len(c.delta) <= i {
		c.delta, c.dip = append(c.delta, 0), append(c.dip, 0)
	}
	c.delta[i] += v
	c.dip[i] = min(c.dip[i], c.delta[i])
}

func (c *curve) follow(k *clock) {
	for c.doubled < k.doubled {
		n := (len(c.delta) + 1) / 2
		for i := range n {
			d, low := c.delta[2*i], c.dip[2*i]
			if 2*i+1 < len(c.delta) {
				low = min(low, d+c.dip[2*i+1])
				d += c.delta[2*i+1]
			}
			c.delta[i], c.dip[i] = d, low
		}
		c.delta, c.dip = c.delta[:n], c.dip[:n]
		c.doubled++
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
		for i < len(c.delta) && (float64(i+1)*float64(k.width) <= end*(1+1e-9) || p == Points-1) {
			low = min(low, now+c.dip[i])
			now += c.delta[i]
			i++
		}
		level[p], least[p] = now, low
	}
	return level, least
}
