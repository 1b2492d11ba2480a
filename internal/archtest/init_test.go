package archtest

import (
	"go/ast"
	"go/token"
)

// declaresInit reports an init function, and a package variable that is
// computed by a call known to be slow at every start.
func declaresInit(d ast.Decl) (string, bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return "init", d.Recv == nil && d.Name.Name == "init"
	case *ast.GenDecl:
		if d.Tok != token.VAR {
			return "", false
		}
		for _, s := range d.Specs {
			for _, v := range s.(*ast.ValueSpec).Values {
				call, ok := v.(*ast.CallExpr)
				if !ok {
					continue
				}
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "MustCompile" || sel.Sel.Name == "Compile") {
					return "regexp at package level", true
				}
			}
		}
	}
	return "", false
}
