package workspace

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// pool works off tasks of which each may add more, last in first out, with
// workers that are only started when tasks wait. The first error ends it.
type pool[T any] struct {
	do    func(worker int, task T) error
	mu    sync.Mutex
	cond  *sync.Cond
	tasks []T
	most  int // workers at most
	alive int // workers started
	busy  int // workers at a task
	err   error
	wg    sync.WaitGroup
}

// workers is the number of workers for an option value.
func workers(n int) int {
	if n > 0 {
		return n
	}
	return min(runtime.GOMAXPROCS(0), 8)
}

// run does all tasks, and those that do adds with push. It starts with the
// calling goroutine alone.
func (p *pool[T]) run(ctx context.Context, most int, seed []T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.cond = sync.NewCond(&p.mu)
	p.tasks, p.most, p.alive = slices.Clone(seed), most, 1
	stop := context.AfterFunc(ctx, func() { p.fail(ctx.Err()) })
	defer stop()
	p.work(0)
	p.wg.Wait()
	return p.err
}

func (p *pool[T]) push(t T) {
	p.mu.Lock()
	p.tasks = append(p.tasks, t)
	p.mu.Unlock()
	p.cond.Signal()
}

func (p *pool[T]) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.mu.Unlock()
	p.cond.Broadcast()
}

func (p *pool[T]) work(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.tasks) == 0 && p.busy > 0 && p.err == nil {
			p.cond.Wait()
		}
		if len(p.tasks) == 0 || p.err != nil {
			p.cond.Broadcast()
			return
		}
		last := len(p.tasks) - 1
		t := p.tasks[last]
		p.tasks = p.tasks[:last]
		if last >= 2 && p.alive < p.most {
			next := p.alive
			p.alive++
			p.wg.Go(func() { p.work(next) })
		}
		p.busy++
		p.mu.Unlock()
		err := p.do(id, t)
		p.mu.Lock()
		p.busy--
		if err != nil && p.err == nil {
			p.err = err
		}
	}
}
