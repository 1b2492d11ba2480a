package classify

import "strings"

// copyFarModels copy between machines.
func copyFarModels() []*Model {
	return []*Model{
		{
			Names: []string{"rsync"}, Family: "transfer", Title: "Makes a destination like a source; --delete removes what the source lacks",
			Undo: "puts the destination back; a destination on another machine cannot be captured", Class: Invertible,
			Examples: []string{"rsync -a --delete D/ E/", "rsync -an D/ E/", "rsync -a --remove-source-files D/ E/"},
			Options:  rsyncGrammar(), Apply: applyRsync,
		},
		{
			Names: []string{"scp"}, Family: "transfer", Title: "Copies files over ssh",
			Undo: "puts the local file back; a file on another machine cannot be captured", Class: Irreversible,
			Examples: []string{"scp host:F EXISTING", "scp F host:/etc/passwd"},
			Options:  &Grammar{Short: "346ABCOpqRrsTvc:D:F:i:J:l:o:P:S:X:"},
			Apply: func(inv *Invocation) {
				sshOptions(inv)
				copyFar(inv, inv.Has("r"))
			},
		},
		{
			Names: []string{"sftp", "ftp", "lftp", "ncftp"}, Family: "transfer", Title: "Talks to a file server",
			Undo: "none for the server", Class: Irreversible, Examples: []string{"sftp -b F host"},
			Apply: func(inv *Invocation) {
				ws := plainArgs(inv)
				if len(ws) == 1 && isRemote(ws[0]) && len(inv.Args()) == 1 {
					if s, _ := ws[0].One(); !strings.HasSuffix(s, ":") && strings.Contains(s, ":") {
						inv.Write(inv.Lit(s[strings.LastIndexAny(s, "/:")+1:]))
						return
					}
				}
				inv.Refuse("commands to a file server cannot be taken back", "fetch with scp host:FILE DIR")
			},
		},
		{
			Names: []string{"rclone"}, Family: "transfer", Title: "Copies to and from cloud storage", Undo: "none for the storage",
			Class: Irreversible, Examples: []string{"rclone ls r:", "rclone sync D r:"}, Apply: applyRclone,
		},
	}
}

func rsyncGrammar() *Grammar {
	return &Grammar{
		Short: "vqcarRubdLkKHlpEAXogtDSnWxyhziPFe:B:f:f@:T:M:sCIUNJO06460m4",
		Long: []string{
			"verbose", "info=", "debug=", "quiet", "no-motd", "checksum", "archive", "no-OPTION", "recursive", "relative", "no-implied-dirs",
			"backup", "backup-dir=", "suffix=", "update", "inplace", "append", "append-verify", "dirs", "old-dirs", "mkpath", "links", "copy-links",
			"copy-unsafe-links", "safe-links", "munge-links", "copy-dirlinks", "keep-dirlinks", "hard-links", "perms",
			"executability", "chmod=", "acls", "xattrs", "owner", "group", "devices", "specials", "times", "atimes", "open-noatime",
			"crtimes", "omit-dir-times", "omit-link-times", "super", "fake-super", "sparse", "preallocate", "write-devices",
			"copy-devices", "dry-run", "whole-file", "checksum-choice=", "one-file-system", "block-size=", "rsh=", "rsync-path=",
			"existing", "ignore-non-existing", "ignore-existing", "remove-source-files", "del", "delete", "delete-before",
			"delete-during", "delete-delay", "delete-after", "delete-excluded", "ignore-missing-args", "delete-missing-args",
			"ignore-errors", "force", "max-delete=", "max-size=", "min-size=", "max-alloc=", "partial", "partial-dir=",
			"delay-updates", "prune-empty-dirs", "numeric-ids", "usermap=", "groupmap=", "chown=", "timeout=", "contimeout=",
			"ignore-times", "size-only", "modify-window=", "temp-dir=", "fuzzy", "compare-dest=", "copy-dest=", "link-dest=",
			"compress", "compress-choice=", "compress-level=", "skip-compress=", "cvs-exclude", "filter=", "exclude=",
			"exclude-from=", "include=", "include-from=", "files-from=", "from0", "old-args", "secluded-args", "protect-args",
			"trust-sender", "copy-as=", "address=", "port=", "sockopts=", "blocking-io", "outbuf=", "stats", "8-bit-output",
			"human-readable", "progress", "itemize-changes", "remote-option=", "out-format=", "log-file=", "log-file-format=",
			"password-file=", "early-input=", "list-only", "bwlimit=", "stop-after=", "stop-at=", "fsync", "write-batch=",
			"only-write-batch=", "read-batch=", "protocol=", "iconv=", "checksum-seed=", "ipv4", "ipv6", "version", "help",
			"no-perms", "no-owner", "no-group", "no-times", "no-links", "no-recursive", "no-relative", "no-compress",
			"no-p", "no-o", "no-g", "no-t", "no-l", "no-r", "no-D", "no-inc-recursive", "inc-recursive", "no-whole-file", "daemon", "server",
		},
	}
}

func applyRsync(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	ws := inv.Operands()
	if inv.Has("n", "dry-run", "list-only") || len(ws) < 2 {
		inv.Inert("only lists")
		return
	}
	for _, w := range inv.Values("log-file", "write-batch", "only-write-batch") {
		inv.Write(w)
	}
	if w, ok := inv.Value("e", "rsh"); ok && !beginsWith(w, "ssh") {
		inv.RunScript(w)
	}
	src, dst := ws[:len(ws)-1], ws[len(ws)-1]
	if inv.Has("daemon", "server", "read-batch") {
		inv.Opaque("what is written is not in the command")
	}
	if inv.Has("remove-source-files") {
		for _, w := range src {
			if !isRemote(w) {
				inv.Overwrite(w, true)
			}
		}
	}
	deletes := inv.Has("del", "delete", "delete-before", "delete-during", "delete-delay", "delete-after", "delete-excluded", "delete-missing-args")
	switch {
	case isRemote(dst):
		inv.Refuse("what rsync replaces on another machine cannot be captured", "rsync -n … shows what it would do")
	case !deletes && inv.Has("ignore-existing"):
		inv.Inert("replaces nothing")
	default:
		if w, ok := inv.Value("backup-dir"); ok {
			inv.Overwrite(under(dst, w), true)
		}
		inv.Inert("copies into a new place")
		inv.Overwrite(dst, true)
	}
}

// isRemote reports whether w may be a place on another machine: a colon stands
// in front of the first slash.
func isRemote(w Word) bool {
	values, known := w.Known()
	if !known {
		values = []string{w.Prefix()}
	}
	for _, v := range values {
		colon, slash := strings.IndexByte(v, ':'), strings.IndexByte(v, '/')
		if colon > 0 && (slash < 0 || colon < slash) || strings.HasPrefix(v, "rsync://") || strings.HasPrefix(v, "scp://") {
			return true
		}
	}
	return false
}

// copyFar copies operands of scp: to another machine, or from one.
func copyFar(inv *Invocation, tree bool) {
	ws := inv.Operands()
	if len(ws) < 2 {
		inv.Inert("names no destination")
		return
	}
	src, dst := ws[:len(ws)-1], ws[len(ws)-1]
	if isRemote(dst) {
		inv.Refuse("what scp replaces on another machine cannot be captured", "copy under a name that is not there yet, by hand")
		return
	}
	inv.Inert("copies into a new place")
	for _, w := range src {
		switch {
		case !isRemote(w):
			inv.CopyInto([]Word{w}, dst, CopyOpts{Recursive: tree, Deref: true})
		case tree:
			inv.Overwrite(dst, true)
		case onlyDirs(inv, dst):
			s, ok := w.One()
			if !ok || strings.ContainsAny(s, "*?[{") {
				inv.Overwrite(dst, true)
				continue
			}
			inv.Write(inv.Join(dst, s[strings.LastIndexAny(s, "/:")+1:]))
		default:
			inv.Write(dst)
		}
	}
}

func applyRclone(inv *Invocation) {
	ws := plainArgs(inv)
	if len(ws) == 0 {
		inv.Inert("prints help")
		return
	}
	switch {
	case ws[0].Is("ls", "lsd", "lsl", "lsf", "lsjson", "tree", "size", "cat", "check", "about", "version", "listremotes", "md5sum", "sha1sum", "help", "ncdu"):
		inv.Inert("only reads")
	case ws[0].Is("copy", "sync", "copyto", "bisync", "move", "moveto") && len(ws) > 2 && !isRemote(ws[2]):
		if ws[0].Is("move", "moveto") {
			inv.Refuse("what rclone takes away from its source cannot be captured", "rclone copy")
			return
		}
		inv.Overwrite(ws[2], true)
	default:
		inv.Refuse("what rclone replaces or removes in a storage cannot be captured", "rclone copy --ignore-existing, by hand")
	}
}
