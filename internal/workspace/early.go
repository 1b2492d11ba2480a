package workspace

import (
	"fmt"
	"sync"

	"github.com/counterstep/counterstep/internal/fail"
)

// early puts the first half of a large build on disk while the second half is
// written, so that the sync before the swaps has less to wait for. It replaces
// nothing: that sync still covers everything.
type early struct {
	a    *applier
	at   int // begins when this many files are written; 0 for never
	once sync.Once
	done chan error
}

// many is from how many things on a build is worth an early sync.
const many = 2000

func (a *applier) newEarly() *early {
	n := 0
	for _, u := range a.units {
		n += len(u.all)
	}
	e := &early{a: a, done: make(chan error, 1)}
	if a.o.Durable && !syncEach && n >= many && len(a.units) == 1 {
		e.at = n / 2
	}
	return e
}

// written is told how many files are written so far.
func (e *early) written(files int) {
	if e == nil || e.at == 0 || files < e.at {
		return
	}
	e.once.Do(func() {
		where, _ := split(e.a.units[0].root.act.path())
		go func() {
			e.done <- e.a.syncAt(where)
		}()
	})
}

func (a *applier) syncAt(path string) error {
	if err := fail.Point("workspace.early"); err != nil {
		return err
	}
	d, err := openRoot(a.real(path), toPass)
	if err != nil {
		return err
	}
	defer d.close()
	return d.syncFS()
}

// wait ends it. A failure counts: the system may report it only once.
func (e *early) wait() error {
	begun := true
	e.once.Do(func() { begun = false })
	if !begun {
		return nil
	}
	if err := <-e.done; err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}
