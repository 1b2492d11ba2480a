package inverse

import (
	"path"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/classify"
)

// Disk is what planning needs to know of the present. Type is '-' where
// nothing is.
type Disk interface {
	Lstat(path string) (classify.Info, error)
	// Listing returns the modification time of what is at a path and, for a
	// directory, a hash of the names in it.
	Listing(path string) (mtime int64, names uint64, err error)
}

// Plan turns effects into the one step that takes all of them back. Effects
// that are no file effects are left to others.
func Plan(effects []classify.Effect, disk Disk) (Step, error) {
	p := planner{disk: disk, roots: map[string]Root{}, parents: map[string]bool{}}
	for i, e := range effects {
		if err := p.add(effects, i, e); err != nil {
			return Step{}, err
		}
	}
	return p.step()
}

type planner struct {
	disk    Disk
	roots   map[string]Root
	moves   []Move
	parents map[string]bool
}

func (p *planner) add(all []classify.Effect, i int, e classify.Effect) error {
	switch e.Kind {
	case classify.Delete:
		return p.root(Root{Path: Name(e.Path), Tree: e.Tree, Gone: !e.May})
	case classify.Overwrite, classify.Metadata:
		return p.root(Root{Path: Name(e.Path), Tree: e.Tree})
	case classify.Create:
		return p.create(e.Path)
	case classify.Move:
		return p.move(all, i, e)
	}
	return nil
}

// root adds a path to the scope; where it is there already, the wider of the
// two stands.
func (p *planner) root(r Root) error {
	info, err := p.disk.Lstat(string(r.Path))
	if err != nil {
		return err
	}
	if info.Type == '-' {
		return p.create(string(r.Path))
	}
	if old, ok := p.roots[string(r.Path)]; ok {
		r.Tree = r.Tree || old.Tree
		r.Gone = r.Gone && old.Gone
	}
	p.roots[string(r.Path)] = r
	p.parents[path.Dir(string(r.Path))] = true
	return nil
}

// create adds the topmost directory that the call has to make on the way to
// name, so that firing leaves no empty ones behind.
func (p *planner) create(name string) error {
	info, err := p.disk.Lstat(name)
	if err != nil {
		return err
	}
	if info.Type != '-' {
		return p.root(Root{Path: Name(name)})
	}
	for {
		up := path.Dir(name)
		if up == name {
			break
		}
		info, err := p.disk.Lstat(up)
		if err != nil {
			return err
		}
		if info.Type != '-' {
			break
		}
		name = up
	}
	p.roots[name] = Root{Path: Name(name), Tree: true, Born: true}
	p.parents[path.Dir(name)] = true
	return nil
}

// move arms a rename by identity when nothing else of the call touches either
// end and both lie on one device; else by bytes.
func (p *planner) move(all []classify.Effect, i int, e classify.Effect) error {
	src, err := p.disk.Lstat(e.Path)
	if err != nil {
		return err
	}
	dst, err := p.disk.Lstat(e.To)
	if err != nil {
		return err
	}
	home, err := p.disk.Lstat(path.Dir(e.To))
	if err != nil {
		return err
	}
	alone := src.Type != '-' && dst.Type == '-' && home.Type == 'd' && home.Dev == src.Dev && !e.May
	for j, other := range all {
		if j != i && (touches(other, e.Path) || touches(other, e.To)) {
			alone = false
		}
	}
	if !alone {
		if err := p.root(Root{Path: Name(e.Path), Tree: true, Gone: !e.May}); err != nil {
			return err
		}
		return p.root(Root{Path: Name(e.To), Tree: true})
	}
	mtime, names, err := p.disk.Listing(e.Path)
	if err != nil {
		return err
	}
	p.moves = append(p.moves, Move{
		From: Name(e.Path), To: Name(e.To), Dev: src.Dev, Ino: src.Ino,
		Type: string(src.Type), Size: size(src), MTime: mtime, Names: names,
	})
	p.parents[path.Dir(e.Path)], p.parents[path.Dir(e.To)] = true, true
	return nil
}

// size is the length of a file; that of a directory says nothing.
func size(info classify.Info) int64 {
	if info.Type == 'd' {
		return 0
	}
	return info.Size
}

// touches reports whether an effect can reach name, something below it, or a
// directory that holds it.
func touches(e classify.Effect, name string) bool {
	for _, p := range []string{e.Path, e.To} {
		if p != "" && (Within(p, name) || Within(name, p)) {
			return true
		}
	}
	return false
}

// Within reports whether name is dir or lies below it.
func Within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// ComparePaths orders paths so that everything below a directory comes right
// behind it.
func ComparePaths(a, b string) int {
	for i := 0; i < min(len(a), len(b)); i++ {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

func (p *planner) step() (Step, error) {
	s := Step{Moves: p.moves}
	for _, r := range p.roots {
		s.Roots = append(s.Roots, r)
	}
	s.Sort()
	s.Roots = widest(s.Roots)
	for dir := range p.parents {
		if covered(s.Roots, dir) {
			continue
		}
		mtime, names, err := p.disk.Listing(dir)
		if err != nil {
			return Step{}, err
		}
		s.Parents = append(s.Parents, Parent{Path: Name(dir), MTime: mtime, Names: names})
	}
	slices.SortFunc(s.Parents, func(a, b Parent) int { return ComparePaths(string(a.Path), string(b.Path)) })
	return s, nil
}

// widest drops roots that lie below a root with Tree. What remains is Gone
// only if all of it is.
func widest(roots []Root) []Root {
	var out []Root
	for _, r := range roots {
		if n := len(out) - 1; n >= 0 && out[n].Tree && Within(string(r.Path), string(out[n].Path)) {
			out[n].Gone = out[n].Gone && r.Gone
			continue
		}
		out = append(out, r)
	}
	return out
}

// covered reports whether dir itself is captured with its times.
func covered(roots []Root, dir string) bool {
	return slices.ContainsFunc(roots, func(r Root) bool {
		return string(r.Path) == dir || r.Tree && Within(dir, string(r.Path))
	})
}
