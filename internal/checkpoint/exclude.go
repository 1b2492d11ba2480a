package checkpoint

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// Exclude names directories that a checkpoint leaves out because a tool can
// make them again.
type Exclude struct {
	// Name is the directory's name, or its last elements joined by slashes.
	Name string
	// Inside and Beside are evidence: names of which one must be in the
	// directory, or next to it. Without both lists none is needed. So a
	// directory of the user's own that happens to be called target is held.
	Inside, Beside []string
}

// DefaultExcludes are the directories that are left out when nobody says
// otherwise.
func DefaultExcludes() []Exclude {
	return []Exclude{
		{Name: "node_modules"},
		{Name: ".venv", Inside: []string{"pyvenv.cfg"}},
		{Name: "venv", Inside: []string{"pyvenv.cfg"}},
		{Name: "target", Inside: []string{"CACHEDIR.TAG"}, Beside: []string{"Cargo.toml", "pom.xml", "build.sbt"}},
		{Name: ".build", Beside: []string{"Package.swift"}},
		{Name: "DerivedData"},
		{Name: "Pods", Beside: []string{"Podfile"}},
		{Name: "Carthage/Build"},
		{Name: "__pycache__"},
		{Name: ".mypy_cache"},
		{Name: ".pytest_cache"},
		{Name: ".ruff_cache"},
		{Name: ".tox"},
		{Name: ".nox"},
		{Name: ".gradle", Beside: []string{"gradlew", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}},
		{Name: ".parcel-cache"},
		{Name: ".turbo"},
	}
}

// String is the rule in words.
func (x Exclude) String() string {
	var when []string
	if len(x.Inside) > 0 {
		when = append(when, "that holds "+strings.Join(x.Inside, " or "))
	}
	if len(x.Beside) > 0 {
		when = append(when, "beside "+strings.Join(x.Beside, " or "))
	}
	if len(when) == 0 {
		return x.Name
	}
	return x.Name + " " + strings.Join(when, ", or ")
}

// excluder decides which directories are not entered.
type excluder struct {
	byName map[string][]Exclude // by the last element
	leave  []string
}

func newExcluder(list []Exclude, leave []string) *excluder {
	x := &excluder{byName: map[string][]Exclude{}, leave: leave}
	for _, e := range list {
		base := e.Name[strings.LastIndexByte(e.Name, '/')+1:]
		x.byName[base] = append(x.byName[base], e)
	}
	return x
}

// reason says why a directory is left out; Held when it is not. Only a
// directory with a telling name costs a look at the disk.
func (x *excluder) reason(dir string) Reason {
	name := dir[strings.LastIndexByte(dir, '/')+1:]
	if name == "objects" && isGitObjects(dir) {
		return GitObjects
	}
	for _, e := range x.byName[name] {
		if (e.Name == name || strings.HasSuffix(dir, "/"+e.Name)) && e.proven(dir) {
			return Excluded
		}
	}
	if slices.Contains(x.leave, dir) {
		return Excluded
	}
	return Held
}

// proven looks for the evidence.
func (x Exclude) proven(dir string) bool {
	if len(x.Inside) == 0 && len(x.Beside) == 0 {
		return true
	}
	for _, n := range x.Inside {
		if isThere(filepath.Join(dir, n)) {
			return true
		}
	}
	for _, n := range x.Beside {
		if isThere(filepath.Join(filepath.Dir(dir), n)) {
			return true
		}
	}
	return false
}

func isThere(path string) bool {
	info, err := workspace.Disk{}.Lstat(path)
	return err == nil && info.Type != byte(fingerprint.Absent)
}

// isGitObjects reports whether dir, whose name is objects, holds the objects
// of a repository: that of a .git directory, or of a submodule or git-lfs in
// one. A bare repository that lies about is user data like any other.
func isGitObjects(dir string) bool {
	parent := filepath.Dir(dir)
	at := strings.LastIndex(dir, "/.git/")
	if at < 0 {
		return false
	}
	inside := dir[at+len("/.git/"):]
	if inside == "objects" || inside == "lfs/objects" {
		return true
	}
	if !strings.HasPrefix(inside, "modules/") {
		return false
	}
	if filepath.Base(parent) == "lfs" {
		parent = filepath.Dir(parent)
	}
	return isThere(filepath.Join(parent, "HEAD")) && isThere(filepath.Join(parent, "config"))
}

// isGitLock reports whether a file is a lock that git holds for a moment. Put
// back it would only stand in git's way.
func isGitLock(path string) bool {
	return strings.HasSuffix(path, ".lock") && strings.Contains(path, "/.git/")
}
