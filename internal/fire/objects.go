package fire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
)

// repos are the repositories whose objects were held before the call.
func (j *job) repos() []git.Objects {
	if j.call.Bound == nil {
		return nil
	}
	return j.call.Bound.Repos
}

// objects makes sure that the repository at dir has the objects that its refs
// and its index will name. What it lacks is put back from the store that holds
// them; objects are only added. When some are nowhere, nothing is changed.
func (e *Engine) objects(ctx context.Context, j *job, dir string, ids []string) error {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	oids := make([]git.OID, len(ids))
	for i, id := range ids {
		oids[i] = git.OID(id)
	}
	l, err := git.At(classify.Push{Dir: path.Dir(dir), GitDir: dir})
	if err != nil {
		if len(ids) == 0 {
			return nil
		}
		return hint.New("git -C "+path.Dir(dir)+" status", "the repository that refs would be put back into cannot be read: %w", err)
	}
	var held *git.Objects
	for _, o := range j.repos() {
		if o.CommonDir == l.CommonDir {
			o.All = o.All || j.split
			held = &o
		}
	}
	if len(ids) == 0 && (held == nil || !held.All) {
		return nil
	}
	d, err := e.door()
	if err != nil {
		return err
	}
	if held != nil {
		if err = d.PutObjects(ctx, l, *held, e.Store.ObjectsDir(), oids); err == nil {
			return nil
		}
	}
	lacking, look := d.Lacking(ctx, l, oids)
	switch {
	case look != nil:
		return hint.New("git -C "+path.Dir(dir)+" fsck", "%s cannot be asked for objects, so it is not changed: %w", dir, look)
	case len(lacking) > 0:
		return hint.New("git -C "+path.Dir(dir)+" fsck --lost-found", "the object %s that a ref would name is gone, so %s is not changed", lacking[0], dir)
	}
	return err
}

// staged lists the objects that a held index names.
func (j *job) staged(ctx context.Context, e *Engine, index fingerprint.Entry) ([]string, error) {
	r, err := j.open(index)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := e.door()
	if err != nil {
		return nil, err
	}
	ids, err := d.IndexObjects(ctx, io.LimitReader(r, maxIndex))
	if errors.Is(err, git.ErrSplit) {
		j.split = true
		return nil, nil
	}
	if err != nil {
		return nil, hint.New("counterstep verify", "the index that is held cannot be read: %w", fmt.Errorf("%q: %w", index.Path, err))
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return names, nil
}

// maxIndex bounds what is read of an index.
const maxIndex = 256 << 20
