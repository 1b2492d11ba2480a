package classify

import (
	"strings"

	"github.com/google/shlex"
)

// userModels run a command as somebody else, or in another environment.
func userModels() []*Model {
	return []*Model{
		{
			Names: []string{"sudo", "sudoedit"}, Family: "wrapper", Title: "Runs a command as another user",
			Undo: "as for the command, as far as the person may write there", Class: Inert,
			Examples: []string{"sudo rm F", "sudo -u u -- rm F", "sudo sh -c 'rm F'"},
			Options: &Grammar{Short: "AbBEeHhiKklnPSsVvNC:D:g:p:R:T:U:u:r:t:a:c:", Stop: true, Long: []string{
				"askpass", "background", "bell", "close-from=", "chdir=", "preserve-env=?", "edit", "group=", "set-home", "help",
				"host=", "login", "remove-timestamp", "reset-timestamp", "list", "non-interactive", "preserve-groups",
				"prompt=", "chroot=", "role=", "stdin", "shell", "type=", "command-timeout=", "other-user=", "user=",
				"version", "validate", "no-update",
			}},
			Apply: applySudo,
		},
		{
			Names: []string{"doas"}, Family: "wrapper", Title: "Runs a command as another user",
			Undo: "as for the command", Class: Inert, Examples: []string{"doas rm F"},
			Options: &Grammar{Short: "a:C:Lnsu:", Stop: true},
			Apply: func(inv *Invocation) {
				if inv.Has("s") {
					stdinShell(inv)
					return
				}
				peel(inv, inv.Operands())
			},
		},
		{
			Names: []string{"su", "runuser"}, Family: "wrapper", Title: "Runs a shell as another user",
			Undo: "as for the commands", Class: Inert, Examples: []string{"su -c 'rm F'"},
			Options: &Grammar{Short: "c:g:G:hlmpPs:Tu:Vw:f", Long: []string{
				"command=", "session-command=", "group=", "supp-group=", "login", "preserve-environment", "pty", "no-pty",
				"shell=", "fast", "user=", "whitelist-environment=", "help", "version",
			}},
			Apply: applySu,
		},
		{
			Names: []string{"env", "genv"}, Family: "wrapper", Title: "Runs a command in another environment",
			Undo: "as for the command", Class: Inert, Examples: []string{"env -i A=1 rm F", "env -S 'rm F'"},
			Apply: func(inv *Invocation) { applyEnv(inv, inv.Args(), 0) },
		},
	}
}

func applySudo(inv *Invocation) {
	ops := inv.Operands()
	switch {
	case asksHelp(inv), inv.Has("l", "list", "v", "validate", "k", "reset-timestamp", "K", "remove-timestamp", "V") && len(ops) == 0:
		inv.Inert("runs no command")
	case inv.Name() == "sudoedit" || inv.Has("e", "edit"):
		writeAll(inv, ops)
	case inv.Has("R", "chroot"):
		root, _ := inv.Value("R", "chroot")
		inRoot(inv, root, ops)
	case inv.Has("D", "chdir") && len(ops) > 0:
		dir, _ := inv.Value("D", "chdir")
		inv.RunIn(dir, ops)
	case len(ops) == 0:
		stdinShell(inv)
	default:
		peelEnv(inv, ops)
	}
}

// stdinShell is a shell that is started without a command: it runs what it
// reads.
func stdinShell(inv *Invocation) {
	inv.RunWith([]Word{inv.Lit("sh")}, inv.StdinWord())
}

func applySu(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	ops := inv.Operands()
	if len(ops) > 0 && ops[0].Is("-") {
		ops = ops[1:]
	}
	script, ok := inv.Value("c", "command", "session-command")
	switch {
	case ok:
		inv.RunScript(script)
	case inv.Has("u", "user"):
		peel(inv, ops)
	case len(ops) > 1:
		inv.Run(append([]Word{inv.Lit("sh")}, ops[1:]...))
	default:
		stdinShell(inv)
	}
}

func envGrammar() *Grammar {
	return &Grammar{Short: "i0u:C:S:va:P:", Stop: true, Long: []string{
		"ignore-environment", "null", "unset=", "chdir=", "split-string=", "block-signal=?", "default-signal=?",
		"ignore-signal=?", "list-signal-handling", "debug", "argv0=", "help", "version",
	}}
}

// applyEnv reads the arguments of env; depth counts the strings split so far.
func applyEnv(inv *Invocation, args []Word, depth int) {
	l := takeApart(envGrammar(), args)
	for _, o := range l.options {
		if !o.has || !isOneOf(o.name, []string{"S", "split-string"}) {
			continue
		}
		words, ok := splitString(inv, args[o.word].cut(o.cut))
		if !ok || depth > 8 {
			inv.Unresolved("env -S is given a string that cannot be split for certain")
			return
		}
		before := args[:o.word]
		if o.cut == 0 {
			before = args[:o.word-1]
		}
		rest := append(splitOff(inv, before, o), words...)
		applyEnv(inv, append(rest, l.behind(o)...), depth+1)
		return
	}
	if l.problem != "" {
		inv.NotUnderstood(l.problem)
		return
	}
	runEnv(inv, l)
}

// splitOff keeps the options in front of -S. Those that are clustered with it
// matter only as -i, which is kept.
func splitOff(inv *Invocation, before []Word, o option) []Word {
	out := append([]Word{}, before...)
	if o.name == "S" && o.cut > 2 {
		out = append(out, inv.Lit("-i"))
	}
	return out
}

// splitString splits what env -S is given. Where shlex and env could differ,
// it is not known.
func splitString(inv *Invocation, w Word) ([]Word, bool) {
	s, ok := w.One()
	if !ok || strings.ContainsAny(s, "\\$#") {
		return nil, false
	}
	parts, err := shlex.Split(s)
	if err != nil {
		return nil, false
	}
	out := make([]Word, len(parts))
	for i, p := range parts {
		out[i] = inv.Lit(p)
	}
	return out, true
}

func runEnv(inv *Invocation, l line) {
	ops := l.Operands()
	if l.Has("help", "version", "list-signal-handling") {
		inv.Inert("prints help")
		return
	}
	if l.Has("i", "ignore-environment") || len(ops) > 0 && ops[0].Is("-") {
		inv.Clearenv()
	}
	for len(ops) > 0 && ops[0].Is("-") {
		ops = ops[1:]
	}
	for len(ops) > 0 {
		name, ok := assigned(ops[0])
		if !ok {
			break
		}
		inv.Setenv(name, ops[0].cut(len(name)+1))
		ops = ops[1:]
	}
	dir, moved := l.Value("C", "chdir")
	switch {
	case len(ops) == 0:
		inv.Inert("prints the environment")
	case l.unsure:
		inv.Opaque("an argument of env is not known")
		inv.Run(ops)
	case moved:
		inv.RunIn(dir, ops)
	default:
		inv.Run(ops)
	}
}
