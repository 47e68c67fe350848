package nsight

import (
	"strings"

	"github.com/memtide/memtide/ingest/table"
)

// tables is an exported report, in whichever way it is stored.
type tables interface {
	has(table string) bool
	columns(table string) []string
	names() []string
	// scan visits the rows that a query asks for, in the order in which they are stored. Rows read before an error
	// have been visited.
	scan(q query, visit func(row)) error
}

// query asks for columns of a table; a column that the table does not have is unknown in every row. Where a filter is
// set, only rows whose value of it is in the list are visited.
type query struct {
	table   string
	columns []string
	filter  string
	in      []int64
}

// row is one record while it is visited; the columns have the numbers that they have in the query.
type row interface {
	number() int64 // row id, or line: what tables.line is filled with
	int(i int) table.Int
	text(i int) []byte // nil if it is not known; valid until the next row
}

// hasCUDA says whether anything of CUDA was traced.
func hasCUDA(t tables) bool {
	for _, n := range t.names() {
		if strings.HasPrefix(n, "CUPTI_") || strings.HasPrefix(n, "CUDA_") {
			return true
		}
	}
	return false
}

// pidOf takes the process id out of a globalTid or globalPid: bits 24 to 47.
func pidOf(global int64) int32 { return int32(global >> 24 & 0xffffff) }

// tidOf takes the thread id out of a globalTid.
func tidOf(global int64) int32 { return int32(global & 0xffffff) }
