package classify

import (
	"strings"
)

// Doc renders the table of programs as Markdown: what each does, how it is
// taken back, and the class of some calls of it, as computed in a small
// made-up directory. It is docs/invertibility.md.
func Doc() string {
	var b strings.Builder
	b.WriteString(docHead)
	ctx := docContext()
	for _, set := range docCalls() {
		b.WriteString("\n### " + set.title + "\n\n| call | class | what happens |\n|---|---|---|\n")
		for _, c := range set.calls {
			class, what := c.judge(ctx)
			b.WriteString("| " + c.show() + " | " + class + " | " + cell(what) + " |\n")
		}
	}
	b.WriteString("\n## Programs\n\nIn the examples `F`, `A`, `B`, `C` and `EXISTING` are files, `D` and `E` are directories with files in them, `NEW` is nothing yet.\n")
	family := ""
	for _, m := range Models() {
		if m.Family != family {
			family = m.Family
			b.WriteString("\n### " + family + "\n\n| program | what it does | undo | examples |\n|---|---|---|---|\n")
		}
		docModel(&b, ctx, m)
	}
	return b.String()
}

const docHead = `# What can be taken back

This file is generated from the tables in ` + "`classify`" + `; a test fails when it is stale.

| class | when | what happens |
|---|---|---|
| inert | nothing that exists is destroyed | let go at once; a note is kept of what no inverse covers (a barrier) |
| invertible | every effect is known and has an inverse | the inverse is armed, then the call is let go |
| bounded | what is written is not known, but the workspace bounds it | a checkpoint of the workspace is armed, then the call is let go |
| irreversible | an effect has no inverse, or a target is not known | refused, with the reason and the nearest form that could be armed |

A call is as bad as its worst part. A program that is in no table is bounded. An option that a table does not have makes the call not understood.

## Calls that matter
`

func docModel(b *strings.Builder, ctx Context, m *Model) {
	names := m.Names
	shown := "`" + strings.Join(names[:min(len(names), 12)], "` `") + "`"
	if len(names) > 12 {
		shown += " …"
	}
	var examples []string
	for _, e := range m.Examples {
		v := Command(ctx, e)
		word := v.Class.String()
		if v.Class == Inert && len(v.Barriers) > 0 {
			word = "barrier"
		}
		examples = append(examples, "`"+e+"` "+word)
	}
	b.WriteString("| " + shown + " | " + cell(m.Title) + " | " + cell(m.Undo) + " | " + cell(strings.Join(examples, "<br>")) + " |\n")
}

// cell makes text fit into a Markdown table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ")
}

// docCall is one row: a command, or the tool of a harness.
type docCall struct {
	// text is what is shown when it is not the commands themselves.
	text     string
	commands []string
	tool     string
}

func (c docCall) show() string {
	if c.text != "" {
		return cell(c.text)
	}
	return cell("`" + strings.Join(c.commands, "`, `") + "`")
}

// judge gives the worst class of the row's commands and what happens then.
func (c docCall) judge(ctx Context) (class, what string) {
	if c.tool != "" {
		v := File(ctx, c.tool, []string{docDir + "/F"})
		return v.Class.String(), happens(v)
	}
	worst := Inert
	for _, src := range c.commands {
		if v := Command(ctx, src); !worst.Worse(v.Class) {
			worst, what = v.Class, happens(v)
		}
	}
	return worst.String(), what
}

// happens says in a few words what is done about a verdict.
func happens(v Verdict) string {
	switch {
	case len(v.Refusals) > 0:
		s := "refused: " + v.Refusals[0].Reason
		if v.Refusals[0].Instead != "" {
			s += "; instead: " + v.Refusals[0].Instead
		}
		return s
	case v.Class == Bounded:
		return "a checkpoint of the workspace, then let go"
	case len(v.Effects) > 0 && v.Effects[0].Remote != nil:
		return "the remote refs that it moves or removes are captured, and put back under a lease; a ref that it creates is removed; one that only moves forward is a barrier"
	case v.Class == Invertible:
		return "armed: " + effectWords(v)
	case len(v.Barriers) > 0:
		return "let go with a barrier: " + v.Barriers[0]
	default:
		return "let go"
	}
}

func effectWords(v Verdict) string {
	var out []string
	for _, e := range v.Effects {
		word := ""
		switch {
		case e.Kind == Delete && e.Tree:
			word = "puts the tree back"
		case e.Kind == Delete:
			word = "puts the removed back"
		case e.Kind == Overwrite:
			word = "puts the old content back"
		case e.Kind == Move:
			word = "moves it back"
		case e.Kind == Metadata:
			word = "restores mode, owner, times and attributes"
		}
		if word != "" && !isOneOf(word, out) {
			out = append(out, word)
		}
	}
	return strings.Join(out, "; ")
}
