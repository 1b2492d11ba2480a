// Package fingerprint turns the state of a set of paths into one comparable
// value. Equal fingerprints mean equal state; what counts as state is listed
// at [Sum].
//
// The package is pure: it touches no disk. Entries come from whoever looked.
package fingerprint

// Type is what a path is.
type Type byte

// The types of a path. Absent is an observation like any other: it says that
// a look at the path found nothing there. The zero Type is no observation.
const (
	Absent  Type = '-'
	File    Type = 'f'
	Dir     Type = 'd'
	Symlink Type = 'l'
	FIFO    Type = 'p'
	Socket  Type = 's'
	Block   Type = 'b'
	Char    Type = 'c'
)

// Entry is what was seen at one path.
type Entry struct {
	// Path is absolute and clean, as bytes. Its parent directories are real
	// directories, not links; its last element is the thing itself.
	Path string
	Type Type
	// Mode holds the permission bits with setuid, setgid and sticky (07777).
	Mode uint32
	UID  uint32
	GID  uint32
	// MTime and ATime are nanoseconds since 1970. They are put back but are
	// not part of the fingerprint.
	MTime int64
	ATime int64
	// Size is the length in bytes of a File, else 0.
	Size int64
	// Target is the text of a Symlink, as bytes.
	Target string
	// Group is a number shared by the paths of one multiply linked inode that
	// were seen together; 0 for a path that was seen alone.
	Group int
	// Links is the link count of the inode when it was seen. It is larger than
	// the number of paths in the group when some lie outside what was looked at.
	Links uint32
	// Dev and Ino identify the inode. They are not part of the fingerprint.
	Dev, Ino uint64
	// Rdev is the device number of a Block or Char.
	Rdev uint64
	// Xattrs are the extended attributes, sorted by name.
	Xattrs []Xattr
	// Extents are the data ranges of a sparse File; none means no holes. A File
	// that is one hole has a single empty range.
	Extents []Extent
	// XXH is the content hash of a File, see [Content].
	XXH uint64
	// SHA is the SHA-256 of a File's content.
	SHA [32]byte
	// Off is where the content starts in payload.tar; Big, when not 0, is the
	// number of the file under big/ that holds it instead. Both belong to one
	// payload and are not part of the fingerprint.
	Off int64
	Big int
}

// Xattr is one extended attribute.
type Xattr struct {
	Name  string
	Value string
}

// Extent is a range of bytes that holds data.
type Extent struct {
	Off, Len int64
}
