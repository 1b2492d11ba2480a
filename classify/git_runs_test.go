package classify_test

import (
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/testkit/shelloracle"
)

// TestGitRunsOthers names what makes git run something besides itself, and what
// looks like it and does not.
func TestGitRunsOthers(t *testing.T) {
	plain := lived()
	plain.Entries[app+"/.git/HEAD"] = file("ref: refs/heads/main\n")
	plain.Entries[app+"/.git/config"] = file("[core]\n\tbare = false\n")
	plain.Entries[app+"/.git/hooks/pre-commit.sample"] = shelloracle.Entry{Type: 'f', Mode: 0o755, Data: "#!/bin/sh\n"}
	hooked := lived()
	for p, e := range plain.Entries {
		hooked.Entries[p] = e
	}
	hooked.Entries[app+"/.git/hooks/pre-commit"] = shelloracle.Entry{Type: 'f', Mode: 0o755, Data: "#!/bin/sh\nprettier --write .\n"}
	husky := lived()
	for p, e := range plain.Entries {
		husky.Entries[p] = e
	}
	husky.Entries[app+"/.git/config"] = file("[core]\n\thooksPath = .husky/_\n")
	for _, c := range []struct {
		tree    shelloracle.Fixture
		command string
		want    classify.Class
	}{
		{plain, "git commit -qm x", classify.Inert},
		{plain, "git config user.name x && git commit -qm x", classify.Invertible},
		{plain, "git log -S std::move", classify.Inert},
		{plain, "git clone https://example.com/a::b", classify.Inert},
		{plain, "GIT_CONFIG_GLOBAL=/dev/null git status", classify.Inert},
		{hooked, "git commit -qm x", classify.Bounded},
		{hooked, "cd src && git commit -qm x", classify.Bounded},
		{hooked, "git status", classify.Inert},
		{husky, "git push origin main", classify.Bounded},
		{plain, "git config core.hooksPath d && git commit -qm x", classify.Bounded},
		{plain, "echo 'make x' > .git/hooks/post-commit; git commit -qm x", classify.Bounded},
		{plain, "cp clean.sh .git/hooks/pre-commit && git commit -qm x", classify.Bounded},
		{plain, "printf '[core]\\nfsmonitor=./x\\n' >> .git/config; git status", classify.Bounded},
		{plain, "git fetch tool::address", classify.Bounded},
		{plain, "git fetch --upload-pack=x ext::make", classify.Bounded},
		{plain, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='rm a.txt' git status", classify.Invertible},
		{plain, "GIT_CONFIG_GLOBAL=x git status", classify.Bounded},
	} {
		if v := classify.Command(context(disk(c.tree), "bash"), c.command); v.Class != c.want {
			t.Errorf("%q: %s, want %s", c.command, v.Class, c.want)
		}
	}
}
