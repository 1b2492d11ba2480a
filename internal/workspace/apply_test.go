package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// one applies a single action and returns its outcome.
func one(t testing.TB, m *memory, a workspace.Action) workspace.Outcome {
	t.Helper()
	return apply(t, m, a)[0]
}

// kept writes a file and keeps it.
func kept(t testing.TB, path, data string) (*memory, fingerprint.Entry) {
	t.Helper()
	write(t, path, data)
	m := &memory{}
	return m, m.keep(t, path)[0]
}

func absent(path string) fingerprint.Entry {
	return fingerprint.Entry{Path: path, Type: fingerprint.Absent}
}

func is(t testing.TB, o workspace.Outcome, done bool, status, reason string) {
	t.Helper()
	if o.Done != done || o.Status != status || !strings.Contains(o.Reason, reason) || reason == "" && o.Reason != "" {
		t.Errorf("%q: done %t, %s, %q; want %t, %s, %q", o.Path, o.Done, o.Status, o.Reason, done, status, reason)
	}
}

// What is there decides what happens to a file that is to be put back.
func TestPutComparesFirst(t *testing.T) {
	for name, c := range map[string]struct {
		now    string // what the action expects; "" is nothing
		live   string // what is really there
		done   bool
		status string
		reason string
		after  string
	}{
		"gone as expected":         {"", "", true, workspace.StatusRestored, "", "pre"},
		"changed as expected":      {"post", "post", true, workspace.StatusRestored, "", "pre"},
		"restored already":         {"post", "pre", true, workspace.StatusRestored, "", "pre"},
		"restored, was gone":       {"", "pre", true, workspace.StatusRestored, "", "pre"},
		"changed by somebody":      {"post", "other", false, workspace.StatusDrifted, "changed", "other"},
		"same length, changed":     {"post", "pots", false, workspace.StatusDrifted, "changed", "pots"},
		"somebody put it there":    {"", "other", false, workspace.StatusDrifted, "appeared", "other"},
		"somebody took it away":    {"post", "", false, workspace.StatusDrifted, "gone", ""},
		"a directory came instead": {"post", "/", false, workspace.StatusDrifted, "changed", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := realTemp(t)
			path := filepath.Join(dir, "f")
			m, pre := kept(t, path, "pre")
			now := absent(path)
			if c.now != "" {
				write(t, path, c.now)
				now = scan(t, path)[0]
			}
			must(t, os.Remove(path))
			switch c.live {
			case "":
			case "/":
				must(t, os.Mkdir(path, 0o755))
			default:
				write(t, path, c.live)
			}
			is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre, Now: now}), c.done, c.status, c.reason)
			switch c.after {
			case "", "/":
			default:
				reads(t, path, c.after)
			}
			noTemps(t, dir)
		})
	}
}

// A mode that changed is drift like any other change.
func TestPutComparesModes(t *testing.T) {
	path := filepath.Join(realTemp(t), "f")
	m, pre := kept(t, path, "pre")
	write(t, path, "post")
	now := scan(t, path)[0]
	must(t, os.Chmod(path, 0o600))
	is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre, Now: now}), false, workspace.StatusDrifted, "changed")
	reads(t, path, "post")
}

func TestPutComparesByIdentityWithoutHashes(t *testing.T) {
	path := filepath.Join(realTemp(t), "f")
	m, pre := kept(t, path, "pre")
	write(t, path, "post")
	now, err := workspace.Capture(context.Background(), []workspace.Root{{Path: path}}, workspace.Options{StatOnly: true})
	must(t, err)
	is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre, Now: now[0]}), true, workspace.StatusRestored, "")
	reads(t, path, "pre")
	write(t, path, "post")
	is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre, Now: now[0]}), false, workspace.StatusDrifted, "changed")
}

func TestPutKeepsTimesEvenOfParents(t *testing.T) {
	dir := realTemp(t)
	sub := filepath.Join(dir, "sub")
	must(t, os.Mkdir(sub, 0o755))
	write(t, filepath.Join(sub, "f"), "x")
	must(t, os.Chtimes(filepath.Join(sub, "f"), time.Unix(5, 7), time.Unix(1e9, 123)))
	must(t, os.Chtimes(sub, time.Unix(5, 7), time.Unix(1e9, 456)))
	m := &memory{}
	pre := m.keep(t, sub)
	must(t, os.Remove(filepath.Join(sub, "f")))
	allDone(t, apply(t, m, back(pre, scan(t, sub))...))
	sameState(t, pre, scan(t, sub))
	if got := at(scan(t, sub), filepath.Join(sub, "f")).ATime; got != 5e9+7 {
		t.Errorf("access time %d", got)
	}
}

func TestTypesChange(t *testing.T) { typesChange(t) }

// typesChange goes from every kind of thing to every other one and back.
func typesChange(t *testing.T) {
	makers := map[string]func(t *testing.T, path string){
		"nothing": func(*testing.T, string) {},
		"file":    func(t *testing.T, path string) { write(t, path, "file") },
		"link":    func(t *testing.T, path string) { must(t, os.Symlink("target", path)) },
		"empty":   func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o755)) },
		"tree": func(t *testing.T, path string) {
			must(t, os.MkdirAll(filepath.Join(path, "a", "b"), 0o755))
			write(t, filepath.Join(path, "a", "b", "f"), "deep")
			write(t, filepath.Join(path, "g"), "g")
			must(t, os.Chmod(filepath.Join(path, "a"), 0o500))
		},
	}
	for from, makeFrom := range makers {
		for to, makeTo := range makers {
			t.Run("from="+from+"/to="+to, func(t *testing.T) {
				dir := realTemp(t)
				path := filepath.Join(dir, "x")
				m := &memory{}
				makeFrom(t, path)
				pre := m.keep(t, path)
				remove(t, path)
				makeTo(t, path)
				post := m.keep(t, path)
				allDone(t, apply(t, m, back(pre, post)...))
				sameState(t, pre, scan(t, path))
				allDone(t, apply(t, m, back(post, pre)...)) // and forth again
				sameState(t, post, scan(t, path))
				noTemps(t, dir)
				remove(t, dir)
			})
		}
	}
}

func TestDurable(t *testing.T) {
	root := benchTree(t, 100)
	m := &memory{}
	pre := m.keep(t, root)
	must(t, os.RemoveAll(root))
	var files int
	out, err := workspace.Live().Apply(context.Background(), "ID", back(pre, nil), m.open,
		workspace.ApplyOptions{Durable: true, Progress: func(f int, _ int64) { files = f }})
	must(t, err)
	allDone(t, out)
	sameState(t, pre, scan(t, root))
	if files != 100 {
		t.Errorf("progress ended at %d", files)
	}
}

// When a content cannot be had, nothing is changed and nothing is left behind.
func TestNothingIsChangedWhenContentFails(t *testing.T) {
	broken := errors.New("broken")
	for name, open := range map[string]workspace.Opener{
		"no content": func(fingerprint.Entry) (io.ReadCloser, error) { return nil, broken },
		"too short":  func(fingerprint.Entry) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil },
		"too long": func(fingerprint.Entry) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("xxxxxxxxxx")), nil
		},
		"wrong": func(fingerprint.Entry) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("bxb")), nil },
		"error at the end": func(fingerprint.Entry) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("bbb"), errReader{broken})), nil
		},
		"no permission for the store": func(fingerprint.Entry) (io.ReadCloser, error) { return nil, os.ErrPermission },
	} {
		dir := realTemp(t)
		a, b, tree := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "tree")
		write(t, a, "aaa")
		write(t, b, "bbb")
		must(t, os.Mkdir(tree, 0o755))
		write(t, filepath.Join(tree, "b"), "bbb")
		m := &memory{}
		pre := m.keep(t, dir)
		write(t, a, "new")
		must(t, os.Remove(b))
		must(t, os.RemoveAll(tree))
		write(t, filepath.Join(dir, "created"), "by the call")
		now := scan(t, dir)
		out, err := workspace.Live().Apply(context.Background(), "ID", back(pre, now), func(e fingerprint.Entry) (io.ReadCloser, error) {
			if strings.HasSuffix(e.Path, "b") {
				return open(e)
			}
			return m.open(e)
		}, workspace.ApplyOptions{})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		for _, o := range out {
			if o.Done && o.Status != workspace.StatusKept {
				t.Errorf("%s: %+v", name, o)
			}
		}
		got := scan(t, dir)
		for i := range now { // the directory itself was written to
			if now[i].Path == dir {
				now[i].MTime, got[i].MTime = 0, 0
			}
		}
		sameState(t, now, got)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestApplyRefusesNonsense(t *testing.T) {
	m := &memory{}
	f := func(id string, actions ...workspace.Action) {
		t.Helper()
		if _, err := workspace.Live().Apply(context.Background(), id, actions, m.open, workspace.ApplyOptions{}); err == nil {
			t.Errorf("id %q, %+v: no error", id, actions)
		}
	}
	entry := func(path string) workspace.Action {
		return workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: path}}
	}
	for _, id := range []string{"", "a/b", "..", "a b", strings.Repeat("x", 65)} {
		f(id)
	}
	for _, path := range []string{"", "/", "rel", "/a/../b", "/a/", "/a\x00b"} {
		f("ID", entry(path))
	}
	f("ID", entry("/a"), entry("/a"))
	f("ID", workspace.Action{Op: workspace.Rename, Entry: fingerprint.Entry{Path: "/a"}, From: "b"})
}

func TestParents(t *testing.T) {
	dir := realTemp(t)
	sub := filepath.Join(dir, "sub")
	must(t, os.Mkdir(sub, 0o755))
	path := filepath.Join(sub, "f")
	m, pre := kept(t, path, "pre")
	put := workspace.Action{Op: workspace.Put, Entry: pre, Now: absent(path)}
	must(t, os.RemoveAll(sub))
	is(t, one(t, m, put), false, workspace.StatusSkipped, "is missing")
	elsewhere := realTemp(t)
	must(t, os.Symlink(elsewhere, sub))
	is(t, one(t, m, put), false, workspace.StatusSkipped, "no longer a folder")
	write(t, filepath.Join(elsewhere, "f"), "pre")
	is(t, one(t, m, workspace.Action{Op: workspace.Remove, Entry: pre, Now: pre}), false, workspace.StatusSkipped, "no longer a folder")
	reads(t, filepath.Join(elsewhere, "f"), "pre")
	must(t, os.Remove(sub))
	write(t, sub, "a file")
	is(t, one(t, m, put), false, workspace.StatusSkipped, "no longer a folder")
	reads(t, sub, "a file")
}

func TestRemove(t *testing.T) {
	dir := realTemp(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("same"), "x")
	write(t, path("changed"), "x")
	write(t, path("retyped"), "x")
	must(t, os.Symlink("a", path("link")))
	must(t, os.Symlink("a", path("relinked")))
	must(t, os.MkdirAll(path("empty/er"), 0o755))
	must(t, os.Mkdir(path("used"), 0o755))
	post := scan(t, dir)
	write(t, path("changed"), "y")
	must(t, os.Remove(path("retyped")))
	must(t, os.Mkdir(path("retyped"), 0o755))
	must(t, os.Remove(path("relinked")))
	must(t, os.Symlink("b", path("relinked")))
	write(t, path("used/by-somebody"), "precious")
	var actions []workspace.Action
	for _, e := range post[1:] {
		actions = append(actions, workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: e.Path}, Now: e})
	}
	actions = append(actions,
		workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: path("never/was")}, Now: absent("")},
		workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: path("retyped/x")}, Now: post[1]})
	for range 2 { // again is the same
		for _, o := range apply(t, &memory{}, actions...) {
			switch name := strings.TrimPrefix(o.Path, dir+"/"); name {
			case "changed", "retyped", "relinked":
				is(t, o, false, workspace.StatusDrifted, "changed")
			case "used":
				is(t, o, false, workspace.StatusDrifted, "not empty")
			default:
				is(t, o, true, workspace.StatusRemoved, "")
			}
		}
	}
	if got := scan(t, dir); len(got) != 6 {
		t.Errorf("left: %v", got)
	}
	reads(t, path("used/by-somebody"), "precious")
}

func TestRemoveNothingExpected(t *testing.T) {
	path := filepath.Join(realTemp(t), "f")
	write(t, path, "x")
	o := one(t, &memory{}, workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: path}})
	is(t, o, false, workspace.StatusDrifted, "appeared")
	reads(t, path, "x")
}

func TestKeep(t *testing.T) {
	path := filepath.Join(realTemp(t), "f")
	write(t, path, "x")
	is(t, one(t, &memory{}, workspace.Action{Entry: fingerprint.Entry{Path: path}}), true, workspace.StatusKept, "")
	reads(t, path, "x")
}

func TestBeside(t *testing.T) {
	dir := realTemp(t)
	long := strings.Repeat("n", 255)
	for _, name := range []string{"f", long} {
		path := filepath.Join(dir, name)
		m, pre := kept(t, path, "pre")
		write(t, path, "live")
		for range 2 { // the second time it is there already
			o := one(t, m, workspace.Action{Op: workspace.Beside, Entry: pre})
			is(t, o, true, workspace.StatusBeside, "")
			reads(t, o.Beside, "pre")
			if !strings.HasSuffix(o.Beside, ".counterstep-ID") || filepath.Dir(o.Beside) != dir {
				t.Errorf("beside %q", o.Beside)
			}
		}
		reads(t, path, "live")
		// A name that is taken by something else is left alone.
		taken := filepath.Join(dir, name[:min(len(name), 240)]+".counterstep-ID")
		write(t, taken, "taken")
		o := one(t, m, workspace.Action{Op: workspace.Beside, Entry: pre})
		is(t, o, true, workspace.StatusBeside, "")
		reads(t, o.Beside, "pre")
		reads(t, taken, "taken")
	}
	if got := scan(t, dir); len(got) != 7 {
		t.Errorf("%d entries", len(got))
	}
}

func TestBesideTakesTreesAlong(t *testing.T) {
	dir := realTemp(t)
	path := filepath.Join(dir, "d")
	must(t, os.MkdirAll(filepath.Join(path, "sub"), 0o755))
	write(t, filepath.Join(path, "sub", "f"), "pre")
	m := &memory{}
	pre := m.keep(t, path)
	must(t, os.RemoveAll(path))
	write(t, path, "a file now")
	actions := back(pre, nil)
	actions[0].Op = workspace.Beside
	out := apply(t, m, actions...)
	for _, o := range out {
		is(t, o, true, workspace.StatusBeside, "")
	}
	reads(t, path, "a file now")
	reads(t, path+".counterstep-ID/sub/f", "pre")
	if out[2].Beside != path+".counterstep-ID/sub/f" {
		t.Errorf("said %q", out[2].Beside)
	}
}

func TestRename(t *testing.T) {
	dir := realTemp(t)
	from, to := filepath.Join(dir, "away", "dir"), filepath.Join(dir, "dir")
	must(t, os.MkdirAll(filepath.Join(to, "sub"), 0o755))
	write(t, filepath.Join(to, "sub", "f"), "x")
	write(t, filepath.Join(to, "lost"), "lost")
	m := &memory{}
	pre := m.keep(t, to)
	must(t, os.Mkdir(filepath.Join(dir, "away"), 0o755))
	must(t, os.Rename(to, from))
	must(t, os.Remove(filepath.Join(from, "lost")))
	must(t, os.RemoveAll(filepath.Join(from, "sub")))
	now := scan(t, from)[0]
	away := scan(t, filepath.Join(dir, "away"))[0]
	actions := []workspace.Action{
		{Op: workspace.Rename, Entry: pre[0], Now: now, From: from},
		{Op: workspace.Remove, Entry: fingerprint.Entry{Path: away.Path}, Now: away},
	}
	actions = append(actions, back(pre[1:], nil)...) // things go back into what comes back
	for range 2 {
		allDone(t, apply(t, m, actions...))
		pre[0].MTime, pre[0].ATime = 0, 0
		got := scan(t, to)
		got[0].MTime = 0
		sameState(t, pre, got)
	}
	if got := scan(t, dir); len(got) != 1+len(pre) {
		t.Errorf("left: %v", got)
	}
}

func TestRenameRefusals(t *testing.T) {
	dir := realTemp(t)
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	write(t, from, "x")
	now := scan(t, from)[0]
	a := workspace.Action{Op: workspace.Rename, Entry: fingerprint.Entry{Path: to}, Now: now, From: from}
	write(t, to, "in the way")
	is(t, one(t, &memory{}, a), false, workspace.StatusDrifted, "appeared")
	reads(t, to, "in the way")
	must(t, os.Remove(to))
	write(t, from+"2", "x")
	must(t, os.Rename(from+"2", from)) // the same content, but not the same file
	is(t, one(t, &memory{}, a), false, workspace.StatusDrifted, "another thing")
	must(t, os.Remove(from))
	is(t, one(t, &memory{}, a), false, workspace.StatusSkipped, "gone")
	a.Entry.Path = filepath.Join(dir, "no", "folder")
	write(t, from, "x")
	a.Now = scan(t, from)[0]
	is(t, one(t, &memory{}, a), false, workspace.StatusSkipped, "missing")
	reads(t, from, "x")
}

func TestAtStaysInside(t *testing.T) {
	root := benchTree(t, 30)
	m := &memory{}
	pre := m.keep(t, root)
	shadow := realTemp(t)
	must(t, os.MkdirAll(shadow+filepath.Dir(root), 0o755))
	before := scan(t, root)
	out, err := workspace.At(shadow).Apply(context.Background(), "ID", back(pre, nil), m.open, workspace.ApplyOptions{})
	must(t, err)
	allDone(t, out)
	sameState(t, pre, fingerprint.Rebase(scan(t, shadow+root), shadow, "/"))
	sameState(t, before, scan(t, root))
	// A link inside the shadow does not lead out of it.
	must(t, os.RemoveAll(shadow+root))
	must(t, os.Symlink("/", shadow+root))
	out, err = workspace.At(shadow).Apply(context.Background(), "ID", back(pre, nil)[1:], m.open, workspace.ApplyOptions{})
	must(t, err)
	for _, o := range out {
		is(t, o, false, workspace.StatusSkipped, "no longer a folder")
	}
}

func TestCancelled(t *testing.T) {
	root := benchTree(t, 100)
	m := &memory{}
	pre := m.keep(t, root)
	must(t, os.RemoveAll(root))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opened := 0
	out, err := workspace.Live().Apply(ctx, "ID", back(pre, nil), func(e fingerprint.Entry) (io.ReadCloser, error) {
		if opened++; opened == 10 {
			cancel()
		}
		return m.open(e)
	}, workspace.ApplyOptions{Workers: 1})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for _, o := range out {
		is(t, o, false, workspace.StatusSkipped, "not reached")
	}
	if got := scan(t, filepath.Dir(root)); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
}

func TestCleanTemps(t *testing.T) {
	dir := realTemp(t)
	tree := filepath.Join(dir, ".counterstep-ID-0123")
	must(t, os.MkdirAll(filepath.Join(tree, "a", "b"), 0o755))
	write(t, filepath.Join(tree, "a", "b", "f"), "x")
	must(t, os.Chmod(filepath.Join(tree, "a"), 0))
	must(t, os.Symlink(dir, filepath.Join(tree, "link")))
	write(t, filepath.Join(dir, ".counterstep-ID-4567"), "x")
	write(t, filepath.Join(dir, ".counterstep-ID-89ab-out"), "maybe precious")
	write(t, filepath.Join(dir, ".counterstep-ID2-4567"), "another's")
	write(t, filepath.Join(dir, "f.counterstep-ID"), "kept for the user")
	got, err := workspace.Live().CleanTemps([]string{dir, filepath.Join(dir, "none")}, "ID")
	if want := filepath.Join(dir, ".counterstep-ID-89ab-out"); err != nil || fmt.Sprint(got) != "["+want+"]" {
		t.Errorf("got %v, %v", got, err)
	}
	if left := scan(t, dir); len(left) != 4 {
		t.Errorf("left: %v", left)
	}
	if _, err := workspace.Live().CleanTemps(nil, "../x"); err == nil {
		t.Error("a bad id was accepted")
	}
}

func TestBigContents(t *testing.T) {
	path := filepath.Join(realTemp(t), "big")
	data := noise(fingerprint.Chunk+12345, "x")
	must(t, os.WriteFile(path, data, 0o600))
	m := &memory{}
	pre := m.keep(t, path)[0]
	must(t, os.Remove(path))
	is(t, one(t, m, workspace.Action{Op: workspace.Put, Entry: pre}), true, workspace.StatusRestored, "")
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
