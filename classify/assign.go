package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignOne evaluates one assignment of the shell itself.
func (ev *evaluator) assignOne(a *syntax.Assign) {
	name := a.Name.Value
	old := ev.lookup(name)
	switch {
	case a.Array != nil:
		v := ev.array(a.Array)
		if a.Append && old.array && old.open && len(old.list) == 0 {
			v.open, v.list, v.keys = true, nil, nil
		} else if a.Append && old.array {
			v.list = append(old.list[:len(old.list):len(old.list)], v.list...)
			v.keys = append(old.keys[:len(old.keys):len(old.keys)], v.keys...)
			v.open, v.shaky = v.open || old.open, v.shaky || old.shaky
			if len(v.keys) != len(v.list) && len(v.keys) > 0 {
				v.open = true
			}
			if len(v.list) > maxRounds {
				v.open, v.list, v.keys = true, nil, nil
			}
		}
		ev.assign(name, v)
	case a.Index != nil:
		ev.assignElement(name, a, old)
	case a.Append:
		if old.array {
			old.open = true
			ev.value(a.Value)
			ev.assign(name, old)
			return
		}
		ev.assign(name, scalar(old.orEmpty().concat(ev.value(a.Value))))
	default:
		v := ev.value(a.Value)
		if old.array && !old.unset {
			old.list = append([]value{v}, old.list[min(1, len(old.list)):]...)
			ev.assign(name, old)
			return
		}
		ev.assign(name, scalar(v))
	}
}

// array evaluates (a b [k]=v).
func (ev *evaluator) array(a *syntax.ArrayExpr) variable {
	out := variable{array: true}
	keyed := false
	for _, e := range a.Elems {
		if e.Index != nil {
			key := ev.indexValue(e.Index)
			out.list = append(out.list, ev.value(e.Value))
			out.keys = append(out.keys, key)
			keyed = true
			continue
		}
		ways := ev.fields(e.Value)
		if len(ways) > 1 {
			out.open = true
		}
		for _, w := range ways[0] {
			out.list = append(out.list, w.val)
			out.shaky = out.shaky || w.shaky
			out.open = out.open || w.Unknown() && !isQuotedWord(e.Value)
		}
	}
	if keyed && len(out.keys) != len(out.list) {
		out.open, out.keys = true, nil
	}
	return out
}

// isQuotedWord reports whether a word is one quoted string, which is always
// one element.
func isQuotedWord(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	_, ok := w.Parts[0].(*syntax.DblQuoted)
	return ok
}

// indexValue is the text of a subscript; code in it is evaluated.
func (ev *evaluator) indexValue(x syntax.ArithmExpr) string {
	if w, ok := x.(*syntax.Word); ok {
		v := ev.value(w)
		if s := v.all(); len(s) == 1 {
			return s[0]
		}
		return anyHole
	}
	return ev.arithm(x).all()[0]
}

func (ev *evaluator) assignElement(name string, a *syntax.Assign, old variable) {
	key := ev.indexValue(a.Index)
	v := ev.value(a.Value)
	if !old.array || old.mayUnset && old.val.wild() {
		old = variable{array: true, open: !old.unset && old.val.wild() && !old.mayUnset}
	}
	if a.Append {
		v = unknownValue()
	}
	out := old
	out.list = append(old.list[:len(old.list):len(old.list)], v)
	if n, ok := number1(known(key)); ok && len(old.keys) == 0 && n >= 0 && n <= len(old.list) {
		out.list = append([]value(nil), old.list...)
		if n == len(old.list) {
			out.list = append(out.list, v)
		} else {
			out.list[n] = v
		}
	} else {
		keys := old.keys
		if len(keys) == 0 {
			for i := range old.list {
				keys = append(keys, itoa(i))
			}
		}
		out.keys = append(keys[:len(keys):len(keys)], key)
	}
	ev.assign(name, out)
}

// assigned does what setting certain variables means for the rest of the line.
func (ev *evaluator) assigned(name string, v variable) {
	if loadsCode(name) {
		if !v.unset && !onlyEmpty(v.val) {
			ev.note("sets "+name+", which makes later programs run other code").opaque("sets "+name+", which makes later programs run other code", name)
		}
		return
	}
	switch name {
	case "PROMPT_COMMAND":
		if !onlyEmpty(v.val) {
			ev.cond++
			ev.script(v.val, ev.here())
			ev.cond--
		}
	case "PS4", "PS0", "PS1":
		for _, s := range v.val.all() {
			if strings.Contains(s, "$(") || strings.Contains(s, "`") || isWild(s) && name == "PS4" {
				ev.note("sets " + name).unnamed("the prompt " + name + " runs a command")
			}
		}
	case "CDPATH":
		ev.st.set("opt:cdpath", scalar(known("on")))
	}
}

// loadsCode reports a variable by which programs, which themselves only read,
// load or run code that the command line does not show.
func loadsCode(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "ZDOTDIR", // shells
		"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "GCONV_PATH", // every program
		"DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "NODE_OPTIONS",
		"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "LUA_INIT",
		"TAR_OPTIONS", "SUDO_EDITOR", "SUDO_ASKPASS", "SSH_ASKPASS", "SYSTEMD_EDITOR", "VIMINIT", "EXINIT", "BROWSER":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

func onlyEmpty(v value) bool {
	s := v.all()
	return len(s) == 1 && s[0] == ""
}

// note is a part for something that has no command of its own.
func (ev *evaluator) note(text string) *partState { return ev.part(text, nil, ev.here()) }

// here is the position of the command being evaluated, as well as it is known.
func (ev *evaluator) here() Pos {
	if ev.outer != nil {
		return *ev.outer
	}
	return ev.at
}

// declClause evaluates declare, local, export, readonly, typeset and nameref.
func (ev *evaluator) declClause(c *syntax.DeclClause) outcome {
	variant := c.Variant.Value
	ev.at = fromPos(c.Pos())
	part := ev.part(ev.text(c), nil, ev.pos(c.Pos()))
	flags := ""
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			for _, s := range ev.value(a.Value).all() {
				if isWild(s) || strings.ContainsAny(s, "=") {
					part.unnamed("what " + variant + " sets is not known")
					continue
				}
				flags += s
			}
			continue
		}
		ev.declareOne(variant, flags, a)
	}
	part.reasonOnce("sets variables of the shell")
	return ev.succeeds()
}

func (ev *evaluator) declareOne(variant, flags string, a *syntax.Assign) {
	name := a.Name.Value
	if variant == "local" || ev.calls > 0 && variant != "export" && variant != "readonly" && !strings.Contains(flags, "g") {
		ev.localize(name)
	}
	if !a.Naked {
		ev.assignOne(a)
	} else if strings.ContainsAny(flags, "aA") {
		if !ev.lookup(name).array {
			ev.assign(name, variable{array: true})
		}
	} else if variant == "local" {
		ev.st.set(name, noVariable())
	}
	v := ev.lookup(name)
	switch {
	case variant == "nameref" || strings.Contains(flags, "-n") || strings.Contains(flags, "n") && strings.HasPrefix(flags, "-"):
		v = unknownVariable()
	case strings.ContainsAny(flags, "iluc"):
		v.integer = strings.Contains(flags, "i")
		for _, s := range v.val.all() {
			ev.arithmText(s)
		}
		if !v.array {
			v.val = v.val.each(func(s string) string {
				if isDigits(s) {
					return s
				}
				return anyHole
			})
		}
	}
	if variant == "export" || strings.Contains(flags, "x") {
		v.exported = true
	}
	ev.st.set(name, v)
}

// localize makes a variable one of the running function.
func (ev *evaluator) localize(name string) {
	if len(ev.locals) == 0 {
		return
	}
	saved := ev.locals[len(ev.locals)-1]
	if _, ok := saved[name]; !ok {
		saved[name] = ev.lookup(name)
	}
}
