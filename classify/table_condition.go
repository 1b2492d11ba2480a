package classify

import "strings"

// conditionModels say yes or no.
func conditionModels() []*Model {
	return []*Model{
		{
			Names: []string{"test", "["}, Family: "shell", Title: "Tests and says yes or no", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"test -f F", "[ -d D ]"}, Apply: applyTest,
		},
		{
			Names: []string{"true", ":"}, Family: "shell", Title: "Does nothing, well", Undo: "nothing to undo", Class: Inert, Examples: []string{"true"},
			Apply: func(inv *Invocation) {
				inv.Inert("does nothing")
				inv.Output(nil)
				inv.Succeed()
			},
		},
		{
			Names: []string{"false"}, Family: "shell", Title: "Does nothing, badly", Undo: "nothing to undo", Class: Inert, Examples: []string{"false"},
			Apply: func(inv *Invocation) {
				inv.Inert("does nothing")
				inv.Output(nil)
				inv.Fail()
			},
		},
		{
			Names: []string{"emulate"}, Family: "shell", Title: "Runs code as another shell (zsh)", Undo: "as for the code", Class: Inert, Examples: []string{"emulate sh -c 'rm F'"},
			Apply: func(inv *Invocation) {
				inv.Inert("changes options of the shell")
				if code, ok := flagValue(inv.Args(), "-c"); ok {
					inv.RunScript(code)
				}
			},
		},
	}
}

func applyTest(inv *Invocation) {
	inv.Inert("only tests")
	inv.Output(nil)
	args := inv.Args()
	if inv.Name() == "[" && len(args) > 0 && args[len(args)-1].Is("]") {
		args = args[:len(args)-1]
	}
	for i, w := range args {
		if w.Is("-v") && i+1 < len(args) {
			subscript(inv, args[i+1])
		}
	}
	words, ok := texts(args)
	if !ok {
		return
	}
	switch yes, certain := compare(words); {
	case !certain:
	case yes:
		inv.Succeed()
	default:
		inv.Fail()
	}
}

// subscript runs what stands in a[…]: bash expands it once more.
func subscript(inv *Invocation, w Word) {
	s, ok := w.One()
	if at := strings.IndexByte(s, '['); ok && at >= 0 && strings.ContainsAny(s[at:], "$`") {
		inv.RunScript(inv.Lit(": \"" + strings.TrimSuffix(s[at+1:], "]") + "\""))
	} else if !ok && w.Unknown() {
		inv.Opaque("a subscript that is not known may run a command")
	}
}

// compare answers comparisons of strings and small numbers; what depends on
// the disk is not certain.
func compare(words []string) (yes, certain bool) {
	if len(words) > 0 && words[0] == "!" && len(words) > 1 {
		yes, certain = compare(words[1:])
		return !yes, certain
	}
	switch len(words) {
	case 0:
		return false, true
	case 1:
		return words[0] != "", true
	case 2:
		switch words[0] {
		case "-n":
			return words[1] != "", true
		case "-z":
			return words[1] == "", true
		}
	case 3:
		return compareTwo(words[0], words[1], words[2])
	}
	return false, false
}

func compareTwo(a, op, b string) (yes, certain bool) {
	switch op {
	case "=", "==":
		return a == b, true
	case "!=":
		return a != b, true
	}
	if !isDigits(a) || !isDigits(b) || len(a) > 9 || len(b) > 9 {
		return false, false
	}
	x, y := decimal(a), decimal(b)
	switch op {
	case "-eq":
		return x == y, true
	case "-ne":
		return x != y, true
	case "-lt":
		return x < y, true
	case "-le":
		return x <= y, true
	case "-gt":
		return x > y, true
	case "-ge":
		return x >= y, true
	}
	return false, false
}
