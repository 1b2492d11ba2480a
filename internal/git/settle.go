package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Observe reads which refs the remote of r has now, all of them. The error
// wraps ErrUnreachable.
func (d *Door) Observe(ctx context.Context, r Remote) (map[string]OID, error) {
	there, err := d.read(ctx, r.URL, r.GitDir)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", Shown(r.URL), err)
	}
	out := make(map[string]OID, len(there.list))
	for _, h := range there.list {
		out[h.Name] = h.OID
	}
	return out, nil
}

// Settle returns r with Post set to what the call left at the remote. l is the
// repository that pushed, nil when it is gone.
//
// What the remote has is put down to the call when it is the old value, what
// the push was expected to send, what its source is now, or what some ref of
// the repository has now. Anything else was put there by someone else since;
// then Post is what the call must have left, and firing finds its lease lost.
func (d *Door) Settle(ctx context.Context, r Remote, l *Layout, dir string) (Remote, error) {
	if err := r.check(); err != nil {
		return Remote{}, fmt.Errorf("settle: %w", err)
	}
	there, err := d.read(ctx, r.URL, r.GitDir)
	if err != nil {
		return Remote{}, fmt.Errorf("settle %s: %w", Shown(r.URL), err)
	}
	s := settler{door: d}
	if l != nil {
		if s.local, err = d.refs(ctx, *l); err == nil {
			s.known = map[OID]bool{}
			for _, h := range s.local.List {
				s.known[h.OID] = true
			}
			if v, remove, err := d.view(*l, s.local); err == nil {
				s.view = v
				defer remove()
			}
		}
	}
	out := r
	out.Refs = slices.Clone(r.Refs)
	for i, u := range out.Refs {
		out.Refs[i].Post = s.post(ctx, u, there.find(u.Name))
	}
	if r.Open {
		out.Refs = append(out.Refs, s.appeared(out.Refs, there.list)...)
	}
	if l != nil {
		d.keepPost(ctx, out, *l, dir)
	}
	return out, nil
}

type settler struct {
	door  *Door
	local refSet
	known map[OID]bool // what refs of the repository lead to
	view  view
}

// post decides what the call left at u, given what is there now.
func (s *settler) post(ctx context.Context, u Ref, now OID) OID {
	if now == u.Old || now == u.New {
		return now
	}
	if u.Src == "" {
		return u.New
	}
	after := Unknown
	if found, n := lookup(u.Src, s.local.List); n == 1 {
		after = found.OID
	} else if s.view.door != nil {
		after = s.view.resolve(ctx, u.Src)
	}
	switch {
	case now == after, now.Is() && s.known[now]:
		return now
	case u.New.Known():
		return u.New
	case after.Known():
		return after
	}
	return now
}

// appeared lists the branches that the remote did not have when the call was
// planned and the repository has just so.
func (s *settler) appeared(have []Ref, there []ref) []Ref {
	names := map[string]bool{}
	for _, u := range have {
		names[u.Name] = true
	}
	var out []Ref
	for _, t := range there {
		if !names[t.Name] && strings.HasPrefix(t.Name, "refs/heads/") && s.known[t.OID] {
			out = append(out, Ref{Name: t.Name, Src: t.Name, Old: Absent, New: Unknown, Post: t.OID})
		}
	}
	return out
}

// keepPost takes what the call left into the private store as well, so that it
// can be said later what firing takes away. What is not at hand is left out.
func (d *Door) keepPost(ctx context.Context, r Remote, l Layout, dir string) {
	store, err := openStore(dir, r)
	if err != nil {
		return
	}
	unlock, err := lockStore(ctx, store)
	if err != nil {
		return
	}
	defer unlock()
	if borrow(ctx, store, l.Objects()) != nil {
		return
	}
	for _, u := range r.Refs {
		if tip := []ref{{Name: u.Name, OID: u.Post}}; u.Post.Is() && d.complete(ctx, store, tip) == nil {
			_ = seal(store, tip)
		}
	}
}
