package classify

import "strings"

// httpModels talk to web servers. Requests that write are refused, save to
// servers on this machine; what they fetch is a local file.
func httpModels() []*Model {
	return []*Model{
		{
			Names: []string{"curl"}, Family: "http", Title: "Sends a web request; -o and its kin write files",
			Undo: "puts the local files back; a request that writes cannot be taken back", Class: Irreversible,
			Examples: []string{
				"curl https://example.com", "curl -o EXISTING https://example.com", "curl -X DELETE https://example.com/x",
				"curl -d a=1 http://localhost:3000/x",
			},
			Options: curlGrammar(), Apply: applyCurl,
		},
		{
			Names: []string{"wget", "wget2"}, Family: "http", Title: "Fetches files; --post-* and --method write to the server",
			Undo: "puts the local files back; a request that writes cannot be taken back", Class: Irreversible,
			Examples: []string{"wget https://example.com/x", "wget -O EXISTING https://example.com/x", "wget --post-data=a https://example.com"},
			Options:  wgetGrammar(), Apply: applyWget,
		},
		{
			Names: []string{"http", "https", "xh", "xhs"}, Family: "http", Title: "Sends a web request",
			Undo: "none for a request that writes", Class: Inert,
			Examples: []string{"http GET https://example.com", "http POST https://example.com a=1"}, Apply: applyHTTPie,
		},
		{
			Names: []string{"aria2c", "axel", "youtube-dl", "yt-dlp", "lwp-download"}, Family: "http", Title: "Fetches files",
			Undo: "puts back what was in the workspace", Class: Bounded, Examples: []string{"aria2c https://example.com/x"},
			Apply: func(inv *Invocation) { inv.Opaque("the names of the files that it fetches are not known") },
		},
		{
			Names: []string{"nc", "ncat", "netcat", "socat", "telnet", "websocat"}, Family: "http", Title: "Opens a connection",
			Undo: "none for what is sent", Class: Bounded, Examples: []string{"nc -z localhost 80"}, Apply: applyNetcat,
		},
	}
}

func curlGrammar() *Grammar {
	return &Grammar{
		Short: "0123aABb:c:C:d:D:e:E:fF:gGh:H:iIjJkK:lLm:MnNo:OpP:qQ:r:RsSt:T:u:U:vVw:x:X:y:Y:z:Z#:46",
		Long: []string{
			"abstract-unix-socket=", "alt-svc=", "anyauth", "append", "aws-sigv4=", "basic", "ca-native", "cacert=", "capath=", "cert=",
			"cert-status", "cert-type=", "ciphers=", "compressed", "compressed-ssh", "config=", "connect-timeout=", "connect-to=",
			"continue-at=", "cookie=", "cookie-jar=", "create-dirs", "create-file-mode=", "crlf", "crlfile=", "curves=", "data=",
			"data-ascii=", "data-binary=", "data-raw=", "data-urlencode=", "delegation=", "digest", "disable", "disable-eprt",
			"disable-epsv", "disallow-username-in-url", "dns-interface=", "dns-ipv4-addr=", "dns-ipv6-addr=", "dns-servers=",
			"doh-url=", "doh-insecure", "dump-header=", "egd-file=", "engine=", "etag-compare=", "etag-save=", "expect100-timeout=",
			"fail", "fail-early", "fail-with-body", "false-start", "form=", "form-escape", "form-string=", "ftp-account=",
			"ftp-create-dirs", "ftp-method=", "ftp-pasv", "ftp-port=", "ftp-skip-pasv-ip", "get", "globoff",
			"happy-eyeballs-timeout-ms=", "haproxy-protocol", "head", "header=", "help=?", "hostpubmd5=", "hsts=", "http0.9",
			"http1.0", "http1.1", "http2", "http2-prior-knowledge", "http3", "http3-only", "ignore-content-length", "include",
			"insecure", "interface=", "ip-tos=", "ipfs-gateway=", "ipv4", "ipv6", "json=", "junk-session-cookies", "keepalive-time=", "key=",
			"key-type=", "krb=", "libcurl=", "limit-rate=", "list-only", "local-port=", "location", "location-trusted",
			"login-options=", "mail-auth=", "mail-from=", "mail-rcpt=", "mail-rcpt-allowfails", "manual", "max-filesize=",
			"max-redirs=", "max-time=", "metalink", "negotiate", "netrc", "netrc-file=", "netrc-optional", "next", "no-alpn",
			"no-buffer", "no-clobber", "no-keepalive", "no-npn", "no-progress-meter", "no-sessionid", "noproxy=", "ntlm",
			"ntlm-wb", "oauth2-bearer=", "output=", "output-dir=", "parallel", "parallel-immediate", "parallel-max=", "pass=",
			"path-as-is", "pinnedpubkey=", "post301", "post302", "post303", "preproxy=", "progress-bar", "progress-meter", "proto=", "proto-default=",
			"proto-redir=", "proxy=", "proxy-header=", "proxy-insecure", "proxy-user=", "proxytunnel", "pubkey=", "quote=",
			"random-file=", "range=", "rate=", "raw", "referer=", "remote-header-name", "remote-name", "remote-name-all",
			"remote-time", "remove-on-error", "request=", "request-target=", "resolve=", "retry=", "retry-all-errors",
			"retry-connrefused", "retry-delay=", "retry-max-time=", "sasl-authzid=", "sasl-ir", "service-name=", "show-error",
			"show-headers", "silent", "skip-existing", "socks4=", "socks4a=", "socks5=", "socks5-hostname=", "speed-limit=", "speed-time=", "ssl",
			"ssl-allow-beast", "ssl-auto-client-cert", "ssl-no-revoke", "ssl-reqd", "sslv2", "sslv3", "stderr=", "styled-output",
			"suppress-connect-headers", "tcp-fastopen", "tcp-nodelay", "telnet-option=", "tftp-blksize=", "tftp-no-options",
			"time-cond=", "tls-max=", "tls13-ciphers=", "tlsauthtype=", "tlspassword=", "tlsuser=", "tlsv1", "tlsv1.0", "tlsv1.1",
			"tlsv1.2", "tlsv1.3", "tr-encoding", "trace=", "trace-ascii=", "trace-config=", "trace-ids", "trace-time",
			"unix-socket=", "upload-file=", "upload-flags=", "url=", "url-query=", "use-ascii", "user=", "user-agent=", "variable=", "verbose",
			"version", "write-out=", "xattr", "no-fail", "no-location", "no-styled-output", "no-compressed", "no-silent", "no-include", "no-remote-name",
		},
	}
}

func applyCurl(inv *Invocation) {
	if inv.Has("help", "h", "version", "V", "manual", "M") {
		inv.Inert("prints help")
		return
	}
	inv.Inert("only fetches")
	if inv.Has("K", "config") {
		inv.NotUnderstood("curl takes its options from a file")
	}
	urls := append(append([]Word{}, inv.Operands()...), inv.Values("url")...)
	if inv.unsure && len(urls) > 1 {
		inv.Opaque("an argument that is not known could be an option")
	}
	curlFiles(inv, urls)
	local := inv.Has("unix-socket", "abstract-unix-socket")
	switch method, known := inv.Value("X", "request"); {
	case inv.Has("Q", "quote", "mail-from", "mail-rcpt"):
		webRequest(inv, "a command", urls, false)
	case known && !isReadMethod(method):
		webRequest(inv, methodName(method), urls, local)
	case known:
	case inv.Has("T", "upload-file"):
		webRequest(inv, "PUT", urls, local)
	case inv.Has("G", "get", "I", "head"):
	case inv.Has("d", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json", "F", "form", "form-string"):
		webRequest(inv, "POST", urls, local)
	}
}

func isReadMethod(w Word) bool {
	s, ok := w.One()
	return ok && isOneOf(strings.ToUpper(s), []string{"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"})
}

func methodName(w Word) string {
	if s, ok := w.One(); ok {
		return s
	}
	return "a method that is not known"
}

// webRequest judges a request that writes: to this machine it is let go.
func webRequest(inv *Invocation, method string, urls []Word, local bool) {
	for _, u := range urls {
		if !local && !isLoopback(u) && !inv.ev.ctx.allowsHost(u) {
			inv.Refuse(method+" to "+shownHost(u)+" may change what no inverse covers",
				"read with GET; or let the person run it")
			return
		}
	}
	if len(urls) > 0 {
		where := "on this machine"
		for _, u := range urls {
			if !local && !isLoopback(u) {
				where = "that the policy allows"
			}
		}
		inv.Barrier(method + " to a server " + where)
	}
}

func shownHost(u Word) string {
	if h := hostOf(u.Prefix()); h != "" {
		return h
	}
	return "a server that is not known"
}

// hostOf is the host in a URL, with or without its scheme, without user and
// port.
func hostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	url = strings.TrimLeft(url, "/")
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	if i := strings.LastIndexByte(url, '@'); i >= 0 {
		url = url[i+1:]
	}
	if strings.HasPrefix(url, "[") {
		if i := strings.IndexByte(url, ']'); i > 0 {
			return url[1:i]
		}
	}
	host, _, _ := strings.Cut(url, ":")
	return strings.ToLower(host)
}

// isLoopback reports that every server u may name is this machine. Of a URL
// that is only begun the host must be complete.
func isLoopback(u Word) bool {
	values, known := u.Known()
	if !known {
		p := u.Prefix()
		_, rest, _ := strings.Cut(p, "://")
		if !strings.ContainsAny(strings.TrimPrefix(rest, "["), ":/") {
			return false
		}
		values = []string{p}
	}
	for _, v := range values {
		h := hostOf(v)
		switch {
		case h == "localhost", h == "::1", h == "0.0.0.0", h == "::", h == "host.docker.internal", h == "",
			strings.HasSuffix(h, ".localhost"), strings.HasPrefix(v, ":"):
			if h == "" && !strings.HasPrefix(v, ":") {
				return false
			}
		case strings.HasPrefix(h, "127.") && isDigits(strings.ReplaceAll(h, ".", "")):
		default:
			return false
		}
	}
	return len(values) > 0
}

// curlFiles adds the files that curl writes.
func curlFiles(inv *Invocation, urls []Word) {
	dir := inv.Dir()
	if d, ok := inv.Value("output-dir"); ok {
		dir = under(dir, d)
	}
	for _, w := range inv.Values("o", "output") {
		switch s, ok := w.One(); {
		case s == "-" && ok:
		case ok && strings.Contains(s, "#"):
			inv.Opaque("the names of the files that it fetches are not known")
		default:
			inv.Write(under(dir, w))
		}
	}
	for _, w := range inv.Values("D", "dump-header", "c", "cookie-jar", "trace", "trace-ascii", "stderr", "libcurl", "etag-save", "hsts", "alt-svc") {
		if !w.Is("-") {
			inv.Write(w)
		}
	}
	if !inv.Has("O", "remote-name", "remote-name-all", "J", "remote-header-name") {
		return
	}
	if inv.Has("J", "remote-header-name") {
		inv.Inert("does not replace a file when the server names it")
	}
	for _, u := range urls {
		fetched(inv, dir, u)
	}
}

// fetched writes the file that a URL is called by.
func fetched(inv *Invocation, dir, u Word) {
	s, ok := u.One()
	if !ok || strings.ContainsAny(s, "{[") {
		inv.Opaque("the names of the files that it fetches are not known")
		return
	}
	inv.Write(under(dir, inv.Lit(urlFile(s))))
}

func urlFile(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	_, name, ok := cutLast(url)
	if !ok || name == "" {
		return "index.html"
	}
	return name
}
