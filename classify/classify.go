// Package classify reads a command line as the shells do and says what it would
// change, without running anything. It is pure: the disk is an interface that
// it is handed.
package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command says what a shell command would do. Every input has a verdict; what
// is not understood is refused with its position. It runs nothing and changes
// nothing.
func Command(ctx Context, src string) Verdict {
	if r := guardInput(src); r != nil {
		return refusedInput(src, *r)
	}
	bash, bashErr := parse(src, syntax.LangBash)
	if ctx.Shell == "sh" {
		return plainSh(&ctx, src, bash, bashErr)
	}
	if ctx.Shell != "zsh" {
		if bashErr != nil {
			return refusedInput(src, *parseRefusal(bashErr))
		}
		return evaluate(&ctx, src, bash)
	}
	zsh, zshErr := parse(src, syntax.LangZsh)
	switch {
	case bashErr != nil && zshErr != nil:
		return refusedInput(src, *parseRefusal(zshErr))
	case bashErr != nil:
		return evaluate(&ctx, src, zsh)
	}
	out := evaluate(&ctx, src, bash)
	if zshErr != nil {
		out.Unnamed = true
		out.Class = Worst(out.Class, Bounded)
		return out
	}
	return out.and(evaluate(&ctx, src, zsh))
}

// plainSh is the verdict for a shell that may be any of those called sh: some
// know what bash knows, some only what the standard has.
func plainSh(ctx *Context, src string, bash *syntax.File, bashErr error) Verdict {
	if bashErr != nil {
		posix, err := parse(src, syntax.LangPOSIX)
		if err != nil {
			return refusedInput(src, *parseRefusal(bashErr))
		}
		return evaluate(ctx, src, posix)
	}
	out := evaluate(ctx, src, bash)
	src = parted(src, bash)
	if posix, err := parse(src, syntax.LangPOSIX); err == nil {
		out = out.and(evaluate(ctx, src, posix))
	}
	return out
}

// parted writes &> as the standard reads it: a command in the background, and
// then a redirection.
func parted(src string, file *syntax.File) string {
	var at []int
	syntax.Walk(file, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && (r.Op == syntax.RdrAll || r.Op == syntax.AppAll) {
			at = append(at, int(r.OpPos.Offset())+1)
		}
		return true
	})
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] < len(src) {
			src = src[:at[i]] + " " + src[at[i]:]
		}
	}
	return src
}

// and is what holds when either reading of a command may be the right one.
func (v Verdict) and(w Verdict) Verdict {
	if w.Class.Worse(v.Class) {
		v, w = w, v
	}
	for _, e := range w.Effects {
		if !containsEffect(v.Effects, e) {
			v.Effects = append(v.Effects, e)
		}
	}
	v.Unnamed = v.Unnamed || w.Unnamed
	v.Opaque = unionStrings(v.Opaque, w.Opaque)
	v.Dirs, v.Wide = unionStrings(v.Dirs, w.Dirs), unionStrings(v.Wide, w.Wide)
	for _, r := range w.Repositories {
		v.Repositories = addRepository(v.Repositories, r)
	}
	v.Barriers = unionStrings(v.Barriers, w.Barriers)
	return v
}

func containsEffect(list []Effect, e Effect) bool {
	for _, have := range list {
		if have.Kind == e.Kind && have.Path == e.Path && have.To == e.To && (have.Tree || !e.Tree) && have.Remote == nil && e.Remote == nil {
			return true
		}
	}
	return false
}

func unionStrings(a, b []string) []string {
	for _, s := range b {
		found := false
		for _, t := range a {
			found = found || s == t
		}
		if !found {
			a = append(a, s)
		}
	}
	return a
}

// parse reads one script.
func parse(src string, lang syntax.LangVariant) (*syntax.File, error) {
	p := syntax.NewParser(syntax.Variant(lang))
	return p.Parse(strings.NewReader(src), "")
}

// refusedInput is the verdict on input that cannot be read at all.
func refusedInput(src string, r Refusal) Verdict {
	return Verdict{
		Class:    Irreversible,
		Parts:    []Part{{Text: cutText(src, maxPartText), Class: Irreversible, Reason: r.Reason, Pos: r.Pos}},
		Refusals: []Refusal{r},
	}
}

// evaluate runs the evaluator over a parsed command.
func evaluate(ctx *Context, src string, file *syntax.File) Verdict {
	ev := newEvaluator(ctx)
	ev.src = src
	if d := astDepth(file); d > maxNesting {
		return refusedInput(src, Refusal{Reason: "the command is nested deeper than 200 levels", Pos: Pos{Line: 1, Col: 1}})
	}
	ev.stmts(file.Stmts)
	ev.finishUp(file)
	return ev.verdict()
}

// verdict gives what was collected.
func (ev *evaluator) verdict() Verdict {
	return ev.out
}

// File says what a file tool of a harness would do to paths: Write replaces the
// content, Edit, MultiEdit and NotebookEdit change it. Relative paths are taken
// from the directory of the call.
func File(ctx Context, tool string, paths []string) Verdict {
	ev := newEvaluator(&ctx)
	for _, p := range paths {
		if strings.IndexByte(p, 0) >= 0 {
			return refusedInput(p, Refusal{Reason: "the path holds a NUL byte"})
		}
		part := ev.part(tool+" "+p, nil, Pos{Line: 1, Col: 1})
		inv := &Invocation{ev: ev, name: tool, dir: ctx.Cwd, part: part, pos: Pos{Line: 1, Col: 1}}
		w := Word{val: known(p), pos: inv.pos}
		ev.checkRead(part, inv.dir, w)
		inv.write(w, false)
	}
	return ev.verdict()
}
