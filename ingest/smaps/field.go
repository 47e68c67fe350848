package smaps

import "github.com/memtide/memtide/ingest/table"

// The columns that are read but not stored, and those that need a look of their own.
const (
	ignored table.Size = -1 - iota
	pageSize
	name
	flags // not counted when a cut mapping is looked for: not every mapping has it
)

// fields are the keys of /proc/PID/smaps, from the kernel's show_smap and __show_smap (fs/proc/task_mmu.c, 2.6.14 to
// 6.18) and Android's common kernels. Any other key is named once as a problem.
var fields = map[string]table.Size{
	"Size": table.MapSize, "Rss": table.MapRSS, "Pss": table.MapPSS, "Pss_Dirty": table.MapPSSDirty,
	"Shared_Clean": table.MapSharedClean, "Shared_Dirty": table.MapSharedDirty,
	"Private_Clean": table.MapPrivateClean, "Private_Dirty": table.MapPrivateDirty,
	"Referenced": table.MapReferenced, "Anonymous": table.MapAnonymous, "Swap": table.MapSwap, "SwapPss": table.MapSwapPSS,
	"KernelPageSize": pageSize, "MMUPageSize": ignored, "Locked": ignored, "LazyFree": ignored, "AnonHugePages": ignored,
	"Shared_Hugetlb": ignored, "Private_Hugetlb": ignored, "ShmemPmdMapped": ignored,
	"FilePmdMapped": ignored, "THPeligible": ignored, "KSM": ignored, "ShmemHugePages": ignored,
	"Name": name, "VmFlags": flags, "ProtectionKey": flags, "Nonlinear": flags, "HugePFNMap": flags,
}

// key is a field name as it was met in this capture, with what it means.
type key struct {
	text  []byte // without the colon
	size  table.Size
	label label // as the kernel pads it
}

// keys predicts the next field: the kernel prints the same ones in the same order for each mapping, so a look at
// the one that followed last time replaces the search in the map.
type keys struct {
	order []key
	next  int
}

// find gives the meaning of a field line and where its value begins. ok is false if the line is no field; known
// is false if nobody knows the field.
func (k *keys) find(line []byte) (size table.Size, value int, ok, known bool) {
	if k.next < len(k.order) {
		if e := &k.order[k.next]; len(line) > len(e.text) && line[len(e.text)] == ':' && string(line[:len(e.text)]) == string(e.text) {
			k.next++
			return e.size, len(e.text) + 1, true, true
		}
	}
	return k.search(line)
}

func (k *keys) search(line []byte) (table.Size, int, bool, bool) {
	n := 0
	for n < len(line) && isKey(line[n]) {
		n++
	}
	if n == 0 || n >= len(line) || line[n] != ':' {
		return 0, 0, false, false
	}
	size, known := fields[string(line[:n])]
	if !known {
		return ignored, n + 1, true, false
	}
	k.learn(line[:n], size)
	return size, n + 1, true, true
}

// learn puts the key at the place where the search is; a capture has at most some thirty.
func (k *keys) learn(text []byte, size table.Size) {
	for i := range k.order {
		if string(k.order[i].text) == string(text) {
			k.next = i + 1
			return
		}
	}
	k.order = append(k.order, key{append([]byte(nil), text...), size, labelOf(text)})
	k.next = len(k.order)
}

func isKey(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' }

// maxKB bounds a figure: eight times the 128 PiB that five levels of page tables can address.
const maxKB = 1 << 50

// kilobytes reads "  12 kB" to a number of bytes; end is where the reading stopped.
func kilobytes(line []byte, i int) (bytes int64, end int, ok bool) {
	i = blanks(line, i)
	n, i, ok := decimal(line, i)
	if !ok || n > maxKB {
		return 0, i, false
	}
	unit := blanks(line, i)
	return n << 10, i, unit > i && unit+2 <= len(line) && line[unit] == 'k' && line[unit+1] == 'B' && blanks(line, unit+2) == len(line)
}

// blanks gives the place behind the blanks and tabs at i.
func blanks(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return i
}
