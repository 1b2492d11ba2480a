package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
)

// Remote is one step: the refs of one remote repository that a call can take
// something from. It is plain data and lives in call.json.
type Remote struct {
	// Name is what the configuration calls the remote, or the URL.
	Name string `json:"name"`
	// URL is where it is pushed to, after rewriting by the person's rules. It
	// may hold a password: show Shown(URL).
	URL string `json:"url"`
	// GitDir is the repository that pushed. It only decides which of the
	// person's conditional includes count, and may be gone.
	GitDir string `json:"gitdir,omitempty"`
	// Format is the object format.
	Format string `json:"format"`
	// Store is the folder of the private store, below the directory given to
	// Capture. Empty until then.
	Store string `json:"store,omitempty"`
	// Embedded says that the remote lies within the pushing repository itself,
	// so that its own hooks are a stranger's.
	Embedded bool `json:"embedded,omitempty"`
	// Open says that the call may have changed branches before it pushed, so
	// that any branch may turn up at the remote.
	Open bool  `json:"open,omitempty"`
	Refs []Ref `json:"refs"`
}

// Ref is one ref of a remote.
type Ref struct {
	Name string `json:"name"`
	// Src is what the push sends there, as a name or expression; empty for a
	// deletion.
	Src string `json:"src,omitempty"`
	// Old is what the remote had before the call.
	Old OID `json:"old"`
	// New is what the call is expected to put there: Absent for a deletion,
	// Unknown when it cannot be told beforehand.
	New OID `json:"new"`
	// Post is what the call left there. Unknown until Settle has looked.
	Post OID `json:"post"`
}

// check reports why r cannot be a step. A step comes out of a file; nothing in
// it may reach git as anything but a name or an object id.
func (r Remote) check() error {
	if u, err := absolute(r.URL, "/"); err != nil || u != r.URL {
		return fmt.Errorf("%q is no URL of a remote", Shown(r.URL))
	}
	if r.Format != "sha1" && r.Format != "sha256" {
		return fmt.Errorf("%q is no object format", r.Format)
	}
	for _, u := range r.Refs {
		if !validRef(u.Name) {
			return fmt.Errorf("%q is no ref", u.Name)
		}
		if u.Old != Absent && !u.Old.Is() {
			return fmt.Errorf("%q is no object id", u.Old)
		}
		for _, id := range []OID{u.New, u.Post} {
			if id != Absent && id != Unknown && !id.Is() {
				return fmt.Errorf("%q is no object id", id)
			}
		}
	}
	return nil
}

// expected is what the remote must have for the ref to be fired: what was
// seen after the call, else what the call was expected to leave.
func (r Ref) expected() OID {
	if r.Post.Known() {
		return r.Post
	}
	return r.New
}

// remoteRefs is what a remote says it has.
type remoteRefs struct {
	list   []ref
	format string // empty when it has no refs
}

func (r remoteRefs) find(name string) OID {
	s := refSet{List: r.list}
	id, _ := s.find(name)
	return id
}

// read asks the remote which refs it has. The error wraps ErrUnreachable.
func (d *Door) read(ctx context.Context, url, gitDir string) (remoteRefs, error) {
	config, err := d.reach(url, gitDir)
	if err != nil {
		return remoteRefs{}, err
	}
	res, err := d.git(ctx, run{
		person: true, config: config, limit: 128 << 20,
		args: []string{"ls-remote", "--quiet", "--refs", "--", url},
	})
	if err != nil {
		return remoteRefs{}, hint.New("git ls-remote "+Shown(url), "%w: %s: %w", ErrUnreachable, Shown(url), err)
	}
	var out remoteRefs
	for line := range strings.Lines(string(res.Stdout)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || !isOID(id) || !validRef(name) {
			return remoteRefs{}, fmt.Errorf("%w: %s: it lists %q", ErrUnreachable, Shown(url), line)
		}
		if out.format = "sha1"; len(id) == 64 {
			out.format = "sha256"
		}
		out.list = append(out.list, ref{Name: name, OID: OID(id)})
	}
	slices.SortFunc(out.list, func(a, b ref) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// reach returns the settings a connection to url needs besides those git finds
// by itself: the URL is not rewritten a second time, and what an include of
// the person ties to the pushing repository counts although git runs
// elsewhere.
func (d *Door) reach(url, gitDir string) ([]setting, error) {
	config := []setting{
		{key: "url." + url + ".insteadOf", value: url},
		{key: "url." + url + ".pushInsteadOf", value: url},
	}
	if gitDir == "" {
		return config, nil
	}
	all, err := d.userConfig(Layout{GitDir: gitDir, CommonDir: gitDir})
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.conditional && (strings.HasPrefix(s.key, "credential.") || strings.HasPrefix(s.key, "http.") ||
			s.key == "core.sshcommand" || s.key == "ssh.variant") {
			if s.bare {
				s.value = "true"
			}
			config = append(config, s)
		}
	}
	return config, nil
}
