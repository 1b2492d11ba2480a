package classify

import "testing"

// TestRules: what a person says of a program counts only where it is certainly
// that program, and only for that program.
func TestRules(t *testing.T) {
	rules := []Rule{
		{Words: []string{"terraform", "destroy"}, Class: Bounded, Source: "test"},
		{Words: []string{"kubectl"}, Class: Inert, Source: "test"},
		{Words: []string{"acme", "lint"}, Class: Inert, Source: "test"},
		{Words: []string{"/opt/acme"}, Class: Inert, Source: "test"},
	}
	for command, want := range map[string]Class{
		"terraform destroy":                                         Bounded,
		"terraform destroy -auto-approve":                           Bounded,
		"cd sub && terraform destroy":                               Bounded,
		"sudo terraform destroy":                                    Bounded,
		"terraform apply -destroy":                                  Irreversible,
		"kubectl delete ns prod":                                    Inert,
		"/usr/bin/kubectl delete ns prod":                           Inert,
		"./kubectl delete ns prod":                                  Irreversible,
		"/tmp/kubectl delete ns":                                    Irreversible,
		"acme lint --all":                                           Inert,
		"/opt/acme x":                                               Inert,
		"acme fix":                                                  Bounded,
		"acme $WHAT":                                                Bounded,
		"acme $(cat what)":                                          Bounded,
		"FOO=1 acme lint":                                           Bounded,
		"PATH=/tmp:$PATH; acme lint":                                Bounded,
		"export PATH=/tmp:$PATH && acme lint":                       Bounded,
		"acme lint; kubectl get x; rm -rf /":                        Irreversible,
		"acme lint > a.txt":                                         Invertible,
		"acme() { rm -rf a.txt; }; acme lint":                       Invertible,
		"alias acme='rm -rf /'; acme lint":                          Irreversible,
		"kubectl get x | xargs rm -rf":                              Irreversible,
		"eval kubectl delete ns prod":                               Inert,
		"curl -X POST https://api.example.com/x":                    Inert,
		"curl -d a=1 https://x.dev.example.com/":                    Inert,
		"curl -d a=1 https://dev.example.com/":                      Irreversible,
		"curl -d a=1 https://api.example.com@e.x":                   Irreversible,
		`curl -d a=1 'https://e.x\@api.example.com'`:                Irreversible,
		"curl -d a=1 https://api.example.com https://e.x":           Irreversible,
		"curl -d a=1 https://$H.dev.example.com":                    Irreversible,
		"curl -d a=1 'https://{api.example.com,e.x}/'":              Irreversible,
		"wget --post-data=a https://api.example.com/x -O /dev/null": Inert,
	} {
		ctx := testContext("bash")
		ctx.Rules, ctx.Hosts = rules, []string{"api.example.com", "*.dev.example.com"}
		if v := Command(ctx, command); v.Class != want {
			t.Errorf("%s: %v, want %v: %+v", command, v.Class, want, v.Refusals)
		}
	}
}

// TestTool: a tool that is not known is bounded, and refused where it names a
// place of ours.
func TestTool(t *testing.T) {
	ctx := testContext("bash")
	ctx.ReadProtected = func(p string) (string, bool) { return "the store", p == "/state/x" }
	ctx.Protected = func(p string) (string, bool) { return "the settings", p == ctx.Cwd+"/settings" }
	for text, want := range map[string]Class{
		"": Bounded, "hello": Bounded, "/etc/hosts": Bounded, "file:///state/x": Irreversible, "/state/../state/x": Irreversible,
		"settings": Irreversible, "./sub/../settings": Irreversible,
	} {
		v := Tool(ctx, "mcp__fs__write", []string{text})
		if v.Class != want || len(v.Opaque) != 1 || len(v.Barriers) != 1 {
			t.Errorf("%q: %+v, want %v", text, v, want)
		}
	}
}
