package git

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxRefs bounds how many refs of a repository are read.
const maxRefs = 1_000_000

// ref is one ref and the object it leads to.
type ref struct {
	Name string
	OID  OID
	// Target is the ref that a symbolic one ends at; empty for a plain one.
	Target string
}

// refSet is the refs of one repository.
type refSet struct {
	// Head is the ref that HEAD stands for; empty when HEAD is detached or not
	// readable. HeadOID is what HEAD leads to, Absent on an unborn branch.
	Head    string
	HeadOID OID
	// List is sorted by name and holds what lies below refs/.
	List []ref
}

// find returns the object of the ref name.
func (s *refSet) find(name string) (OID, bool) {
	i, ok := slices.BinarySearchFunc(s.List, name, func(r ref, n string) int { return strings.Compare(r.Name, n) })
	if !ok {
		return Absent, false
	}
	return s.List[i].OID, true
}

// branch is the short name of the current branch, or empty.
func (s *refSet) branch() string {
	name, _ := strings.CutPrefix(s.Head, "refs/heads/")
	if name == s.Head {
		return ""
	}
	return name
}

// fileRefs reads loose and packed refs. A ref that is broken or misnamed is
// left out, as git leaves it out of a push.
func fileRefs(l Layout) (refSet, error) {
	r := refReader{raw: map[string]string{}}
	if err := r.packed(filepath.Join(l.CommonDir, "packed-refs")); err != nil {
		return refSet{}, err
	}
	if err := r.loose(l.CommonDir, "refs"); err != nil {
		return refSet{}, err
	}
	if l.GitDir != l.CommonDir {
		for _, own := range []string{"refs/bisect", "refs/worktree", "refs/rewritten"} {
			for name := range r.raw {
				if strings.HasPrefix(name, own+"/") {
					delete(r.raw, name)
				}
			}
			if err := r.loose(l.GitDir, own); err != nil {
				return refSet{}, err
			}
		}
	}
	var s refSet
	for name := range r.raw {
		if id, target, ok := r.resolve(name); ok {
			if target == name {
				target = ""
			}
			s.List = append(s.List, ref{name, id, target})
		}
	}
	slices.SortFunc(s.List, func(a, b ref) int { return strings.Compare(a.Name, b.Name) })
	s.Head = headTarget(l.GitDir)
	if s.Head != "" {
		s.HeadOID, _, _ = r.resolve(s.Head)
	} else if text, err := readSmall(filepath.Join(l.GitDir, "HEAD")); err == nil && isOID(strings.TrimSpace(text)) {
		s.HeadOID = OID(strings.TrimSpace(text))
	}
	return s, nil
}

type refReader struct {
	raw map[string]string // an object id, or "ref: " and a name
}

// resolve follows name to an object and the ref that holds it.
func (r *refReader) resolve(name string) (OID, string, bool) {
	for range 6 {
		v, ok := r.raw[name]
		if !ok {
			break
		}
		target, ok := strings.CutPrefix(v, "ref:")
		if !ok {
			if !isOID(v) {
				break
			}
			return OID(v), name, true
		}
		name = strings.TrimSpace(target)
	}
	return Absent, "", false
}

func (r *refReader) add(name, value string) error {
	if !validRef(name) {
		return nil
	}
	if len(r.raw) >= maxRefs {
		return fmt.Errorf("read refs: more than %d", maxRefs)
	}
	r.raw[name] = value
	return nil
}

func (r *refReader) packed(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("read refs: %q is not readable as a file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return fmt.Errorf("read refs: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		id, name, ok := strings.Cut(lines.Text(), " ")
		if !ok || !isOID(id) {
			continue // a header or a peeled tag
		}
		if err := r.add(name, id); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read refs: %w", err)
	}
	return nil
}

func (r *refReader) loose(root, below string) error {
	seen := 0
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(below)), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if seen++; seen > 2*maxRefs {
			return fmt.Errorf("more than %d entries", 2*maxRefs)
		}
		if e.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if e.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "refs/") && validRef(to) {
				return r.add(name, "ref: "+to)
			}
		}
		text, err := readSmall(path)
		if err != nil {
			return nil // a ref that git cannot read either
		}
		return r.add(name, strings.TrimSpace(text))
	})
	if err != nil {
		return fmt.Errorf("read refs: %w", err)
	}
	return nil
}

// headTarget returns the ref that HEAD of a git directory names, or "".
func headTarget(gitDir string) string {
	path := filepath.Join(gitDir, "HEAD")
	if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "refs/") {
		return to
	}
	text, err := readSmall(path)
	if err != nil {
		return ""
	}
	target, ok := strings.CutPrefix(text, "ref:")
	if target = strings.TrimSpace(target); !ok || !validRef(target) {
		return ""
	}
	return target
}

// currentBranch is the short name of the branch that HEAD stands for, or "".
func currentBranch(l Layout) string {
	s := refSet{Head: headTarget(l.GitDir)}
	return s.branch()
}

// validRef reports whether name is a full ref name that git accepts.
func validRef(name string) bool {
	return strings.HasPrefix(name, "refs/") && validName(name)
}

// validName reports whether name keeps git's rules for the names of refs; one
// level is enough.
func validName(name string) bool {
	if name == "" || name == "@" || len(name) > 4000 || strings.HasSuffix(name, ".") {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
