package inverse

import (
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/git"
)

// Fingerprint is the value of a scope of files and refs of remotes, the refs
// as they are Old.
func Fingerprint(entries []fingerprint.Entry, remotes []git.Remote) uint64 {
	sum := fingerprint.Sum(entries)
	if len(remotes) == 0 {
		return sum
	}
	text := fmt.Appendf(nil, "%016x\n", sum)
	for _, r := range remotes {
		for _, ref := range r.Refs {
			text = fmt.Appendf(text, "%q %q %q\n", r.URL, ref.Name, ref.Old)
		}
	}
	return fingerprint.ContentOf(text)
}

// AfterCall is remotes with the refs that the call left in place of the old
// ones.
func AfterCall(remotes []git.Remote) []git.Remote {
	out := make([]git.Remote, len(remotes))
	for i, r := range remotes {
		out[i] = r
		out[i].Refs = make([]git.Ref, len(r.Refs))
		for j, ref := range r.Refs {
			out[i].Refs[j] = git.Ref{Name: ref.Name, Old: ref.Post}
		}
	}
	return out
}

// WordsRemote says what firing does to remotes: "put back origin main to
// 1a2b3c4d".
func WordsRemote(remotes []git.Remote) string {
	var parts []string
	refs := 0
	for _, r := range remotes {
		for _, ref := range r.Refs {
			if refs++; refs > 2 {
				continue
			}
			name := strings.TrimPrefix(ref.Name, "refs/heads/")
			if ref.Old.Is() {
				parts = append(parts, fmt.Sprintf("put back %s %s to %.8s", git.Shown(r.Name), name, ref.Old))
			} else {
				parts = append(parts, fmt.Sprintf("delete %s %s", git.Shown(r.Name), name))
			}
		}
	}
	if refs > 2 {
		parts = append(parts, fmt.Sprintf("and %d more refs", refs-2))
	}
	return strings.Join(parts, ", ")
}
