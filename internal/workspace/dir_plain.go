//go:build !linux && !darwin

package workspace

import "io/fs"

func fromSys(fs.FileInfo, *stat) {}

// renameNoReplace looks first and renames then: something that appears in the
// same instant is replaced.
func renameNoReplace(d *dir, from string, to *dir, name string) error {
	return renameLooked(d, from, to, name)
}

func (d *dir) exchange(_, _ string) error { return errNoExchange }
