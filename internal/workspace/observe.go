package workspace

import (
	"errors"

	"github.com/counterstep/counterstep/fingerprint"
)

// errBusy says that a file is being written.
var errBusy = errors.New("somebody is writing to it")

// observe looks at a name: everything about it, contents hashed. A file that
// somebody has open for writing, or that changes meanwhile, is busy.
func observe(s *scratch, d *dir, name string) (fingerprint.Entry, error) {
	st, err := d.lstat(name)
	if err != nil {
		return fingerprint.Entry{}, err
	}
	e := st.entry("")
	switch st.typ {
	case fingerprint.Symlink:
		e.Target, err = d.readlink(name, st.size)
		return e, err
	case fingerprint.File:
		return observeFile(s, d, name)
	default:
		e.Xattrs, err = d.xattrs(name)
		return e, err
	}
}

func observeFile(s *scratch, d *dir, name string) (e fingerprint.Entry, err error) {
	f, err := d.open(name, false)
	if err != nil {
		return e, err
	}
	defer f.close()
	l, quiet := f.lease()
	if !quiet {
		return e, errBusy
	}
	before, err := f.stat()
	if err != nil {
		return e, err
	}
	e = before.entry("")
	if before.typ != fingerprint.File {
		return e, errBusy
	}
	if e.Xattrs, err = f.xattrs(); err != nil {
		return e, err
	}
	if err := hashFile(s, f, &e, true); err != nil {
		return e, err
	}
	after, err := f.stat()
	if err == nil && !(before.unchanged(after) && l.kept()) {
		err = errBusy
	}
	return e, err
}

// matches reports whether what was observed is the expected state.
func matches(want *fingerprint.Entry, got *fingerprint.Entry) bool {
	if want.Type == fingerprint.File && want.XXH == 0 && want.SHA == [32]byte{} {
		return got.Type == want.Type && got.Dev == want.Dev && got.Ino == want.Ino &&
			got.Size == want.Size && got.MTime == want.MTime
	}
	if want.SHA != [32]byte{} && want.SHA != got.SHA {
		return false
	}
	if want.Type == fingerprint.Dir {
		return sameDir(*want, *got)
	}
	return fingerprint.Equal(*want, *got)
}

// expects reports whether a thing at d/name is the expected one. A reason says
// why not.
func expects(s *scratch, d *dir, name string, want *fingerprint.Entry) (got fingerprint.Entry, ok bool, reason string) {
	got, err := observe(s, d, name)
	switch {
	case isNotExist(err):
		return got, want.Type == fingerprint.Absent, "it is gone"
	case err != nil:
		return got, false, whyUnseen(err)
	case want.Type == fingerprint.Absent:
		return got, false, "something has appeared there"
	case !matches(want, &got):
		return got, false, "it has changed since"
	}
	return got, true, ""
}

// whyUnseen says why something could not be compared.
func whyUnseen(err error) string {
	if errors.Is(err, errBusy) {
		return errBusy.Error()
	}
	return "it cannot be read: " + err.Error()
}
