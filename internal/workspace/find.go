package workspace

import "errors"

// Register adds dir to the registry under stateHome and returns its
// workspace. Registering a directory again changes nothing. It refuses a link
// loop, a thing that is not a directory, "/" and the home directory.
func (r Registry) Register(stateHome, dir string) (Workspace, error) {
	return Workspace{}, errors.ErrUnsupported
}

// Find returns the workspace that holds cwd: the nearest registered ancestor,
// else the top of the git work tree (of a linked work tree inside a registered
// workspace, that workspace), else cwd. It starts no process. An error with a
// hint says that the answer would be "/" or the home directory.
func (r Registry) Find(stateHome, cwd string) (Workspace, error) {
	return Workspace{}, errors.ErrUnsupported
}
