//go:build failpoints

// Package fail names the places where a crash or a fault matters.
package fail

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	mu    sync.Mutex
	count = map[string]int{}
)

// Point does what COUNTERSTEP_FAIL says: a comma-separated list of
// NAME:NTH:ACTION, where NAME may be * and ACTION is kill, panic, stop (until
// somebody sends SIGCONT), or the number of an errno that is returned. NTH counts from 1; with a + behind it,
// that time and every later one. COUNTERSTEP_FAIL_LOG names a file to which
// each point that is passed appends its name.
func Point(name string) error {
	mu.Lock()
	defer mu.Unlock()
	if path := os.Getenv("COUNTERSTEP_FAIL_LOG"); path != "" {
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			fmt.Fprintln(f, name)
			f.Close()
		}
	}
	for _, rule := range strings.Split(os.Getenv("COUNTERSTEP_FAIL"), ",") {
		parts := strings.Split(rule, ":")
		if len(parts) != 3 || parts[0] != name && parts[0] != "*" {
			continue
		}
		count[parts[0]]++
		nth, err := strconv.Atoi(strings.TrimSuffix(parts[1], "+"))
		if err != nil || count[parts[0]] != nth && !(strings.HasSuffix(parts[1], "+") && count[parts[0]] > nth) {
			continue
		}
		switch parts[2] {
		case "kill":
			syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
			select {}
		case "stop":
			syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
			time.Sleep(200 * time.Millisecond) // another thread may take the signal: no further until then
		case "panic":
			panic("failpoint " + name)
		default:
			n, _ := strconv.Atoi(parts[2])
			return fmt.Errorf("failpoint %s: %w", name, syscall.Errno(n))
		}
	}
	return nil
}
