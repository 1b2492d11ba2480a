package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/history"
	"github.com/counterstep/counterstep/internal/store"
)

// edits are six changes of one file, by whatever agents use.
func edits() []string {
	return []string{
		"cat > app.conf <<'EOF'\n# app\n\ntimeout=10\n\nretries=1\n\ncolor=red\nEOF",
		"sed -i.bak s/^timeout=.*/timeout=0/ app.conf && rm app.conf.bak",
		"sed -i.bak s/^retries=.*/retries=9/ app.conf && rm app.conf.bak",
		"sh ./color.sh",
		"printf '\\nworkers=4\\n' >> app.conf",
		"sed -i.bak 's/^# app/# app of the team/' app.conf && rm app.conf.bak",
	}
}

// withoutSecond is the file without the second change.
const withoutSecond = "# app of the team\n\ntimeout=10\n\nretries=9\n\ncolor=blue\n\nworkers=4\n"

// middle plays six changes of one file and takes the second one out.
func (d *stage) middle() error {
	d.say("\n── The agent changes one file six times: by a heredoc, sed, a program.")
	script := "sed s/^color=.*/color=blue/ app.conf > app.conf.new && mv app.conf.new app.conf\n"
	if err := os.WriteFile(filepath.Join(d.project, "color.sh"), []byte(script), 0o644); err != nil {
		return err
	}
	for i, command := range edits() {
		out, err := d.hook("PreToolUse", command)
		if err != nil {
			return err
		}
		if out.Code != 0 {
			return fmt.Errorf("%q was blocked: %s", command, out.Stderr)
		}
		d.say(fmt.Sprintf("  agent  %d $ %s", i+1, strings.ReplaceAll(command, "\n", "\n             ")))
		if err := d.run(command); err != nil {
			return err
		}
		if _, err := d.hook("PostToolUse", command); err != nil {
			return err
		}
	}
	before, err := d.look()
	if err != nil {
		return err
	}
	return d.takeSecond(before)
}

func (d *stage) takeSecond(before string) error {
	g := newGate(d.env)
	st, err := store.Open(g.Dir(g.Workspace(d.project)))
	if err != nil {
		return err
	}
	e := &fire.Engine{Store: st, Now: d.env.Now, NewID: d.env.newID, Git: g.Git}
	found, err := history.Book{Engine: e}.Search(d.ctx, history.Query{Added: "timeout=0"})
	if err != nil || len(found.Matches) == 0 {
		return fmt.Errorf("find the call that set the timeout: %w", err)
	}
	bad := found.Matches[0].Call
	d.say(fmt.Sprintf("  you      $ counterstep search -S timeout=0\n             %s %s", called(bad), cut(oneLine(bad.Command), 50)))
	s, err := e.Find(bad.ID)
	if err != nil {
		return err
	}
	r, err := e.Fire(d.ctx, s, fire.Options{})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(d.project, "app.conf"))
	if err != nil {
		return err
	}
	if string(text) != withoutSecond || !r.OnlyMerged() {
		return fmt.Errorf("%s without the second change is %q (%s)", gate.Short(s.ID), text, r.Status)
	}
	d.say(fmt.Sprintf("  you      $ counterstep fire %s\n             app.conf merged: timeout=10 again, the other five changes stay", strings.TrimPrefix(called(bad), "#")))
	if _, err := e.Redo(d.ctx, fire.Options{}); err != nil {
		return err
	}
	if now, err := d.look(); err != nil || now != before {
		return fmt.Errorf("after the redo the tree is %s, not %s: %w", now, before, err)
	}
	d.say("  you      $ counterstep redo\n             tree " + before + ", as before")
	return nil
}
