package gate

import (
	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/workspace"
)

// memo is the disk at one moment: while one call is classified, every path is
// looked at once.
type memo struct {
	workspace.Disk
	seen map[string]look
}

type look struct {
	info classify.Info
	err  error
}

func newMemo() memo { return memo{seen: map[string]look{}} }

// Lstat looks at a path, the first time.
func (m memo) Lstat(path string) (classify.Info, error) {
	if l, ok := m.seen[path]; ok {
		return l.info, l.err
	}
	info, err := m.Disk.Lstat(path)
	m.seen[path] = look{info, err}
	return info, err
}
