package workspace

import (
	"errors"
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

const (
	tempPrefix = ".counterstep-"
	// outSuffix marks a name under which something that was swapped out may be.
	outSuffix = "-out"
)

// tempName is the name under which the thing for path is built, next to it. It
// is the same in every run, so a later run finds what an earlier one left.
func tempName(id, path string) string {
	return fmt.Sprintf("%s%s-%016x", tempPrefix, id, fingerprint.ContentOf([]byte(path)))
}

func checkID(id string) error {
	ok := id != "" && len(id) <= 64
	for _, r := range id {
		if !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			ok = false
		}
	}
	if !ok {
		return fmt.Errorf("id %q is not made of letters, digits, '-' and '_'", id)
	}
	return nil
}

// besideName is the nth name under which something is kept next to name.
func besideName(name, id string, n int) string {
	suffix := ".counterstep-" + id
	if n > 1 {
		suffix += fmt.Sprintf("-%d", n)
	}
	if most := 255 - len(suffix); len(name) > most {
		name = name[:most]
	}
	return name + suffix
}

// CleanTemps removes what an interrupted Apply with this id left in dirs. A
// thing that may have been swapped out, but was not looked at yet, is not
// removed; its path is returned. A directory that is missing is clean.
func (d *Door) CleanTemps(dirs []string, id string) (kept []string, err error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	prefix := tempPrefix + id + "-"
	for _, path := range dirs {
		at, openErr := openRoot(d.base+strings.TrimSuffix(path, "/"), toList)
		if openErr != nil {
			if !isNotExist(openErr) && !isLinkOrFile(openErr) {
				err = errors.Join(err, &UnreadableError{Path: path, Err: openErr})
			}
			continue
		}
		var found []string
		listErr := at.list(make([]byte, 16<<10), func(e dirent) error {
			if strings.HasPrefix(e.name, prefix) {
				found = append(found, e.name)
			}
			return nil
		})
		err = errors.Join(err, listErr)
		for _, name := range found {
			if strings.HasSuffix(name, outSuffix) {
				kept = append(kept, join(path, name))
				continue
			}
			err = errors.Join(err, removeTree(at, name))
		}
		at.close()
	}
	return kept, err
}

// removeTree removes a thing of our own and everything in it.
func removeTree(d *dir, name string) error {
	st, err := d.lstat(name)
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.typ != fingerprint.Dir {
		return d.unlink(name)
	}
	if err := d.rmdir(name); err == nil || !isNotEmpty(err) {
		return err
	}
	if st.mode&0o700 != 0o700 {
		if f, err := d.openMeta(name); err == nil {
			f.chmod(0o700)
			f.close()
		}
	}
	sub, err := d.openDir(name, toList, true)
	if err != nil {
		return err
	}
	defer sub.close()
	var names []string
	if err := sub.list(make([]byte, 16<<10), func(e dirent) error {
		names = append(names, e.name)
		return nil
	}); err != nil {
		return err
	}
	for _, n := range names {
		if err := removeTree(sub, n); err != nil {
			return err
		}
	}
	return d.rmdir(name)
}
