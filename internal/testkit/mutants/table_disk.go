package main

// durableMutants take out what makes bytes survive a power cut, and the lock.
func durableMutants() []Mutant {
	const file = "internal/durable/durable.go"
	return []Mutant{
		{
			Name: "durable-file-sync", Step: "syncing a file before it takes its name",
			File: file, Old: "if err := f.Sync(); err != nil {", New: "if err := error(nil); err != nil {",
			Pkg: "cmd/counterstep", Run: "^TestOrderOnTheDisk$",
		},
		{
			Name: "durable-dir-sync", Step: "syncing a folder after a name in it changed",
			File: "internal/durable/syncdir_unix.go", Old: "if err := d.Sync(); err != nil {", New: "if err := error(nil); err != nil {",
			Pkg: "internal/store", Run: "^TestSyncsPerPayload$",
		},
		{
			Name: "lock-not-taken", Step: "taking the lock that one process at a time has",
			File: "internal/durable/lock_unix.go", Old: "unix.LOCK_EX|unix.LOCK_NB", New: "unix.LOCK_SH|unix.LOCK_NB",
			Pkg: "internal/durable", Run: "^TestLock",
		},
	}
}

// storeMutants take out what makes a store private and a payload trustworthy.
func storeMutants() []Mutant {
	const open, seal, payload, unix = "internal/store/open.go", "internal/store/seal.go", "internal/store/payload.go", "internal/store/sys_unix.go"
	return []Mutant{
		{
			Name: "payload-sync", Step: "syncing a payload before it counts",
			File: seal, Old: "return st.f.Sync()", New: "return nil",
			Pkg: "cmd/counterstep", Run: "^TestOrderOnTheDisk$",
		},
		{
			Name: "payload-dir-sync", Step: "syncing the folder of payloads",
			File: seal, Old: "err = durable.SyncDir(st.s.ShadowDir())", New: "err = nil",
			Pkg: "internal/store", Run: "^TestSyncsPerPayload$",
		},
		{
			Name: "payload-0500", Step: "closing a finished payload's folder (0500)",
			File: seal, Old: "return os.Chmod(dir, 0o500)", New: "return nil",
			Pkg: "internal/store", Run: "^TestPermissionsWhateverTheUmask$",
		},
		{
			Name: "file-0600", Step: "keeping files of the store to us (0600)",
			File: "internal/store/staging.go", Old: "f.Chmod(0o600)", New: "f.Chmod(0o644)",
			Pkg: "internal/store", Run: "^TestPermissionsWhateverTheUmask$",
		},
		{
			Name: "dir-0700", Step: "keeping folders of the store to us (0700)",
			File: open, Old: "return os.Chmod(dir, 0o700)", New: "return os.Chmod(dir, 0o755)",
			Pkg: "internal/store", Run: "^TestPermissionsWhateverTheUmask$",
		},
		{
			Name: "foreign-owner", Step: "refusing a store that belongs to somebody else",
			File: unix, Old: "ok && int(st.Uid) != os.Geteuid()", New: "ok && int(st.Uid) < 0",
			Pkg: "internal/store", Run: "^TestForeignStores$",
		},
		{
			Name: "foreign-writer", Step: "refusing a store that others can write to",
			File: unix, Old: "info.Mode().Perm()&0o022 != 0", New: "info.Mode().Perm()&0 != 0",
			Pkg: "internal/store", Run: "^TestForeignStores$",
		},
		{
			Name: "newer-store", Step: "refusing to write into a newer store",
			File: open, Old: "if version > Version {", New: "if version > Version+1000 {",
			Pkg: "internal/store", Run: "^TestVersions$",
		},
		{
			Name: "exclusive-create", Step: "never writing a payload into a file that is there",
			File: "internal/store/staging.go", Old: "os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow", New: "os.O_RDWR|os.O_CREATE",
			Pkg: "internal/store", Run: "^TestNewFileTakesNoOther$",
		},
		{
			Name: "verify-content", Step: "comparing held bytes with their hash when a payload is verified",
			File: "internal/store/verify_tar.go", Old: "if [32]byte(sha.Sum(sum[:0])) != f.content.SHA {", New: "if [32]byte(sha.Sum(sum[:0])) == [32]byte{} {",
			Pkg: "internal/store", Run: "^TestOneDamagedPathLeavesTheOthers$",
		},
		{
			Name: "verify-shared", Step: "verifying the bytes that a path shares with another name",
			File: "internal/store/verify_tar.go", Old: " && (only == nil || only(at.Path))", New: "",
			Pkg: "internal/store", Run: "^TestHardLinksShareTheirContent$",
		},
		{
			Name: "manifest-hash", Step: "comparing a manifest with the hash in the ledger",
			File: payload, Old: "if want != ([32]byte{}) && sha256.Sum256(data) != want {", New: "if want == ([32]byte{1}) && sha256.Sum256(data) == want {",
			Pkg: "internal/store", Run: "^(TestSwappedPayloads|TestEveryFlippedByte|TestForgedPayload)$",
		},
		{
			Name: "content-hash", Step: "comparing every held byte with its hash while it is read",
			File: payload, Old: "[32]byte(c.hash.Sum(nil)) != c.want", New: "len(c.hash.Sum(nil)) == 0",
			Pkg: "internal/store", Run: "^TestEveryFlippedByte$",
		},
		{
			Name: "call-hash-in-payload", Step: "comparing call.json with the hash in the manifest",
			File: payload, Old: "if sha256.Sum256(data) != p.m.callSHA {", New: "if false {",
			Pkg: "internal/store", Run: "^TestEveryFlippedByte$",
		},
	}
}

// ledgerMutants take out what makes the ledger one chain that heals.
func ledgerMutants() []Mutant {
	const file = "ledger/append.go"
	return []Mutant{
		{
			Name: "ledger-sync", Step: "syncing the ledger before an answer relies on it",
			File: file, Old: "err = f.Sync()", New: "err = nil",
			Pkg: "ledger", Run: "^TestAppendSyncsOnceAndOnlyWhenAsked$",
		},
		{
			Name: "ledger-lock", Step: "taking the lock before appending",
			File: file, Old: "if !o.Locked {", New: "if !o.Locked && ctx == nil {",
			Pkg: "ledger", Run: "^(TestAppendWaitsForTheLockAndGivesUp|TestProcessesShareOneChain)$",
		},
		{
			Name: "ledger-link", Step: "not following a link in the place of the ledger",
			File: file, Old: "os.O_RDWR | os.O_APPEND | noFollow", New: "os.O_RDWR | os.O_APPEND",
			Pkg: "ledger", Run: "^TestALinkIsNoLedger$",
		},
		{
			Name: "torn-tail", Step: "recording where the ledger was torn before going on",
			File: file, Old: "if end.gap != nil {", New: "if end.gap != nil && size < 0 {",
			Pkg: "ledger", Run: "^(TestEveryCut|TestGarbageTails)$",
		},
		{
			Name: "torn-line", Step: "ending a torn line before the next record",
			File: file, Old: "if e.lineBreak {", New: "if e.lineBreak && w == nil {",
			Pkg: "ledger", Run: "^(TestEveryCut|TestGarbageTails)$",
		},
		{
			Name: "chain-check", Step: "checking that each record names the hash of the one before",
			File: "ledger/scan.go", Old: "follows := r.Prev == s.prev && r.Seq == s.seq+1", New: "follows := r.Seq == s.seq+1",
			Pkg: "ledger", Run: "^TestAlteredRecord$",
		},
	}
}
