package setup

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/hint"
)

// wayOut is what a person does who wants the entries gone.
const wayOut = "counterstep uninstall"

// Intact reports, as nil, that the settings file that changed leaves us in
// force: entries of ours that were put into it are all there as they were
// written, and it switches no hooks off. Otherwise the error says what it
// would do. file may be "" when the agent does not name it; then every file
// that has entries of ours is looked at. What cannot be read is not intact.
func (m Machine) Intact(file string) error {
	all, err := m.Installed()
	if err != nil {
		return err
	}
	if file == "" {
		for _, in := range all {
			if err := m.intact(in.File, &in); err != nil {
				return err
			}
		}
		return nil
	}
	file = canonical(file)
	for _, in := range all {
		if in.File == file {
			return m.intact(file, &in)
		}
	}
	return m.intact(file, nil)
}

// intact looks at one file; in is nil when it has no entries of ours.
func (m Machine) intact(file string, in *Installed) error {
	t, err := look(file, "")
	if err != nil {
		return err
	}
	if in == nil && len(bytes.TrimSpace(t.data)) == 0 {
		return nil
	}
	if !t.exists {
		return hint.New(wayOut, "%q is gone, and with it the hooks of counterstep", file)
	}
	root, _, err := shape(t.data)
	if err != nil {
		return hint.New(wayOut, "%q cannot be read, so the agent may drop its hooks: %w", file, err)
	}
	if off := root.Get("disableAllHooks"); off.Kind != 0 && (off.Kind != harness.Bool || off.True()) {
		return hint.New(wayOut, "%q has disableAllHooks, which switches counterstep off", file)
	}
	for _, name := range []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SHELL_PREFIX", "HOME"} {
		if root.Get("env").Get(name).Kind != 0 {
			return hint.New(wayOut, "%q sets %s, by which hooks are skipped or replaced", file, name)
		}
	}
	if in == nil {
		return nil
	}
	e := Entries{Scope: in.Scope, Binary: in.Binary, StateHome: in.State}
	if merged, err := Merge(t.data, e); err != nil || !bytes.Equal(merged, t.data) {
		return hint.New(wayOut, "%q no longer has the hooks of counterstep as they were installed", file)
	}
	return nil
}

// Has reports whether data, a settings file, has any entry of ours.
func Has(data []byte) (bool, error) {
	stripped, err := Strip(data)
	if err != nil {
		return false, fmt.Errorf("read settings: %w", err)
	}
	return !slices.Equal(stripped, data), nil
}
