package policy

import (
	"fmt"
	"strings"

	"github.com/memtide/memtide/analyze"
)

// ParseObjective reads an objective as a command line gives it: METRIC<=LEVEL or METRIC>=LEVEL of the total of each process,
// with windows as they are without a policy.
func ParseObjective(text string) (analyze.Objective, error) {
	for _, sign := range []string{"<=", ">="} {
		metric, level, ok := strings.Cut(text, sign)
		if !ok {
			continue
		}
		metric = strings.TrimSpace(metric)
		a, err := parseAmount(level)
		switch counted := counts(metric); {
		case err != nil:
			return analyze.Objective{}, fmt.Errorf("%s: %w", text, err)
		case metric == "" || a.v == 0:
			return analyze.Objective{}, fmt.Errorf("%s: want a metric and a level above 0", text)
		case counted == "":
			return analyze.Objective{}, fmt.Errorf("%s: unknown metric %q%s", text, metric, nearest(metric, metricNames()))
		case counted == "bytes" && !a.bytes:
			return analyze.Objective{}, fmt.Errorf("%s: %s is in bytes: want a size such as 512 MiB", text, metric)
		case counted == "count" && a.bytes:
			return analyze.Objective{}, fmt.Errorf("%s: %s is a count: want a number without a unit", text, metric)
		case counted != "bytes" && a.bytes:
			return analyze.Objective{}, fmt.Errorf("%s: %s is in %s: want a number without a unit", text, metric, counted)
		}
		return analyze.Objective{Name: strings.TrimSpace(text), Match: analyze.Match{Metric: metric, Scope: "process"}, Limit: a.v, Below: sign == ">="}, nil
	}
	return analyze.Objective{}, fmt.Errorf("%s: want METRIC<=LEVEL or METRIC>=LEVEL, such as rss<=512MiB", text)
}

func metricNames() (all []string) {
	for _, m := range analyze.Metrics() {
		all = append(all, m.Name)
	}
	return all
}
