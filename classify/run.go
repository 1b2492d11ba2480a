package classify

import (
	"slices"
	"strings"
)

func (inv *Invocation) env(name string) (Word, bool) {
	if v, ok := inv.vars[name]; ok {
		return Word{val: v, pos: inv.pos}, true
	}
	if inv.clear {
		return Word{}, false
	}
	v, set := inv.ev.st.get(name)
	if !set {
		if s, ok := inv.ev.ctx.Env[name]; ok {
			return inv.Lit(s), true
		}
		return Word{}, false
	}
	if v.unset || !v.exported {
		return Word{}, false
	}
	return Word{val: v.val, pos: inv.pos}, true
}

// stat is the first thing path may name that is there.
func (inv *Invocation) stat(path string, follow bool) (Info, bool) {
	places, ok := inv.ev.world.resolve(absolute(inv.dir, path), follow)
	if !ok {
		return Info{}, false
	}
	for _, p := range places {
		for _, n := range inv.ev.world.at(p.path) {
			switch n.kind {
			case '-':
			case 'o':
				if info, ok := inv.ev.world.disk(n.at); ok && info.Type != '-' {
					return info, true
				}
			default:
				info := Info{Type: n.kind, Links: 1}
				if n.content != nil {
					if all := n.content.all(); len(all) == 1 && n.content.known() {
						info.Size = int64(len(all[0]))
					}
				}
				return info, true
			}
		}
	}
	return Info{Type: '-'}, false
}

func (inv *Invocation) list(path string) ([]string, bool) {
	places, ok := inv.ev.world.resolve(absolute(inv.dir, path), true)
	if !ok {
		return nil, false
	}
	var out []string
	for _, p := range places {
		names, ok := inv.ev.world.list(p.path)
		if !ok {
			return nil, false
		}
		out = append(out, names...)
		if len(inv.ev.world.nodes) > 0 {
			for _, n := range names {
				inv.shaky = inv.shaky || strings.Contains(inv.ev.world.kinds(joinPath(p.path, n)), "-")
			}
		}
	}
	if len(places) > 1 {
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out, true
}

// emptyDir reports whether the directory path is empty; what earlier parts of
// the line may have taken away makes it a maybe.
func (inv *Invocation) emptyDir(path string) truth {
	places, ok := inv.ev.world.resolve(absolute(inv.dir, path), true)
	if !ok || len(places) != 1 {
		return maybe
	}
	empty, sure := inv.ev.world.empty(places[0].path)
	if !sure {
		return maybe
	}
	return truthIf(empty)
}

func (inv *Invocation) read(path string) ([]byte, bool) {
	v, ok := inv.contentOf(inv.Lit(path))
	if !ok || v.loose || len(v.strs) != 1 {
		return nil, false
	}
	s := strings.ReplaceAll(v.strs[0], nulHole, "\x00")
	if strings.IndexByte(v.strs[0], holeMark) >= 0 && hasHole(strings.ReplaceAll(v.strs[0], nulHole, "")) {
		return nil, false
	}
	return []byte(s), true
}

func (inv *Invocation) output(v value) {
	inv.printed = true
	if inv.shaky && v.known() {
		v.loose = true // names that may be gone by then
	}
	if !v.loose && v.known() && inv.anyShaky() {
		if inv.name == "echo" || inv.name == "printf" || inv.name == "print" {
			// Words of which some may be missing, each a line of its own.
			v = v.each(func(s string) string { return strings.ReplaceAll(s, " ", "\n") })
		}
		v.loose = true
	}
	inv.ev.print(v)
}

// anyShaky reports whether some argument may be missing.
func (inv *Invocation) anyShaky() bool {
	for _, w := range inv.line.args {
		if w.shaky || w.may {
			return true
		}
	}
	return false
}

// opaque says that the program may write anything in the bound, and remembers
// the directories it names outside of it.
func (inv *Invocation) opaque(reason string) {
	inv.part.opaque(reason, inv.name)
	inv.ev.nameDirs(inv.dir, inv.line.args)
}

// nameDirs remembers the directories outside of the workspace that words name:
// a program that is not known may write there.
func (ev *evaluator) nameDirs(dir string, words []Word) {
	ev.nameDir(dir, ".")
	for i, w := range words {
		if i > 200 {
			return
		}
		for _, s := range w.val.all() {
			if at := strings.IndexByte(s, '='); at > 0 && strings.HasPrefix(s, "-") {
				s = s[at+1:]
			}
			if s == "" || hasHole(s) || !strings.ContainsAny(s, "/.~") || strings.ContainsAny(s, "\n") || strings.Contains(s, "://") {
				continue
			}
			ev.nameDir(dir, s)
		}
	}
}

func (ev *evaluator) nameDir(dir, s string) {
	full := absolute(dir, s)
	ws := ev.ctx.Workspace
	if hasHole(full) || ws == "" || strings.HasPrefix(full, "/dev/") || strings.HasPrefix(full, "/proc/") {
		return
	}
	ends, ok := ev.world.resolve(full, true)
	if !ok {
		return
	}
	for _, e := range ends {
		switch {
		case e.path == ws || strings.HasPrefix(e.path, ws+"/"):
		case TooWide(e.path, ev.ctx.Home):
			ev.out.Wide = unionStrings(ev.out.Wide, []string{e.path})
		default:
			ev.out.Dirs = unionStrings(ev.out.Dirs, []string{e.path})
		}
	}
}

// TooWide reports a directory that holds too much that has nothing to do with a
// call for a checkpoint of it to be of use.
func TooWide(dir, home string) bool {
	if home != "" && within(home, dir) {
		return true
	}
	switch dir {
	case "/", "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/usr", "/var",
		"/var/tmp", "/private", "/private/tmp", "/private/var", "/Users", "/Volumes", "/Library", "/System", "/Applications":
		return true
	}
	for _, system := range []string{"/bin", "/sbin", "/lib", "/lib64", "/usr", "/proc", "/sys", "/dev", "/System"} {
		if within(dir, system) {
			return true
		}
	}
	return false
}

func (inv *Invocation) refuse(reason, instead string, pos Pos) { inv.part.refuse(reason, instead, pos) }

// notUnderstood is a known program with arguments that are not.
func (inv *Invocation) notUnderstood(reason string) {
	text := inv.name + ": " + reason
	if inv.model != nil && (inv.model.Class == Invertible || inv.model.Class == Irreversible) {
		inv.part.unresolved(text, "", inv.pos)
		return
	}
	inv.opaque(text)
}

func (inv *Invocation) barrier(text string) {
	inv.part.reasonOnce(text)
	if !contains(inv.ev.out.Barriers, text) {
		inv.ev.out.Barriers = append(inv.ev.out.Barriers, text)
	}
}

// run evaluates argv as a program of its own.
func (inv *Invocation) run(argv []Word, dir string, stdin value) {
	ev := inv.ev
	if len(argv) == 0 {
		return
	}
	inv.printed = true
	if ev.depth >= maxDepth || ev.runs >= maxRuns {
		inv.part.unnamed("programs that run programs are nested too deep to be followed")
		return
	}
	saved, in := ev.st.fork(), ev.stdin
	ev.st.cwds = []string{dir}
	if !stdin.equal(inv.stdin) {
		ev.stdin = newInput(stdin)
	}
	ev.depth++
	ev.runs++
	r := request{
		argv: argv, vars: inv.vars, clear: inv.clear, text: joinSources(argv), pos: inv.pos,
		external: true,
	}
	if inv.local {
		r.external, r.noFunctions = false, true
	}
	if ev.stepText(r) {
		for name, v := range inv.vars {
			ev.assigned(name, scalar(v))
		}
		inv.result = ev.each(r, nil)
	}
	ev.depth--
	ev.runs--
	if inv.local {
		ev.stdin = in
		return
	}
	ev.st, ev.stdin = saved, in
}

// joinSources is a command as its words were written.
func joinSources(argv []Word) string {
	var b strings.Builder
	for i, w := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > maxPartText {
			break
		}
		b.WriteString(w.shown())
	}
	return b.String()
}

// shown is a word as one could type it.
func (w Word) shown() string {
	s, ok := w.One()
	if !ok {
		return w.display()
	}
	if s == "" || strings.ContainsAny(s, " \t\n'\"\\$&|;<>()*?[]{}`#~!") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func (inv *Invocation) runIn(dir Word, argv []Word) {
	for _, s := range dir.val.all() {
		inv.run(argv, absolute(inv.dir, s), inv.stdin)
	}
}

// runScript evaluates code in a shell of its own.
func (inv *Invocation) runScript(w Word, args []Word) {
	ev := inv.ev
	inv.printed = true
	saved, in := ev.st.fork(), ev.stdin
	ev.st = ev.childState(inv)
	if len(args) > 0 {
		ev.st.set("0", scalar(args[0].val))
		ev.st.set("@", argsVariable(args[1:]))
	} else {
		ev.st.set("@", variable{array: true})
	}
	pos := w.posOr(inv.pos)
	locals, calls := ev.locals, ev.calls
	ev.locals, ev.calls = nil, 0
	o := ev.script(w.val, pos)
	ev.locals, ev.calls = locals, calls
	if o.ok.dead() && !o.fail.dead() {
		inv.status = 'n'
	}
	ev.st, ev.stdin = saved, in
}

// childState is what a new shell starts with: the directory and what is
// exported.
func (ev *evaluator) childState(inv *Invocation) state {
	st := state{cwds: []string{inv.dir}}
	parent := ev.st
	for _, name := range parent.changed(nil) {
		v, _ := parent.get(name)
		if v.exported && !inv.clear || strings.HasPrefix(name, "func:") || name == "opt:hidden" || name == "PATH" {
			st.set(name, v)
			continue
		}
		if strings.IndexByte(name, ':') < 0 && !v.exported {
			// Not handed down: what the environment has is not known.
			continue
		}
	}
	for name, v := range inv.vars {
		child := scalar(v)
		child.exported = true
		st.set(name, child)
	}
	return st
}

func (inv *Invocation) setenv(name string, v value) {
	vars := make(map[string]value, len(inv.vars)+1)
	for k, have := range inv.vars {
		vars[k] = have
	}
	vars[name] = v
	inv.vars = vars
}

func (inv *Invocation) clearenv() {
	inv.vars, inv.clear = nil, true
}

// checkRead refuses words that name a place which may not even be read.
func (ev *evaluator) checkRead(p *partState, dir string, w Word) {
	if ev.ctx.ReadProtected == nil {
		return
	}
	for _, s := range w.val.all() {
		if at := strings.IndexByte(s, '='); at > 0 {
			ev.checkReadPath(p, dir, s[at+1:], w)
		}
		ev.checkReadPath(p, dir, s, w)
	}
}

func (ev *evaluator) checkReadPath(p *partState, dir, s string, w Word) {
	if s == "" || hasHole(s) || len(s) > 4096 || strings.IndexByte(s, '\n') >= 0 || s[0] == '-' {
		return
	}
	full := absolute(dir, s)
	if isWild(full) {
		return
	}
	reason, bad := ev.ctx.ReadProtected(cleanPath(full))
	if !bad && strings.IndexByte(s, '/') >= 0 || !bad && ev.world.kinds(cleanPath(full)) == "l" {
		ends, ok := ev.world.resolve(full, true)
		if !ok {
			return
		}
		for _, e := range ends {
			if reason, bad = ev.ctx.ReadProtected(e.path); bad {
				break
			}
		}
	}
	if bad {
		p.forbid(reason, "", w.posOr(ev.here()))
	}
}
