package git

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
)

// transport says how a URL is reached: "file", "ssh", "https", "http", "git",
// or the name of the helper program that it needs.
func transport(u string) string {
	if i := strings.Index(u, "::"); i > 0 && isScheme(u[:i]) {
		return u[:i]
	}
	if i := strings.Index(u, "://"); i > 0 && isScheme(u[:i]) {
		switch scheme := u[:i]; scheme {
		case "git+ssh", "ssh+git":
			return "ssh"
		default:
			return scheme
		}
	}
	colon, slash := strings.IndexByte(u, ':'), strings.IndexByte(u, '/')
	if colon < 0 || slash >= 0 && slash < colon || filepath.VolumeName(u) != "" {
		return "file"
	}
	return "ssh"
}

func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isAlpha(c) && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

// absolute returns u as it can be used from any directory. base is where git
// would read a relative path. A URL that needs a program of its own, or that
// git could take for something else, is an error.
func absolute(u, base string) (string, error) {
	for i := range len(u) {
		if u[i] < ' ' || u[i] == 0x7f {
			return "", fmt.Errorf("the URL %q holds a control character", u)
		}
	}
	switch kind := transport(u); {
	case u == "":
		return "", fmt.Errorf("the URL is empty")
	case kind == "file" && strings.Contains(u, "://"):
		return u, nil
	case kind == "file":
		if !filepath.IsAbs(u) {
			u = filepath.Join(base, u)
		}
		return filepath.Clean(u), nil
	case !strings.Contains(":"+protocols+":", ":"+kind+":"):
		return "", hint.New("", "the URL %q is reached through the program git-remote-%s, which can do anything", Shown(u), kind)
	case strings.HasPrefix(hostOf(u), "-"):
		return "", fmt.Errorf("the host of %q begins with a dash", Shown(u))
	}
	return u, nil
}

// hostOf is the host part of a URL or of the host:path form, with user.
func hostOf(u string) string {
	if _, rest, ok := strings.Cut(u, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			return host[i+1:]
		}
		return host
	}
	host, _, _ := strings.Cut(u, ":")
	return host
}

// localPath is the directory that a URL names on this machine, if it does.
func localPath(u string) (string, bool) {
	if transport(u) != "file" {
		return "", false
	}
	return strings.TrimPrefix(u, "file://"), true
}

// Shown is u as it may be shown: without a password or token.
func Shown(u string) string {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		return u
	}
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 {
		return u
	}
	user, _, secret := strings.Cut(rest[:at], ":")
	if !secret && scheme != "ssh" {
		user = "…" // a token alone is a secret too
	} else if secret {
		user += ":…"
	}
	if _, err := url.Parse(scheme + "://" + rest[at+1:]); err != nil {
		return scheme + "://…"
	}
	return scheme + "://" + user + "@" + rest[at+1:]
}

// rewrites are the insteadOf rules of one kind.
type rewrites []rewrite

type rewrite struct {
	instead, base string
	scope         scope
}

// rewritesOf reads url.BASE.<name>.
func rewritesOf(c config, name string) rewrites {
	var out rewrites
	for _, s := range c {
		rest, ok := strings.CutPrefix(s.key, "url.")
		base, ok2 := strings.CutSuffix(rest, "."+name)
		if ok && ok2 && s.value != "" {
			out = append(out, rewrite{s.value, base, s.scope})
		}
	}
	return out
}

// apply rewrites u by the longest rule that fits. A rule of a repository or of
// the call that fits is an error: it could send the person's credentials
// anywhere.
func (r rewrites) apply(u string) (string, bool, error) {
	var best rewrite
	for _, w := range r {
		if !strings.HasPrefix(u, w.instead) {
			continue
		}
		if !w.scope.trusted() {
			return "", false, hint.New("", "the repository's own configuration sends %q to %q (url.*.insteadOf)", Shown(u), Shown(w.base))
		}
		if len(w.instead) > len(best.instead) {
			best = w
		}
	}
	if best.instead == "" {
		return u, false, nil
	}
	return best.base + u[len(best.instead):], true, nil
}
