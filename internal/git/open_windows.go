package git

// There are no FIFOs in directories here, and no flag against links.
const (
	nonblock = 0
	nofollow = 0
)
