package classify

import "strings"

// readModels only read, whatever their options are.
func readModels() []*Model {
	return []*Model{
		reads("text", "Prints or compares text", `shellcheck tac nl paste join comm fold fmt column expand unexpand rev od hexdump hd hexyl
			strings cmp diff diff3 colordiff wdiff difft pr look numfmt tsort factor expr bc dc yes egrep fgrep zgrep zegrep zfgrep
			xzgrep bzgrep zdiff zcmp zcat bzcat xzcat gzcat zstdcat lz4cat jq xq gron fx dasel pup htmlq mlr datamash csvcut csvgrep
			csvstat csvlook csvsort aspell hunspell codespell tokei cloc scc`),
		reads("sums", "Prints checksums", `cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum md5 shasum
			xxhsum xxh64sum xxh128sum crc32 b3sum base32 basenc`),
		reads("files", "Looks at files", `dir vdir stat df du ncdu dust duf namei pathchk lsattr getfacl getfattr exa eza lsd
			locate plocate mdfind mdls zipinfo lsof findmnt lsblk blkid ldd nm objdump readelf size otool dwarfdump
			addr2line c++filt mediainfo  identify pdfinfo getfileinfo`),
		reads("system", "Looks at the machine", `printenv id groups logname users who w last lastlog lastb finger
			hostid uptime free vmstat iostat mpstat sar pidstat lscpu lsusb lspci lsmod modinfo lsns lsipc ipcs
			locale getconf getent ps pgrep pidof pstree top htop btop atop iotop ping ping6 dig host nslookup whois
			traceroute tracepath mtr netstat ss arp sw_vers system_profiler nvidia-smi sensors cal ncal tty stty tput clear reset
			sleep usleep sync getopt  tabs vmmap sysdiagnose runlevel pwdx pmap
			xdpyinfo acpi upower cpuid neofetch fastfetch screenfetch suspend`),
		reads("shell", "Belongs to the shell and keeps to it", `compgen complete compopt caller disown fg bg bind logout
			whereis which whatis apropos info help autoload zmodload compdef setopt unsetopt rehash bindkey
			vared zstyle`),
		writesTo("tree", "o", "output", "Lists a tree", &Grammar{Short: "adfxL:RP:I:o:H:T:ACSnqNQpugshDFvtcUrijXJlVeE", Lenient: true, Long: []string{
			"output=", "help", "version", "filelimit=", "charset=", "timefmt=", "fromfile", "gitignore", "infofile=",
		}}),
		writesTo("base64 gbase64", "o", "output", "Encodes and decodes", &Grammar{Short: "dDiw:b:o:h", Lenient: true, Long: []string{
			"decode", "ignore-garbage", "wrap=", "break=", "input=", "output=", "help", "version",
		}}),
		writesTo("shuf", "o", "output", "Prints lines in another order", &Grammar{Short: "ei:n:o:rz", Long: []string{
			"echo", "input-range=", "head-count=", "output=", "random-source=", "repeat", "zero-terminated", "help", "version",
		}}),
		writesTo("iconv", "o", "output", "Converts text", &Grammar{Short: "f:t:lcso:", Long: []string{
			"from-code=", "to-code=", "list", "output=", "silent", "verbose", "help", "version", "usage",
		}}),
		writesTo("sdiff", "o", "output", "Compares two files", &Grammar{Short: "o:iEZbWBI:alw:stdH", Lenient: true, Long: []string{"output=", "width="}}),
		writesTo("file", "C", "compile", "Tells file types", &Grammar{Short: "bce:f:F:hiklLm:nNpP:rsSvzZ0C", Lenient: true, Long: []string{
			"mime", "brief", "mime-type", "mime-encoding", "help", "version", "compile", "files-from=", "separator=", "magic-file=",
		}}),
		{
			Names: []string{"less", "more", "most", "bat", "batcat", "pg"}, Family: "text", Title: "Shows text page by page",
			Undo: "puts back a log file that -o overwrote", Class: Inert, Examples: []string{"less F"},
			Apply: applyPager,
		},
		{
			Names: []string{"man"}, Family: "text", Title: "Shows a manual; -P runs a pager",
			Undo: "as for the pager command", Class: Inert, Examples: []string{"man ls", "man -P 'rm F' ls"},
			Options: &Grammar{Short: "C:dDfkKlwWcL:m:M:S:s:e:iIaup7rP:E:tT::H::X::Zhv?", Lenient: true, Long: []string{
				"pager=", "prompt=", "html=?", "config-file=", "manpath=", "locale=", "systems=", "sections=",
			}},
			Apply: func(inv *Invocation) {
				inv.Inert("only reads")
				runStrings(inv, "P", "pager", "H", "html")
				for _, name := range []string{"MANPAGER", "PAGER"} {
					if w, ok := inv.Env(name); ok {
						inv.RunScript(w)
					}
				}
			},
		},
		{
			Names: []string{"rg", "ripgrep", "ag", "ack", "ugrep"}, Family: "text", Title: "Searches text; rg --pre runs a program",
			Undo: "as for that program", Class: Inert, Examples: []string{"rg 'git push --force'"},
			Apply: applyRg,
		},
	}
}

// reads describes programs that write nothing but their output.
func reads(family, title, names string) *Model {
	all := strings.Fields(names)
	return &Model{
		Names: all, Family: family, Title: title, Undo: "nothing to undo", Class: Inert,
		Examples: []string{all[0] + " F"}, Apply: readsOnly,
	}
}

// writesTo describes readers with one option that names an output file.
func writesTo(names, short, long, title string, g *Grammar) *Model {
	all := strings.Fields(names)
	return &Model{
		Names: all, Family: "text", Title: title + "; writes a file with -" + short, Undo: "puts the old file back", Class: Inert,
		Examples: []string{all[0] + " -" + short + " EXISTING F"}, Options: g,
		Apply: func(inv *Invocation) {
			inv.Inert("only reads")
			for _, w := range inv.Values(short, long) {
				inv.Write(w)
			}
			if inv.Has("fix") {
				inv.Opaque("rewrites what it finds")
			}
			if inv.unsure && !g.Lenient {
				inv.Opaque("an argument that is not known could name an output file")
			}
		},
	}
}

// runStrings runs the values of options that are shell code.
func runStrings(inv *Invocation, names ...string) {
	for _, w := range inv.Values(names...) {
		inv.RunScript(w)
	}
}

func applyPager(inv *Invocation) {
	inv.Inert("only reads")
	for i, w := range inv.Args() {
		s := w.Prefix()
		switch {
		case inv.Name() == "bat" || inv.Name() == "batcat":
			if code, ok := strings.CutPrefix(s, "--pager="); ok {
				inv.RunScript(w.cut(len(s) - len(code)))
			}
		case strings.HasPrefix(s, "+!"), strings.HasPrefix(s, "++!"):
			inv.RunScript(w.cut(strings.IndexByte(s, '!') + 1))
		case strings.HasPrefix(s, "--log-file="), strings.HasPrefix(s, "--LOG-FILE="):
			inv.Write(w.cut(len("--log-file=")))
		case strings.HasPrefix(s, "-o"), strings.HasPrefix(s, "-O"):
			if len(s) > 2 {
				inv.Write(w.cut(2))
			} else if i+1 < len(inv.Args()) {
				inv.Write(inv.Args()[i+1])
			}
		}
	}
	if w, ok := inv.Env("LESSOPEN"); ok {
		inv.RunScript(w)
	}
}

func applyRg(inv *Invocation) {
	inv.Inert("only searches")
	args := inv.Args()
	if hasFlag(args, "-l", "--files-with-matches", "--files") && inv.Name() != "ack" {
		rgFiles(inv, args)
	}
	for i, w := range args {
		s := w.Prefix()
		switch {
		case s == "--":
			return
		case strings.HasPrefix(s, "--pre=") && inv.Name() == "rg":
			inv.Run([]Word{w.cut(len("--pre=")), inv.UnknownWord("each file")})
		case s == "--pre" && inv.Name() == "rg" && i+1 < len(args):
			inv.Run([]Word{args[i+1], inv.UnknownWord("each file")})
		case strings.HasPrefix(s, "--pager="):
			inv.RunScript(w.cut(len("--pager=")))
		case s == "--pager" && i+1 < len(args):
			inv.RunScript(args[i+1])
		case strings.HasPrefix(s, "--save-config"):
			inv.Opaque("saves its settings")
		}
	}
}
