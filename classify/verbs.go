package classify

import (
	"path"
	"strings"
)

// verbs describes a program whose first words say what it does. A pattern is
// one or more words with "/" between them, "*" stands for any part of a word:
// "volume/rm", "*/delete", "describe-*". Patterns are tried in the order
// refuse, read, allow, opaque, peel.
type verbs struct {
	names, family, title, undo string
	class                      Class
	examples                   []string
	// values are options with a value that may stand among the verbs.
	values string
	// read: only reads. allow: adds or changes something that no inverse
	// covers and that destroys nothing; recorded. refuse: destroys. opaque:
	// may change the workspace. peel: the words behind are a command.
	read, allow, refuse, opaque, peel string
	// thing is what a verb works on, for people; instead is the form that
	// could be let go.
	thing, instead string
	// rest says what holds for verbs that are not listed.
	rest byte
	// first looks at the call before the lists; true ends it.
	first func(*Invocation, []string, []Word) bool
}

const (
	restOpaque = 'o'
	restRefuse = 'r'
	restAllow  = 'a'
	restRead   = 'i'
)

// model makes a model of the description.
func (v verbs) model() *Model {
	names := strings.Fields(v.names)
	examples := v.examples
	if len(examples) == 0 {
		for _, list := range []string{v.read, v.allow, v.refuse} {
			if p := strings.Fields(list); len(p) > 0 {
				examples = append(examples, names[0]+" "+strings.ReplaceAll(strings.ReplaceAll(p[0], "/", " "), "*", "x"))
			}
		}
	}
	return &Model{
		Names: names, Family: v.family, Title: v.title, Undo: v.undo, Class: v.class, Examples: examples,
		Apply: func(inv *Invocation) { v.apply(inv) },
	}
}

func models(list []verbs) []*Model {
	out := make([]*Model, 0, len(list))
	for _, v := range list {
		out = append(out, v.model())
	}
	return out
}

func (v verbs) apply(inv *Invocation) {
	said, at := v.words(inv.Args())
	if v.first != nil && v.first(inv, said, inv.Args()) {
		return
	}
	if len(said) == 0 || wantsHelp(inv.Args()) {
		inv.Inert("prints help")
		return
	}
	what := inv.Name() + " " + strings.Join(said[:min(len(said), 3)], " ")
	switch {
	case matches(v.refuse, said) > 0:
		inv.Refuse(what+" changes or removes "+orThing(v.thing)+", and that cannot be taken back", v.instead)
	case matches(v.read, said) > 0:
		inv.Inert("only reads")
	case matches(v.allow, said) > 0:
		inv.Barrier(what + " (" + orThing(v.thing) + ")")
	case matches(v.opaque, said) > 0:
		inv.Opaque(what + " runs what the project says")
	case matches(v.peel, said) > 0:
		inv.Run(behindOptions(inv.Args()[at[matches(v.peel, said)-1]+1:]))
	default:
		v.other(inv, what)
	}
}

func (v verbs) other(inv *Invocation, what string) {
	switch v.rest {
	case restRefuse:
		inv.Refuse(what+" may change "+orThing(v.thing)+", and that cannot be taken back", v.instead)
	case restAllow:
		inv.Barrier(what + " (" + orThing(v.thing) + ")")
	case restRead:
		inv.Inert("only reads")
	default:
		inv.Opaque(what + " runs what the project says")
	}
}

func orThing(thing string) string {
	if thing == "" {
		return "something"
	}
	return thing
}

// words are the first arguments that are no options, and where they stand. A
// word that is not known is "?".
func (v verbs) words(args []Word) (said []string, at []int) {
	values := strings.Fields(v.values)
	for i := 0; i < len(args) && len(said) < 6; i++ {
		s, ok := args[i].One()
		switch {
		case !ok && !strings.HasPrefix(args[i].Prefix(), "-"):
			s = "?"
		case strings.HasPrefix(args[i].Prefix(), "-"):
			if s == "--" && ok {
				return said, at
			}
			if isOneOf(s, values) {
				i++
			}
			continue
		}
		said, at = append(said, s), append(at, i)
	}
	return said, at
}

// matches gives how many words the longest pattern of list covers that said
// begins with; 0 when there is none.
func matches(list string, said []string) int {
	best := 0
	for _, p := range strings.Fields(list) {
		parts := strings.Split(p, "/")
		if len(parts) > len(said) || len(parts) <= best {
			continue
		}
		hit := true
		for i, part := range parts {
			ok, err := path.Match(part, said[i])
			hit = hit && err == nil && ok
		}
		if hit {
			best = len(parts)
		}
	}
	return best
}

func wantsHelp(args []Word) bool {
	for _, w := range args {
		if w.Is("--") {
			return false
		}
		if w.Is("--help", "--version") {
			return true
		}
	}
	return false
}

// hasFlag reports whether an argument is one of flags, also with =value.
func hasFlag(args []Word, flags ...string) bool {
	for _, w := range args {
		s := w.Prefix()
		name, _, _ := strings.Cut(s, "=")
		if isOneOf(s, flags) || isOneOf(name, flags) {
			return true
		}
	}
	return false
}

// flagValue is the value of the last of flags, joined or as the next word.
func flagValue(args []Word, flags ...string) (Word, bool) {
	var out Word
	found := false
	for i, w := range args {
		s := w.Prefix()
		name, _, joined := strings.Cut(s, "=")
		switch {
		case joined && isOneOf(name, flags):
			out, found = w.cut(len(name)+1), true
		case isOneOf(s, flags) && i+1 < len(args):
			out, found = args[i+1], true
		}
	}
	return out, found
}

// behindOptions drops leading options and "--".
func behindOptions(ws []Word) []Word {
	for len(ws) > 0 && strings.HasPrefix(ws[0].Prefix(), "-") {
		ws = ws[1:]
	}
	return ws
}
