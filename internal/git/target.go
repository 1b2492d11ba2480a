package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
)

// target is the remote that a push goes to, as the configuration says.
type target struct {
	name   string
	urls   []string // to push to, rewritten and absolute
	push   []string // remote.*.push
	mirror bool
}

// remotes lists the names of the remotes that the configuration has.
func remotes(c config) []string {
	var out []string
	for _, s := range c {
		rest, ok := strings.CutPrefix(s.key, "remote.")
		i := strings.LastIndexByte(rest, '.')
		if ok && i > 0 && !contains(out, rest[:i]) {
			out = append(out, rest[:i])
		}
	}
	return out
}

// remoteOf returns the remote that branch.<name>.remote or the default names.
func remoteOf(c config, branch string) string {
	if branch != "" {
		if name, ok := c.last("branch." + branch + ".remote"); ok {
			return name
		}
	}
	if names := remotes(c); len(names) == 1 {
		return names[0]
	}
	return "origin"
}

// pushRemoteOf returns the remote that a push without one goes to.
func pushRemoteOf(c config, branch string) string {
	if branch != "" {
		if name, ok := c.last("branch." + branch + ".pushremote"); ok {
			return name
		}
	}
	if name, ok := c.last("remote.pushdefault"); ok {
		return name
	}
	return remoteOf(c, branch)
}

// findTarget works out what name, a remote or a URL, stands for. A program
// that would run at the other end, or a remote in a form that is not read
// here, is an error.
func findTarget(c config, l Layout, name string) (target, error) {
	t := target{name: name}
	urls, pushURLs := c.all("remote."+name+".url"), c.all("remote."+name+".pushurl")
	if vcs, ok := c.last("remote." + name + ".vcs"); ok {
		return t, fmt.Errorf("the remote %q is reached through the program git-remote-%s", name, vcs)
	}
	if program, ok := c.last("remote." + name + ".receivepack"); ok && program != "git-receive-pack" {
		return t, fmt.Errorf("the remote %q names a program to run (receivepack)", name)
	}
	if len(urls) == 0 {
		if err := oldFashioned(l, c, name); err != nil {
			return t, err
		}
		urls = []string{name}
		if name == "" {
			return t, fmt.Errorf("the remote is empty")
		}
	}
	var err error
	if t.mirror, err = c.flag("remote."+name+".mirror", false); err != nil {
		return t, err
	}
	t.push = c.all("remote." + name + ".push")
	all, err := rewritten(c, urls, pushURLs)
	if err != nil {
		return t, err
	}
	for _, u := range all {
		abs, err := absolute(u, l.Base)
		if err != nil {
			return t, err
		}
		if !contains(t.urls, abs) {
			t.urls = append(t.urls, abs)
		}
	}
	return t, nil
}

// rewritten returns the URLs that are pushed to.
func rewritten(c config, urls, pushURLs []string) ([]string, error) {
	plain, onlyPush := rewritesOf(c, "insteadof"), rewritesOf(c, "pushinsteadof")
	var fetch, push []string
	for _, u := range pushURLs {
		to, _, err := plain.apply(u)
		if err != nil {
			return nil, err
		}
		push = append(push, to)
	}
	for _, u := range urls {
		if len(pushURLs) == 0 {
			to, yes, err := onlyPush.apply(u)
			if err != nil {
				return nil, err
			}
			if yes {
				push = append(push, to)
			}
		}
		to, _, err := plain.apply(u)
		if err != nil && len(pushURLs) == 0 {
			return nil, err
		}
		fetch = append(fetch, to)
	}
	if len(push) > 0 {
		return push, nil
	}
	return fetch, nil
}

// oldFashioned refuses the ways of naming a remote that are not read here.
func oldFashioned(l Layout, c config, name string) error {
	if len(c.all("remotes."+name)) > 0 {
		return fmt.Errorf("%q is a group of remotes", name)
	}
	if name == "" || strings.ContainsAny(name, "/\\:") {
		return nil
	}
	for _, kind := range []string{"remotes", "branches"} {
		if _, err := os.Stat(filepath.Join(l.CommonDir, kind, name)); err == nil && name != "." && name != ".." {
			return hint.New("git remote add "+name+" URL", "the remote %q is described in .git/%s, which is not read", name, kind)
		}
	}
	return nil
}
