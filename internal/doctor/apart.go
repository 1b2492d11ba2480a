package doctor

import "context"

// apart looks whether 'counterstep rehearse' works here. The guard does not
// need it.
func apart(ctx context.Context, o Options) []Finding {
	if o.Apart == nil {
		return nil
	}
	if err := o.Apart(ctx); err != nil {
		return []Finding{{Level: Note, What: "'counterstep rehearse' does not work here: " + err.Error()}}
	}
	return []Finding{{Level: OK, What: "'counterstep rehearse' can run commands apart from everything else"}}
}
