package git_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/counterstep/counterstep/internal/git"
)

// TestRacingPushers fires while three others push to the same branch. Whatever
// a pusher got through is reachable in the end, unless it is what the recorded
// step took back.
func TestRacingPushers(t *testing.T) {
	const pushers = 3
	rounds := 12
	if long {
		rounds = 60
	}
	w := newWorld(t)
	w.setup()
	remote := w.path("remote.git")
	for k := range pushers {
		w.run("", "clone", "-q", remote, "p"+strconv.Itoa(k))
	}
	fired, lost := 0, 0
	for round := range rounds {
		w.run("work", "commit", "-q", "--allow-empty", "--amend", "-m", "round "+strconv.Itoa(round))
		r := w.pushed("-f", "origin", "main")
		start := make(chan struct{})
		through := make([]string, pushers)
		var wg, ready sync.WaitGroup
		ready.Add(pushers)
		for k := range pushers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				dir := "p" + strconv.Itoa(k)
				mine := ""
				if round%2 == 0 { // at once; in the other rounds a little later
					mine = w.onTop(dir, "r"+strconv.Itoa(round)+dir)
				}
				ready.Done()
				<-start
				if round%2 == 1 {
					mine = w.onTop(dir, "r"+strconv.Itoa(round)+dir)
				}
				if through[k] = w.through(dir, mine); through[k] == "" {
					through[k] = w.through(dir, w.onTop(dir, "again"))
				}
			}()
		}
		var out []git.Outcome
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			out, _ = w.door.Fire(t.Context(), r, w.store)
		}()
		ready.Wait()
		close(start)
		wg.Wait()
		if len(out) != 1 {
			t.Fatalf("round %d: no outcome", round)
		}
		switch out[0].State {
		case git.Fired:
			fired++
		case git.Lost:
			lost++
		default:
			t.Errorf("round %d: %+v", round, out[0])
		}
		for _, id := range through {
			if id == "" || id == string(r.Refs[0].Post) {
				continue
			}
			if res, err := w.try("remote.git", "merge-base", "--is-ancestor", id, "main"); err != nil || res.Code != 0 {
				t.Errorf("round %d: %s was pushed and is gone; outcome %+v", round, id, out[0])
			}
		}
	}
	t.Logf("%d rounds: fired %d, lease lost %d", rounds, fired, lost)
}

// onTop commits on top of what the remote has and returns the commit.
func (w *world) onTop(dir, message string) string {
	w.try(dir, "fetch", "-q", "origin")
	w.try(dir, "reset", "-q", "--hard", "origin/main")
	w.try(dir, "commit", "-q", "--allow-empty", "-m", message)
	res, err := w.try(dir, "rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(res.Stdout))
}

// through pushes id plainly and returns it when the server took it.
func (w *world) through(dir, id string) string {
	res, err := w.try(dir, "push", "-q", "origin", id+":refs/heads/main")
	if err != nil || res.Code != 0 {
		return ""
	}
	return id
}
