package classify

import "strings"

// dockerModels run containers.
func dockerModels() []*Model {
	return []*Model{
		dockerVerbs("docker podman nerdctl finch", "").model(),
		dockerVerbs("docker-compose podman-compose", "compose").model(),
		verbs{
			names: "kubectl oc kubecolor", family: "container", title: "Changes a cluster", undo: "none for a cluster", class: Irreversible,
			values: "-n --namespace --context --kubeconfig -l --selector -o --output --cluster --user -s --server", first: kubectlFirst,
			read: `get describe logs top explain version api-resources api-versions cluster-info config/view config/get-contexts config/get-clusters config/current-context auth/can-i
				auth/whoami diff wait events rollout/status rollout/history kustomize options completion plugin/list`,
			allow:  "create expose run port-forward proxy cordon uncordon label annotate config/use-context config/set-context rollout/restart rollout/pause rollout/resume attach apply autoscale debug login project new-project",
			refuse: "delete drain replace patch edit set scale taint rollout/undo config/delete-context config/unset", thing: "something in a cluster",
			instead: "kubectl get -o yaml keeps a copy; then let the person run it", rest: restRefuse,
			examples: []string{"kubectl get pods", "kubectl apply -f F", "kubectl delete ns prod", "kubectl exec p -- ls"},
		}.model(),
		verbs{
			names: "helm", family: "container", title: "Changes what runs in a cluster", undo: "none for a cluster; helm keeps its own history", class: Irreversible, values: "-n --namespace --kube-context",
			read: "list ls status get history show search template lint version env repo/list inspect verify plugin/list", refuse: "uninstall delete del un rollback test",
			allow: "install upgrade repo/add repo/update repo/remove push registry/login", opaque: "pull fetch package create dependency dep", thing: "a release in a cluster", rest: restRefuse,
		}.model(),
		verbs{
			names: "kind minikube k3d k3s colima limactl multipass vagrant lima orb", family: "container", title: "Runs machines and clusters here", undo: "none for what they hold", class: Irreversible,
			read: "get list ls status version info profile/list global-status box/list cluster/list ssh-config ip logs node/list", refuse: "delete destroy purge cluster/delete rm", allow: "create start stop pause unpause up halt suspend resume reload provision load cluster/create cluster/start cluster/stop shell exec",
			thing: "a machine", instead: "stop keeps it", rest: restAllow,
		}.model(),
	}
}

// dockerVerbs describes docker; in is "compose" for a program of its own.
func dockerVerbs(names, in string) verbs {
	v := verbs{
		names: names, family: "container", title: "Runs containers", undo: "puts bind mounts in the workspace back; none for what is inside", class: Irreversible,
		values: "-H --host --context --config -c -f --file -p --project-name --profile --env-file --log-level -l --project-directory",
		read: `ps images image/ls image/list image/inspect image/history inspect logs stats top version info port diff history search events wait volume/ls volume/inspect network/ls
			network/inspect container/ls container/list container/ps container/inspect container/logs container/stats container/top container/port container/diff system/df system/info system/events context/ls context/show
			context/inspect compose/ps compose/logs compose/config compose/images compose/top compose/ls compose/version compose/port compose/events buildx/ls buildx/inspect buildx/du
			manifest/inspect node/ls service/ls service/ps service/logs service/inspect stack/ls stack/ps stack/services secret/ls config/ls plugin/ls machine/list help`,
		allow: `build pull push tag start stop restart pause unpause create commit login logout load import rename update kill attach rmi network/* volume/create image/build image/pull
			image/push image/tag image/rm image/remove image/prune image/load image/import builder/* buildx/* container/start container/stop container/restart container/pause container/unpause container/create container/kill
			container/commit container/rename container/update compose/up compose/start compose/stop compose/restart compose/build compose/pull compose/push compose/create compose/pause compose/unpause compose/kill compose/down compose/watch
			compose/attach compose/wait context/use context/create swarm/init swarm/join service/create stack/deploy plugin/install manifest/create manifest/push machine/start machine/stop machine/init trust/* scout/*`,
		refuse: `rm container/rm container/remove container/prune volume/rm volume/remove volume/prune system/prune system/reset compose/rm stack/rm stack/down service/rm service/update service/scale service/rollback swarm/leave swarm/update
			secret/* config/rm config/create node/* context/rm plugin/rm machine/rm pod/rm pod/prune`,
		thing: "a container or what it holds", instead: "docker stop keeps it; docker commit or docker cp saves what is inside", rest: restOpaque,
		examples: []string{
			"docker ps", "docker run alpine ls", "docker run -v /:/h alpine rm -rf /h", "docker exec c ls", "docker volume rm data",
			"docker system prune -af --volumes", "docker compose down -v",
		},
	}
	v.first = func(inv *Invocation, said []string, args []Word) bool {
		if in != "" {
			said = append([]string{in}, said...)
		}
		return dockerFirst(inv, v, said, args, in != "")
	}
	if in != "" {
		v.examples = []string{"docker-compose ps", "docker-compose up -d", "docker-compose down -v"}
	}
	return v
}

// dockerFirst judges the verbs that run a command or write a file here.
func dockerFirst(inv *Invocation, v verbs, said []string, args []Word, compose bool) bool {
	verb := strings.TrimPrefix(strings.Join(said[:min(len(said), 2)], "/"), "container/")
	rest := afterWord(args, lastOf(verb, said))
	switch {
	case len(said) == 0 || wantsHelp(args):
		return false
	case strings.HasPrefix(verb, "run"), strings.HasPrefix(verb, "compose/run"):
		dockerRun(inv, rest)
	case strings.HasPrefix(verb, "exec"), strings.HasPrefix(verb, "compose/exec"):
		dockerExec(inv, rest)
	case strings.HasPrefix(verb, "cp"), strings.HasPrefix(verb, "compose/cp"):
		dockerCopy(inv, rest)
	case strings.HasPrefix(verb, "save"), strings.HasPrefix(verb, "export"):
		inv.Inert("prints an archive")
		if w, ok := flagValue(rest, "-o", "--output"); ok {
			inv.Write(w)
		}
	case strings.HasPrefix(verb, "compose/down") && hasFlag(args, "-v", "--volumes", "--rmi"):
		inv.Refuse("down -v takes away volumes that cannot be captured", "docker compose down without -v, or docker compose stop")
	case compose:
		(&verbs{read: v.read, allow: v.allow, refuse: v.refuse, thing: v.thing, instead: v.instead, rest: v.rest}).judge(inv, said)
	default:
		return false
	}
	return true
}

// judge applies the lists to words that are already found.
func (v *verbs) judge(inv *Invocation, said []string) {
	what := strings.Join(said, " ")
	switch {
	case matches(v.refuse, said) > 0:
		inv.Refuse(what+" changes or removes "+orThing(v.thing)+", and that cannot be taken back", v.instead)
	case matches(v.read, said) > 0:
		inv.Inert("only reads")
	case matches(v.allow, said) > 0:
		inv.Barrier(what + " (" + orThing(v.thing) + ")")
	default:
		v.other(inv, what)
	}
}

// lastOf is the word of verb that stands nearest to its arguments.
func lastOf(verb string, said []string) string {
	for _, w := range []string{"run", "exec", "cp", "save", "export"} {
		if isOneOf(w, said[:min(len(said), 2)]) {
			return w
		}
	}
	return verb
}

// afterWord are the arguments behind the first that is s.
func afterWord(args []Word, s string) []Word {
	for i, w := range args {
		if w.Is(s) {
			return args[i+1:]
		}
	}
	return nil
}

// dockerValued reports that an option of run and exec has its value in the
// next word.
func dockerValued(w Word) bool {
	s, ok := w.One()
	if !ok || strings.Contains(s, "=") || !strings.HasPrefix(s, "-") {
		return false
	}
	if !strings.HasPrefix(s, "--") {
		return strings.IndexByte("acehlmpuvwn", s[len(s)-1]) >= 0
	}
	switch s {
	case "--rm", "--detach", "--interactive", "--tty", "--privileged", "--init", "--read-only", "--no-healthcheck", "--publish-all", "--oom-kill-disable",
		"--sig-proxy", "--quiet", "--disable-content-trust", "--no-deps", "--service-ports", "--build", "--use-aliases", "--no-TTY", "--quiet-pull":
		return false
	}
	return true
}

// dockerRun says what a container can reach here: its bind mounts.
func dockerRun(inv *Invocation, args []Word) {
	reached := false
	for i, w := range args {
		s := w.Prefix()
		if !strings.HasPrefix(s, "-") && (i == 0 || !dockerValued(args[i-1])) {
			break
		}
		name, _, joined := strings.Cut(s, "=")
		value := Word{}
		switch {
		case joined && isOneOf(name, []string{"-v", "--volume", "--mount"}):
			value = w.cut(len(name) + 1)
		case isOneOf(s, []string{"-v", "--volume", "--mount"}) && i+1 < len(args):
			value = args[i+1]
		case strings.HasPrefix(s, "-v") && len(s) > 2:
			value = w.cut(2)
		default:
			continue
		}
		reached = mount(inv, value) || reached
	}
	if !reached {
		inv.Barrier("a container runs")
	}
}

// mount says that a container may change what is bound into it; false when
// nothing here is.
func mount(inv *Invocation, w Word) bool {
	s, ok := w.One()
	if strings.HasSuffix(w.Suffix(), ":ro") {
		return false
	}
	host := w.Prefix()
	if strings.Contains(host, "type=") || strings.Contains(host, "source=") || strings.Contains(host, "src=") {
		found := ""
		for f := range strings.SplitSeq(s, ",") {
			k, v, _ := strings.Cut(f, "=")
			switch {
			case k == "source" || k == "src":
				found = v
			case k == "readonly" || k == "ro", k == "type" && v != "bind":
				return false
			}
		}
		host = found
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	switch {
	case host == "" && !ok:
		inv.Opaque("a container changes a directory that is not known")
	case !strings.ContainsAny(host, "/.~"):
		return false // a named volume
	case inWorkspace(inv, inv.Lit(host)):
		inv.Opaque("a container may change " + host)
	default:
		inv.Overwrite(inv.Lit(host), true)
	}
	return true
}

// dockerExec judges a command inside a container.
func dockerExec(inv *Invocation, args []Word) {
	for len(args) > 0 && beginsWith(args[0], "-") {
		if dockerValued(args[0]) && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) < 2 {
		inv.Barrier("a session in a container")
		return
	}
	inside(inv, args[1:], "in a container")
}

// inside judges an argument list that runs elsewhere.
func inside(inv *Invocation, argv []Word, where string) {
	out := known("")
	for i, w := range argv {
		if i > 0 {
			out = out.concat(known(" "))
		}
		s, ok := w.One()
		if !ok {
			s = "$UNKNOWN"
		} else {
			s = shellQuote(s)
		}
		out = out.concat(known(s))
	}
	elsewhere(inv, Word{val: out, pos: inv.pos}, where, false)
}

func dockerCopy(inv *Invocation, args []Word) {
	ws := plainWords(args)
	if len(ws) != 2 {
		inv.NotUnderstood("cp wants two places")
		return
	}
	if isRemote(ws[1]) {
		inv.Barrier("files are copied into a container")
		return
	}
	s, ok := ws[0].One()
	switch {
	case ws[1].Is("-"):
		inv.Inert("prints an archive")
	case ok && onlyDirs(inv, ws[1]):
		inv.Overwrite(inv.Join(ws[1], s[strings.LastIndexAny(s, "/:")+1:]), true)
	default:
		inv.Overwrite(ws[1], true)
	}
}

// kubectlFirst judges exec, cp and forced applies.
func kubectlFirst(inv *Invocation, said []string, args []Word) bool {
	if len(said) == 0 || wantsHelp(args) {
		return false
	}
	switch said[0] {
	case "exec":
		for i, w := range args {
			if w.Is("--") {
				inside(inv, args[i+1:], "in a cluster")
				return true
			}
		}
		inv.Barrier("a session in a cluster")
		return true
	case "cp":
		dockerCopy(inv, afterWord(args, "cp"))
		return true
	case "apply":
		if hasFlag(args, "--prune", "--force", "--overwrite") {
			inv.Refuse("apply with force or prune takes away something in a cluster", "kubectl diff")
			return true
		}
	}
	if w, ok := flagValue(args, "--dry-run"); ok && !w.Is("none") {
		inv.Inert("only tries")
		return true
	}
	return false
}
