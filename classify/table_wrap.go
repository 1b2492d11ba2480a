package classify

import "strings"

// peelModels run another command that stands in their arguments.
func peelModels() []*Model {
	return []*Model{
		peels("nice", 0, &Grammar{Short: "n:", Numeric: true, Long: []string{"adjustment=", "help", "version"}}),
		peels("nohup", 0, &Grammar{Long: []string{"help", "version"}}),
		peels("setsid", 0, &Grammar{Short: "cfwVh", Long: []string{"ctty", "fork", "wait", "help", "version"}}),
		peels("stdbuf", 0, &Grammar{Short: "i:o:e:", Long: []string{"input=", "output=", "error=", "help", "version"}}),
		peels("timeout gtimeout", 1, &Grammar{Short: "k:s:vfp", Long: []string{
			"kill-after=", "signal=", "verbose", "foreground", "preserve-status", "help", "version",
		}}),
		peels("taskset", 1, &Grammar{Short: "acp", Long: []string{"all-tasks", "cpu-list", "pid", "help", "version"}}),
		peels("chrt", 1, &Grammar{Short: "abdfimoprRT:P:D:vG", Long: []string{
			"all-tasks", "batch", "deadline", "fifo", "idle", "other", "pid", "rr", "reset-on-fork",
			"sched-runtime=", "sched-period=", "sched-deadline=", "verbose", "help", "version",
		}}),
		peels("setarch", 1, archGrammar()),
		peels("linux32 linux64 i386 x86_64", 0, archGrammar()),
		peels("setpriv", 0, &Grammar{Short: "dh", Long: []string{
			"dump", "nnp", "no-new-privs", "ambient-caps=", "inh-caps=", "bounding-set=", "ruid=", "euid=", "rgid=",
			"egid=", "reuid=", "regid=", "clear-groups", "keep-groups", "init-groups", "groups=", "securebits=",
			"pdeathsig=", "selinux-label=", "apparmor-profile=", "reset-env", "help", "version",
		}}),
		peels("prlimit", 0, &Grammar{Short: "p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::", Long: []string{
			"pid=", "output=", "noheadings", "raw", "verbose", "core=?", "data=?", "fsize=?", "nofile=?", "nproc=?",
			"stack=?", "cpu=?", "as=?", "rss=?", "memlock=?", "help", "version",
		}}),
		peels("fakeroot fakechroot unbuffer dbus-run-session catchsegv proxychains proxychains4 torsocks tsocks", 0, &Grammar{
			Short: "ul:s:i:f:qp", Long: []string{"lib=", "faked=", "save=", "load=", "unknown-is-real", "config-file="},
		}),
		peels("caffeinate", 0, &Grammar{Short: "dimsut:w:"}),
		peels("xvfb-run", 0, &Grammar{Short: "ae:f:hn:lp:s:w:", Long: []string{
			"auto-servernum", "error-file=", "auth-file=", "help", "server-num=", "listen-tcp", "xauth-protocol=",
			"server-args=", "wait=",
		}}),
		peels("gosu su-exec chpst", 1, &Grammar{}),
		peels("softlimit pgrphack ltrace", 0, &Grammar{Short: "a:c:d:e:f:l:m:n:o:p:r:s:t:u:S"}),
		peels("strace", 0, &Grammar{Short: "cCdDfFhiknqrtTvVwxXyYzZa:b:e:E:I:o:O:p:P:s:S:u:U:", Long: []string{"follow-forks", "output=", "trace=", "summary-only", "summary", "help", "version"}}),
		peels("rtk with-contenv tini dumb-init catatonit", 0, &Grammar{Short: "gsvwl"}),
		peels("systemd-inhibit", 0, &Grammar{Long: []string{"what=", "who=", "why=", "mode=", "list", "no-pager", "help", "version"}}),
		{
			Names: []string{"ionice"}, Family: "wrapper", Title: "Runs a command with another I/O priority",
			Undo: "as for the command", Class: Inert, Examples: []string{"ionice -c3 rm F"},
			Options: &Grammar{Short: "c:n:p:P:u:t", Stop: true, Long: []string{
				"class=", "classdata=", "pid=", "pgid=", "uid=", "ignore", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				if inv.Has("p", "pid", "P", "pgid", "u", "uid") {
					inv.Inert("changes a priority only")
					return
				}
				peel(inv, inv.Operands())
			},
		},
		{
			Names: []string{"time", "gtime"}, Family: "wrapper", Title: "Runs a command and measures it",
			Undo: "as for the command", Class: Inert, Examples: []string{"time rm F", "time -o EXISTING ls"},
			Options: &Grammar{Short: "apvqVf:o:lh", Stop: true, Long: []string{
				"append", "portability", "verbose", "quiet", "format=", "output=", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				if w, ok := inv.Value("o", "output"); ok {
					inv.Write(w)
				}
				peel(inv, inv.Operands())
			},
		},
		{
			Names: []string{"busybox", "toybox"}, Family: "wrapper", Title: "Runs the applet it is told to be",
			Undo: "as for the applet", Class: Inert, Examples: []string{"busybox rm F"},
			Apply: func(inv *Invocation) {
				if args := inv.Args(); len(args) > 0 && beginsWith(args[0], "--install") {
					inv.Opaque("installs links to itself")
					return
				}
				if args := inv.Args(); len(args) > 0 && beginsWith(args[0], "--") {
					inv.Inert("prints help")
					return
				}
				peel(inv, inv.Args())
			},
		},
	}
}

func archGrammar() *Grammar {
	return &Grammar{Short: "BFILRSTXZvh3", Long: []string{
		"32bit", "addr-no-randomize", "addr-compat-layout", "verbose", "uname-2.6", "help", "version", "list",
	}}
}

// peels describes wrappers whose command stands behind skip operands.
func peels(names string, skip int, g *Grammar) *Model {
	g.Stop = true
	all := strings.Fields(names)
	return &Model{
		Names: all, Family: "wrapper", Title: "Runs another command", Undo: "as for the command", Class: Inert,
		Examples: []string{all[0] + strings.Repeat(" 5", skip) + " rm F"}, Options: g,
		Apply: func(inv *Invocation) {
			if w, ok := inv.Value("o", "output"); ok && inv.Name() == "strace" {
				inv.Write(w)
			}
			ws := inv.Operands()
			peel(inv, ws[min(skip, len(ws)):])
		},
	}
}

// peel runs argv as the command that it is.
func peel(inv *Invocation, argv []Word) {
	if asksHelp(inv) {
		return
	}
	if inv.unsure {
		inv.Opaque("an argument of " + inv.Name() + " is not known")
	}
	if len(argv) == 0 {
		inv.Inert("names no command")
		return
	}
	inv.Run(argv)
}

// peelEnv is peel for a command behind assignments.
func peelEnv(inv *Invocation, argv []Word) {
	for len(argv) > 0 {
		name, ok := assigned(argv[0])
		if !ok {
			break
		}
		inv.Setenv(name, argv[0].cut(len(name)+1))
		argv = argv[1:]
	}
	peel(inv, argv)
}

// assigned is the name in a word of the form NAME=value.
func assigned(w Word) (string, bool) {
	name, _, ok := strings.Cut(w.Prefix(), "=")
	return name, ok && name != ""
}

// joined is ws with a space between them, as programs join them that hand
// their arguments to a shell.
func joined(inv *Invocation, ws []Word) Word {
	out := known("")
	for i, w := range ws {
		if i > 0 {
			out = out.concat(known(" "))
		}
		out = out.concat(w.val)
	}
	return Word{val: out, pos: inv.pos}
}
