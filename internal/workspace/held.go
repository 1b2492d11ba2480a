package workspace

import "os"

// held is an open file that may have been handed over to an os.File.
type held struct {
	file file
	os   *os.File
}

func (h *held) osFile(name string) *os.File {
	if h.os == nil {
		h.os = h.file.osFile(name)
	}
	return h.os
}

func (h *held) close() {
	if h.os != nil {
		h.os.Close()
		return
	}
	h.file.close()
}
