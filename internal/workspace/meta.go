package workspace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

// putMeta gives an open file or directory the metadata of e; cur is how it is
// now. The order matters: a change of the owner drops setuid bits and
// capabilities, and only something that may be written takes user attributes.
// What could not be put back is named in lost; it never ends with more rights
// than e has. A plain thing has no attributes and gets none.
func putMeta(f file, e *fingerprint.Entry, cur stat, plain bool) (lost string) {
	var missing []string
	note := func(what string, err error) {
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s could not be put back: %v", what, err))
		}
	}
	mode := e.Mode
	if cur.uid != e.UID || cur.gid != e.GID {
		err := f.chown(int(e.UID), int(e.GID))
		if err != nil {
			note(fmt.Sprintf("owner %d:%d", e.UID, e.GID), err)
			if cur.uid != e.UID {
				mode &^= 0o4000
			}
			if cur.gid != e.GID && f.chown(-1, int(e.GID)) != nil && e.Type != fingerprint.Dir {
				mode &^= 0o2000
			}
		}
		cur.mode = 0o10000 // it may have been changed with the owner
	}
	if plain && len(e.Xattrs) == 0 {
		if cur.mode != mode {
			note("mode", f.chmod(mode))
		}
	} else {
		attrs := f.attributes()
		err := putXattrs(attrs, e, isUser)
		if isDenied(err) && f.chmod(mode|0o600) == nil {
			cur.mode = mode | 0o600
			err = putXattrs(attrs, e, isUser)
		}
		note("extended attributes", err)
		if cur.mode != mode {
			note("mode", f.chmod(mode))
		}
		note("access control list", putXattrs(attrs, e, isACL))
		note("file capability", putXattrs(attrs, e, isCapability))
	}
	note("times", f.setTimes(e.ATime, e.MTime))
	return strings.Join(missing, "; ")
}

// putXattrs makes the attributes of one kind those of e.
func putXattrs(a attributes, e *fingerprint.Entry, kind func(string) bool) error {
	have, err := readXattrs(a)
	if err != nil {
		return err
	}
	for _, x := range have {
		if kind(x.Name) && !slices.ContainsFunc(e.Xattrs, func(w fingerprint.Xattr) bool { return w.Name == x.Name }) {
			if err := a.removexattr(x.Name); err != nil {
				return err
			}
		}
	}
	for _, x := range e.Xattrs {
		if !kind(x.Name) || slices.Contains(have, x) {
			continue
		}
		if err := a.setxattr(x.Name, []byte(x.Value)); err != nil {
			return err
		}
	}
	return nil
}

func isUser(name string) bool       { return strings.HasPrefix(name, userPrefix) }
func isACL(name string) bool        { return strings.HasPrefix(name, aclPrefix) }
func isCapability(name string) bool { return name == capability }
