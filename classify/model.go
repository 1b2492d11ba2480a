package classify

// Model describes one program, or a family of programs that take the same
// arguments: what it is for people, how it reads its options, and what a call
// of it does.
type Model struct {
	// Names are the command names, without a directory.
	Names []string
	// Family groups models in the documentation; Title says what the program
	// does to files, Undo how that is taken back.
	Family, Title, Undo string
	// Class is the usual class of a call, for the documentation only.
	Class    Class
	Examples []string
	// Options is the option grammar. Nil: every argument is an operand.
	Options *Grammar
	// Apply adds the effects of one call. A call for which it adds nothing is
	// inert, so an Apply must speak up for everything it does not understand.
	Apply func(*Invocation)
}
