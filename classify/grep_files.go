package classify

import (
	"path"
	"regexp"
	"strings"
)

// search lists the files that may hold what is searched for.
type search struct {
	inv *Invocation
	re  *regexp.Regexp // nil: every file
	// include are patterns of which a name must match one, exclude of which it
	// must match none; skip is for directories.
	include, exclude, skip []string
	// hidden says that names with a leading dot are searched.
	hidden bool
	out    []string
	lost   bool
}

// grepFiles prints the names for grep -l and -L: a superset of them.
func grepFiles(inv *Invocation, pattern string, ws []Word) {
	roots, ok := texts(ws)
	deep := inv.Has("r", "R", "recursive", "dereference-recursive")
	if !ok || len(roots) == 0 && !deep || inv.Has("R", "dereference-recursive") {
		return
	}
	s := &search{inv: inv, hidden: true}
	if !inv.Has("v", "invert-match", "L", "files-without-match", "P", "perl-regexp", "z", "null-data") && len(inv.Values("e", "regexp")) < 2 {
		if inv.Has("F", "fixed-strings") {
			pattern = regexp.QuoteMeta(pattern)
		}
		s.re = grepPattern(pattern, inv.Has("E", "extended-regexp", "F", "fixed-strings") || inv.Name() == "egrep", inv.Has("i", "ignore-case"))
	}
	s.include, s.exclude, s.skip = plainValues(inv, "include"), plainValues(inv, "exclude"), plainValues(inv, "exclude-dir")
	if len(roots) == 0 {
		s.dir(".", "")
	}
	for _, r := range roots {
		if info, ok := inv.Stat(r); ok && info.Type == 'd' {
			if deep {
				s.dir(r, strings.TrimSuffix(r, "/")+"/")
			}
			continue
		}
		s.file(r, path.Base(r))
	}
	s.finish(inv.Has("Z", "null"))
}

func plainValues(inv *Invocation, name string) []string {
	var out []string
	for _, w := range inv.Values(name) {
		if s, ok := w.One(); ok {
			out = append(out, strings.TrimSuffix(s, "/"))
		}
	}
	return out
}

func (s *search) finish(nul bool) {
	if s.lost || s.inv.ev.world.over {
		return
	}
	end := "\n"
	if nul {
		end = "\x00"
	}
	t := text{ok: true, loose: true}
	for _, name := range s.out {
		t.s += name + end
	}
	if t.s == "" {
		t.loose = false
	}
	emit(s.inv, t)
}

// dir searches a directory; prefix is what its names are printed with.
func (s *search) dir(dir, prefix string) {
	names, ok := s.inv.List(dir)
	if !ok {
		s.lost = true
		return
	}
	for _, name := range names {
		if !s.hidden && strings.HasPrefix(name, ".") {
			continue
		}
		p := joinPath(dir, name)
		info, ok := s.inv.Lstat(p)
		switch {
		case !ok:
			s.lost = s.lost || s.inv.ev.world.over
		case info.Type == 'd' && !anyMatch(s.skip, name):
			s.dir(p, prefix+name+"/")
		case info.Type == 'f':
			s.file(prefix+name, name)
		}
	}
}

func (s *search) file(shown, name string) {
	if len(s.include) > 0 && !anyMatch(s.include, name) || anyMatch(s.exclude, name) {
		return
	}
	if s.re != nil {
		data, ok := s.inv.Read(shown)
		if ok && !s.re.Match(data) && !s.matchesLine(data) {
			return
		}
	}
	s.out = append(s.out, shown)
}

// matchesLine matches line by line, for patterns with ^ and $.
func (s *search) matchesLine(data []byte) bool {
	for l := range strings.SplitSeq(string(data), "\n") {
		if s.re.MatchString(l) {
			return true
		}
	}
	return false
}

func anyMatch(patterns []string, name string) bool {
	for _, p := range patterns {
		if fnmatch(p, name, false) {
			return true
		}
	}
	return false
}

// rgFiles prints the names for rg -l and rg --files: every file that is not
// hidden, since ignore files are not read.
func rgFiles(inv *Invocation, args []Word) {
	s := &search{inv: inv, hidden: hasFlag(args, "-.", "--hidden", "-u", "-uu", "-uuu", "--no-ignore")}
	l := takeApart(&Grammar{Short: "lnicSsFwve:f:g:t:T:A:B:C:m:j:uU0pPoHIN.az", Lenient: true, Long: []string{
		"files", "files-with-matches", "glob=", "iglob=", "type=", "type-not=", "regexp=", "file=", "hidden", "no-ignore", "null",
		"max-depth=", "max-count=", "threads=", "context=", "after-context=", "before-context=", "color=", "sort=", "sortr=", "replace=", "pre=", "pre-glob=",
	}}, args)
	ws := l.Operands()
	pattern := ""
	if !l.Has("files", "e", "regexp", "f", "file") {
		if len(ws) == 0 {
			return
		}
		pattern, _ = ws[0].One()
		ws = ws[1:]
	}
	if l.Has("F") {
		pattern = regexp.QuoteMeta(pattern)
	}
	if pattern != "" && !l.Has("v", "U", "P") {
		fold := ""
		if l.Has("i", "S") {
			fold = "(?i)"
		}
		if re, err := regexp.Compile(fold + pattern); err == nil {
			s.re = re
		}
	}
	roots, ok := texts(ws)
	if !ok {
		return
	}
	if len(roots) == 0 {
		s.dir(".", "")
	}
	for _, r := range roots {
		if onlyDirs(inv, inv.Lit(r)) {
			s.dir(r, strings.TrimSuffix(r, "/")+"/")
		} else {
			s.file(r, path.Base(r))
		}
	}
	s.finish(l.Has("0", "null"))
}
