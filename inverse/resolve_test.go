package inverse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// state reads a short notation: "a=x" is a file with content x, "d/" a
// directory, "a->t" a link, "a=-" nothing. A name with a leading slash is
// absolute already; every name is put below /w.
func state(text string) []fingerprint.Entry {
	var out []fingerprint.Entry
	for i, f := range strings.Fields(text) {
		e := fingerprint.Entry{Mode: 0o644, Ino: uint64(i + 1), MTime: 1}
		switch {
		case strings.Contains(f, "->"):
			name, target, _ := strings.Cut(f, "->")
			e.Path, e.Type, e.Target = "/w/"+name, fingerprint.Symlink, target
		case strings.HasSuffix(f, "/"):
			e.Path, e.Type, e.Mode = "/w/"+strings.TrimSuffix(f, "/"), fingerprint.Dir, 0o755
		default:
			name, text, _ := strings.Cut(f, "=")
			e.Path, e.Type = "/w/"+name, fingerprint.File
			if text == "-" {
				e.Type = fingerprint.Absent
			}
			e.Size, e.XXH = int64(len(text)), fingerprint.ContentOf([]byte(text))
			e.SHA[0] = byte(e.XXH)
			e.Ino = e.XXH // the same bytes are the same inode here
		}
		out = append(out, e)
	}
	return out
}

// words writes what is undone in the same notation.
func words(u inverse.Undo) string {
	var parts []string
	for _, a := range u.Actions {
		name := strings.TrimPrefix(a.Entry.Path, "/w/")
		switch a.Op {
		case workspace.Put:
			verb := "put"
			if a.Now.Type != fingerprint.Absent && a.Now.Type != 0 {
				verb = "replace"
			}
			if a.InPlace {
				verb = "fill"
			}
			parts = append(parts, verb+" "+name)
		case workspace.Remove:
			parts = append(parts, "remove "+name)
		case workspace.Meta:
			parts = append(parts, "meta "+name)
		default:
			parts = append(parts, fmt.Sprintf("op%d %s", a.Op, name))
		}
	}
	for _, d := range u.Drift {
		parts = append(parts, "drift "+strings.TrimPrefix(d.Path, "/w/"))
	}
	for _, p := range u.Bystanders {
		parts = append(parts, "bystander "+strings.TrimPrefix(p, "/w/"))
	}
	return strings.Join(parts, ", ")
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, pre, post, now, want string }{
		{"nothing happened", "a=1", "a=1", "a=1", ""},
		{"a deleted file comes back", "a=1", "a=-", "a=-", "put a"},
		{"a deleted tree comes back, directories first", "d/ d/x=1 d/s/ d/s/y=2", "d=-", "d=-", "put d, put d/s, put d/s/y, put d/x"},
		{"an overwritten file is replaced", "a=1", "a=2", "a=2", "replace a"},
		{"what the call made goes, children first", "d=-", "d/ d/x=1", "d/ d/x=1", "remove d/x, remove d"},
		{"a file that became a directory", "a=1", "a/ a/x=2", "a/ a/x=2", "remove a/x, replace a"},
		{"a directory that became a file", "d/ d/x=1", "d=2", "d=2", "replace d, put d/x"},
		{"a link that became a file", "l->t", "l=1", "l=1", "replace l"},
		{"changed since: it stays, the armed version goes beside", "a=1", "a=2", "a=3", "put a.counterstep-ID, drift a"},
		{"made by the call and changed since: it stays", "a=-", "a=2", "a=3", "drift a"},
		{"made again after the call deleted it", "a=1", "a=-", "a=3", "put a.counterstep-ID, drift a"},
		{"appeared after the call: not ours", "d=-", "d/", "d/ d/mine=1", "remove d, bystander d/mine"},
		{"appeared in a directory that stays", "d/ d/x=1", "d/ d/x=-", "d/ d/mine=1", "put d/x, bystander d/mine"},
		{"deleted since by somebody: nothing is lost by putting it back", "a=1", "a=2", "a=-", "put a"},
		{"put back by somebody already", "a=1", "a=2", "a=1", ""},
		{"a tree whose place is taken goes beside as a whole", "d/ d/x=1", "d=-", "d=person", "put d.counterstep-ID, put d.counterstep-ID/x, drift d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := inverse.Resolve(inverse.States{ID: "ID", Pre: state(c.pre), Post: state(c.post), Now: state(c.now), Settled: true})
			if got := words(u); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Without a settle, only what was predicted to be gone counts as left by the
// call.
func TestResolveUnsettled(t *testing.T) {
	gone := inverse.Step{Roots: []inverse.Root{{Path: "/w/a", Tree: true, Gone: true}}}
	for _, c := range []struct {
		name, pre, now, want string
		step                 inverse.Step
		force                bool
	}{
		{"predicted gone and gone", "a=1", "a=-", "put a", gone, false},
		{"predicted gone, but there", "a=1", "a=2", "put a.counterstep-ID, drift a", gone, false},
		{"overwritten, nobody knows by what", "a=1", "a=2", "put a.counterstep-ID, drift a", inverse.Step{}, false},
		{"the present is taken for what the call left", "a=1", "a=2", "replace a", inverse.Step{}, true},
		{"made, nobody knows by whom", "a=-", "a=2", "drift a", inverse.Step{}, false},
		{"in a tree that was predicted gone, something new is not ours", "a/", "a/ a/x=1", "bystander a/x", gone, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := inverse.Resolve(inverse.States{ID: "ID", Pre: state(c.pre), Now: state(c.now), Step: c.step, Force: c.force})
			if got := words(u); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestResolveMetadata(t *testing.T) {
	pre, post := state("a=1 d/"), state("a=1 d/")
	post[0].Mode, post[1].MTime = 0o600, 9
	u := inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: post, Now: post, Settled: true})
	if got := words(u); got != "meta d, meta a" {
		t.Errorf("mode and directory time: %s", got)
	}
	post = state("a=1 d/")
	post[0].UID = 7
	u = inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: post, Now: post, Settled: true})
	if got := words(u); got != "meta a" {
		t.Errorf("owner: %s", got)
	}
	now := state("a=1 d/")
	now[0].Mode, now[0].UID = 0o700, 7
	u = inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: post, Now: now, Settled: true})
	if got := words(u); got != "meta a" || u.Actions[0].Entry.UID != pre[0].UID || u.Actions[0].Entry.Mode != 0o700 {
		t.Errorf("a mode that somebody set since must stay, and the owner come back: %s", got)
	}
	post[0].Mode = 0o600 // the call set it, too
	u = inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: post, Now: now, Settled: true})
	if len(u.Drift) != 1 {
		t.Errorf("a mode that both set must stay: %s", words(u))
	}
}

// An inode that has more links is written in place, so that all of them have
// the old content again.
func TestResolveFillsSharedInodes(t *testing.T) {
	pre, post := state("a=1"), state("a=2")
	pre[0].Links, pre[0].Ino, post[0].Ino, post[0].Links = 2, 5, 5, 2
	u := inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: post, Now: post, Settled: true})
	if got := words(u); got != "fill a" {
		t.Errorf("got %s", got)
	}
}

// A name that an editor made a file of its own, with the same content, becomes
// one file with the other names again.
func TestResolveJoinsNames(t *testing.T) {
	pre, now := state("a=1 b=1"), state("a=1 b=1")
	for i := range pre {
		pre[i].Group, pre[i].Links, pre[i].Ino = 1, 2, 5
	}
	now[0].Ino, now[1].Ino = 5, 6
	u := inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: now, Now: now, Settled: true})
	if got := words(u); got != "op0 a, replace b" {
		t.Errorf("got %s", got)
	}
	u = inverse.Resolve(inverse.States{ID: "ID", Pre: pre, Post: pre, Now: now, Settled: true}) // somebody else's doing
	if got := words(u); got != "" {
		t.Errorf("got %s", got)
	}
}
