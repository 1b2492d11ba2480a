package classify

import "strings"

// hostModels change processes, services and power of this machine.
func hostModels() []*Model {
	return []*Model{
		{
			Names: []string{"kill"}, Family: "host", Title: "Sends a signal to processes", Undo: "none: what a process had not saved is lost", Class: Inert,
			Examples: []string{"kill -l", "kill 1234", "kill -9 -1"}, Apply: applyKill,
		},
		{
			Names: []string{"pkill", "killall", "skill", "xkill", "fuser", "killall5", "wmctrl"}, Family: "host", Title: "Sends a signal to processes by name", Undo: "none: what a process had not saved is lost",
			Class: Inert, Examples: []string{"pkill -f server", "killall5"},
			Apply: func(inv *Invocation) {
				args := inv.Args()
				switch {
				case inv.Name() == "killall5", hasFlag(args, "-u", "-U", "--euid", "--user") && len(plainWords(args)) <= 1 && inv.Name() != "fuser":
					inv.Refuse("it stops every process", "pkill -f with the name of one program")
				case inv.Name() == "fuser" && !hasFlag(args, "-k", "--kill") && !hasFlag(args, "-km", "-kv", "-ki"):
					inv.Inert("only lists")
				case wantsHelp(args), hasFlag(args, "-0", "-l", "--list", "-L"):
					inv.Inert("only looks")
				default:
					inv.Barrier("processes are stopped")
				}
			},
		},
		{
			Names: []string{"shutdown", "reboot", "halt", "poweroff", "init", "telinit", "pm-suspend"}, Family: "host", Title: "Stops the machine", Undo: "none", Class: Irreversible,
			Examples: []string{"shutdown -h now"},
			Apply: func(inv *Invocation) {
				if hasFlag(inv.Args(), "-c", "--show", "--help") {
					inv.Inert("stops nothing")
					return
				}
				inv.Refuse("it stops the machine and everything that runs on it", "")
			},
		},
		verbs{
			names: "systemctl", family: "host", title: "Starts and stops services", undo: "none", class: Irreversible, values: "-H -M -t -p --type --state",
			read:   "status is-active is-enabled is-failed list-* show cat help get-default is-system-running",
			allow:  "start stop restart try-restart reload reload-or-restart enable disable reenable daemon-reload daemon-reexec reset-failed mask unmask import-environment set-environment unset-environment preset edit link kill set-property",
			refuse: "poweroff reboot halt kexec suspend hibernate hybrid-sleep rescue emergency exit isolate set-default revert clean", thing: "services of this machine", rest: restRead,
		}.model(),
		verbs{
			names: "service rc-service launchctl initctl supervisorctl pm2 forever loginctl timedatectl hostnamectl localectl networkctl resolvectl nmcli", family: "host", title: "Starts and stops services", undo: "none", class: Inert,
			read: "status list print show info describe logs list-* blame dumpstate session-status jlist prettylist query statistics device/status connection/show", thing: "services of this machine", rest: restAllow,
			examples: []string{"service x status", "service x restart"},
			first: func(inv *Invocation, said []string, args []Word) bool {
				if len(said) == 0 || inv.Name() != "service" && inv.Name() != "rc-service" {
					if len(said) > 0 && (said[0] == "delete" || said[0] == "flush") {
						inv.Barrier(inv.Name() + " " + said[0])
						return true
					}
					return false
				}
				if said[len(said)-1] == "status" || hasFlag(args, "--status-all") {
					inv.Inert("only reads")
				} else {
					inv.Barrier("services of this machine")
				}
				return true
			},
		}.model(),
		{
			Names: []string{"crontab"}, Family: "host", Title: "Changes the table of timed commands", Undo: "none yet: the table is not captured", Class: Irreversible,
			Examples: []string{"crontab -l", "crontab -r"}, Options: &Grammar{Short: "u:lreins:x:V"},
			Apply: func(inv *Invocation) {
				switch {
				case inv.Has("l", "V"), inv.Has("n"):
					inv.Inert("only reads")
				default:
					inv.Refuse("the table of timed commands would be replaced or removed, and it cannot be captured", "crontab -l > crontab.saved")
				}
			},
		},
		verbs{
			names: "atrm atq", family: "host", title: "Lists and removes timed commands", undo: "none", class: Inert, rest: restAllow, thing: "timed commands", examples: []string{"atq"},
			first: func(inv *Invocation, _ []string, _ []Word) bool {
				if inv.Name() == "atq" {
					inv.Inert("only reads")
				} else {
					inv.Barrier("a timed command is removed")
				}
				return true
			},
		}.model(),
		{
			Names: []string{"journalctl", "dmesg"}, Family: "host", Title: "Reads the system's log", Undo: "none for what is dropped from it", Class: Inert,
			Examples: []string{"journalctl -n 20", "journalctl --vacuum-time=1d"},
			Apply: func(inv *Invocation) {
				for _, w := range inv.Args() {
					if s := w.Prefix(); strings.HasPrefix(s, "--vacuum") || s == "--rotate" || inv.Name() == "dmesg" && (s == "-C" || s == "-c" || s == "--clear" || s == "--read-clear") {
						inv.Refuse("lines of the system's log would be dropped", "journalctl > log.saved")
						return
					}
				}
				inv.Inert("only reads")
			},
		},
		{
			Names: []string{"history", "fc"}, Family: "shell", Title: "Lists or changes the shell's history", Undo: "puts the history file back", Class: Inert,
			Examples: []string{"history 5", "history -c"},
			Apply: func(inv *Invocation) {
				inv.Inert("only lists")
				if !hasFlag(inv.Args(), "-c", "-w", "-a", "-d", "-p", "-s", "-cw", "-n", "-r") {
					return
				}
				file := inv.Home(".bash_history")
				if w, ok := inv.Env("HISTFILE"); ok {
					file = w
				}
				inv.Write(file)
			},
		},
	}
}

func applyKill(inv *Invocation) {
	args := inv.Args()
	if hasFlag(args, "-l", "-L", "--list", "--table", "--help") || hasFlag(args, "-0") {
		inv.Inert("only looks")
		return
	}
	for i, w := range args {
		s, ok := w.One()
		switch {
		case i == 0 && strings.HasPrefix(w.Prefix(), "-"):
		case ok && (s == "-1" || s == "1" || s == "0"):
			if i > 0 && args[i-1].Is("-s", "-n", "--signal") {
				continue
			}
			inv.Refuse("it stops every process", "kill with the number of one process")
			return
		}
	}
	if len(args) == 1 && args[0].Is("-1") {
		inv.Refuse("it stops every process", "kill with the number of one process")
		return
	}
	inv.Barrier("a process is stopped")
}
