package fire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// gitDir is the directory of git's own files that a path lies in: that of a
// submodule where it belongs to one.
func gitDir(p string) (string, bool) {
	i := strings.Index(p+"/", "/.git/")
	if i < 0 || p[i:] == "/.git" {
		return "", false
	}
	dir := p[:i] + "/.git"
	for {
		rest, ok := strings.CutPrefix(p, dir+"/modules/")
		if !ok {
			return dir, true
		}
		at, sub := dir+"/modules", ""
		for name := range strings.SplitSeq(rest, "/") {
			if at += "/" + name; at != p && !headless(at) {
				sub = at
				break
			}
		}
		if sub == "" {
			return dir, true
		}
		dir = sub
	}
}

// gitDir is the directory of git's own files that a path lies in, also where it
// has another name.
func (j *job) gitDir(p string) (string, bool) {
	dir, ok := gitDir(p)
	for _, o := range j.repos() {
		if inverse.Within(p, o.CommonDir) && p != o.CommonDir && len(o.CommonDir) > len(dir) {
			dir, ok = o.CommonDir, true
		}
	}
	return dir, ok
}

// ready checks what must hold before git's own files are changed: nobody is at
// work on the index, and the objects that the refs name are still there.
func (j *job) ready(ctx context.Context, e *Engine) error {
	dirs := map[string]bool{}
	ids := map[string][]string{}
	back := returning{}
	for _, a := range j.undo.Actions {
		dir, ok := j.gitDir(a.Entry.Path)
		if !ok || a.Op == workspace.Keep {
			continue
		}
		dirs[dir] = true
		back.note(dir, a)
		if a.Op != workspace.Put || a.Entry.Type != fingerprint.File || j.composed(a.Entry) {
			continue
		}
		if path.Base(a.Entry.Path) == "index" {
			names, err := j.staged(ctx, e, a.Entry)
			if err != nil {
				return err
			}
			ids[dir] = append(ids[dir], names...)
		}
		if !isRef(a.Entry.Path[len(dir)+1:]) {
			continue
		}
		names, err := j.objectIDs(a.Entry)
		if err != nil {
			return err
		}
		ids[dir] = append(ids[dir], names...)
	}
	for _, o := range j.repos() {
		if o.All {
			dirs[o.CommonDir] = true
		}
	}
	for dir := range dirs {
		if info, err := (workspace.Disk{}).Lstat(dir + "/index.lock"); err == nil && info.Type != '-' {
			return hint.New(j.again(), "somebody is working in the repository: %s/index.lock is there", dir)
		}
		if err := e.objects(ctx, j, dir, back.missing(dir, ids[dir])); err != nil {
			return err
		}
	}
	return nil
}

// returning are the objects that the firing itself puts back, by their paths,
// and the directories whose packs it does.
type returning map[string]bool

// note takes down what an action brings back of the objects in dir.
func (r returning) note(dir string, a workspace.Action) {
	name, ok := strings.CutPrefix(a.Entry.Path, dir+"/objects/")
	if !ok || a.Op != workspace.Put || a.Entry.Type != fingerprint.File {
		return
	}
	if strings.HasPrefix(name, "pack/") {
		r[dir] = true
	}
	r[a.Entry.Path] = true
}

// missing leaves out the ids of objects that come back or lie there as files of
// their own. Where packs come back, what is not a file lay in one of them: the
// scope then holds the objects and the refs of one moment. The same is taken
// for granted of packs that lie there when so much is gone that git cannot be
// asked.
func (r returning) missing(dir string, ids []string) []string {
	packed := r[dir] || headless(dir) && hasPacks(dir)
	return slices.DeleteFunc(ids, func(id string) bool {
		file := dir + "/objects/" + id[:2] + "/" + id[2:]
		if r[file] || packed {
			return true
		}
		info, err := (workspace.Disk{}).Lstat(file)
		return err == nil && info.Type == 'f'
	})
}

// headless reports a directory that git does not take for a repository.
func headless(dir string) bool {
	for name, want := range map[string]byte{"HEAD": 'f', "refs": 'd', "objects": 'd'} {
		if info, err := (workspace.Disk{}).Lstat(dir + "/" + name); err != nil || info.Type != want {
			return true
		}
	}
	return false
}

func hasPacks(dir string) bool {
	names, err := (workspace.Disk{}).ReadDir(dir + "/objects/pack")
	return err == nil && slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".pack") })
}

// isRef reports a file of a git directory that names objects which must exist.
func isRef(name string) bool {
	return strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, "HEAD") && !strings.HasPrefix(name, "logs/") || name == "packed-refs"
}

// maxRefFile bounds what is read of a file with object ids.
const maxRefFile = 4 << 20

// objectIDs are the object ids that a held file of refs names.
func (j *job) objectIDs(e fingerprint.Entry) ([]string, error) {
	r, err := j.open(e)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxRefFile))
	if err != nil {
		return nil, fmt.Errorf("read what is held of %q: %w", e.Path, err)
	}
	var ids []string
	for _, f := range bytes.Fields(data) {
		if id := strings.TrimPrefix(string(f), "^"); isOID(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}
