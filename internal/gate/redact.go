package gate

import "strings"

// tokens are beginnings of well-known secrets: vendors' key prefixes and the
// words before a value in an HTTP header or an assignment.
var tokens = [...]string{
	"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xapp-",
	"AKIA", "ASIA", "AIza", "ya29.", "npm_", "pypi-", "dop_v1_", "hf_", "eyJ",
}

// names are parts of variable and option names whose value is a secret.
var names = [...]string{"password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "private_key", "authorization"}

// Redact replaces the values of well-known shapes of secrets in a command by
// "…". It knows shapes, not meanings: a secret of another shape stays.
func Redact(s string) string {
	var b strings.Builder
	secret := false // the next word is a value
	for len(s) > 0 {
		n := strings.IndexAny(s, " \t\n'\"=:;|&(){}")
		if n < 0 {
			n = len(s)
		}
		word := s[:n]
		switch {
		case word == "":
		case secret && (strings.EqualFold(word, "bearer") || strings.EqualFold(word, "basic")):
			b.WriteString(word)
		case secret, shaped(word):
			b.WriteString("…")
			secret = false
		default:
			b.WriteString(word)
			secret = named(word)
		}
		if n == len(s) {
			break
		}
		if sep := s[n]; strings.IndexByte(";|&(){}\n", sep) >= 0 || sep == ' ' && word != "" && !strings.HasPrefix(word, "-") && !strings.EqualFold(word, "bearer") && !strings.EqualFold(word, "basic") {
			secret = false
		}
		b.WriteByte(s[n])
		s = s[n+1:]
	}
	return b.String()
}

// shaped reports whether a word looks like a key of a known vendor.
func shaped(word string) bool {
	for _, p := range tokens {
		if i := strings.Index(word, p); i >= 0 && (i == 0 || word[i-1] == '@' || word[i-1] == '/' || word[i-1] == ',') && len(word)-i >= len(p)+12 {
			return true
		}
	}
	return false
}

// named reports whether a value behind word is a secret.
func named(word string) bool {
	w := strings.ToLower(word)
	for _, n := range names {
		if strings.HasSuffix(w, n) {
			return true
		}
	}
	return false
}
