package classify

// Invocation is one call of one program, as its model sees it: the arguments
// after every expansion, the world before the call, and the ways to say what
// the call does. A model is called once for every directory the call may run
// in; operands may still be one of several strings.
type Invocation struct {
	ev    *evaluator
	name  string
	model *Model
	dir   string
	stdin value
	vars  map[string]value
	line
	pos  Pos
	part *partState
	// maybe says that the call is one of several that may happen.
	maybe bool
	// shaky says that a listing the model saw may have fewer names.
	shaky bool
	// merged counts the entries of copied directories.
	merged int
	// printed says that the output is known; clear that the environment is
	// empty but for vars.
	printed, clear bool
	// status is 'y' when the call certainly succeeds, 'n' when it certainly
	// fails.
	status byte
	// local says that what is run is run by this shell, as behind `command`;
	// result is how it came out.
	local  bool
	result outcome
}

// CopyOpts says how a copying program treats its operands.
type CopyOpts struct {
	// Move takes the sources away; Recursive copies directories; Deref copies
	// what a link leads to.
	Move, Recursive, Deref bool
	// NoTarget: the destination is never entered (-T). Into: it is a directory
	// (-t). NoClobber: nothing that exists is replaced.
	NoTarget, Into, NoClobber bool
	// Replace: the destination becomes a new inode instead of new content.
	Replace bool
	// Link and Symlink make links to the sources instead of copies.
	Link, Symlink bool
	// Backup is the suffix under which an old destination is kept; empty: none.
	Backup string
}

// Name is the program, without a directory.
func (inv *Invocation) Name() string { return inv.name }

// Args are the arguments without the name.
func (inv *Invocation) Args() []Word { return inv.line.args }

// Pos is where the call stands in the command.
func (inv *Invocation) Pos() Pos { return inv.pos }

// Lit is a known word at the position of the call.
func (inv *Invocation) Lit(s string) Word { return Word{val: known(s), pos: inv.pos} }

// UnknownWord is a word that can be anything; src is shown for it.
func (inv *Invocation) UnknownWord(src string) Word {
	return Word{val: unknownValue(), src: src, pos: inv.pos}
}

// FreshWord is a path that does not exist before the call, for mktemp. dir may
// be empty when it is not known; before and after surround the random part.
func (inv *Invocation) FreshWord(dir, before, after string) Word {
	return Word{val: known(inv.ev.freshPath(dir, before, after)), pos: inv.pos}
}

// Join is dir/name for every string dir may be.
func (inv *Invocation) Join(dir Word, name string) Word {
	dir.val = dir.val.each(func(s string) string { return joinPath(s, name) })
	dir.src = ""
	return dir
}

// Home is the home directory joined with a relative path.
func (inv *Invocation) Home(rel string) Word {
	return inv.Lit(joinPath(inv.ev.ctx.Home, rel))
}

// Env is a variable that the program gets: an assignment in front of it, an
// exported variable of the line, or one of the context. False when it is
// certainly not set or nothing is known of it.
func (inv *Invocation) Env(name string) (Word, bool) { return inv.env(name) }

// Dir is the absolute directory the call runs in; it may hold unknown parts,
// then Known is false. Cwd is the same as strings, empty when not known.
func (inv *Invocation) Dir() Word { return Word{val: known(inv.dir), pos: inv.pos} }

// Cwd is the directory the call runs in, empty when it is not known.
func (inv *Invocation) Cwd() []string {
	if hasHole(inv.dir) {
		return nil
	}
	return []string{inv.dir}
}

// Context is the world outside the command.
func (inv *Invocation) Context() Context { return *inv.ev.ctx }

// Stat says what a path leads to, links followed, as earlier parts of the line
// left it. A relative path is taken from the directory of the call. False when
// nothing is there or it is not known; Lstat does not follow a last link.
func (inv *Invocation) Stat(path string) (Info, bool) { return inv.stat(path, true) }

// Lstat is Stat without following a last link.
func (inv *Invocation) Lstat(path string) (Info, bool) { return inv.stat(path, false) }

// List names the entries of a directory, sorted; false when it cannot be read
// or reading is over budget.
func (inv *Invocation) List(path string) ([]string, bool) { return inv.list(path) }

// Empty reports whether a directory may be empty, and whether that is certain.
func (inv *Invocation) Empty(path string) (empty, sure bool) {
	places, ok := inv.ev.world.resolve(absolute(inv.dir, path), true)
	if !ok || len(places) != 1 {
		return true, false
	}
	return inv.ev.world.empty(places[0].path)
}

// Read gives the content of a file as earlier parts of the line left it; false
// when it is not known.
func (inv *Invocation) Read(path string) ([]byte, bool) { return inv.read(path) }

// Stdin is the standard input; false when it is not known. A program that
// reads the terminal gets nothing known.
func (inv *Invocation) Stdin() ([]byte, bool) {
	s, ok := inv.StdinWord().One()
	return []byte(s), ok
}

// StdinWord is the standard input as a word.
func (inv *Invocation) StdinWord() Word { return Word{val: inv.stdin, pos: inv.pos} }

// Output says what the call writes to its standard output. Without it the
// output is not known. Calls append.
func (inv *Invocation) Output(data []byte) { inv.OutputWord(inv.Lit(string(data))) }

// OutputWord is Output for text that may have unknown parts.
func (inv *Invocation) OutputWord(w Word) { inv.output(w.val) }

// OutputLoose is Output for lines of which the real output has some, in any
// order.
func (inv *Invocation) OutputLoose(text string) {
	inv.output(value{strs: []string{text}, loose: true})
}

// Succeed says that the call certainly succeeds, Fail that it certainly fails.
func (inv *Invocation) Succeed() { inv.status = 'y' }

// Fail says that the call certainly fails.
func (inv *Invocation) Fail() { inv.status = 'n' }

// Delete removes what each string of w names, without following a last link:
// with tree everything below it, otherwise a file or an empty directory. What
// is not there is no effect.
func (inv *Invocation) Delete(w Word, tree bool) { inv.delete(w, tree) }

// Write changes the content of a file in place, following links, and creates
// it when it is not there.
func (inv *Invocation) Write(w Word) { inv.write(w, false) }

// Append is Write for a program that keeps the old content.
func (inv *Invocation) Append(w Word) { inv.write(w, true) }

// Replace puts a new inode where w is, without following a last link.
func (inv *Invocation) Replace(w Word) { inv.replace(w) }

// Create makes something that may be there already, which is no effect then;
// with tree a directory that the call may fill. A program that would change
// what is there calls Write or Replace.
func (inv *Invocation) Create(w Word, tree bool) { inv.create(w, tree) }

// Mkdir is Create for a directory that is empty afterwards; with parents every
// missing directory above it is made as well.
func (inv *Invocation) Mkdir(w Word, parents bool) { inv.mkdir(w, parents) }

// Overwrite says that everything below a directory may be replaced or added
// to, as unpacking into it does.
func (inv *Invocation) Overwrite(w Word, tree bool) { inv.overwrite(w, tree) }

// Move renames src to dst itself, replacing what is there.
func (inv *Invocation) Move(src, dst Word) { inv.move(src, dst) }

// Metadata changes mode, owner, times or attributes of what w leads to, with
// tree of everything below.
func (inv *Invocation) Metadata(w Word, tree bool) { inv.metadata(w, tree, true) }

// MetadataSelf is Metadata without following a last link.
func (inv *Invocation) MetadataSelf(w Word, tree bool) { inv.metadata(w, tree, false) }

// CopyInto does what cp, mv, ln and install do with their operands: it decides
// whether dst is a directory to copy into or the target itself.
func (inv *Invocation) CopyInto(src []Word, dst Word, o CopyOpts) { inv.copyInto(src, dst, o) }

// Push adds an effect on refs of the repository at dir. remote is nil for the
// repository itself.
func (inv *Invocation) Push(dir string, remote *Push) { inv.pushEffect(dir, remote) }

// Inert says that the call changes nothing, and why. It is only shown.
func (inv *Invocation) Inert(reason string) { inv.part.reasonOnce(reason) }

// Opaque says that the call may change anything within the workspace.
func (inv *Invocation) Opaque(reason string) { inv.opaque(reason) }

// Refuse says that the call cannot be taken back; instead is the nearest form
// that can, or empty.
func (inv *Invocation) Refuse(reason, instead string) { inv.refuse(reason, instead, inv.pos) }

// Unresolved says that what the call would change is not known.
func (inv *Invocation) Unresolved(reason string) { inv.refuse(reason, "", inv.pos) }

// NotUnderstood says that the program is known and its arguments are not.
func (inv *Invocation) NotUnderstood(reason string) { inv.notUnderstood(reason) }

// Barrier records something that no inverse covers and that is let go.
func (inv *Invocation) Barrier(text string) { inv.barrier(text) }

// Run evaluates argv as a command of its own, in the directory, environment
// and standard input of this call.
func (inv *Invocation) Run(argv []Word) { inv.run(argv, inv.dir, inv.stdin) }

// RunIn is Run in another directory.
func (inv *Invocation) RunIn(dir Word, argv []Word) { inv.runIn(dir, argv) }

// RunWith is Run with a standard input.
func (inv *Invocation) RunWith(argv []Word, stdin Word) { inv.run(argv, inv.dir, stdin.val) }

// RunScript evaluates w as shell code in a shell of its own; args are $0, $1
// and so on.
func (inv *Invocation) RunScript(w Word, args ...Word) { inv.runScript(w, args) }

// Setenv sets a variable for what this call runs; Clearenv forgets all of
// them.
func (inv *Invocation) Setenv(name string, w Word) { inv.setenv(name, w.val) }

// Clearenv makes the environment of what this call runs empty.
func (inv *Invocation) Clearenv() { inv.clearenv() }
