// Package workspace is the only code that reads and changes the user's files.
//
// It finds the workspace of a directory ([Registry]), records the state of
// paths together with their bytes ([Capture]) and brings paths into a wanted
// state ([Door.Apply]). Everywhere it works on open directories: no link is
// followed on the way to a path or at its end, nothing but regular files and
// directories is opened, and nothing is overwritten that was not looked at.
package workspace

// Workspace is the bound of programs whose writes cannot be foreseen.
type Workspace struct {
	// Root is the real path of the top directory.
	Root string
	// Registered reports that the directory was registered, not guessed.
	Registered bool
}

// Registry knows the registered workspaces. They are listed, one a line, in
// counterstep/workspaces.jsonl below the state directory.
type Registry struct {
	// Home is the user's home directory. It is never a workspace, and neither
	// is anything that contains it.
	Home string
}
