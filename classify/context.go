package classify

// Info is what the evaluator needs to know about one directory entry.
type Info struct {
	// Type is 'f' file, 'd' directory, 'l' symbolic link, 'p' FIFO, 's' socket,
	// 'c' or 'b' device, '-' nothing.
	Type     byte
	Size     int64
	Dev, Ino uint64
	Links    uint32
}

// FS is the disk as the evaluator sees it. Paths are absolute. The error is nil
// with Type '-' when nothing is there; any error makes the path not known.
// Implementations never follow a link in the last element, except ReadDir and
// ReadFile, which are only called with paths that hold no link.
type FS interface {
	Lstat(path string) (Info, error)
	ReadDir(path string) ([]string, error)
	Readlink(path string) (string, error)
	// ReadFile fails for a file of more than max bytes.
	ReadFile(path string, max int64) ([]byte, error)
}

// Context is everything outside the command that its meaning depends on.
type Context struct {
	// Cwd is the directory the command starts in, Home the home directory; both
	// absolute.
	Cwd, Home string
	// Env holds the variables the caller vouches for. A variable that is not in
	// it is not known, which is not the same as unset.
	Env map[string]string
	// Shell is the base name of the shell that will run the command: "bash",
	// "zsh" or "sh"; empty means bash.
	Shell string
	FS    FS
	// Workspace is the real path of the bound of opaque programs.
	Workspace string
	// Protected says that nothing may change path itself; ProtectedBelow that a
	// change to the whole tree at dir would reach such a path. ReadProtected
	// says that the command line may not even name the path.
	Protected      func(path string) (reason string, ok bool)
	ProtectedBelow func(dir string) (path, reason string, ok bool)
	ReadProtected  func(path string) (reason string, ok bool)
	// Rules are what a person says of programs, Hosts servers to which a person
	// lets requests that write go; *.example.com stands for every host below.
	Rules []Rule
	Hosts []string
	// GitAlias gives what an alias of the repository at dir stands for. Git runs
	// one reading query in dir. Both may be nil.
	GitAlias func(dir, name string) (string, bool)
	Git      func(dir string, args ...string) ([]byte, error)
	// Deadline reports that the time for reading is over; what is not known by
	// then stays unknown. It may be nil.
	Deadline func() bool
	// Overtime reports that an answer is due: a command that does much and is
	// not evaluated by then is refused. It may be nil.
	Overtime func() bool
}
