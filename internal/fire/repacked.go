package fire

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// git status, gc and reflog expire change a repository's files and nothing that
// they say: the index remembers other times, refs move from files of their own
// into one, and old entries of reflogs go. Such housekeeping after the call is no use of the repository, so
// what it left is taken for what the call left.

// housekept adapts the state after the call to the housekeeping since. It is
// for calls of which both checkpoints are held.
func (j *job) housekept(ctx context.Context, parents map[string]bool) {
	dirs := map[string]bool{}
	for i, e := range j.post {
		dir, ok := j.gitDir(e.Path)
		if !ok || !j.held[e.Path] {
			continue
		}
		dirs[dir] = true
		if path.Base(e.Path) == "index" && e.Type == fingerprint.File {
			if now, text, err := Look(ctx, e.Path); err == nil && j.refreshed(ctx, e, now, text) {
				j.post[i] = now
			}
		}
		if name := e.Path[len(dir):]; strings.HasPrefix(name, "/logs/") || strings.HasPrefix(name, "/worktrees/") && strings.Contains(name, "/logs/") {
			if now, text, err := Look(ctx, e.Path); err == nil && j.trimmed(e, now, text) {
				j.post[i] = now
			}
		}
	}
	for dir := range dirs {
		j.repacked(ctx, dir, parents)
	}
}

// refreshed reports an index that says what the call left in it.
func (j *job) refreshed(ctx context.Context, post, now fingerprint.Entry, text []byte) bool {
	if now.Type != fingerprint.File || fingerprint.Equal(post, now) {
		return false
	}
	data, ok := heldText(j.left, post.Path)
	d, err := j.engine.door()
	if !ok || err != nil {
		return false
	}
	same, err := d.SameIndex(ctx, data, text)
	return err == nil && same
}

// trimmed reports a reflog that has only lost entries since the call.
func (j *job) trimmed(post, now fingerprint.Entry, text []byte) bool {
	if post.Type != fingerprint.File || now.Type != fingerprint.File && now.Type != fingerprint.Absent {
		return false
	}
	data, ok := heldText(j.left, post.Path)
	if !ok {
		return false
	}
	had := map[string]bool{}
	for line := range bytes.Lines(data) {
		had[string(line)] = true
	}
	for line := range bytes.Lines(text) {
		if !had[string(line)] {
			return false
		}
	}
	return true
}

// repacked takes the present form of the refs for the one that the call left,
// when every ref has the value that the call left. The refs that had a file of
// their own before the call and have none now join the scope.
func (j *job) repacked(ctx context.Context, dir string, parents map[string]bool) {
	name := dir + "/packed-refs"
	was, why := j.left.Entry(name)
	now, text, err := Look(ctx, name)
	if err != nil || why != checkpoint.Held || fingerprint.Equal(was, now) {
		return
	}
	left, live := packedRefs(nil), packedRefs(text)
	if data, ok := heldText(j.left, name); ok {
		left = packedRefs(data)
	} else if was.Type != fingerprint.Absent {
		return
	}
	for _, e := range j.left.Under(dir + "/refs") {
		if e.Type == fingerprint.File {
			data, _ := heldText(j.left, e.Path)
			left[e.Path[len(dir)+1:]] = strings.TrimSpace(string(data))
		}
	}
	if !looseRefs(live, dir, "refs", 0) || !maps.Equal(left, live) {
		return
	}
	present := func(p string) (fingerprint.Entry, bool) {
		e, _, err := Look(ctx, p)
		return e, err == nil
	}
	for i, e := range j.post {
		if d, ok := j.gitDir(e.Path); ok && d == dir && j.held[e.Path] && (e.Path == name || strings.HasPrefix(e.Path, dir+"/refs/")) {
			if n, ok := present(e.Path); ok {
				j.post[i] = n
			}
		}
	}
	for _, e := range append(j.checkpoint.Under(dir+"/refs"), ownEntry(j.checkpoint, name)...) {
		n, ok := present(e.Path)
		if !ok || j.held[e.Path] || e.Type == fingerprint.Symlink || fingerprint.Equal(e, n) {
			continue
		}
		parents[path.Dir(e.Path)] = true
		j.roots = append(j.roots, workspace.Root{Path: e.Path})
		j.pre, j.post = append(j.pre, e), append(j.post, n)
		j.held[e.Path] = true
	}
}

// ownEntry is what a checkpoint says of one path, if it does; also that nothing
// was there.
func ownEntry(c *checkpoint.Checkpoint, p string) []fingerprint.Entry {
	if e, why := c.Entry(p); why == checkpoint.Held {
		return []fingerprint.Entry{e}
	}
	return nil
}

// heldText is the content of a small file in a checkpoint.
func heldText(c *checkpoint.Checkpoint, p string) ([]byte, bool) {
	e, why := c.Entry(p)
	if why != checkpoint.Held || e.Type != fingerprint.File || e.Size > MaxText {
		return nil, false
	}
	r, err := c.Open(e)
	if err != nil {
		return nil, false
	}
	return readAll(r, e)
}

// packedRefs reads the refs that a packed-refs file names.
func packedRefs(text []byte) map[string]string {
	refs := map[string]string{}
	for line := range strings.Lines(string(text)) {
		id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && isOID(id) {
			refs[name] = id
		}
	}
	return refs
}

// looseRefs adds the refs that have files of their own, which count for more. It
// reports whether all could be read.
func looseRefs(refs map[string]string, dir, name string, depth int) bool {
	names, err := (workspace.Disk{}).ReadDir(path.Join(dir, name))
	if err != nil || depth > 64 {
		return false
	}
	slices.Sort(names)
	for _, n := range names {
		ref := name + "/" + n
		info, err := (workspace.Disk{}).Lstat(path.Join(dir, ref))
		switch {
		case err != nil:
			return false
		case info.Type == 'd':
			if !looseRefs(refs, dir, ref, depth+1) {
				return false
			}
		case info.Type == 'f':
			text, err := (workspace.Disk{}).ReadFile(path.Join(dir, ref), maxRefFile)
			if err != nil {
				return false
			}
			refs[ref] = strings.TrimSpace(string(text))
		}
	}
	return true
}
