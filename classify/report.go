package classify

import (
	"strings"
)

// effectKey is what makes two effects the same.
type effectKey struct {
	kind     Kind
	path, to string
}

// partKey is what makes two parts the same: a part that is evaluated again, in
// another directory or another round of a loop, is still one part.
type partKey struct {
	off  int
	text string
}

// partState collects what is said of one simple command or redirection.
type partState struct {
	ev    *evaluator
	index int
	// strong says that a reason was given that belongs to the class.
	said Class
}

// What is kept for people is bounded: texts, parts and refusals, words.
const (
	maxPartText = 160
	maxParts    = 400
	maxArgv     = 40
)

// part opens the part of a command; argv may be nil.
func (ev *evaluator) part(text string, argv []Word, pos Pos) *partState {
	if len(text) > maxPartText {
		text = cutText(text, maxPartText) + "…"
	}
	key := partKey{pos.Off, text}
	if i, ok := ev.partIndex[key]; ok {
		ev.mergeArgv(&ev.out.Parts[i], argv)
		return &partState{ev: ev, index: i, said: ev.out.Parts[i].Class}
	}
	if len(ev.out.Parts) >= maxParts {
		key, text, argv = partKey{off: -1}, "… and more", nil
		if i, ok := ev.partIndex[key]; ok {
			return &partState{ev: ev, index: i, said: ev.out.Parts[i].Class}
		}
	}
	shown := make([]string, 0, min(len(argv), maxArgv))
	for i, w := range argv {
		if i == maxArgv {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, w.display())
	}
	ev.out.Parts = append(ev.out.Parts, Part{Text: text, Argv: shown, Class: Inert, Pos: pos})
	ev.partIndex[key] = len(ev.out.Parts) - 1
	return &partState{ev: ev, index: len(ev.out.Parts) - 1, said: Inert}
}

// mergeArgv adds what the words came to in another round of a loop or in
// another directory.
func (ev *evaluator) mergeArgv(p *Part, argv []Word) {
	for i, w := range argv {
		if i >= len(p.Argv) || i >= maxArgv {
			return
		}
		have, next := p.Argv[i], w.display()
		if have == next || strings.HasSuffix(have, "|…⟩") {
			continue
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(have, "⟨"), "⟩")
		next = strings.TrimSuffix(strings.TrimPrefix(next, "⟨"), "⟩")
		switch {
		case strings.HasSuffix(inner, next):
		case len(inner)+len(next) > maxPartText:
			p.Argv[i] = "⟨" + inner + "|…⟩"
		default:
			p.Argv[i] = "⟨" + inner + "|" + next + "⟩"
		}
	}
}

// display is how a word is shown in Argv.
func (w Word) display() string {
	if s, ok := w.One(); ok {
		return cutText(s, maxPartText)
	}
	if w.Fresh() || w.val.known() {
		return "⟨" + cutText(w.val.String(), maxPartText) + "⟩"
	}
	return "⟨" + cutText(w.Source(), maxPartText) + "⟩"
}

// cutText shortens s to n bytes without breaking a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// worsen lowers the class of the part; the reason of the worst class is kept.
func (p *partState) worsen(c Class, reason string) {
	part := &p.ev.out.Parts[p.index]
	if c.Worse(part.Class) || part.Reason == "" || c == part.Class && p.said != c {
		if !part.Class.Worse(c) {
			part.Reason = reason
		}
	}
	part.Class = Worst(part.Class, c)
	p.said = Worst(p.said, c)
	p.ev.out.Class = Worst(p.ev.out.Class, c)
}

// reasonOnce keeps a reason for an inert part.
func (p *partState) reasonOnce(reason string) {
	part := &p.ev.out.Parts[p.index]
	if part.Reason == "" {
		part.Reason = reason
	}
}

// effect adds one effect, checks what it would hit and lowers the class.
func (p *partState) effect(e Effect) {
	ev := p.ev
	if ev.guarded(p, &e) {
		return
	}
	if e.Kind != Delete {
		ev.writesGit(e.Path)
		ev.writesGit(e.To)
	}
	key := effectKey{e.Kind, e.Path, e.To}
	if i, ok := ev.effectIndex[key]; ok && e.Kind != RefUpdate {
		have := &ev.out.Effects[i]
		have.Tree = have.Tree || e.Tree
		have.InPlace = have.InPlace || e.InPlace
		have.May = have.May && e.May
	} else {
		ev.effectIndex[key] = len(ev.out.Effects)
		ev.out.Effects = append(ev.out.Effects, e)
	}
	if e.Kind == Create {
		p.worsen(Inert, "creates "+e.Path)
		return
	}
	p.worsen(Invertible, describe(e))
}

// describe says an effect in words.
func describe(e Effect) string {
	tree := ""
	if e.Tree {
		tree = " and everything below it"
	}
	switch e.Kind {
	case Delete:
		return "deletes " + e.Path + tree
	case Overwrite:
		return "overwrites " + e.Path + tree
	case Create:
		return "creates " + e.Path
	case Move:
		return "moves " + e.Path + " to " + e.To
	case Metadata:
		return "changes the metadata of " + e.Path + tree
	case RefUpdate:
		return "moves refs of " + e.Path
	default:
		return "changes something outside of files"
	}
}

// guarded refuses an effect on a protected place and reports whether it did.
func (ev *evaluator) guarded(p *partState, e *Effect) bool {
	if e.Kind == RefUpdate || e.Kind == External {
		return false
	}
	for _, path := range []string{e.Path, e.To} {
		if path == "" || hasHole(path) {
			continue
		}
		if reason, bad := ev.protects(path, e); bad {
			if e.May {
				return true
			}
			p.forbid(reason, nearest(e, path), e.Pos)
			return true
		}
	}
	return false
}

// nearest is a form of the command that could be armed when path is protected.
func nearest(e *Effect, path string) string {
	if e.Tree && e.Kind == Delete {
		return "name the entries of " + path + " that shall go, one by one"
	}
	return ""
}

// protects says why path must not be changed by e.
func (ev *evaluator) protects(path string, e *Effect) (string, bool) {
	ctx := ev.ctx
	whole := e.Tree || e.Kind == Delete || e.Kind == Move
	switch {
	case path == "/":
		return "/ is the root of everything", true
	case path == ctx.Home && (whole || e.Kind == Overwrite):
		return path + " is the home directory", true
	case whole && strings.HasPrefix(ctx.Home, path+"/"):
		return path + " holds the home directory", true
	}
	if ctx.Protected != nil {
		if reason, bad := ctx.Protected(path); bad {
			return reason, true
		}
	}
	if whole && ctx.ProtectedBelow != nil {
		if below, reason, bad := ctx.ProtectedBelow(path); bad {
			if below == path || below == "" {
				return reason, true
			}
			return path + " holds " + below + ": " + reason, true
		}
	}
	if whole && e.Kind != Create && ev.isMount(path) {
		return path + " is a mount point", true
	}
	for _, dir := range [...]string{"/dev/", "/proc/", "/sys/"} {
		if strings.HasPrefix(path, dir) && !strings.HasPrefix(path, "/dev/shm/") {
			return path + " is part of the system, not a file", true
		}
	}
	return "", false
}

// isMount reports whether path is a directory on another device than its
// parent.
func (ev *evaluator) isMount(path string) bool {
	dir, _ := splitPath(path)
	a, ok := ev.world.disk(path)
	if !ok || a.Type != 'd' {
		return false
	}
	b, ok := ev.world.disk(dir)
	return ok && b.Type == 'd' && a.Dev != b.Dev
}

// refuse adds a refusal.
func (p *partState) refuse(reason, instead string, pos Pos) {
	p.refused(Refusal{Reason: reason, Instead: instead, Pos: pos})
}

// forbid adds a refusal that nobody can lift.
func (p *partState) forbid(reason, instead string, pos Pos) {
	p.refused(Refusal{Reason: reason, Instead: instead, Pos: pos, Guarded: true})
}

func (p *partState) refused(r Refusal) {
	p.worsen(Irreversible, r.Reason)
	if len(p.ev.out.Refusals) < maxParts && !p.ev.refusals[r] {
		p.ev.refusals[r] = true
		p.ev.out.Refusals = append(p.ev.out.Refusals, r)
	}
}

// unresolved is a refusal because a target is not known. In the text of a file
// on the disk it is only as bad as running that file.
func (p *partState) unresolved(reason, instead string, pos Pos) {
	if p.ev.inFile > 0 {
		p.opaque(reason, "")
		return
	}
	p.refuse(reason, instead, pos)
}

// opaque says that a part may write anything in the bound.
func (p *partState) opaque(reason, program string) {
	p.worsen(Bounded, reason)
	if program == "" {
		return
	}
	for _, o := range p.ev.out.Opaque {
		if o == program {
			return
		}
	}
	p.ev.out.Opaque = append(p.ev.out.Opaque, program)
}

// unnamed says that a command word is not known.
func (p *partState) unnamed(reason string) {
	p.ev.out.Unnamed = true
	p.worsen(Bounded, reason)
}
