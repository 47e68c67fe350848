package instruments

const pageBits = 14

// ids are the values of the elements that later ones may refer to. Apple counts ids from 0 or 1 through the document, so
// they are places in pages of an array; ids that lie far ahead of the text that was read are kept apart.
type ids struct {
	pages  [][]value
	sparse map[uint64]value
}

// put notes the value of an id. read is the number of bytes of the document so far: an element with an id takes at least
// ten, so the array stays below the size of the document.
func (x *ids) put(id uint64, v value, read int64) {
	if id >= uint64(read)/10+1<<pageBits {
		if x.sparse == nil {
			x.sparse = map[uint64]value{}
		}
		x.sparse[id] = v
		return
	}
	p := int(id >> pageBits)
	for len(x.pages) <= p {
		x.pages = append(x.pages, nil)
	}
	if x.pages[p] == nil {
		x.pages[p] = make([]value, 1<<pageBits)
	}
	x.pages[p][id&(1<<pageBits-1)] = v
}

// get gives the value of an id; unset if none was met.
func (x *ids) get(id uint64) value {
	if p := id >> pageBits; p < uint64(len(x.pages)) && x.pages[p] != nil {
		if v := x.pages[p][id&(1<<pageBits-1)]; v != unset {
			return v
		}
	}
	return x.sparse[id]
}
