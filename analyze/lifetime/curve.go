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

// curve is what came and went in each bin; the level is the sum up to there.
type curve struct {
	delta   []int64
	doubled int // of the clock when delta was last laid out
}

// add notes a change at a bin. Curves are laid out again only when they are touched.
func (c *curve) add(k *clock, i int, v int64) {
	c.follow(k)
	for len(c.delta) <= i {
		c.delta = append(c.delta, 0)
	}
	c.delta[i] += v
}

func (c *curve) follow(k *clock) {
	for c.doubled < k.doubled {
		for i := range c.delta {
			if i%2 == 0 {
				c.delta[i/2] = c.delta[i]
			} else {
				c.delta[i/2] += c.delta[i]
			}
		}
		c.delta = c.delta[:(len(c.delta)+1)/2]
		c.doubled++
	}
}

// levels gives the level at the end of each of Points equal steps from the first event to the last.
func (c *curve) levels(k *clock, last int64) []int64 {
	c.follow(k)
	out := make([]int64, Points)
	span := float64(max(last-k.from, 1))
	level, i := int64(0), 0
	for p := range out {
		end := span * float64(p+1) / Points
		for i < len(c.delta) && (float64(i+1)*float64(k.width) <= end*(1+1e-9) || p == Points-1) {
			level += c.delta[i]
			i++
		}
		out[p] = level
	}
	return out
}
