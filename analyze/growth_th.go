package analyze

import (
	"os"
	"strconv"
)

var thMap = map[string]float64{}

func th(name string, v float64) float64 {
	if x, ok := thMap[name]; ok {
		return x
	}
	if e := os.Getenv("TH_" + name); e != "" {
		v, _ = strconv.ParseFloat(e, 64)
	}
	thMap[name] = v
	return v
}
