package cli

import (
	"fmt"
	"time"

	"github.com/counterstep/counterstep/inverse"
)

// progress shows how far long work is, at a terminal only.
type progress struct {
	env   Env
	what  string
	start time.Time
	last  time.Time
	shown bool
}

func newProgress(env Env, what string) *progress {
	now := env.Now()
	return &progress{env: env, what: what, start: now, last: now}
}

// update is called while work goes on. The first second passes in silence.
func (p *progress) update(files int, bytes int64) {
	if !p.env.Terminal {
		return
	}
	now := p.env.Now()
	if now.Sub(p.start) < time.Second || now.Sub(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprintf(p.env.Stderr, "\r\x1b[K%s: %d files, %s", p.what, files, inverse.Size(bytes))
}

// done clears the line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.env.Stderr, "\r\x1b[K")
	}
}
