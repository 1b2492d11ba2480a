package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// view is a private git directory that shows the refs and objects of a
// repository and nothing else of it.
type view struct {
	door *Door
	dir  string
	l    Layout
}

// view makes a view of l with the refs that were read. remove takes it away.
func (d *Door) view(l Layout, refs refSet) (v view, remove func(), err error) {
	dir, remove, err := d.scratch("view")
	if err != nil {
		return view{}, nil, err
	}
	if err := fillView(dir, l, refs); err != nil {
		remove()
		return view{}, nil, fmt.Errorf("make view: %w", err)
	}
	return view{d, dir, l}, remove, nil
}

func fillView(dir string, l Layout, refs refSet) error {
	if err := bareSkeleton(dir, l.Format, []string{l.Objects()}); err != nil {
		return err
	}
	head := "ref: " + refs.Head
	if refs.Head == "" {
		if head = string(refs.HeadOID); head == "" {
			head = "ref: refs/heads/none"
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte(head+"\n"), 0o600); err != nil {
		return err
	}
	if err := writePacked(dir, refs.List); err != nil {
		return err
	}
	if l.Shallow {
		text, err := readRegular(filepath.Join(l.CommonDir, "shallow"), maxFile)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "shallow"), []byte(text), 0o600)
	}
	return nil
}

// bareSkeleton makes dir, which exists, a bare repository that borrows objects
// from alternates.
func bareSkeleton(dir, format string, alternates []string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n"
	if format == "sha256" {
		config = strings.Replace(config, "= 0", "= 1", 1) + "[extensions]\n\tobjectformat = sha256\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600); err != nil {
		return err
	}
	if len(alternates) == 0 {
		return nil
	}
	var lines strings.Builder
	for _, a := range alternates {
		lines.WriteString(alternateLine(a))
	}
	return os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(lines.String()), 0o600)
}

// alternateLine writes a path so that git reads it back as the same bytes.
func alternateLine(path string) string {
	plain := !strings.HasPrefix(path, "#") && !strings.HasPrefix(path, `"`)
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c == 0x7f:
			plain = false
			o := strconv.FormatUint(uint64(c), 8)
			b.WriteString(`\` + "000"[len(o):] + o)
		default:
			b.WriteByte(c)
		}
	}
	if plain {
		return path + "\n"
	}
	return b.String() + "\"\n"
}

func writePacked(dir string, list []ref) error {
	f, err := os.OpenFile(filepath.Join(dir, "packed-refs"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "# pack-refs with: sorted ")
	for _, r := range list {
		fmt.Fprintf(w, "%s %s\n", r.OID, r.Name)
	}
	return errors.Join(w.Flush(), f.Close())
}

// refs reads the refs of a repository: in process where they are files, else
// through git.
func (d *Door) refs(ctx context.Context, l Layout) (refSet, error) {
	if l.Refs == "files" {
		return fileRefs(l)
	}
	dir, remove, err := d.scratch("view")
	if err != nil {
		return refSet{}, err
	}
	defer remove()
	if err := linkReftable(dir, l); err != nil {
		return refSet{}, fmt.Errorf("read refs: %w", err)
	}
	var s refSet
	res, err := d.git(ctx, run{gitDir: dir, limit: 128 << 20, args: []string{"for-each-ref", "--format=%(refname) %(objectname)"}})
	if err != nil {
		return refSet{}, fmt.Errorf("read refs: %w", err)
	}
	for line := range strings.Lines(string(res.Stdout)) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if validRef(name) && isOID(id) {
			s.List = append(s.List, ref{Name: name, OID: OID(id)})
		}
	}
	if res, err := d.git(ctx, run{gitDir: dir, args: []string{"symbolic-ref", "--quiet", "HEAD"}}); err == nil {
		s.Head = strings.TrimSpace(string(res.Stdout))
	}
	if res, err := d.git(ctx, run{gitDir: dir, args: []string{"rev-parse", "--verify", "--quiet", "HEAD"}}); err == nil {
		s.HeadOID = OID(strings.TrimSpace(string(res.Stdout)))
	}
	return s, nil
}

// linkReftable makes dir show the reftable of l.
func linkReftable(dir string, l Layout) error {
	if err := bareSkeleton(dir, l.Format, []string{l.Objects()}); err != nil {
		return err
	}
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\trefstorage = reftable\n\tobjectformat = " + l.Format + "\n"
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/.invalid\n"), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "refs", "heads"), []byte("this repository uses the reftable format\n"), 0o600); err != nil {
		return err
	}
	return os.Symlink(filepath.Join(l.GitDir, "reftable"), filepath.Join(dir, "reftable"))
}

// resolve finds the object that expr names, an expression as rev-parse takes
// it. Unknown when it names none.
func (v view) resolve(ctx context.Context, expr string) OID {
	if strings.HasPrefix(expr, "-") {
		return Unknown
	}
	res, err := v.door.git(ctx, run{gitDir: v.dir, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", expr}})
	if id := strings.TrimSpace(string(res.Stdout)); err == nil && isOID(id) {
		return OID(id)
	}
	return Unknown
}
