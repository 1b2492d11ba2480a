//go:build linux

package oracle

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/git"
)

// reading is what was said of one command, and how long it took.
type reading struct {
	Class, Refused, Panic string
	Took                  time.Duration
}

// readings are those of many commands, and the time that explain --batch took
// for all.
type readings struct {
	All   []reading
	Batch time.Duration
}

// readAll runs inside the sandbox.
func readAll(commands []string) (r readings) {
	for _, c := range commands {
		r.All = append(r.All, readOne(c))
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, c := range commands {
		_ = enc.Encode(map[string]string{"command": c, "cwd": app})
	}
	began := time.Now()
	out, _, _ := product(in.String(), "explain", "--batch", "--json")
	r.Batch = time.Since(began)
	if bytes.Count(out, []byte("\n")) != len(commands) {
		r.Batch = 0
	}
	return r
}

// readOne classifies as a hook does: with nothing known from another call.
func readOne(command string) (r reading) {
	defer func() {
		if p := recover(); p != nil {
			r.Panic = fmt.Sprint(p)
		}
	}()
	g := gate.Gate{
		StateHome: "/oracle/state", Home: home, Env: map[string]string{"HOME": home, "USER": "dev", "PATH": "/usr/local/bin:/usr/bin:/bin"},
		Shell: "bash", Binary: "/oracle/counterstep", Now: time.Now,
		Git: func() (*git.Door, error) {
			return &git.Door{Git: "/usr/bin/git", Home: home, Path: "/usr/bin:/bin", Temp: "/oracle/log"}, nil
		},
	}
	ws := g.Workspace(app)
	began := time.Now()
	v := g.Classify(gate.Request{Tool: "Bash", Cwd: app, Input: gate.Input{Kind: gate.Shell, Command: command}}, ws)
	r.Took, r.Class = time.Since(began), v.Class.String()
	if v.Class == classify.Irreversible {
		r.Refused = "not known"
		if len(v.Refusals) > 0 {
			r.Refused = v.Refusals[0].Reason
		}
	}
	return r
}

// deserved reports a refusal that is right: there is no undo for it anywhere.
func deserved(reason string) bool {
	for _, why := range []string{"may change what no inverse covers", "rewrites history", "takes a work tree away", "no checkpoint of this workspace can hold it"} {
		if strings.Contains(reason, why) {
			return true
		}
	}
	return false
}

// TestTraces reads commands that agents really issued.
func TestTraces(t *testing.T) {
	if *shared == "" {
		t.Skip("NOT TESTED: needs -shared DIR with corpora/agent_traces.dev.jsonl")
	}
	if _, err := os.Stat(bwrap); err != nil {
		t.Skip("NOT TESTED: needs bubblewrap (apt-get install bubblewrap)")
	}
	commands := traces(t)
	r := readTraces(t, commands)
	counts, undeserved := map[string]int{}, 0
	var took []time.Duration
	for i, one := range r.All {
		counts[one.Class]++
		took = append(took, one.Took)
		if one.Took > 100*time.Millisecond {
			t.Logf("slow: %s %q", one.Took, commands[i])
		}
		if one.Panic != "" {
			t.Errorf("%q: panic: %s", commands[i], one.Panic)
		}
		if one.Refused != "" {
			if !deserved(one.Refused) {
				undeserved++
			}
			t.Logf("refused (deserved: %v) %q: %s", deserved(one.Refused), commands[i], one.Refused)
		}
	}
	slices.Sort(took)
	n := len(took)
	t.Logf("%d commands: %v; p50 %s, p99 %s, max %s; explain --batch: %.0f a second", n, counts,
		took[n/2], took[n*99/100], took[n-1], float64(n)/r.Batch.Seconds())
	if undeserved*1000 > 2*n {
		t.Errorf("%d undeserved refusals in %d commands", undeserved, n)
	}
	if r.Batch == 0 {
		t.Error("explain --batch did not answer every line")
	}
}

func traces(t *testing.T) (list []string) {
	f, err := os.Open(filepath.Join(*shared, "corpora", "agent_traces.dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct{ Command string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		list = append(list, row.Command)
	}
	return list
}

func readTraces(t *testing.T, commands []string) (r readings) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args, err := sandbox(exe, build(t))
	if err != nil {
		t.Fatal(err)
	}
	var in, errs bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(world{Tree: fixture(t), Traces: commands}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bwrap, append(args, "/oracle/"+driver)...)
	cmd.Stdin, cmd.Stderr = &in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return r
}
