package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/clone"
	"github.com/counterstep/counterstep/internal/durable"
)

// disks looks at the file systems of the store and of the workspace: what they
// can do, and whether something else changes them behind our back.
func disks(ctx context.Context, o Options) []Finding {
	var all []Finding
	if _, err := os.Stat(o.StoreDir); err == nil {
		all = append(all, place("the store", o.StoreDir)...)
		all = append(all, tried(ctx, "the store's file system", filepath.Join(o.StoreDir, "cache"), true)...)
	}
	all = append(all, place("the workspace", o.Root)...)
	if !sameDevice(o.StoreDir, o.Root) {
		all = append(all, tried(ctx, "the workspace's file system", o.Root, false)...)
	}
	return all
}

// place judges a directory by where it is.
func place(what, dir string) []Finding {
	dir = real(dir)
	var all []Finding
	kind := kindOf(dir)
	switch {
	case kind.remote:
		all = append(all, Finding{Level: Warn, What: fmt.Sprintf("%s is on %s: locks and renames there depend on a server or another program", what, kind.name), Fix: elsewhere(what)})
	case kind.volatile && what == "the store":
		all = append(all, Finding{Level: Warn, What: fmt.Sprintf("%s is on %s, which is empty after a restart", what, kind.name), Fix: elsewhere(what)})
	}
	if by := syncedBy(dir); by != "" {
		all = append(all, Finding{Level: Warn, What: fmt.Sprintf("%s is in a folder that %s keeps in step with other machines: it may change or replace files at any time", what, by), Fix: elsewhere(what)})
	}
	return all
}

func elsewhere(what string) string {
	if what == "the store" {
		return "export XDG_STATE_HOME=DIR-ON-A-LOCAL-DISK && counterstep init"
	}
	return "move the project to a local folder, then: counterstep init"
}

// syncedBy names the service in whose folder path seems to lie, by its usual
// name.
func syncedBy(path string) string {
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		switch {
		case name == "Dropbox" || strings.HasPrefix(name, "Dropbox ("):
			return "Dropbox"
		case name == "OneDrive" || strings.HasPrefix(name, "OneDrive -") || strings.HasPrefix(name, "OneDrive-"):
			return "OneDrive"
		case name == "Google Drive" || name == "GoogleDrive" || name == "My Drive" || strings.HasPrefix(name, "GoogleDrive-"):
			return "Google Drive"
		case name == "iCloud Drive" || name == "iCloudDrive" || name == "Mobile Documents" || strings.HasPrefix(name, "com~apple~CloudDocs"):
			return "iCloud"
		}
	}
	return ""
}

// ability is one thing that a file system may or may not do.
type ability struct {
	name    string
	try     func(ctx context.Context, dir string) error
	without string // what it means when it cannot
	level   Level
	store   bool // of interest for the store only
}

// errUnknown says that an ability cannot be tried on this system.
var errUnknown = errors.New("not known here")

func abilities() []ability {
	return []ability{
		{"reflink", tryClone, "big files are copied, not shared", Note, false},
		{"exchange of names", tryExchange, "for a moment a file that is put back has no name", Note, false},
		{"extended attributes", tryXattr, "extended attributes are not kept there", Note, false},
		{"locks", tryLock, "two calls at once could break the ledger's chain", Fail, true},
	}
}

// tried makes a directory in dir, tries every ability in it, and removes it.
// The time of dir stays as it was.
func tried(ctx context.Context, what, dir string, store bool) []Finding {
	before, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	tmp, err := os.MkdirTemp(dir, ".counterstep-doctor-")
	if err != nil {
		return []Finding{{Level: Note, What: fmt.Sprintf("%s cannot be tried: %v", what, err)}}
	}
	var all []Finding
	var can []string
	for _, a := range abilities() {
		if a.store && !store {
			continue
		}
		switch err := a.try(ctx, tmp); {
		case errors.Is(err, errUnknown):
		case err == nil:
			can = append(can, a.name)
		default:
			f := Finding{Level: a.level, What: fmt.Sprintf("%s has no %s: %s", what, a.name, a.without)}
			if a.level == Fail {
				f.Fix = elsewhere("the store")
			}
			all = append(all, f)
		}
	}
	if err := errors.Join(os.RemoveAll(tmp), os.Chtimes(dir, time.Time{}, before.ModTime())); err != nil {
		all = append(all, Finding{Level: Warn, What: err.Error(), Fix: "rm -r " + quote(tmp)})
	}
	if len(can) > 0 {
		all = append([]Finding{{Level: OK, What: what + " has " + strings.Join(can, ", ")}}, all...)
	}
	return all
}

func tryClone(_ context.Context, dir string) error {
	src, err := os.Create(filepath.Join(dir, "clone-a"))
	if err != nil {
		return err
	}
	defer src.Close()
	if _, err := src.Write(bytes.Repeat([]byte("counterstep\n"), 16<<10)); err != nil {
		return err
	}
	dst, err := os.Create(filepath.Join(dir, "clone-b"))
	if err != nil {
		return err
	}
	defer dst.Close()
	return clone.Try(dst, src)
}

// tryLock takes a lock twice; the second time must not succeed.
func tryLock(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "lock")
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	unlock, err := durable.Lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	cancel()
	if again, err := durable.Lock(ctx, path); err == nil {
		again()
		return errors.New("a lock that is held was given again")
	}
	return nil
}
