package workspace

// Door is the way by which files are changed.
type Door struct {
	base string // what every path is below; "" for the real thing
}

// Live is the door to the real files.
func Live() *Door { return &Door{} }

// At is a door by which every absolute path P means dir+P. dir must be a real
// path. Nothing outside dir is touched.
func At(dir string) *Door { return &Door{base: dir} }
