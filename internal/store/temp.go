package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/durable"
)

// shadowKind begins the names of the shadows of rehearsals.
const shadowKind = ".counterstep-shadow-"

// tempName names something unfinished of this process: .KIND-PID-ID.
func tempName(kind, id string) string {
	return "." + kind + "-" + strconv.Itoa(os.Getpid()) + "-" + id
}

// tempOwner is the process that made something unfinished.
func tempOwner(name string) (pid int, ok bool) {
	for _, kind := range []string{".staging-", ".trash-", ".take-", ".put-", shadowKind} {
		if rest, found := strings.CutPrefix(name, kind); found {
			number, _, _ := strings.Cut(rest, "-")
			pid, err := strconv.Atoi(number)
			return pid, err == nil && pid > 0
		}
	}
	return 0, false
}

const (
	// sweepAge is when something unfinished is swept though a process of its
	// number runs.
	sweepAge = 24 * time.Hour
	// pendingAge is when a call that never came back is given up.
	pendingAge = 30 * 24 * time.Hour
)

// Sweep removes what killed processes left: stagings and temporaries whose
// process is gone or that are older than a day, unless somebody holds them,
// and pending calls older than 30 days. It finishes what a kill left half
// done, and returns how many things it removed. In runtimeDir, where rehearsals
// may have been, it looks for their shadows only; "" is none.
func (s *Store) Sweep(now time.Time, runtimeDir string) (removed int, err error) {
	if err := s.writable(); err != nil {
		return 0, err
	}
	for _, dir := range []string{s.ShadowDir(), s.postDir(), s.pendingDir(), s.RemoteDir(), s.ObjectsDir(), s.dir, runtimeDir} {
		list, rerr := os.ReadDir(dir)
		if (dir == runtimeDir || dir == s.ObjectsDir()) && (dir == "" || errors.Is(rerr, fs.ErrNotExist)) {
			continue
		}
		if rerr != nil {
			err = errors.Join(err, trouble("sweep", rerr))
			continue
		}
		for _, d := range list {
			path := filepath.Join(dir, d.Name())
			if dir == runtimeDir && !strings.HasPrefix(d.Name(), shadowKind) || !s.finished(path, d, now) {
				continue
			}
			if rerr := durable.RemoveAll(path); rerr != nil {
				err = errors.Join(err, trouble("sweep", rerr))
				continue
			}
			removed++
		}
	}
	return removed, err
}

// finished reports whether something can go. A payload whose protection is
// missing gets it.
func (s *Store) finished(path string, d fs.DirEntry, now time.Time) bool {
	info, err := d.Info()
	if err != nil {
		return false
	}
	age := now.Sub(info.ModTime())
	if pid, ok := tempOwner(d.Name()); ok {
		return (age > sweepAge || !alive(pid)) && !held(path)
	}
	switch filepath.Dir(path) {
	case s.pendingDir():
		return age > pendingAge
	case s.ShadowDir():
		if info.IsDir() && info.Mode().Perm() != 0o500 {
			_ = protect(path) // killed between its name and its protection
		}
	case s.RemoteDir(), s.ObjectsDir():
		return strings.HasPrefix(d.Name(), "new-") && age > sweepAge
	case s.postDir(), s.dir:
		return strings.HasSuffix(d.Name(), ".tmp") && age > sweepAge
	}
	return false
}

// held reports whether a process has the staging at path open. Its number says
// little across containers, its lock does.
func held(path string) bool {
	f, err := openFile(filepath.Join(path, "payload.tar"))
	if err != nil {
		return false
	}
	defer f.Close()
	return !hold(f)
}
