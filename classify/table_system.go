package classify

import "strings"

// systemModels change the system's own settings.
func systemModels() []*Model {
	return []*Model{
		settings("useradd adduser usermod groupadd addgroup groupmod gpasswd newusers chsh chfn", "Changes accounts", "accounts of this machine"),
		refuses("userdel deluser groupdel delgroup passwd chpasswd visudo vipw", "Takes accounts away or changes their secrets", "an account or its secret is changed, and that cannot be captured"),
		settings("sysctl modprobe insmod rmmod depmod setenforce setsebool semanage ldconfig update-alternatives update-grub grub-install dkms mkinitcpio update-initramfs", "Changes settings of the system", "settings of this machine"),
		settings("mount umount swapon swapoff losetup fusermount fusermount3 udisksctl eject sshfs", "Attaches and detaches filesystems", "filesystems of this machine"),
		settings("ifconfig route brctl iwconfig nmap tcpdump tshark wg wg-quick dhclient rfkill ethtool arping", "Works with the network", "network settings of this machine"),
		{
			Names: []string{"ip"}, Family: "system", Title: "Shows or changes the network", Undo: "none", Class: Inert, Examples: []string{"ip addr", "ip link set x down"},
			Apply: func(inv *Invocation) {
				for _, w := range plainArgs(inv) {
					if w.Is("add", "del", "delete", "set", "flush", "replace", "change", "append") {
						inv.Barrier("network settings of this machine")
						return
					}
				}
				inv.Inert("only reads")
			},
		},
		{
			Names: []string{"iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "pfctl"}, Family: "system", Title: "Changes the firewall", Undo: "none", Class: Irreversible, Examples: []string{"iptables -L", "iptables -F"},
			Apply: func(inv *Invocation) {
				switch {
				case hasFlag(inv.Args(), "-L", "-S", "--list", "--list-all", "-s", "--state", "-h") || hasWord(inv.Args(), "list") || hasWord(inv.Args(), "status"):
					inv.Inert("only reads")
				case hasFlag(inv.Args(), "-F", "-X", "-D", "--flush", "--delete-chain", "--delete") || hasWord(inv.Args(), "flush") || hasWord(inv.Args(), "delete") || hasWord(inv.Args(), "reset"):
					inv.Refuse("rules of the firewall would go, and they cannot be captured", "iptables-save > rules.saved")
				default:
					inv.Barrier("rules of the firewall")
				}
			},
		},
		verbs{
			names: "defaults", family: "system", title: "Reads or changes settings (macOS)", undo: "none yet", class: Irreversible, read: "read read-type domains find help", allow: "write import", refuse: "delete delete-all rename", thing: "settings", instead: "defaults export DOMAIN saved.plist", rest: restRefuse,
		}.model(),
		verbs{
			names: "security pass op bw gopass", family: "system", title: "Keeps secrets", undo: "none", class: Irreversible, read: "find-* list show dump-* ls get read whoami item/get item/list vault/list find grep status", allow: "add-* signin unlock lock login item/create", refuse: "delete-* rm delete edit mv", thing: "secrets", rest: restAllow, examples: []string{"pass ls", "pass rm x"},
		}.model(),
		verbs{
			names: "tmutil", family: "system", title: "Works with backups (macOS)", undo: "none", class: Irreversible, read: "list* status destinationinfo latestbackup version help", allow: "startbackup localsnapshot enable disable", refuse: "delete* thinlocalsnapshots removedestination", thing: "backups", rest: restRefuse,
		}.model(),
		settings("softwareupdate scutil pmset networksetup spctl csrutil systemsetup dscl nvram kextload kextunload bless", "Changes settings (macOS)", "settings of this machine"),
	}
}

// settings describes tools that change what no inverse covers and nothing of
// the person's is in.
func settings(names, title, thing string) *Model {
	all := strings.Fields(names)
	return &Model{
		Names: all, Family: "system", Title: title, Undo: "none; nothing of the person's files is in it", Class: Inert, Examples: []string{all[0] + " x"},
		Apply: func(inv *Invocation) {
			switch args := inv.Args(); {
			case wantsHelp(args), len(args) == 0, inv.Name() == "sysctl" && !hasFlag(args, "-w", "-p", "--write", "--system") && !assigns(args),
				inv.Name() == "losetup" && hasFlag(args, "-a", "-l"):
				inv.Inert("only reads")
			default:
				inv.Barrier(thing)
			}
		},
	}
}

func assigns(args []Word) bool {
	for _, w := range args {
		if strings.Contains(w.Prefix(), "=") {
			return true
		}
	}
	return false
}

// refuses describes tools all of whose calls destroy something that cannot be
// captured.
func refuses(names, title, reason string) *Model {
	all := strings.Fields(names)
	return &Model{
		Names: all, Family: "system", Title: title, Undo: "none", Class: Irreversible, Examples: []string{all[0] + " x"},
		Apply: func(inv *Invocation) {
			if wantsHelp(inv.Args()) {
				inv.Inert("prints help")
				return
			}
			inv.Refuse(reason, "")
		},
	}
}

// sessionModels keep other sessions and desktops.
func sessionModels() []*Model {
	return []*Model{
		{
			Names: []string{"tmux"}, Family: "session", Title: "Runs commands in terminals of its own", Undo: "as for the commands", Class: Inert,
			Examples: []string{"tmux ls", "tmux new -d 'rm F'", "tmux send-keys 'rm F' Enter"}, Apply: applyTmux,
		},
		{
			Names: []string{"screen", "dtach", "abduco", "zellij"}, Family: "session", Title: "Runs commands in terminals of its own", Undo: "as for the commands", Class: Inert, Examples: []string{"screen -ls", "screen -dmS n rm F"},
			Apply: func(inv *Invocation) {
				args := inv.Args()
				inv.Inert("lists or joins sessions")
				for i := 0; i < len(args); i++ {
					s := args[i].Prefix()
					switch {
					case isOneOf(s, []string{"-S", "-c", "-e", "-h", "-p", "-s", "-t", "-T"}) || strings.HasPrefix(s, "-d") && strings.HasSuffix(s, "S"):
						i++
					case s == "-X":
						inv.Barrier("another session")
						return
					case strings.HasPrefix(s, "-"):
					default:
						inv.Run(args[i:])
						return
					}
				}
			},
		},
		settings("open xdg-open start wslview gnome-open pbcopy xclip xsel wl-copy clip osacompile say espeak notify-send terminal-notifier wall write mesg logger beep play afplay", "Talks to the desktop", "something on the desktop"),
		settings("mail mailx sendmail mutt msmtp swaks telegram-send slack ntfy", "Sends a message", "a message is sent"),
		reads("session", "Shows what is there", "pbpaste wl-paste times jobs"),
		{
			Names: []string{"direnv", "dotenv", "doppler", "aws-vault", "chamber", "envconsul", "sops"}, Family: "session", Title: "Runs a command with settings", Undo: "as for the command", Class: Bounded, Examples: []string{"dotenv run ls"},
			Apply: func(inv *Invocation) {
				args := inv.Args()
				for i, w := range args {
					if w.Is("--", "exec", "run") && i+1 < len(args) {
						rest := behindOptions(args[i+1:])
						if inv.Name() == "direnv" || inv.Name() == "aws-vault" || inv.Name() == "chamber" {
							if !w.Is("--") && len(rest) > 0 {
								rest = behindOptions(rest[1:])
							}
						}
						if len(rest) > 0 {
							inv.Run(rest)
						}
						return
					}
				}
				inv.Opaque(inv.Name() + " changes settings of its own")
			},
		},
		{
			Names: []string{"hyperfine", "perf", "valgrind", "gdb", "lldb", "rr"}, Family: "session", Title: "Measures or debugs a command", Undo: "as for the command", Class: Bounded, Examples: []string{"hyperfine 'ls'"},
			Apply: func(inv *Invocation) {
				ws := plainArgs(inv)
				inv.Opaque(inv.Name() + " writes files of its own")
				if inv.Name() == "hyperfine" {
					for _, w := range ws {
						inv.RunScript(w)
					}
					return
				}
				if inv.Name() == "perf" && len(ws) > 0 {
					ws = ws[1:]
				}
				if len(ws) > 0 {
					inv.Run(ws)
				}
			},
		},
	}
}

func applyTmux(inv *Invocation) {
	v := verbs{values: "-L -S -f -c"}
	args := inv.Args()
	said, at := v.words(args)
	if len(said) == 0 {
		inv.Inert("starts a session")
		return
	}
	rest := args[at[0]+1:]
	switch said[0] {
	case "ls", "list-sessions", "list-windows", "list-panes", "capture-pane", "display-message", "show-options", "has-session", "has", "attach", "attach-session", "a", "info", "list-keys", "show", "display", "lsp", "lsw":
		inv.Inert("only looks")
	case "new", "new-session", "new-window", "neww", "split-window", "splitw", "respawn-pane", "run-shell", "run", "if-shell", "pipe-pane":
		tmuxCommand(inv, rest, "-s", "-n", "-t", "-c", "-e", "-x", "-y", "-F", "-l", "-p")
	case "send-keys", "send":
		tmuxCommand(inv, rest, "-t", "-N")
	default:
		inv.Barrier("another session (tmux " + said[0] + ")")
	}
}

// tmuxCommand runs what is typed or started in a session.
func tmuxCommand(inv *Invocation, args []Word, valued ...string) {
	inv.Inert("starts a session")
	var words []Word
	for i := 0; i < len(args); i++ {
		s := args[i].Prefix()
		switch {
		case len(words) == 0 && isOneOf(s, valued):
			i++
		case len(words) == 0 && strings.HasPrefix(s, "-"):
		case isOneOf(s, []string{"Enter", "C-m", "KPEnter", "C-c", "C-d", "C-l", "q", "Escape"}):
		default:
			words = append(words, args[i])
		}
	}
	if len(words) > 0 {
		inv.RunScript(joined(inv, words))
	}
}
