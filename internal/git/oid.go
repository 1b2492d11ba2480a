package git

// OID is an object id in full lower-case hex, or one of the values below.
type OID string

// What a ref can be instead of an object id.
const (
	// Absent: the ref does not exist.
	Absent OID = ""
	// Unknown: what the ref is has not been found out.
	Unknown OID = "?"
)

// Known reports whether o is an object id or Absent.
func (o OID) Known() bool { return o != Unknown }

// Is reports whether o is an object id.
func (o OID) Is() bool { return isOID(string(o)) }

// isOID reports whether s is a full object id of either format.
func isOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
