package classify

import (
	"path"
	"strings"
)

// cloudModels change resources of a cloud.
func cloudModels() []*Model {
	return []*Model{
		verbs{
			names: "terraform tofu terragrunt", family: "cloud", title: "Changes cloud resources", undo: "none for resources", class: Irreversible, values: "-chdir",
			read: "validate version providers show output graph state/list state/show state/pull workspace/list workspace/show console help metadata plan", refuse: "apply destroy import state/rm state/mv state/push state/replace-provider taint untaint force-unlock workspace/delete refresh run-all test",
			allow: "workspace/new workspace/select login logout", opaque: "init get fmt hclfmt", thing: "resources or their state", instead: "terraform plan", rest: restRefuse,
			examples: []string{"terraform plan", "terraform fmt", "terraform apply", "terraform destroy -auto-approve"},
			first: func(inv *Invocation, said []string, args []Word) bool {
				if w, ok := flagValue(args, "-out", "--out"); ok {
					inv.Write(w)
				}
				return false
			},
		}.model(),
		verbs{
			names: "ansible ansible-playbook ansible-galaxy salt chef-client puppet packer nomad consul vault", family: "cloud", title: "Changes machines and services", undo: "none", class: Irreversible,
			read: "version status read list kv/get kv/list validate inspect job/status node/status members info help lookup", opaque: "install init collection/install fmt", thing: "a machine or service", rest: restRefuse,
			examples: []string{"vault status", "ansible-playbook p.yml"},
			first: func(inv *Invocation, said []string, args []Word) bool {
				if hasFlag(args, "--check", "--syntax-check", "--list-hosts", "--list-tasks") {
					inv.Inert("only tries")
					return true
				}
				return false
			},
		}.model(),
		{
			Names: []string{"aws", "awslocal"}, Family: "cloud", Title: "Changes AWS resources", Undo: "none for resources", Class: Irreversible,
			Examples: []string{"aws s3 ls", "aws ec2 describe-instances", "aws s3 cp s3://b/k F", "aws s3 rm s3://b --recursive"}, Apply: applyAws,
		},
		{
			Names: []string{"gcloud", "az", "doctl", "oci", "ibmcloud", "linode-cli", "hcloud", "scw", "aliyun", "exo", "yc", "cf", "hcp"}, Family: "cloud", Title: "Changes cloud resources", Undo: "none for resources", Class: Irreversible,
			Examples: []string{"gcloud compute instances list", "gcloud compute instances create x", "gcloud compute instances delete x"}, Apply: applyCloud,
		},
		verbs{
			names: "gsutil bq s3cmd mc b2 azcopy s5cmd", family: "cloud", title: "Works with cloud storage", undo: "none for the storage", class: Irreversible,
			read: "ls list cat stat du hash version help info la head show diff find tree", allow: "mb mk", opaque: "get", thing: "something in a storage", instead: "ls, cat, stat", rest: restRefuse,
			first: func(inv *Invocation, said []string, args []Word) bool {
				ws := plainWords(args)
				if len(said) > 2 && isOneOf(said[0], []string{"cp", "rsync", "get"}) && len(ws) > 0 && !isURL(ws[len(ws)-1]) {
					inv.Overwrite(ws[len(ws)-1], true)
					return true
				}
				if len(said) > 1 && said[0] == "query" {
					serverSQL(inv, ws[1:], false)
					return true
				}
				return false
			},
		}.model(),
	}
}

func isURL(w Word) bool { return strings.Contains(w.Prefix(), "://") }

// cloudKind judges the verb of a cloud's command line by its name.
func cloudKind(verb string) byte {
	for _, p := range []string{
		"list*", "ls", "describe*", "get*", "show*", "view*", "head-*", "lookup*", "scan", "query", "search*", "wait*", "filter-*", "batch-get*", "estimate-*",
		"simulate-*", "validate*", "check*", "test-*", "read", "info", "status", "version", "help", "tail", "cat", "login-status", "export", "diff", "preview-*", "decode-*", "print-*", "logs", "explain*", "select*", "list",
	} {
		if ok, _ := path.Match(p, verb); ok {
			return 'r'
		}
	}
	for _, p := range []string{
		"create*", "run-*", "start*", "stop*", "tag*", "add-tags*", "login", "logout", "configure", "auth", "deploy", "copy-*", "invoke*", "send-*", "publish*", "register-*", "enable*", "attach-*", "resume*", "reboot*", "activate", "use*", "ssh", "init", "build*", "submit", "connect*", "up", "restart",
	} {
		if ok, _ := path.Match(p, verb); ok {
			return 'a'
		}
	}
	return 'd'
}

func applyAws(inv *Invocation) {
	args := inv.Args()
	v := verbs{values: "--profile --region --output --query --endpoint-url --color --ca-bundle --cli-read-timeout --cli-connect-timeout"}
	said, _ := v.words(args)
	if len(said) < 2 || wantsHelp(args) || said[1] == "help" {
		inv.Inert("prints help")
		return
	}
	ws := plainWords(args)
	op := said[0] + " " + said[1]
	switch {
	case hasFlag(args, "--dryrun", "--dry-run", "--generate-cli-skeleton"):
		inv.Inert("only tries")
	case said[0] == "s3" && isOneOf(said[1], []string{"ls", "presign"}):
		inv.Inert("only reads")
	case said[0] == "s3" && isOneOf(said[1], []string{"cp", "sync"}) && !isURL(lastPlace(ws)):
		if !lastPlace(ws).Is("-") {
			inv.Overwrite(lastPlace(ws), true)
		}
	case said[0] == "s3" && said[1] == "mb", said[0] == "sso", said[0] == "configure", said[0] == "codeartifact" && said[1] == "login", said[0] == "ecr":
		if said[0] == "ecr" && cloudKind(said[1]) != 'r' && cloudKind(said[1]) != 'a' {
			inv.Refuse("aws "+op+" changes something that cannot be captured", "aws … describe-* or list-*")
			return
		}
		inv.Barrier("aws " + op)
	case said[0] != "s3" && cloudKind(said[1]) == 'r':
		inv.Inert("only reads")
		if op == "s3api get-object" || said[1] == "get-export" {
			inv.Write(ws[len(ws)-1])
		}
	case said[0] != "s3" && cloudKind(said[1]) == 'a':
		inv.Barrier("aws " + op)
		if said[1] == "invoke" {
			inv.Write(ws[len(ws)-1])
		}
	default:
		inv.Refuse("aws "+op+" changes something that cannot be captured", "aws … describe-*, list-* or --dryrun")
	}
}

// lastPlace is the last of the two places of a copy.
func lastPlace(ws []Word) Word {
	if len(ws) < 4 {
		return Word{}
	}
	return ws[3]
}

// applyCloud looks for the verb: it is the last word that is one, among the
// words in front of the first option.
func applyCloud(inv *Invocation) {
	args := inv.Args()
	if wantsHelp(args) || len(args) == 0 {
		inv.Inert("prints help")
		return
	}
	kind, verb := byte('d'), ""
	for _, w := range args {
		s, ok := w.One()
		if !ok || strings.HasPrefix(s, "-") {
			if verb != "" {
				break
			}
			continue
		}
		if isCloudVerb(s) {
			kind, verb = cloudKind(s), s
			break
		}
	}
	switch {
	case kind == 'r' && verb != "":
		inv.Inert("only reads")
	case kind == 'a' && verb != "":
		inv.Barrier(inv.Name() + " " + verb)
	default:
		inv.Refuse(inv.Name()+" "+verb+" changes something in a cloud that cannot be captured", inv.Name()+" … list or describe")
	}
}

// isCloudVerb tells verbs from the names of services.
func isCloudVerb(s string) bool {
	if isOneOf(s, []string{"auth", "configure", "deploy", "run", "builds", "logs", "tags", "login", "use"}) {
		return s == "login" || s == "deploy"
	}
	switch cloudKind(s) {
	case 'r', 'a':
		return true
	}
	for _, p := range []string{"delete*", "remove*", "update*", "set*", "reset*", "destroy", "rm", "purge*", "patch", "apply", "import", "restore*", "rollback*", "detach*", "disable*", "resize*", "move*", "replace*", "revoke*", "terminate*", "clear*", "undelete", "add*", "edit", "kill", "cancel*", "write", "abandon*", "ssh", "scp"} {
		if ok, _ := path.Match(p, s); ok {
			return true
		}
	}
	return false
}
