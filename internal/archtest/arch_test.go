// Package archtest keeps the direction of imports: a package may import only
// packages of a lower layer. It reads the sources in this process, since a
// test that asks the go command is cached when a file elsewhere changes.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/counterstep/counterstep/"

// layers lists every package; a lower index never imports a higher one, nor
// its own.
var layers = [][]string{
	{"internal/hint", "internal/fail"},
	{"internal/durable", "internal/clone", "internal/proc"},
	{"classify", "fingerprint", "internal/merge", "internal/box"},
	{"ledger", "internal/store", "internal/workspace", "internal/git", "internal/probe"},
	{"inverse", "rehearse", "internal/checkpoint", "internal/policy"},
	{"internal/gate", "internal/fire"},
	{"internal/history", "internal/trial"},
	{"internal/harness"},
	{"internal/harness/claude"},
	{"internal/harness/all"},
	{"internal/setup"},
	{"internal/doctor", "internal/tui"},
	{"internal/cli"},
	{"cmd/counterstep"},
}

// only lists packages that may be imported in few places.
var only = map[string][]string{
	"os/exec":                      {"internal/proc"},
	"github.com/spf13/cobra":       {"internal/cli"},
	"mvdan.cc/sh/v3":               {"classify"},
	"github.com/google/shlex":      {"classify", "internal/git"},
	"github.com/otiai10/copy":      {"rehearse"},
	"github.com/cespare/xxhash/v2": {"fingerprint"},
	"github.com/BurntSushi/toml":   {"internal/policy"},
	"net/http":                     {},
	"regexp":                       {"classify", "internal/history"},
	"github.com/counterstep/counterstep/internal/testkit": {},
}

// pure packages see nothing of the world.
var pure = map[string]bool{"classify": true, "fingerprint": true, "internal/merge": true, "inverse": true}

// worldly is what a pure package must not import.
var worldly = []string{"os", "os/exec", "net", "syscall", "golang.org/x/sys/unix", "io/ioutil"}

func TestImportsPointDown(t *testing.T) {
	height := map[string]int{}
	for i, layer := range layers {
		for _, p := range layer {
			height[p] = i
		}
	}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		pkg := path.Dir(name)
		if strings.HasPrefix(pkg, "internal/testkit") || strings.HasSuffix(pkg, "test") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		check(t, height, pkg, name, src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, height map[string]int, pkg, name string, src []byte) {
	t.Helper()
	mine, known := height[pkg]
	if !known {
		t.Errorf("%s: package %s is in no layer", name, pkg)
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		if theirs, ok := strings.CutPrefix(imp, module); ok {
			if h, ok := height[theirs]; ok && h >= mine {
				t.Errorf("%s: %s must not import %s", name, pkg, theirs)
			}
		}
		for forbidden, where := range only {
			if (imp == forbidden || strings.HasPrefix(imp, forbidden+"/")) && !contains(where, pkg) {
				t.Errorf("%s: %s must not import %s", name, pkg, imp)
			}
		}
		if pure[pkg] && contains(worldly, imp) {
			t.Errorf("%s: %s is pure and must not import %s", name, pkg, imp)
		}
	}
	for call, where := range map[string]string{"time.Now(": "internal/cli", "os.Getenv(": "internal/cli", "os.LookupEnv(": "internal/cli", "os.Environ(": "internal/cli"} {
		if strings.Contains(string(src), call) && pkg != where && pkg != "internal/fail" {
			t.Errorf("%s: %s only in %s", name, strings.TrimSuffix(call, "("), where)
		}
	}
	for _, d := range f.Decls {
		if fn, ok := declaresInit(d); ok {
			t.Errorf("%s: %s does work before main", name, fn)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
