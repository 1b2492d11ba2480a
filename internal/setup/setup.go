// Package setup puts counterstep into a coding agent's settings, takes it out
// again, and tells whether it is still there.
//
// It changes nothing else in a settings file: every other key keeps its place
// and spelling. A file that it cannot read as JSON is never written.
package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/hint"
)

// Options say whose settings are meant.
type Options struct {
	Scope   Scope
	Project string // absolute path of the project; not needed for User
	Binary  string // absolute path of the binary; not needed to uninstall
	Machine Machine
}

// Plan is a change of one settings file, not yet made.
type Plan struct {
	File    string // what is changed; for a link, what it points to
	Before  []byte // nil when there is no file
	After   []byte // nil when the file is to be removed
	Changed bool   // the file changes; the record may change even when not

	t       target
	options Options
	remove  bool // our entries go
	created bool // the file is ours from the start
}

// Init plans to put our entries into the settings file of a scope. It reads
// and writes nothing but that file's content.
func Init(o Options) (Plan, error) {
	if err := checkBinary(o.Binary); err != nil {
		return Plan{}, err
	}
	p, err := start(o)
	if err != nil {
		return p, err
	}
	if p.After, err = Merge(p.Before, o.entries()); err != nil {
		return p, p.unreadable(err)
	}
	p.created = p.created || !p.t.exists
	p.Changed = !p.t.exists || !bytes.Equal(p.Before, p.After)
	return p, nil
}

// Uninstall plans to take our entries out of the settings file of a scope. A
// file that Init made and that holds nothing else is removed.
func Uninstall(o Options) (Plan, error) {
	p, err := start(o)
	if err != nil {
		return p, err
	}
	p.remove = true
	if !p.t.exists {
		return p, nil
	}
	if p.After, err = Strip(p.Before); err != nil {
		return p, p.unreadable(err)
	}
	p.Changed = !bytes.Equal(p.Before, p.After)
	if root, err := harness.Parse(p.After); p.created && p.Changed && err == nil && len(root.Members) == 0 {
		p.After = nil
	}
	return p, nil
}

func (o Options) entries() Entries {
	return Entries{Scope: o.Scope, Binary: o.Binary, StateHome: o.Machine.StateHome}
}

// start looks at the settings file.
func start(o Options) (Plan, error) {
	p := Plan{options: o}
	name, err := SettingsFile(o.Scope, o.Project, o.Machine.Home)
	if err != nil {
		return p, err
	}
	if !filepath.IsAbs(name) || strings.ContainsAny(name, "\t\r\n") {
		return p, fmt.Errorf("the path %q of the settings file cannot be recorded", name)
	}
	root := o.Project
	if o.Scope == User {
		root = ""
	}
	if p.t, err = look(name, root); err != nil {
		return p, err
	}
	p.File = p.t.real
	if p.t.exists {
		p.Before = p.t.data
	}
	all, err := o.Machine.Installed()
	if err != nil {
		return p, err
	}
	if i := slices.IndexFunc(all, func(in Installed) bool { return in.File == p.t.file }); i >= 0 {
		p.created = all[i].Created
	}
	return p, nil
}

func (p Plan) unreadable(err error) error {
	return hint.New("correct it by hand, then run this command again", "the settings file %q is not changed, since it cannot be read: %w", p.File, err)
}

// Apply makes the change. The record on the machine is written before entries
// appear in the file and before they go, so that a crash in between leaves
// either no change or one that running the command again completes; a hook
// that is in the file always counts as installed.
func (p Plan) Apply(ctx context.Context) error {
	if err := p.record(ctx); err != nil {
		return err
	}
	if err := fail.Point("setup.recorded"); err != nil {
		return err
	}
	switch {
	case !p.Changed:
		return nil
	case p.After == nil:
		if err := os.Remove(p.File); err != nil {
			return fmt.Errorf("remove settings: %w", err)
		}
		os.Remove(filepath.Dir(p.File)) // only when nothing else is in it
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(p.File), 0o755); err != nil {
		return fmt.Errorf("make the settings' directory: %w", err)
	}
	if err := durable.WriteFile(p.File, p.After, p.t.perm); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// record brings the machine's record up to date.
func (p Plan) record(ctx context.Context) (err error) {
	m := p.options.Machine
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	all, err := m.Installed()
	if err != nil {
		return err
	}
	n := len(all)
	all = slices.DeleteFunc(all, func(in Installed) bool { return in.File == p.t.file })
	binary := p.options.Binary
	if p.remove {
		if len(all) == n {
			return nil
		}
		binary = m.binary()
	} else {
		all = append(all, Installed{Scope: p.options.Scope, Created: p.created, Binary: binary, State: m.StateHome, File: p.t.file})
	}
	return m.save(binary, all)
}
