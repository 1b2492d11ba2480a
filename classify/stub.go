package classify

type (
	evaluator struct{ ctx *Context }
	partState struct{}
)

func (p *partState) reasonOnce(string)                             {}
func (ev *evaluator) freshPath(dir, before, after string) string   { return anyHole }
func joinPath(dir, name string) string                             { return dir + "/" + name }
func (inv *Invocation) env(name string) (Word, bool)               { return Word{}, false }
func (inv *Invocation) stat(path string, follow bool) (Info, bool) { return Info{}, false }
func (inv *Invocation) list(path string) ([]string, bool)          { return nil, false }
func (inv *Invocation) read(path string) ([]byte, bool)            { return nil, false }
func (inv *Invocation) output(v value)                             {}
func (inv *Invocation) delete(w Word, tree bool)                   {}
func (inv *Invocation) write(w Word, app bool)                     {}
func (inv *Invocation) replace(w Word)                             {}
func (inv *Invocation) create(w Word, tree bool)                   {}
func (inv *Invocation) mkdir(w Word, parents bool)                 {}
func (inv *Invocation) overwrite(w Word, tree bool)                {}
func (inv *Invocation) move(src, dst Word)                         {}
func (inv *Invocation) metadata(w Word, tree, follow bool)         {}
func (inv *Invocation) copyInto(src []Word, dst Word, o CopyOpts)  {}
func (inv *Invocation) pushEffect(dir string, p *Push)             {}
func (inv *Invocation) opaque(reason string)                       {}
func (inv *Invocation) refuse(reason, instead string, pos Pos)     {}
func (inv *Invocation) notUnderstood(reason string)                {}
func (inv *Invocation) barrier(text string)                        {}
func (inv *Invocation) run(argv []Word, dir string, stdin value)   {}
func (inv *Invocation) runIn(dir Word, argv []Word)                {}
func (inv *Invocation) runScript(w Word, args []Word)              {}
func (inv *Invocation) setenv(name string, v value)                {}
func (inv *Invocation) clearenv()                                  {}

// Command says what a shell command would do.
func Command(ctx Context, src string) Verdict { return Verdict{} }

// File says what a file tool of a harness would do to paths.
func File(ctx Context, tool string, paths []string) Verdict { return Verdict{} }

// PowerShell says what a PowerShell command would do.
func PowerShell(ctx Context, src string) Verdict { return Verdict{} }
