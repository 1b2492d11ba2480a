package classify

import (
	"errors"
	"strings"
)

// remoteModels run commands on other machines or in containers.
func remoteModels() []*Model {
	return []*Model{
		{
			Names: []string{"ssh", "autossh", "sshpass", "mosh", "slogin"}, Family: "remote", Title: "Runs a command on another machine",
			Undo: "none: only commands that read are let go", Class: Irreversible,
			Examples: []string{"ssh host ls", "ssh host 'rm -rf D'", "ssh -o ProxyCommand='rm F' host ls"},
			Options:  &Grammar{Short: "1246AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", Stop: true},
			Apply:    applySSH,
		},
	}
}

// sshOptions runs the commands that -o and -S hold.
func sshOptions(inv *Invocation) {
	for _, w := range inv.Values("o") {
		s := strings.ToLower(w.Prefix())
		for _, key := range []string{"proxycommand", "localcommand", "knownhostscommand"} {
			rest, ok := strings.CutPrefix(s, key)
			if rest = strings.TrimLeft(rest, " \t"); !ok {
				continue
			}
			rest = strings.TrimLeft(strings.TrimPrefix(rest, "="), " \t")
			inv.RunScript(w.cut(len(s) - len(rest)))
		}
	}
	if w, ok := inv.Value("E"); ok {
		inv.Append(w)
	}
}

func applySSH(inv *Invocation) {
	if inv.Name() == "sshpass" {
		for i, w := range inv.Args() {
			if w.Is("ssh", "scp", "rsync", "sftp") {
				inv.Run(inv.Args()[i:])
				return
			}
		}
	}
	sshOptions(inv)
	ws := inv.Operands()
	if inv.Has("N", "V", "Q", "G", "O", "W") || len(ws) == 0 {
		inv.Inert("runs no command")
		return
	}
	script := joined(inv, ws[1:])
	if len(ws) == 1 {
		data, ok := inv.Stdin()
		if !ok || len(data) == 0 {
			inv.Barrier("a session on another machine")
			return
		}
		script = inv.Lit(string(data))
	}
	elsewhere(inv, script, "on another machine", true)
}

// elsewhere judges shell code that runs where nothing can be captured: what
// only reads is let go. With strict code that is not known is refused too.
func elsewhere(inv *Invocation, script Word, where string, strict bool) {
	code, ok := script.One()
	v := Verdict{Class: Irreversible}
	if ok {
		ctx := Context{Cwd: "/", Home: "/", Shell: "sh", FS: noDisk{}}
		v = Command(ctx, code)
	}
	switch {
	case v.Class == Inert && len(v.Barriers) == 0:
		inv.Inert("only reads " + where)
	case v.Class == Bounded && !strict, v.Class == Inert:
		inv.Barrier("a program " + where)
	default:
		inv.Refuse("what a command changes "+where+" cannot be captured", "run a command there that only reads")
	}
}

// noDisk is a disk of which nothing is known.
type noDisk struct{}

var errNoDisk = errors.New("not this machine")

func (noDisk) Lstat(string) (Info, error)             { return Info{}, errNoDisk }
func (noDisk) ReadDir(string) ([]string, error)       { return nil, errNoDisk }
func (noDisk) Readlink(string) (string, error)        { return "", errNoDisk }
func (noDisk) ReadFile(string, int64) ([]byte, error) { return nil, errNoDisk }
