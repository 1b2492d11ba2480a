package main

// workspaceMutants take out what keeps looking at and changing the tree safe.
func workspaceMutants() []Mutant {
	const dir, read, swap = "internal/workspace/dir_linux.go", "internal/workspace/read.go", "internal/workspace/swap.go"
	return []Mutant{
		{
			Name: "follow-links", Step: "not following links on the way to a path",
			File: dir, Old: "how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_NO_SYMLINKS}", New: "how := unix.OpenHow{Flags: uint64(flags)}",
			Pkg: "internal/workspace", Run: "^TestCaptureDoesNotFollowParents$",
		},
		{
			Name: "follow-links-step-by-step", Step: "O_NOFOLLOW in the walk of systems without openat2",
			File: dir, Old: "dirFlags = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC", New: "dirFlags = unix.O_DIRECTORY | unix.O_CLOEXEC",
			Pkg: "internal/workspace", Run: "^TestCaptureDoesNotFollowParents$",
		},
		{
			Name: "restat", Step: "looking at a file again after it was read",
			File: read, Old: "return before.unchanged(after), nil", New: "return before.typ == after.typ, nil",
			Pkg: "internal/workspace", Run: "^(TestCaptureOfAChangingFile|TestCaptureNeverTears)$",
		},
		{
			Name: "unreadable-skipped", Step: "refusing a scope with an unreadable file instead of passing over it",
			File: read, Old: "\t\treturn false, &UnreadableError{Path: f.Path, Err: err}\n\t}\n\th := &held{file: file}", New: "\t\tf.gone()\n\t\treturn true, nil\n\t}\n\th := &held{file: file}",
			Pkg: "internal/workspace", Run: "^TestCaptureUnreadable",
		},
		{
			Name: "mount-crossed", Step: "refusing a mount inside a scope",
			File: dir, Old: "how.Resolve |= unix.RESOLVE_NO_XDEV", New: "how.Resolve |= 0",
			Pkg: "internal/workspace", Run: "^TestCaptureMounts$",
		},
		{
			Name: "look-at-what-came-out", Step: "looking at what came out of an exchange before it is thrown away",
			File: swap, Old: "\t_, ok, reason := expects(&a.own, d, out, now)\n\tif !ok {\n\t\treturn reason\n\t}\n\tvar err error", New: "\tvar err error",
			Pkg: "internal/workspace", Run: "^TestRacingWriter$",
		},
		{
			Name: "open-writer", Step: "leaving a file alone that somebody has open for writing",
			File: "internal/workspace/observe.go", Old: "if !quiet {", New: "if !quiet && name == \"\" {",
			Pkg: "internal/workspace", Run: "^TestAnOpenWriterIsLeftAlone$",
		},
		{
			Name: "rename-replaces", Step: "never renaming onto something that has appeared",
			File: "internal/workspace/change_linux.go", Old: "renameat2(d.fd, from, to.fd, name, unix.RENAME_NOREPLACE)", New: "renameat2(d.fd, from, to.fd, name, 0)",
			Pkg: "internal/workspace", Run: "^TestRename",
		},
		{
			Name: "in-place-drift", Step: "comparing a shared inode before writing into it",
			File: "internal/workspace/inplace.go", Old: "case !begun && !matches(&c.Now, &got):", New: "case !begun && name == \"\":",
			Pkg: "internal/workspace", Run: "^TestInPlace",
		},
		{
			Name: "apply-sync", Step: "syncing what was built before it is swapped in",
			File: "internal/workspace/finish.go", Old: "if err := d.syncFS(); err != nil {", New: "if err := error(nil); err != nil {",
			Pkg: "cmd/counterstep", Run: "^TestOrderOnTheDisk$",
		},
	}
}

// proofMutants take out what an armed undo is proved by, and what decides on
// each path.
func proofMutants() []Mutant {
	const resolve = "inverse/resolve.go"
	return []Mutant{
		{
			Name: "rehearse-compare", Step: "comparing the rehearsed state with the armed fingerprint",
			File: "rehearse/rehearse.go", Old: "if fingerprint.Sum(got) != fingerprint.Sum(s.Pre) {", New: "if len(got) < 0 {",
			Pkg: "rehearse", Run: "^TestAnUndoThatFallsShortIsNoticed$",
		},
		{
			Name: "rehearse-skipped", Step: "rehearsing at all",
			File: "internal/gate/arm.go", Old: "if a.Sealed.Bytes > maxShadow {", New: "if a.Sealed.Bytes > maxShadow || true {",
			Pkg: "cmd/counterstep", Run: "^TestOrderOnTheDisk$",
		},
		{
			Name: "drift-replaced", Step: "leaving a path that was changed after the call",
			File: resolve, Old: "case !known || !Same(post, now):\n\t\treturn drift", New: "case !known || !Same(post, now):\n\t\treturn restore",
			Pkg: "inverse", Run: "^TestResolve",
		},
		{
			Name: "bystander-removed", Step: "leaving what appeared after the call",
			File: resolve, Old: "known && post.Type == fingerprint.Absent:\n\t\treturn bystander", New: "known && post.Type == fingerprint.Absent:\n\t\treturn remove",
			Pkg: "inverse", Run: "^TestResolve",
		},
		{
			Name: "unsettled-guessed", Step: "taking nothing for the call's doing that was not recorded",
			File: resolve, Old: "\treturn fingerprint.Entry{}, false\n}", New: "\treturn now, true\n}",
			Pkg: "inverse", Run: "^TestResolveUnsettled$",
		},
	}
}

// fireMutants take out what firing checks before it changes anything.
func fireMutants() []Mutant {
	const job, fire, local = "internal/fire/job.go", "internal/fire/fire.go", "internal/fire/local.go"
	return []Mutant{
		{
			Name: "ledger-damage-ignored", Step: "not firing what damage of the ledger may affect",
			File: job, Old: "if d.Affects(s) {", New: "if d.Affects(s) && e == nil {",
			Pkg: "internal/fire", Run: "^TestADamagedLedgerIsNotFired$",
		},
		{
			Name: "call-hash", Step: "comparing call.json with the hash in the ledger",
			File: job, Old: "hex.EncodeToString(sum[:]) != j.saga.Armed.CallSHA {", New: "len(hex.EncodeToString(sum[:])) == 0 {",
			Pkg: "internal/fire", Run: "^TestForgedSagas$",
		},
		{
			Name: "scope-check", Step: "refusing a manifest with paths outside the scope",
			File: job, Old: "if !slices.ContainsFunc(j.step().Roots, func", New: "if j.saga.ID == \"\" && !slices.ContainsFunc(j.step().Roots, func",
			Pkg: "internal/fire", Run: "^TestForgedSagas$",
		},
		{
			Name: "payload-not-verified", Step: "verifying the payload before anything is changed",
			File: job, Old: "return j.payload.Verify(ctx, func(p string) bool { return needed[p] || len(besides) > 0 })", New: "return nil",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_damaged$",
		},
		{
			Name: "checkpoint-not-verified", Step: "verifying contents from a checkpoint before anything is changed",
			File: "internal/fire/bound.go", Old: "_, err = io.Copy(io.Discard, r)", New: "_, err = io.Copy(io.Discard, io.LimitReader(r, 0))",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_damaged$",
		},
		{
			Name: "no-redo", Step: "arming the way back of a firing before it",
			File: fire, Old: "redo, err := e.armRedo(ctx, j)\n\tif err != nil {", New: "redo, err := e.NewID(), error(nil)\n\tif err != nil {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_bounded$",
		},
		{
			Name: "fire-lock", Step: "letting one fire at a time work on a store",
			File: fire, Old: "unlock, err := durable.Lock(ctx, e.Store.Dir()+\"/fire.lock\")", New: "unlock, err := durable.Lock(ctx, e.Store.Dir()+\"/fire.lock-\"+e.NewID())",
			Pkg: "internal/fire", Run: "^TestFiresWaitForEachOther$",
		},
		{
			Name: "remote-without-yes", Step: "asking before a remote is changed",
			File: fire, Old: "if err := o.Confirm(j.warnings); err != nil {", New: "if err := o.Confirm(j.warnings); err != nil && e == nil {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_push$",
		},
		{
			Name: "shared-fired", Step: "not firing what other calls may have changed",
			File: "internal/fire/bound.go", Old: "if alone || o.Shared || o.DryRun {", New: "if true || alone {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_shared$",
		},
		{
			Name: "index-lock", Step: "leaving a repository alone in which somebody works",
			File: local, Old: "err == nil && info.Type != '-' {", New: "err == nil && info.Type == 0 {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_git$",
		},
		{
			Name: "objects-gone", Step: "checking that the objects exist which refs will name",
			File: local, Old: "if err := e.objects(ctx, j, dir, back.missing(dir, ids[dir])); err != nil {", New: "if err := e.objects(ctx, j, dir, nil); err != nil {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_git_gone$",
		},
		{
			Name: "repository-moved", Step: "leaving refs and index of a repository that was used since",
			File: "internal/fire/units.go", Old: "if len(moved) == 0 {", New: "if len(moved) >= 0 {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_git$",
		},
	}
}

// checkpointMutants take out what makes a checkpoint hold what it says.
func checkpointMutants() []Mutant {
	const pkg = "internal/checkpoint"
	return []Mutant{
		{
			Name: "racy-trusted", Step: "not trusting files that are as young as the cache",
			File: pkg + "/cache.go", Old: "return settled(it.ctime, c.stamp) && settled(it.MTime, c.stamp)", New: "return true",
			Pkg: pkg, Run: "^TestRacyEntriesAreNotTrusted$",
		},
		{
			Name: "times-believed", Step: "comparing the change time, which programs cannot set",
			File: pkg + "/compare.go", Old: "return it.ctime == s.CTime && ", New: "return ",
			Pkg: pkg, Run: "^TestTimesAreNotBelieved$",
		},
		{
			Name: "hit-not-read", Step: "reading a held content before a file relies on it",
			File: pkg + "/sink.go", Old: "if k.set.proven(&k.idx.packs, sha, at) {", New: "if k.set != nil {",
			Pkg: pkg, Run: "^(TestAHitIsCheckedByReadingIt|TestTakeHealsDamage)$",
		},
		{
			Name: "checkpoint-content-hash", Step: "comparing a content of a checkpoint with its hash",
			File: pkg + "/load.go", Old: "err == io.EOF && [32]byte(r.hash.Sum(nil)) != r.want", New: "err == io.EOF && len(r.want) == 0",
			Pkg: pkg, Run: "^TestDamageIsNeverHandedOut$",
		},
		{
			Name: "too-large-unnamed", Step: "naming what the size cap leaves out",
			File: pkg + "/compare.go", Old: "it.why = TooLarge", New: "it.why = Held",
			Pkg: pkg, Run: "^TestTheSizeCapNamesWhatItLeavesOut$",
		},
		{
			Name: "collect-needed", Step: "keeping checkpoints that a record needs",
			File: pkg + "/collect.go", Old: "if stay[r.ID] || i >= len(c.idx.recs)-keepRecent || r.Time.After(c.o.Now.Add(-c.o.Young)) {", New: "if i >= len(c.idx.recs)-keepRecent {",
			Pkg: pkg, Run: "^TestCollect",
		},
		{
			Name: "pack-sync", Step: "syncing a pack before a checkpoint counts",
			File: pkg + "/append.go", Old: "if err := a.f.Sync(); err != nil {", New: "if err := error(nil); err != nil {",
			Pkg: "cmd/counterstep", Run: "^TestOrderOnTheDisk$",
		},
		{
			Name: "partial-unsaid", Step: "saying what a partial checkpoint does not hold",
			File: "internal/gate/bound.go", Old: "if a.Bound.Partial {", New: "if a.Bound == nil {",
			Pkg: "internal/gate", Run: "^TestAPartialCheckpointIsNamed$",
		},
	}
}
