package classify

// publishModels put things where others see them.
func publishModels() []*Model {
	return models([]verbs{
		{
			names: "twine", family: "publish", title: "Publishes Python packages", undo: "none", class: Irreversible, read: "check",
			refuse: "upload register", thing: "a version in the registry", instead: "twine check dist/*", rest: restRefuse, examples: []string{"twine check dist/x", "twine upload dist/x"},
		},
		{
			names: "vsce ovsx np semantic-release release-it changeset", family: "publish", title: "Publishes packages", undo: "none", class: Irreversible,
			read: "ls status show verify-pat", opaque: "package version add init", refuse: "publish unpublish", thing: "a version in the registry", rest: restRefuse,
		},
		{
			names: "goreleaser", family: "publish", title: "Builds and publishes releases", undo: "puts the workspace back; none for what is published", class: Bounded,
			read: "check healthcheck schema", opaque: "build init", refuse: "release publish announce continue", thing: "a release", instead: "goreleaser release --snapshot", first: snapshot,
			examples: []string{"goreleaser check", "goreleaser build --snapshot", "goreleaser release"},
		},
		{
			names: "gh", family: "publish", title: "Works with GitHub", undo: "none for what is deleted there", class: Irreversible, values: "-R --repo --hostname", first: ghFirst,
			read: `pr/list pr/view pr/diff pr/status pr/checks issue/list issue/view issue/status repo/view repo/list run/list run/view run/watch workflow/list workflow/view
				release/list release/view auth/status auth/token search/* gist/list gist/view label/list project/list project/view project/item-list project/field-list browse
				status version cache/list secret/list variable/list variable/get config/get config/list ruleset/* ssh-key/list gpg-key/list org/list codespace/list extension/list
				alias/list attestation/verify help completion`,
			allow: `pr/create pr/comment pr/review pr/ready pr/edit pr/close pr/reopen pr/merge pr/lock pr/unlock pr/update-branch issue/create issue/comment issue/edit issue/close
				issue/reopen issue/pin issue/unpin issue/lock issue/develop release/create repo/create repo/fork repo/set-default gist/create label/create run/rerun workflow/run
				workflow/enable workflow/disable auth/login auth/logout auth/refresh auth/setup-git auth/switch project/create project/item-add project/item-create config/set codespace/create extension/install alias/set`,
			opaque: "pr/checkout repo/clone release/download run/download gist/clone codespace/cp extension/exec", thing: "something on GitHub", instead: "", rest: restRefuse,
			examples: []string{"gh pr list", "gh pr create", "gh repo delete r --yes", "gh api -X DELETE /repos/x/y", "gh pr close 3 --delete-branch"},
		},
		{
			names: "glab", family: "publish", title: "Works with GitLab", undo: "none for what is deleted there", class: Irreversible, values: "-R --repo",
			read:   "mr/list mr/view mr/diff issue/list issue/view ci/list ci/status ci/view ci/trace repo/view repo/list release/list release/view auth/status version help label/list variable/list",
			allow:  "mr/create mr/note mr/approve mr/close mr/reopen mr/merge mr/update issue/create issue/note issue/close issue/reopen issue/update release/create repo/create repo/fork label/create ci/run ci/retry auth/login",
			opaque: "mr/checkout repo/clone release/download", thing: "something on GitLab", rest: restRefuse,
		},
		{
			names: "vercel netlify flyctl fly heroku wrangler firebase railway render surge now", family: "publish", title: "Deploys to a hoster", undo: "none for what is deleted there", class: Irreversible,
			read: `ls list logs log status inspect whoami help apps/list apps/info info ps config/get releases domains/ls domains/list env/ls env/list secrets/list tail projects:list functions:list
				functions:log kv/list r2/list d1/list pages/list certs/ls teams/ls deployments/list sites:list status/* version`,
			allow:  "deploy login logout link init dev serve build publish pages/deploy pages/dev versions/upload open switch auth/login auth/logout up launch create",
			opaque: "env/pull pull types generate", thing: "something at the hoster", rest: restRefuse,
		},
		{
			names: "serverless sls sam cdk pulumi eb copilot amplify", family: "publish", title: "Changes cloud resources", undo: "none", class: Irreversible,
			read:   "info print ls list diff preview synth validate logs status stack/ls stack/output stack/history config/get about whoami doctor context docs metrics local/invoke local/start-api help version",
			opaque: "build package init new synthesize codegen", allow: "login logout stack/init stack/select", thing: "a resource", instead: "look with diff or preview", rest: restRefuse,
		},
	})
}

// snapshot lets a release that publishes nothing go.
func snapshot(inv *Invocation, said []string, args []Word) bool {
	if len(said) > 0 && said[0] == "release" && hasFlag(args, "--snapshot", "--skip-publish") {
		inv.Opaque("goreleaser builds the project")
		return true
	}
	return false
}

// ghFirst judges gh api by its method and pr by what it deletes.
func ghFirst(inv *Invocation, said []string, args []Word) bool {
	if len(said) == 0 {
		return false
	}
	if len(said) > 1 && said[0] == "pr" && hasFlag(args, "-d", "--delete-branch") {
		inv.Refuse("--delete-branch takes a branch away on GitHub", "gh pr "+said[1]+" without --delete-branch")
		return true
	}
	if said[0] != "api" {
		return false
	}
	method, given := flagValue(args, "-X", "--method")
	for _, w := range args {
		if s, ok := w.One(); ok && len(s) > 2 && s[:2] == "-X" {
			method, given = w.cut(2), true
		}
	}
	switch {
	case given && isReadMethod(method):
		inv.Inert("only reads")
	case given:
		inv.Refuse(methodName(method)+" to GitHub may change what no inverse covers", "gh api with GET")
	case len(said) > 1 && said[1] == "graphql":
		ghGraphQL(inv, args)
	case hasFlag(args, "-f", "-F", "--field", "--raw-field", "--input"):
		inv.Refuse("POST to GitHub may change what no inverse covers", "gh api with GET (-X GET)")
	default:
		inv.Inert("only reads")
	}
	return true
}

func ghGraphQL(inv *Invocation, args []Word) {
	for i, w := range args {
		if i == 0 || !args[i-1].Is("-f", "-F", "--field", "--raw-field") {
			continue
		}
		s := w.Prefix()
		if len(s) < 6 || s[:6] != "query=" {
			continue
		}
		for _, c := range []byte(s[6:]) {
			switch c {
			case ' ', '\n', '\t', '\r':
				continue
			case '{', 'q', 'f':
				inv.Inert("only reads")
				return
			}
			break
		}
	}
	inv.Refuse("a GraphQL request that is no query may change what no inverse covers", "gh api graphql -f query='query …'")
}
