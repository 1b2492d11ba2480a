package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/policy"
)

// TestThePolicyOfCheckpoints: one that is not complete is refused when a person
// says so, and what is to be left out is.
func TestThePolicyOfCheckpoints(t *testing.T) {
	w := newWorld(t)
	w.write("keep/f", "kept")
	w.write("out/f", "left out")
	w.write("web/dist/f", "left out")
	w.write("dist/f", "kept")
	w.say("[checkpoint]\npartial = \"refuse\"\nexclude = [\"out\", \"web/dist\"]\n")
	w.pass("1", "./opaque")
	list, err := checkpoint.In(w.store()).List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	c, err := checkpoint.In(w.store()).Load(list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, want := range map[string]checkpoint.Reason{"keep/f": checkpoint.Held, "dist/f": checkpoint.Held, "out": checkpoint.Excluded, "web/dist": checkpoint.Excluded} {
		if _, why := c.Entry(filepath.Join(w.dir, name)); why != want {
			t.Errorf("%s: %v, want %v", name, why, want)
		}
	}

	// A file that is larger than any checkpoint holds; it takes no space.
	big := filepath.Join(w.dir, "big")
	w.write("big", "")
	if err := os.Truncate(big, sizeCap+1); err != nil {
		t.Fatal(err)
	}
	d := w.before("2", "./opaque")
	if !d.Refused || !strings.Contains(d.Reason, "the policy forbids that") || !strings.Contains(d.Reason, big) {
		t.Errorf("%+v", d)
	}
	w.say("[checkpoint]\npartial = \"allow\"\n")
	if d := w.pass("3", "./opaque"); !strings.Contains(d.Message, big) {
		t.Errorf("%+v", d)
	}
}

// TestInertCallsReadNoPolicy: a policy that cannot even be read stops nothing
// that is inert.
func TestInertCallsReadNoPolicy(t *testing.T) {
	w := newWorld(t)
	w.write("f", "x")
	w.say("nonsense")
	for _, command := range []string{"ls", "cat f", "git status", "echo hi > new"} {
		w.pass(command, command)
	}
	if _, read := w.g.policies[w.dir]; !read {
		t.Error("what makes a file does not ask for protected paths")
	}
	w.g = w.gate()
	w.pass("again", "ls -la && grep x f")
	if len(w.g.policies) > 0 {
		t.Error("an inert call has read the policy")
	}
	if d := w.before("rm", "rm f"); !d.Fault || !strings.Contains(d.Reason, policy.Name+":1") || !strings.Contains(d.Hint, "EDITOR") {
		t.Errorf("%+v", d)
	}
}

// say writes the user's policy for the next process.
func (w *world) say(text string) {
	w.Helper()
	name := filepath.Join(filepath.Dir(w.dir), policy.Name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
	w.g = w.gate()
}
