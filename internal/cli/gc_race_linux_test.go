//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/proc"
)

// TestCollectingWhileCallsAndFiringsRun: a collection that runs all the time
// takes nothing that a call or a firing needs, also where a call meets a state
// again that only an old call knew.
func TestCollectingWhileCallsAndFiringsRun(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	s := &site{person: newPerson(t), bash: bash}
	s.sh("mkdir d; for i in 1 2 3 4 5; do head -c 30000 /dev/urandom >d/$i; done; echo 0 >n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(s.dir), "next"), []byte("echo $(( ($(cat n) + 1) % 3 )) >n; cp d/1 d/x$(cat n); rm -f d/x$(( ($(cat n) + 1) % 3 ))\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		s.call("", "sh ../next")
	}
	for range 4 {
		s.now = s.now.Add(24 * time.Hour)
		s.call("", "echo day > day")
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		q := &person{T: t, env: s.env, dir: s.dir, now: s.now}
		now := s.now
		q.env.Stdout, q.env.Stderr, q.env.Now = &q.out, &q.errs, func() time.Time { return now }
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if code := q.types("", "gc", "--keep", "1d"); code != 0 && !strings.Contains(q.errs.String(), "lock") {
					t.Errorf("gc: %s", &q.errs)
					return
				}
			}
		})
	}
	for i := range 10 {
		s.call("", "sh ../next")
		if i%3 == 2 {
			if code := s.types("", "fire", "--last", "--shared"); code != 0 {
				t.Errorf("fire %d: %d %s%s", i, code, &s.out, &s.errs)
			}
		}
	}
	close(done)
	wg.Wait()
	for i := range 7 {
		if code := s.types("", "fire", "--last", "--shared"); code != 0 {
			t.Errorf("fire %d after it: %d %s%s", i, code, &s.out, &s.errs)
		}
	}
	if code := s.types("", "verify", "--read-data"); code != 0 {
		t.Errorf("verify: %s%s", &s.out, &s.errs)
	}
}
