package classify

// docSet is a group of calls with a heading.
type docSet struct {
	title string
	calls []docCall
}

func calls(commands ...string) docCall { return docCall{commands: commands} }

// docCalls are the calls that people ask about first.
func docCalls() []docSet {
	return []docSet{
		{"The plain forms", []docCall{
			calls("rm F"), calls("rm -f F"), calls("rm -r D"), calls("rm -rf D"), calls("rm A B C"),
			{text: "`mv A NEW` (a rename)", commands: []string{"mv A NEW"}},
			{text: "`mv A B` (onto a file)", commands: []string{"mv A B"}},
			{text: "`mv A D` (into a directory)", commands: []string{"mv A D"}},
			{text: "Write on an existing file", tool: "Write"},
			{text: "Edit on an existing file", tool: "Edit"},
			{text: "MultiEdit on an existing file", tool: "MultiEdit"},
			{text: "NotebookEdit on an existing file", tool: "NotebookEdit"},
			calls("git push --force origin main"), calls("git push -f origin main", "git push --force-with-lease origin main"),
			calls("git push origin :main"),
		}},
		{"Often refused elsewhere", []docCall{
			calls("rm -f src/**/*.log"), calls("mv *.bak archive/"),
			{text: "paths outside the workspace (`rm -rf ../other`)", commands: []string{"rm -rf ../other"}},
			calls("rm .counterstep/", "rm -rf .counterstep"), calls("git push --force"), calls("git push --force origin HEAD"),
			{text: "a force-push that creates the ref (`git push --force origin NEW`)", commands: []string{"git push --force origin NEW"}},
			calls("git reset --hard"),
			calls("curl -X POST https://example.com", "curl -X PUT https://example.com", "curl -X PATCH https://example.com", "curl -X DELETE https://example.com"),
			calls("curl -d a=1 https://example.com", "curl -F f=@F https://example.com", "curl -T F https://example.com"),
			calls("wget --post-data=a https://example.com", "wget --post-file=F https://example.com"),
			calls("http POST https://example.com a=1"),
		}},
		{"Often let pass elsewhere", []docCall{
			calls("git clean -fdx"), calls("git checkout -- F", "git restore F"), calls("git branch -D topic"),
			calls("git rebase main", "git commit --amend"), calls("git filter-repo --path D", "git filter-branch --tree-filter true HEAD"), calls("git gc --prune=now"),
			calls("git remote remove origin"), calls("> F"), calls("truncate -s 0 F"), calls("find D -delete"), calls("dd if=/dev/zero of=F count=1"),
			calls("chmod -R 700 D", "chown -R nobody D"), calls("npm publish", "twine upload dist/x"), calls("kubectl delete ns prod", "terraform destroy"),
		}},
	}
}

const (
	docHome = "/home/dev"
	docDir  = docHome + "/app"
)

// docContext is the directory that the examples are computed in.
func docContext() Context {
	d := docDisk{}
	for _, f := range []string{
		"F", "A", "B", "C", "EXISTING", "EXISTING.tar", "D/one", "D/two", "E/one", "D.patch", "LIST", "x.bak", "src/a/x.log", "DB", "a.log",
		"archive/old", ".counterstep/ledger.jsonl", "empty/.keep", "clean.sh",
	} {
		d.add(docDir + "/" + f)
	}
	d.add(docHome + "/other/f")
	d.add(docHome + "/.profile")
	return Context{
		Cwd: docDir, Home: docHome, Shell: "bash", FS: d, Workspace: docDir, Env: map[string]string{"HOME": docHome, "PATH": "/usr/bin:/bin"},
		Protected: func(p string) (string, bool) {
			switch p {
			case "/", "/home", docHome:
				return "it is " + p, true
			case docDir + "/.counterstep":
				return "it leads to the store", true
			}
			return "", false
		},
		ProtectedBelow: func(dir string) (string, string, bool) {
			if dir == "/" || dir == "/home" || dir == docHome {
				return docDir + "/.counterstep", "it leads to the store", true
			}
			return "", "", false
		},
	}
}

// docDisk maps paths to their type.
type docDisk map[string]byte

func (d docDisk) add(path string) {
	d[path] = 'f'
	for dir, _ := splitPath(path); ; dir, _ = splitPath(dir) {
		d[dir] = 'd'
		if dir == "/" {
			return
		}
	}
}

// Lstat is part of FS.
func (d docDisk) Lstat(path string) (Info, error) {
	t, ok := d[path]
	if !ok {
		return Info{Type: '-'}, nil
	}
	return Info{Type: t, Dev: 1, Links: 1}, nil
}

// ReadDir is part of FS.
func (d docDisk) ReadDir(path string) ([]string, error) {
	var out []string
	for p := range d {
		if dir, base := splitPath(p); dir == path && base != "" {
			out = append(out, base)
		}
	}
	return out, nil
}

// Readlink is part of FS; there are no links.
func (docDisk) Readlink(string) (string, error) { return "", errNoDisk }

// ReadFile is part of FS; files are empty.
func (docDisk) ReadFile(string, int64) ([]byte, error) { return nil, nil }
