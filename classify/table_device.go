package classify

import "strings"

// deviceModels write devices and volumes.
func deviceModels() []*Model {
	reason := "what a device or volume holds cannot be captured"
	return []*Model{
		refuses(`mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mke2fs mkswap mkdosfs newfs newfs_apfs newfs_hfs
			wipefs blkdiscard hdparm nvme badblocks tune2fs resize2fs xfs_growfs fsck fsck.ext4 e2fsck xfs_repair debugfs format`, "Writes a device", reason),
		partitions(reason),
		verbs{
			names: "lvm lvremove vgremove pvremove lvcreate lvresize lvreduce lvextend vgcreate pvcreate cryptsetup mdadm dmsetup", family: "device", title: "Changes volumes", undo: "none", class: Irreversible, rest: restRefuse, thing: "a volume",
			read: "status luksDump isLuks info ls table --detail --examine", allow: "open luksOpen close luksClose", examples: []string{"cryptsetup status x", "lvremove v"},
		}.model(),
		verbs{
			names: "zfs zpool btrfs bcachefs", family: "device", title: "Changes filesystems", undo: "none", class: Irreversible, rest: restRefuse, thing: "a filesystem",
			read: "list get status history iostat diff holds subvolume/list subvolume/show filesystem/df filesystem/usage filesystem/show device/stats property/get scrub/status", allow: "snapshot create mount unmount scrub hold subvolume/create subvolume/snapshot scrub/start filesystem/sync clone",
		}.model(),
		verbs{
			names: "diskutil hdiutil", family: "device", title: "Changes disks (macOS)", undo: "none", class: Irreversible, rest: restRefuse, thing: "a disk", read: "list info activity apfs/list imageinfo verify", allow: "mount unmount mountDisk unmountDisk eject attach detach verifyVolume verifyDisk", opaque: "create convert",
		}.model(),
		verbs{
			names: "virsh VBoxManage qemu-img lxc incus machinectl", family: "device", title: "Changes virtual machines", undo: "none", class: Irreversible, rest: restRefuse, thing: "a virtual machine", read: "list dominfo info check map showvminfo config/show image/list domstate dumpxml console help version status", allow: "start stop shutdown reboot create launch snapshot exec autostart pause resume suspend startvm controlvm",
		}.model(),
	}
}

func partitions(reason string) *Model {
	return &Model{
		Names: []string{"fdisk", "parted", "sgdisk", "sfdisk", "cfdisk", "gdisk", "partprobe", "kpartx"}, Family: "device", Title: "Changes partitions", Undo: "none", Class: Irreversible,
		Examples: []string{"fdisk -l", "parted /dev/sda mklabel gpt"},
		Apply: func(inv *Invocation) {
			args := inv.Args()
			if hasFlag(args, "-l", "--list", "-p", "--print", "-d", "--dump", "-v", "--version", "--help", "-x") || hasWord(args, "print") && !hasWord(args, "rm") && !hasWord(args, "mklabel") {
				inv.Inert("only reads")
				return
			}
			inv.Refuse(reason, "")
		},
	}
}

// outputModels write the file that an option or their last operand names.
func outputModels() []*Model {
	list := []*Model{
		writesTo("pandoc", "o", "output", "Converts documents", &Grammar{Short: "o:f:t:r:w:d:M:V:H:B:A:c:F:L:sCNTv", Lenient: true, Long: []string{"output=", "from=", "to=", "read=", "write=", "filter=", "lua-filter=", "metadata=", "variable=", "template=", "css=", "standalone", "toc"}}),
		writesTo("dot neato fdp sfdp circo twopi", "o", "output", "Draws graphs", &Grammar{Short: "o:T:K:l:n::G:N:E:s:OPvVqxy", Lenient: true}),
		writesTo("mmdc asciidoctor rst2html", "o", "output", "Renders documents", &Grammar{Short: "o:i:t:b:D:c:w:H:", Lenient: true, Long: []string{"output=", "input="}}),
		writesTo("xmllint xsltproc", "o", "output", "Checks XML", &Grammar{OneDash: true, Lenient: true, Long: []string{"o=", "output=", "format", "noout", "xpath=", "schema=", "valid"}}),
		writesTo("envsubst msgfmt gettext xgettext", "o", "output-file", "Makes text", &Grammar{Short: "o:d:k:L:D:cv", Lenient: true, Long: []string{"output-file="}}),
		writesTo("openssl", "out", "writerand", "Works with keys", &Grammar{OneDash: true, Lenient: true, Long: []string{"out=", "in=", "keyout=", "writerand=", "CAserial=", "passin=", "passout=", "subj=", "days=", "newkey=", "key=", "config=", "keyform=", "inform=", "outform=", "connect=", "servername=", "x509", "noout", "text", "nodes"}}),
		writesTo("gpg gpg2", "o", "output", "Works with keys", &Grammar{Short: "o:r:u:sbecdaqvn", Lenient: true, Long: []string{"output=", "recipient=", "local-user=", "batch", "yes", "armor", "homedir=", "passphrase=", "pinentry-mode="}}),
		writesTo("xmlstarlet", "o", "output", "Prints XML", &Grammar{Short: "o:", Lenient: true}),
		writesTo("golangci-lint", "out", "output", "Checks Go code", &Grammar{Lenient: true, Long: []string{"out=", "fix", "config=", "timeout=", "enable=", "disable=", "build-tags=", "out-format=", "max-issues-per-linter="}}),
		writesTo("ffprobe", "o", "output", "Looks at media", &Grammar{Short: "o:", Lenient: true, OneDash: true, Long: []string{"o=", "i="}}),
	}
	for _, names := range []string{
		"ffmpeg avconv convert magick gm sox wkhtmltopdf wkhtmltoimage inkscape gs pdftk qpdf cwebp dwebp ffmpeg2theora rsvg-convert pdfunite pdfseparate ps2pdf pdftotext pdftoppm lame flac oggenc opusenc",
		"objcopy ditto xxd uuencode lipo",
	} {
		list = append(list, lastWritten(names))
	}
	return append(list, sshKeygen())
}

// lastWritten describes programs that write their last operand, when there is
// more than one.
func lastWritten(names string) *Model {
	all := strings.Fields(names)
	return &Model{
		Names: all, Family: "output", Title: "Writes its last operand", Undo: "puts the old file back", Class: Inert, Examples: []string{all[0] + " F EXISTING"},
		Apply: func(inv *Invocation) {
			inv.Inert("writes a new file")
			args := inv.Args()
			ws := plainArgs(inv)
			if len(args) == 0 || len(ws) == 0 || wantsHelp(args) {
				return
			}
			last := ws[len(ws)-1]
			if s, ok := last.One(); ok && (s == "-" || strings.HasPrefix(s, "pipe:")) {
				return
			}
			if inv.Name() == "xxd" && len(ws) < 2 {
				return
			}
			if s, ok := last.One(); ok && strings.Contains(s, "%") {
				inv.Opaque("the names of its files are counted")
				return
			}
			inv.Write(last)
		},
	}
}

func sshKeygen() *Model {
	return &Model{
		Names: []string{"ssh-keygen", "ssh-copy-id", "ssh-add", "ssh-agent", "ssh-keyscan"}, Family: "output", Title: "Makes keys", Undo: "puts the old files back", Class: Inert,
		Examples: []string{"ssh-keygen -lf F", "ssh-keygen -R host"},
		Options:  &Grammar{Short: "f:t:b:C:N:P:lyqR:F:HeipcvI:s:n:V:D:dLkKxXaE:A:T:m:O:Y:w:z:Z:B:Q:U:S:M:W:j:J:o:r:", Lenient: true},
		Apply: func(inv *Invocation) {
			inv.Inert("makes a new key, or only reads")
			known := inv.Home(".ssh/known_hosts")
			file, named := inv.Value("f")
			switch {
			case inv.Name() == "ssh-add" || inv.Name() == "ssh-agent" || inv.Name() == "ssh-keyscan":
				if inv.Name() == "ssh-agent" && len(inv.Operands()) > 0 {
					inv.Run(inv.Operands())
				}
			case inv.Name() == "ssh-copy-id":
				inv.Barrier("a key on another machine")
			case inv.Has("l", "y", "F", "B", "e", "i", "L", "Q"):
			case inv.Has("R", "H"):
				if named {
					known = file
				}
				inv.Replace(known)
				known.val = known.val.each(func(s string) string { return s + ".old" })
				inv.Replace(known)
			case named:
				inv.Replace(file)
				file.val = file.val.each(func(s string) string { return s + ".pub" })
				inv.Replace(file)
			}
		},
	}
}
