package classify

// stringModels run a command that they are given as a string, later, locked,
// repeated or in another root.
func stringModels() []*Model {
	return []*Model{
		{
			Names: []string{"flock"}, Family: "wrapper", Title: "Runs a command while holding a lock",
			Undo: "as for the command", Class: Inert, Examples: []string{"flock L rm F", "flock L -c 'rm F'"},
			Options: &Grammar{Short: "sexunow:E:Fc:h", Stop: true, Long: []string{
				"shared", "exclusive", "unlock", "nonblock", "nb", "timeout=", "wait=", "conflict-exit-code=", "close",
				"no-fork", "fcntl", "command=", "verbose", "start=", "length=", "help", "version",
			}},
			Apply: applyFlock,
		},
		{
			Names: []string{"watch"}, Family: "wrapper", Title: "Repeats a command",
			Undo: "as for the command", Class: Inert, Examples: []string{"watch -n1 ls", "watch rm F"},
			Options: &Grammar{Short: "bcCd::efghn:pq:rs:tvwx", Stop: true, Long: []string{
				"beep", "color", "no-color", "differences=?", "errexit", "follow", "chgexit", "interval=", "precise",
				"equexit=", "no-rerun", "shotsdir=", "no-title", "no-wrap", "exec", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				ws := inv.Operands()
				if inv.Has("x", "exec") || len(ws) == 0 {
					peel(inv, ws)
					return
				}
				inv.RunScript(joined(inv, ws))
			},
		},
		{
			Names: []string{"script"}, Family: "wrapper", Title: "Records a session into a file",
			Undo: "as for the command; puts the old record back", Class: Inert, Examples: []string{"script -qc 'rm F' /dev/null"},
			Options: &Grammar{Short: "aB:c:eE:fFhI:kl:m:o:O:pqrt::T:dV", Stop: true, Long: []string{
				"append", "command=", "echo=", "flush", "force", "log-in=", "log-io=", "log-out=", "log-timing=",
				"logging-format=", "output-limit=", "quiet", "return", "timing=?", "help", "version",
			}},
			Apply: applyScript,
		},
		{
			Names: []string{"chroot"}, Family: "wrapper", Title: "Runs a command in another root",
			Undo: "puts back the tree of that root", Class: Invertible, Examples: []string{"chroot / rm F"},
			Options: &Grammar{Short: "u:g:n", Stop: true, Long: []string{"userspec=", "groups=", "skip-chdir", "help", "version"}},
			Apply: func(inv *Invocation) {
				if ws := inv.Operands(); len(ws) > 0 {
					inRoot(inv, ws[0], ws[1:])
				} else {
					inv.Inert("names no root")
				}
			},
		},
		{
			Names: []string{"unshare", "nsenter"}, Family: "wrapper", Title: "Runs a command in other namespaces",
			Undo: "as for the command", Class: Inert, Examples: []string{"unshare rm F"},
			Options: &Grammar{Short: "m::u::i::n::p::U::C::T::frcR:w:S:G:at:FhVW::eNZ", Stop: true, Long: []string{
				"mount=?", "uts=?", "ipc=?", "net=?", "pid=?", "user=?", "cgroup=?", "time=?", "fork", "map-root-user",
				"map-current-user", "map-auto", "map-user=", "map-group=", "map-users=", "map-groups=", "kill-child=?",
				"mount-proc=?", "propagation=", "setgroups=", "root=?", "wd=?", "setuid=", "setgid=", "all", "target=",
				"preserve-credentials", "no-fork", "keep-caps", "env", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				if inv.Has("t", "target", "R", "root", "w", "wd", "W") {
					inv.Opaque("the command sees other directories than this one")
				}
				if ws := inv.Operands(); len(ws) > 0 {
					peel(inv, ws)
				} else {
					stdinShell(inv)
				}
			},
		},
		{
			Names: []string{"systemd-run"}, Family: "wrapper", Title: "Runs a command as a service",
			Undo: "as for the command", Class: Inert, Examples: []string{"systemd-run rm F"},
			Options: &Grammar{Short: "hH:M:p:u:E:dPtqGrSC", Stop: true, Long: []string{
				"no-ask-password", "user", "system", "host=", "machine=", "scope", "unit=", "property=", "description=", "slice=",
				"slice-inherit", "remain-after-exit", "send-sighup", "service-type=", "uid=", "gid=", "nice=",
				"working-directory=", "same-dir", "setenv=", "pty", "pipe", "quiet", "collect", "shell", "wait", "no-block",
				"on-active=", "on-boot=", "on-startup=", "on-unit-active=", "on-unit-inactive=", "on-calendar=",
				"timer-property=", "path-property=", "socket-property=", "expand-environment=", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				if dir, ok := inv.Value("working-directory"); ok && len(inv.Operands()) > 0 {
					inv.RunIn(dir, inv.Operands())
					return
				}
				if inv.Has("S", "shell") {
					stdinShell(inv)
					return
				}
				peel(inv, inv.Operands())
			},
		},
		{
			Names: []string{"at", "batch"}, Family: "wrapper", Title: "Runs shell commands later",
			Undo: "as for the commands, as they would act now", Class: Inert, Examples: []string{"at now <<< 'rm F'"},
			Options: &Grammar{Short: "bcdf:lmMo:q:rt:uvV"},
			Apply:   applyAt,
		},
		{
			Names: []string{"nix-shell", "nix"}, Family: "wrapper", Title: "Runs a command with packages",
			Undo: "as for the command", Class: Bounded, Examples: []string{"nix-shell --run 'rm F'"},
			Apply: applyNix,
		},
	}
}

func applyFlock(inv *Invocation) {
	ws := inv.Operands()
	if asksHelp(inv) || len(ws) == 0 {
		inv.Inert("names no command")
		return
	}
	inv.Create(ws[0], false)
	if w, ok := inv.Value("c", "command"); ok {
		inv.RunScript(w)
		return
	}
	if len(ws) > 2 && ws[1].Is("-c", "--command") {
		inv.RunScript(ws[2])
		return
	}
	peel(inv, ws[1:])
}

func applyScript(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	ws := inv.Operands()
	logs := inv.Values("B", "I", "O", "T", "log-in", "log-io", "log-out", "log-timing", "timing", "t")
	switch {
	case len(ws) > 0:
		logs = append(logs, ws[0])
	case len(logs) == 0:
		logs = append(logs, inv.Lit("typescript"))
	}
	for _, w := range logs {
		inv.Write(w)
	}
	w, ok := inv.Value("c", "command")
	switch {
	case ok:
		inv.RunScript(w)
	case len(ws) > 1:
		inv.Run(ws[1:])
	default:
		stdinShell(inv)
	}
}

// inRoot runs argv with root as "/": the whole tree below it may change.
func inRoot(inv *Invocation, root Word, argv []Word) {
	if len(argv) == 0 {
		argv = []Word{inv.Lit("sh")}
	}
	if root.Is("/") {
		inv.RunIn(inv.Lit("/"), argv)
		return
	}
	inv.Overwrite(root, true)
}

func applyAt(inv *Invocation) {
	switch file, ok := inv.Value("f"); {
	case inv.Has("l", "c", "V"):
		inv.Inert("lists jobs")
	case inv.Has("d", "r"):
		inv.Barrier("a scheduled job is removed")
	case ok:
		inv.Run([]Word{inv.Lit("sh"), file})
	default:
		stdinShell(inv)
	}
}

func applyNix(inv *Invocation) {
	args := inv.Args()
	inv.Opaque("packages and their set-up scripts")
	for i, w := range args {
		if i+1 == len(args) {
			break
		}
		switch {
		case w.Is("--run", "--command") && inv.Name() == "nix-shell":
			inv.RunScript(args[i+1])
		case w.Is("-c", "--command"):
			inv.Run(args[i+1:])
			return
		}
	}
}
