package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxIncludes is how deep git lets files include each other.
const maxIncludes = 10

// loader reads the configuration that git would read in one repository.
type loader struct {
	home   string
	gitDir string   // empty outside a repository
	branch string   // the current branch, short
	urls   []string // of all remotes, for hasconfig
	out    config
}

// config returns every setting that counts in l: the system's, the person's,
// the repository's and the call's. Files are read, nothing is run.
func (d *Door) config(l Layout, command []string) (config, error) {
	own, err := commandSettings(command)
	if err != nil {
		return nil, err
	}
	all, err := d.load(l, d.files(), append(repoFiles(l), repoWorktreeFile(l)...))
	if err != nil {
		return nil, err
	}
	return append(all, own...), nil
}

// userConfig returns the settings of the system and the person only. l decides
// which conditional includes count; its zero value is no repository.
func (d *Door) userConfig(l Layout) (config, error) {
	return d.load(l, d.files(), nil)
}

// source is one file and whom it speaks for.
type source struct {
	path  string
	scope scope
}

// files lists the configuration of the system and the person.
func (d *Door) files() []source {
	var out []source
	if !d.Config.NoSystem {
		system := []string{d.Config.System}
		if d.Config.System == "" {
			system = systemFiles(d.Git)
		}
		for _, path := range system {
			out = append(out, source{path, systemScope})
		}
	}
	if d.Config.Global != "" {
		return append(out, source{d.Config.Global, userScope})
	}
	xdg := d.Env["XDG_CONFIG_HOME"]
	if xdg == "" {
		xdg = filepath.Join(d.Home, ".config")
	}
	return append(out,
		source{filepath.Join(xdg, "git", "config"), userScope},
		source{filepath.Join(d.Home, ".gitconfig"), userScope})
}

// systemFiles lists where a git program may have its system configuration.
func systemFiles(git string) []string {
	prefix := filepath.Dir(filepath.Dir(git))
	out := []string{
		"/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig",
		"/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig",
		"/etc/gitconfig",
	}
	if prefix != "/usr" && prefix != "/" {
		out = append(out, filepath.Join(prefix, "etc", "gitconfig"))
	}
	return out
}

func repoFiles(l Layout) []source {
	return []source{{filepath.Join(l.CommonDir, "config"), repoScope}}
}

// repoWorktreeFile is the configuration of one worktree, when the repository
// has such.
func repoWorktreeFile(l Layout) []source {
	text, err := readRegular(filepath.Join(l.CommonDir, "config"), maxFile)
	if err != nil {
		return nil
	}
	own, err := parseConfig(text)
	if err != nil {
		return nil
	}
	if on, err := config(own).flag("extensions.worktreeconfig", false); err != nil || !on {
		return nil
	}
	return []source{{filepath.Join(l.GitDir, "config.worktree"), repoScope}}
}

// load reads the files in order. Whether an include that depends on the URLs
// of remotes counts is found in a second reading.
func (d *Door) load(l Layout, parts ...[]source) (config, error) {
	r := loader{home: d.Home, gitDir: l.GitDir}
	if real, err := filepath.EvalSymlinks(d.Home); err == nil {
		r.home = real
	}
	if l.GitDir != "" {
		r.branch = currentBranch(l)
	}
	for range 2 {
		r.out = nil
		for _, sources := range parts {
			for _, s := range sources {
				if err := r.file(s.path, s.scope, 0, false); err != nil {
					return nil, err
				}
			}
		}
		r.urls = nil
		for _, s := range r.out {
			if strings.HasPrefix(s.key, "remote.") && strings.HasSuffix(s.key, ".url") {
				r.urls = append(r.urls, s.value)
			}
		}
		if !r.asked() {
			break
		}
	}
	return r.out, nil
}

// asked reports whether an include depends on the URLs of remotes.
func (r *loader) asked() bool {
	for _, s := range r.out {
		if strings.HasPrefix(s.key, "includeif.hasconfig:") {
			return true
		}
	}
	return false
}

// file reads one file and what it includes. A missing file is an empty one.
func (r *loader) file(path string, sc scope, depth int, conditional bool) error {
	if depth > maxIncludes {
		return fmt.Errorf("read git config: %q is included too deep", path)
	}
	text, err := readRegular(path, maxFile)
	if errors.Is(err, os.ErrNotExist) || depth == 0 && errors.Is(err, os.ErrPermission) && sc.trusted() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read git config: %w", err)
	}
	list, err := parseConfig(text)
	if err != nil {
		return fmt.Errorf("read git config %q: %w", path, err)
	}
	for _, s := range list {
		s.scope, s.conditional = sc, conditional
		r.out = append(r.out, s)
		if len(r.out) > 100_000 {
			return errors.New("read git config: more than 100,000 settings")
		}
		name, found, err := r.include(s, path)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := r.file(name, sc, depth+1, conditional || s.key != "include.path"); err != nil {
			return err
		}
	}
	return nil
}

// include returns the file that s, a setting of the file from, brings in.
func (r *loader) include(s setting, from string) (string, bool, error) {
	if s.key != "include.path" {
		rest, ok := strings.CutPrefix(s.key, "includeif.")
		cond, ok2 := strings.CutSuffix(rest, ".path")
		if !ok || !ok2 {
			return "", false, nil
		}
		if yes, err := r.holds(cond, from); err != nil || !yes {
			return "", false, err
		}
	}
	name, err := r.expand(s.value)
	if err != nil {
		return "", false, err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(from), name)
	}
	return name, true, nil
}

// expand replaces a leading "~/" by the home directory.
func (r *loader) expand(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(r.home, rest), nil
	}
	if strings.HasPrefix(path, "~") || strings.HasPrefix(path, "%(prefix)") {
		return "", fmt.Errorf("git config includes %q, which is not understood", path)
	}
	return path, nil
}

// holds evaluates the condition of an includeIf. One of a kind that git does
// not know is false there as well.
func (r *loader) holds(cond, from string) (bool, error) {
	kind, pattern, _ := strings.Cut(cond, ":")
	switch kind {
	case "gitdir", "gitdir/i":
		if r.gitDir == "" {
			return false, nil
		}
		return r.inGitDir(pattern, from, kind == "gitdir/i")
	case "onbranch":
		if r.branch == "" {
			return false, nil
		}
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return decided(wildmatch(pattern, r.branch, false))
	case "hasconfig":
		pattern, ok := strings.CutPrefix(pattern, "remote.*.url:")
		for _, url := range r.urls {
			if yes, err := decided(wildmatch(pattern, url, false)); ok && (yes || err != nil) {
				return yes, err
			}
		}
	}
	return false, nil
}

func (r *loader) inGitDir(pattern, from string, fold bool) (bool, error) {
	name, err := r.expand(pattern)
	if err != nil {
		return false, err
	}
	switch {
	case strings.HasPrefix(name, "./"):
		name = filepath.Join(filepath.Dir(from), name) + strings.Repeat("/", strings.Count(name[len(name)-1:], "/"))
	case !filepath.IsAbs(name):
		name = "**/" + name
	case strings.HasSuffix(pattern, "/") && !strings.HasSuffix(name, "/"):
		name += "/"
	}
	if strings.HasSuffix(name, "/") {
		name += "**"
	}
	return decided(wildmatch(name, filepath.ToSlash(r.gitDir), fold))
}

func decided(match, ok bool) (bool, error) {
	if !ok {
		return false, errors.New("read git config: a pattern takes too long to compare")
	}
	return match, nil
}
