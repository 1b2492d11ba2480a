package policy

import (
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/classify"
)

// Keys lists all settings.
func Keys() []string {
	return []string{
		"read-only", "bounded", "protected", "irreversible", "http.allow", "checkpoint.partial", "checkpoint.exclude", "store.quota",
	}
}

// apply takes everything over.
func (f *file) apply(p *Policy) error {
	for _, s := range f.settings() {
		if err := f.set(p, s); err != nil {
			return err
		}
	}
	return nil
}

// tighten takes over what makes the policy stricter, and names the rest.
func (f *file) tighten(p *Policy) error {
	for _, s := range f.settings() {
		var own Policy
		switch s.key {
		case "protected", "irreversible", "checkpoint.partial":
			if err := f.set(&own, s); err != nil {
				return err
			}
		}
		switch {
		case s.key == "protected":
			p.Protected = append(p.Protected, own.Protected...)
		case s.key == "irreversible" && !own.Ask:
			p.Ask = false
		case s.key == "checkpoint.partial" && own.NoPartial:
			p.NoPartial = true
		default:
			p.Ignored = append(p.Ignored, f.ignored(s))
		}
	}
	return nil
}

// ignored says why a setting of a repository does not count.
func (f *file) ignored(s setting) string {
	why := "a repository can only make the policy stricter"
	known := false
	for _, k := range Keys() {
		known = known || k == s.key
	}
	if !known {
		why = "there is no such setting"
	}
	return f.wrong(f.line(s.key), "%s is ignored: %s", s.key, why).Error()
}

// set takes one setting over.
func (f *file) set(p *Policy, s setting) (err error) {
	switch s.key {
	case "read-only":
		return f.rules(p, s, classify.Inert)
	case "bounded":
		return f.rules(p, s, classify.Bounded)
	case "protected":
		return f.protected(p, s)
	case "irreversible":
		n, err := f.word(s, "refuse", "ask")
		p.Ask = n == 1
		return err
	case "http.allow":
		return f.hosts(p, s)
	case "checkpoint.partial":
		n, err := f.word(s, "allow", "refuse")
		p.NoPartial = n == 1
		return err
	case "checkpoint.exclude":
		return f.exclude(p, s)
	case "store.quota":
		p.Quota, err = f.size(s)
		return err
	}
	return f.unknown(s.key)
}

func (f *file) rules(p *Policy, s setting, class classify.Class) error {
	list, err := f.texts(s)
	if err != nil {
		return err
	}
	for _, text := range list {
		words := strings.Fields(text)
		if strings.ContainsAny(text, "|&;<>()$`\\\"'*?[]{}~!#\n") {
			return f.wrong(f.line(s.key), "%s: %q must be plain words: a program and the arguments that it begins with", s.key, text)
		}
		if strings.Contains(words[0], "/") && !filepath.IsAbs(words[0]) {
			return f.wrong(f.line(s.key), "%s: the program of %q must be named without a directory, or by its absolute path", s.key, text)
		}
		if runs(filepath.Base(words[0])) {
			return f.wrong(f.line(s.key), "%s: %s runs other programs, so nothing can be said of all its calls", s.key, words[0])
		}
		p.Rules = append(p.Rules, classify.Rule{Words: words, Class: class, Source: f.name})
	}
	return nil
}

// runs reports whether a program is one that no rule may be about: it does what
// another one does, or it is ours.
func runs(name string) bool {
	switch name {
	case "counterstep", "sh", "bash", "zsh", "dash", "ksh", "fish", "sudo", "doas", "su", "env", "xargs", "parallel", "nice", "nohup",
		"timeout", "time", "exec", "command", "builtin", "eval", "source", ".", "find", "watch", "ssh", "pwsh", "powershell", "cmd":
		return true
	}
	return false
}

func (f *file) protected(p *Policy, s setting) error {
	list, err := f.texts(s)
	if err != nil {
		return err
	}
	for _, text := range list {
		path := text
		switch {
		case strings.ContainsAny(text, "*?[\x00"):
			return f.wrong(f.line(s.key), "%s: %q has a pattern; name the file or the directory", s.key, text)
		case text == "~" || strings.HasPrefix(text, "~/"):
			if f.at.Home == "" {
				return f.wrong(f.line(s.key), "%s: there is no home directory for %q", s.key, text)
			}
			path = filepath.Join(f.at.Home, text[1:])
		case !filepath.IsAbs(text):
			path = filepath.Join(f.at.Root, text)
		}
		p.Protected = append(p.Protected, Path{Path: filepath.Clean(path), File: f.name})
	}
	return nil
}

func (f *file) hosts(p *Policy, s setting) error {
	list, err := f.texts(s)
	if err != nil {
		return err
	}
	for _, text := range list {
		name := strings.TrimPrefix(text, "*.")
		if name == "" || strings.ContainsAny(name, "*/:@? \t") || strings.HasPrefix(text, "*.") && !strings.Contains(name, ".") {
			return f.wrong(f.line(s.key), "%s: %q must be the name of a host, such as \"api.example.com\" or \"*.example.com\"", s.key, text)
		}
		p.Hosts = append(p.Hosts, strings.ToLower(text))
	}
	return nil
}

func (f *file) exclude(p *Policy, s setting) error {
	list, err := f.texts(s)
	if err != nil {
		return err
	}
	for _, text := range list {
		if text == ".git" || text != filepath.Clean(text) || filepath.IsAbs(text) || strings.HasPrefix(text, "..") || text == "." || strings.ContainsAny(text, "*?[") {
			return f.wrong(f.line(s.key), "%s: %q must be the name of a directory, such as \"out\" or \"web/dist\"", s.key, text)
		}
		p.Exclude = append(p.Exclude, filepath.ToSlash(text))
	}
	return nil
}
