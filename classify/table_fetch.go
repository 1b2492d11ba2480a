package classify

import "strings"

func wgetGrammar() *Grammar {
	return &Grammar{
		Short: "A:a:B:bcD:dE::e:Fg:hHI:i:kKl:LmNn:O:o:P:pQ:qR:rST:t:U:Vvw:X:xY:46",
		Long: []string{
			"output-document=", "output-file=", "append-output=", "directory-prefix=", "post-data=", "post-file=", "method=",
			"body-data=", "body-file=", "quiet", "verbose", "no-verbose", "continue", "tries=", "timestamping", "no-clobber", "recursive", "level=",
			"mirror", "page-requisites", "convert-links", "adjust-extension", "backup-converted", "delete-after", "no-parent",
			"accept=", "reject=", "domains=", "exclude-domains=", "follow-tags=", "input-file=", "force-html", "base=", "header=",
			"user-agent=", "referer=", "user=", "password=", "ask-password", "use-askpass=?", "http-user=", "http-password=",
			"no-check-certificate", "certificate=", "private-key=", "ca-certificate=", "ca-directory=", "secure-protocol=",
			"https-only", "timeout=", "dns-timeout=", "connect-timeout=", "read-timeout=", "wait=", "waitretry=", "random-wait",
			"limit-rate=", "quota=", "spider", "server-response", "progress=", "show-progress", "no-directories",
			"force-directories", "no-host-directories", "protocol-directories", "cut-dirs=", "content-disposition",
			"trust-server-names", "max-redirect=", "load-cookies=", "save-cookies=", "keep-session-cookies", "no-cookies",
			"no-cache", "no-proxy", "proxy-user=", "proxy-password=", "background", "execute=", "span-hosts", "relative", "include-directories=",
			"exclude-directories=", "restrict-file-names=", "no-hsts", "hsts-file=", "warc-file=", "no-config", "config=",
			"debug", "help", "version", "retry-connrefused", "retry-on-http-error=", "inet4-only", "inet6-only", "compression=",
			"save-headers", "no-netrc", "unlink", "backups=?", "start-pos=", "bind-address=", "report-speed=", "content-on-error",
			"auth-no-challenge", "no-http-keep-alive", "ignore-length", "default-page=", "local-encoding=", "remote-encoding=",
		},
	}
}

func applyWget(inv *Invocation) {
	if asksHelp(inv) || inv.Has("h", "V") {
		inv.Inert("prints help")
		return
	}
	inv.Inert("fetches into a new file")
	urls := inv.Operands()
	wgetRequest(inv, urls)
	if inv.Has("e", "execute", "config", "use-askpass") {
		inv.NotUnderstood("wget takes settings that are not followed")
	}
	for _, w := range inv.Values("o", "output-file", "a", "append-output", "save-cookies", "warc-file", "hsts-file") {
		inv.Write(w)
	}
	if w, ok := inv.Value("O", "output-document"); ok {
		if !w.Is("-") {
			inv.Write(w)
		}
		return
	}
	dir := inv.Dir()
	if d, ok := inv.Value("P", "directory-prefix"); ok {
		dir = under(dir, d)
	}
	switch {
	case inv.Has("spider"):
	case inv.Has("r", "recursive", "m", "mirror", "p", "page-requisites", "x", "force-directories", "i", "input-file", "content-disposition", "trust-server-names", "k", "unlink", "backups"):
		unpack(inv, dir)
	case inv.Has("N", "timestamping", "c", "continue"):
		for _, u := range urls {
			fetched(inv, dir, u)
		}
	}
}

func wgetRequest(inv *Invocation, urls []Word) {
	switch method, ok := inv.Value("method"); {
	case ok && !isReadMethod(method):
		webRequest(inv, methodName(method), urls, false)
	case !ok && inv.Has("post-data", "post-file", "body-data", "body-file"):
		webRequest(inv, "POST", urls, false)
	}
}

// applyHTTPie reads "http [METHOD] URL [items]".
func applyHTTPie(inv *Invocation) {
	inv.Inert("only fetches")
	args := inv.Args()
	var ws []Word
	method := ""
	for i := 0; i < len(args); i++ {
		s := args[i].Prefix()
		switch {
		case isOneOf(s, []string{"-o", "--output"}) && i+1 < len(args):
			i++
			inv.Write(args[i])
		case strings.HasPrefix(s, "--output="):
			inv.Write(args[i].cut(len("--output=")))
		case isOneOf(s, []string{"-a", "--auth", "-A", "--auth-type", "--session", "-s", "--style", "-p", "--print", "--timeout", "--proxy", "--verify", "--cert", "--cert-key", "--pretty"}):
			i++
		case isOneOf(s, []string{"--offline", "--help", "--version"}):
			return
		case isOneOf(s, []string{"-f", "--form", "--multipart", "--raw"}) || strings.HasPrefix(s, "--raw="):
			method = "POST"
		case s == "-d" || s == "--download":
			inv.Opaque("the name of the file that it fetches is not known")
		case strings.HasPrefix(s, "-"):
		default:
			ws = append(ws, args[i])
		}
	}
	if len(ws) == 0 {
		return
	}
	if m, ok := ws[0].One(); ok && len(ws) > 1 && isMethod(m) {
		if !isReadMethod(ws[0]) {
			webRequest(inv, m, ws[1:2], false)
		}
		return
	}
	for _, item := range ws[1:] {
		s, ok := item.One()
		if !ok || strings.Contains(s, "@") || strings.Contains(s, ":=") || strings.Contains(s, "=") && !strings.Contains(s, "==") {
			method = "POST"
		}
	}
	if data, ok := inv.Stdin(); ok && len(data) > 0 {
		method = "POST"
	}
	if method != "" {
		webRequest(inv, method, ws[:1], false)
	}
}

// isMethod reports that a first word is a method and no address.
func isMethod(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" ||
		isOneOf(strings.ToUpper(s), []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
}

// applyNetcat lets connections go; -e and its kin run a command.
func applyNetcat(inv *Invocation) {
	args := inv.Args()
	scan := false
	for i, w := range args {
		s := w.Prefix()
		switch {
		case isOneOf(s, []string{"-e", "-c", "--exec", "--sh-exec"}) && i+1 < len(args) && inv.Name() != "telnet":
			inv.RunScript(args[i+1])
		case strings.HasPrefix(strings.ToUpper(s), "EXEC:"), strings.HasPrefix(strings.ToUpper(s), "SYSTEM:"):
			_, code, _ := strings.Cut(s, ":")
			inv.RunScript(w.cut(len(s) - len(code)))
		case strings.HasPrefix(s, "-") && strings.Contains(s, "z"):
			scan = true
		case strings.HasPrefix(strings.ToUpper(s), "OPEN:"), strings.HasPrefix(strings.ToUpper(s), "CREATE:"), strings.HasPrefix(strings.ToUpper(s), "FILE:"):
			inv.Opaque("a file that socat opens")
		}
	}
	if scan {
		inv.Inert("only tries to connect")
		return
	}
	inv.Barrier("what is sent over a connection")
}
