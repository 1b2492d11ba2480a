package classify

import "strings"

// Tool says what a tool that is not known would do, such as one of an MCP
// server, given the texts in its input: it may write anywhere in the bound and
// in the directories that it names, and what it does elsewhere no inverse
// covers. It is refused when a text names a place that nobody but a person may
// look into or change.
func Tool(ctx Context, tool string, words []string) Verdict {
	ev := newEvaluator(&ctx)
	pos := Pos{Line: 1, Col: 1}
	part := ev.part(tool, nil, pos)
	part.opaque("what "+tool+" writes is not known", tool)
	ev.out.Barriers = append(ev.out.Barriers, tool)
	var paths []Word
	for _, s := range words {
		s = strings.TrimPrefix(s, "file://")
		if rest, ok := strings.CutPrefix(s, "~/"); ok {
			s = joinPath(ctx.Home, rest)
		}
		if s == "" || len(s) > 4096 || strings.ContainsAny(s, "\n\x00") {
			continue
		}
		w := Word{val: known(s), pos: pos}
		ev.checkRead(part, ctx.Cwd, w)
		if reason, bad := ev.namesProtected(s); bad {
			part.forbid(tool+" names "+reason, "", pos)
		}
		paths = append(paths, w)
	}
	ev.nameDirs(ctx.Cwd, paths)
	return ev.verdict()
}

// namesProtected reports whether a text names a place that nobody may change,
// as it stands or where its links lead.
func (ev *evaluator) namesProtected(s string) (reason string, bad bool) {
	if ev.ctx.Protected == nil {
		return "", false
	}
	full := cleanPath(absolute(ev.ctx.Cwd, s))
	if reason, bad = ev.ctx.Protected(full); bad {
		return reason, true
	}
	ends, ok := ev.world.resolve(full, true)
	for _, e := range ends {
		if reason, bad = ev.ctx.Protected(e.path); ok && bad {
			return reason, true
		}
	}
	return "", false
}
