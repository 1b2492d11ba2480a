package classify

import "strings"

// windowsModels are the shells of Windows.
func windowsModels() []*Model {
	return []*Model{
		{
			Names: []string{"powershell", "pwsh", "powershell.exe", "pwsh.exe"}, Family: "windows", Title: "Runs PowerShell code", Undo: "puts back what its cmdlets remove or replace",
			Class: Bounded, Examples: []string{"pwsh -c 'Get-ChildItem'", "pwsh -Command 'Remove-Item F'", "pwsh -c 'Remove-Item -Recurse D'"}, Apply: applyPowerShell,
		},
		{
			Names: []string{"cmd", "cmd.exe"}, Family: "windows", Title: "Runs a command line of cmd", Undo: "puts back what its commands remove or replace", Class: Bounded,
			Examples: []string{"cmd /c dir", "cmd /c 'del F'", "cmd /c 'rd /s /q D'"},
			Apply: func(inv *Invocation) {
				for i, w := range inv.Args() {
					if s := strings.ToLower(w.Prefix()); strings.HasPrefix(s, "/c") || strings.HasPrefix(s, "/k") {
						runWindows(inv, joined(inv, append([]Word{w.cut(2)}, inv.Args()[i+1:]...)), true)
						return
					}
				}
				runWindows(inv, inv.StdinWord(), true)
			},
		},
	}
}

func runWindows(inv *Invocation, code Word, cmd bool) {
	s, ok := code.One()
	if !ok {
		inv.Opaque("the code is not known")
		return
	}
	windowsLine(inv, s, cmd)
}

func applyPowerShell(inv *Invocation) {
	args := inv.Args()
	for i := 0; i < len(args); i++ {
		s := strings.ToLower(args[i].Prefix())
		switch {
		case len(s) > 1 && (strings.HasPrefix("-command", s) || strings.HasPrefix("/command", s)):
			if i+1 < len(args) && !args[i+1].Is("-") {
				runWindows(inv, joined(inv, args[i+1:]), false)
				return
			}
		case strings.HasPrefix(s, "-e") && s != "-executionpolicy" && !strings.HasPrefix(s, "-ex"), strings.HasPrefix(s, "-f"):
			inv.Opaque("a script that is not read")
			return
		case isOneOf(s, []string{"-executionpolicy", "-ep", "-ex", "-inputformat", "-outputformat", "-windowstyle", "-w", "-workingdirectory", "-wd", "-version", "-configurationname"}):
			i++
		case strings.HasPrefix(s, "-"):
		default:
			runWindows(inv, joined(inv, args[i:]), false)
			return
		}
	}
	runWindows(inv, inv.StdinWord(), false)
}

// windowsCommand judges one command by its name.
func windowsCommand(inv *Invocation, c psCommand, cmd bool) {
	if c.words[0].vague {
		inv.Opaque("a command that is not known")
		return
	}
	name := strings.TrimSuffix(strings.ToLower(c.words[0].text), ".exe")
	a := readPsArgs(c.words[1:], cmd)
	switch psAlias(name, cmd) {
	case "read":
		if isOneOf(name, []string{"cd", "chdir", "sl", "set-location", "pushd", "push-location", "popd", "pop-location"}) {
			psCd(inv, a)
		}
	case "remove-item":
		psRemove(inv, a)
	case "move-item":
		psMove(inv, a)
	case "copy-item":
		psCopy(inv, a)
	case "write":
		psWrite(inv, a)
	case "web":
		psWeb(inv, a)
	case "barrier":
		inv.Barrier(name + " on this machine")
	case "refuse":
		inv.Refuse(name+" cannot be taken back", "")
	case "shell":
		inv.Opaque(name + " runs code that is not read")
	default:
		psProgram(inv, c, name)
	}
}

// psCd goes to another directory, if it is there.
func psCd(inv *Invocation, a psArgs) {
	ws := a.paths()
	if len(ws) == 0 {
		inv.dir = anyHole
		return
	}
	p, ok := windowsPath(inv, ws[0])
	s, known := p.One()
	switch {
	case !ok || !known:
		inv.dir = anyHole
	case onlyDirs(inv, p):
		inv.dir = absolute(inv.dir, s)
	}
}

// psProgram runs a program that is no cmdlet, by its model.
func psProgram(inv *Invocation, c psCommand, name string) {
	if strings.Contains(name, "-") && model(name) == nil {
		inv.Opaque(name + " is not a cmdlet that is known")
		return
	}
	argv := []Word{inv.Lit(name)}
	for _, w := range c.words[1:] {
		if w.vague {
			argv = append(argv, inv.UnknownWord(w.text))
		} else {
			argv = append(argv, inv.Lit(w.text))
		}
	}
	inv.Run(argv)
}

// psAlias says what kind of command a name is.
func psAlias(name string, cmd bool) string {
	switch name {
	case "remove-item", "ri", "rm", "del", "erase", "rd", "rmdir":
		return "remove-item"
	case "move-item", "mi", "mv", "move", "rename-item", "rni", "ren", "rename":
		return "move-item"
	case "copy-item", "cpi", "cp", "copy", "xcopy", "robocopy":
		return "copy-item"
	case "set-content", "sc", "add-content", "ac", "clear-content", "clc", "out-file", "export-csv", "epcsv", "tee-object", "tee", "new-item", "ni", "export-clixml", "set-itemproperty", "mklink", "attrib", "icacls", "set-acl", "takeown", "compress-archive":
		return "write"
	case "invoke-webrequest", "iwr", "invoke-restmethod", "irm", "curl", "wget":
		if cmd {
			return ""
		}
		return "web"
	case "stop-process", "spps", "kill", "taskkill", "stop-service", "start-service", "restart-service", "set-service", "sc.exe", "net", "start-process", "start", "saps", "set-executionpolicy", "setx", "install-module", "install-package", "set-clipboard", "netsh", "enable-windowsoptionalfeature":
		return "barrier"
	case "format-volume", "clear-disk", "initialize-disk", "remove-partition", "format", "diskpart", "stop-computer", "restart-computer", "shutdown", "clear-recyclebin", "clear-eventlog", "wevtutil", "vssadmin",
		"bcdedit", "reg", "remove-itemproperty", "clear-itemproperty", "remove-service", "remove-localuser", "uninstall-module", "uninstall-package", "remove-vm", "cipher", "fsutil", "schtasks", "wmic", "unregister-scheduledtask":
		return "refuse"
	case "invoke-expression", "iex", "invoke-command", "icm", "start-job", "add-type", "import-module", "foreach-object", "foreach", "%", "expand-archive", "invoke-item", "ii", "call", "for", "if":
		return "shell"
	case "where-object", "where", "?", "echo", "ls", "dir", "gci", "cat", "type", "gc", "cd", "chdir", "pwd", "cls", "clear", "exit", "set", "ver", "vol", "tree", "findstr", "more", "sort", "fc", "sls", "gl", "sl", "gi", "gp", "gm", "gps", "ps", "select", "measure", "ft", "fl", "fw", "write", "h", "history", "man", "help", "sleep", "rem", "title", "path", "md", "mkdir", "pushd", "popd", "start-sleep", "set-location", "push-location", "pop-location", "whoami", "hostname", "systeminfo", "tasklist", "ipconfig", "wait-process", "remove-variable", "set-variable", "new-object", "read-host":
		return "read"
	}
	for _, p := range []string{"get-", "select-", "sort-", "format-", "measure-", "test-", "write-", "convertto-", "convertfrom-", "compare-", "resolve-", "join-", "split-", "out-", "group-", "show-", "find-", "search-"} {
		if strings.HasPrefix(name, p) {
			return "read"
		}
	}
	if strings.HasPrefix(name, "remove-") || strings.HasPrefix(name, "clear-") || strings.HasPrefix(name, "uninstall-") {
		return "refuse"
	}
	return ""
}

// paths are the operands of a cmdlet with those of -Path.
func (a psArgs) paths() []psWord {
	out := a.values
	for _, n := range []string{"-path", "-literalpath", "-filepath", "-lp", "-pspath"} {
		if w, ok := a.names[n]; ok {
			out = append([]psWord{w}, out...)
		}
	}
	return out
}

func psRemove(inv *Invocation, a psArgs) {
	if a.flag("-wh", "-whatif") {
		return
	}
	tree := a.flag("-r", "-recurse") || a.flag("/s", "/s")
	ws := a.paths()
	if len(ws) == 0 {
		inv.Opaque("what it removes comes from a pipe")
	}
	for _, w := range ws {
		if strings.Contains(w.text, ":") && !w.vague && len(w.text) > 4 && strings.IndexByte(w.text, ':') > 1 {
			inv.Refuse(w.text+" is no file, and it cannot be captured", "")
			continue
		}
		onWindows(inv, w, func(p Word) { inv.Delete(p, tree) })
	}
}

func psMove(inv *Invocation, a psArgs) {
	ws := a.paths()
	if w, ok := a.named("-destination", "-newname"); ok {
		ws = append(ws, w)
	}
	if len(ws) < 2 {
		inv.Opaque("what it moves comes from a pipe")
		return
	}
	onWindows(inv, ws[0], func(src Word) {
		onWindows(inv, ws[1], func(dst Word) {
			inv.CopyInto([]Word{src}, dst, CopyOpts{Move: true, Recursive: true, Replace: true})
		})
	})
}

func psCopy(inv *Invocation, a psArgs) {
	ws := a.paths()
	if w, ok := a.named("-destination"); ok {
		ws = append(ws, w)
	}
	if len(ws) < 2 {
		inv.Opaque("what it copies comes from a pipe")
		return
	}
	if a.flag("/mir", "/mir") || a.flag("/purge", "/purge") || a.flag("/mov", "/move") {
		for _, w := range ws[:2] {
			onWindows(inv, w, func(p Word) { inv.Overwrite(p, true) })
		}
		return
	}
	onWindows(inv, ws[0], func(src Word) {
		onWindows(inv, ws[1], func(dst Word) {
			inv.CopyInto([]Word{src}, dst, CopyOpts{Recursive: true, Deref: true})
		})
	})
}

func psWrite(inv *Invocation, a psArgs) {
	ws := a.paths()
	if w, ok := a.named("-destinationpath"); ok {
		ws = []psWord{w}
	}
	if len(ws) == 0 {
		inv.Opaque("what it writes is not named")
		return
	}
	onWindows(inv, ws[0], inv.Write)
}

func psWeb(inv *Invocation, a psArgs) {
	if w, ok := a.named("-outfile"); ok {
		windowsWrite(inv, w)
	}
	method, given := a.named("-method")
	if !given && !a.flag("-b", "-body") && !a.flag("-inf", "-infile") {
		return
	}
	if given && !method.vague && isReadMethod(inv.Lit(method.text)) {
		return
	}
	var urls []Word
	for _, w := range append(a.values, a.names["-uri"]) {
		switch {
		case w.vague:
			urls = append(urls, inv.UnknownWord(w.text))
		case w.text != "":
			urls = append(urls, inv.Lit(w.text))
		}
	}
	name := "POST"
	if given {
		name = method.text
	}
	webRequest(inv, name, urls, false)
}
