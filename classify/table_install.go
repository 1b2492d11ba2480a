package classify

// installModels change the packages of the machine.
func installModels() []*Model {
	return models([]verbs{
		{
			names: "apt apt-get aptitude", family: "install", title: "Installs system packages", undo: "none; nothing of the person's is taken away, save by purge", class: Bounded,
			values: "-o -c -t", read: "list search show policy depends rdepends changelog showsrc madison help check", refuse: "purge",
			allow: "update install upgrade full-upgrade dist-upgrade remove autoremove autoclean clean reinstall build-dep source download satisfy edit-sources",
			thing: "system packages", instead: "apt-get remove keeps the settings", rest: restAllow,
			examples: []string{"apt list", "apt-get install x", "apt-get purge x"},
		},
		{
			names: "dnf yum zypper pacman apk snap flatpak port emerge xbps-install pkg nix-env guix brew mas choco winget scoop", family: "install", title: "Installs system packages",
			undo: "none; nothing of the person's is taken away", class: Bounded, thing: "system packages", rest: restAllow,
			read:     "list ls search info show repolist provides history deps uses leaves doctor config outdated desc home cat --prefix --cellar --version -Q* -Ss -Si find view help why",
			examples: []string{"brew list", "brew install x"},
			first: func(inv *Invocation, _ []string, args []Word) bool {
				if hasFlag(args, "--zap", "--delete-data") {
					inv.Refuse("the program's own data would be taken away too", "without --zap")
					return true
				}
				return false
			},
		},
		{
			names: "dpkg rpm dpkg-query apt-cache apt-mark pacman-key", family: "install", title: "Installs or lists system packages", undo: "none", class: Bounded, thing: "system packages", rest: restAllow,
			examples: []string{"dpkg -l"},
			first: func(inv *Invocation, _ []string, args []Word) bool {
				if hasFlag(args, "-P", "--purge") {
					inv.Refuse("the settings of a package would be taken away", "dpkg -r keeps them")
					return true
				}
				if hasFlag(args, "-l", "-L", "-s", "-S", "-q", "-qa", "-qi", "-ql", "-qf", "--list", "--status", "--get-selections", "--print-architecture", "-W", "--search") || inv.Name() == "dpkg-query" || inv.Name() == "apt-cache" {
					inv.Inert("only reads")
					return true
				}
				return false
			},
		},
		{
			names: "rustup nvm fnm volta pyenv rbenv nodenv goenv asdf mise rtx sdk jenv tfenv corepack", family: "install", title: "Manages versions of languages", undo: "none; what is removed can be installed again", class: Bounded,
			read: "show list ls ls-remote which current version versions whence doctor info where env toolchain/list target/list component/list plugins help", peel: "exec x",
			thing: "versions of a language", rest: restAllow, examples: []string{"rustup show", "nvm use 20"},
		},
		{
			names: "code cursor codium idea subl atom zed", family: "install", title: "Opens files in an editor of the desktop", undo: "nothing to undo", class: Inert, rest: restRead,
			examples: []string{"code F"},
			first: func(inv *Invocation, _ []string, args []Word) bool {
				if hasFlag(args, "--uninstall-extension", "--install-extension") {
					inv.Barrier("an extension of the editor")
					return true
				}
				return false
			},
		},
	})
}
