package table

// fileSym is the number of the file's name in every builder's dictionary.
const fileSym Sym = 1

// dict numbers strings in the order in which they are met. 0 is Null.
type dict struct {
	list  []string
	index map[string]Sym
}

func (d *dict) init() {
	d.list = []string{""}
	d.index = map[string]Sym{}
}

func (d *dict) bytes(s []byte) Sym {
	if n, ok := d.index[string(s)]; ok {
		return n
	}
	return d.put(string(s))
}

func (d *dict) text(s string) Sym {
	if n, ok := d.index[s]; ok {
		return n
	}
	return d.put(s)
}

func (d *dict) put(s string) Sym {
	n := Sym(len(d.list))
	d.list = append(d.list, s)
	d.index[s] = n
	return n
}

// again numbers a string a second time; only the first number is found by its text.
func (d *dict) again(s string) Sym {
	d.list = append(d.list, s)
	return Sym(len(d.list) - 1)
}

// words are the strings that every builder needs, numbered once.
type words struct {
	empty                                           Sym
	process, category, subcategory, uss, dirty, vss Sym
	sizes                                           [NumSizes]Sym
}

func (w *words) init(b *Builder) {
	b.Text(b.File) // becomes fileSym
	w.empty = b.Text("")
	w.process, w.category, w.subcategory = b.Text("process"), b.Text("category"), b.Text("subcategory")
	w.uss, w.dirty, w.vss = b.Text("uss"), b.Text("dirty"), b.Text("vss")
	for i := range w.sizes {
		w.sizes[i] = b.Text(Schemas[Mappings].Columns[mapSizes+i].Name)
	}
	w.sizes[MapSize] = w.vss
}
