package classify

import "strings"

// sqlKind is the worst that statements do.
type sqlKind uint8

const (
	// sqlReads: every statement only reads.
	sqlReads sqlKind = iota
	// sqlAdds: some make rows or things that are new.
	sqlAdds
	// sqlLoses: some can change or take away what is there.
	sqlLoses
)

// readSQL judges statements by their first words; strings and comments do not
// count.
func readSQL(sql string) sqlKind {
	worst := sqlReads
	for _, words := range sqlStatements(sql) {
		worst = max(worst, statementKind(words))
	}
	return worst
}

func statementKind(words []string) sqlKind {
	has := func(ws ...string) bool {
		for _, w := range ws {
			if isOneOf(w, words) {
				return true
			}
		}
		return false
	}
	switch words[0] {
	case "SELECT", "WITH", "EXPLAIN", "VALUES", "TABLE", "FROM":
		if has("INSERT", "UPDATE", "DELETE", "INTO", "DROP", "TRUNCATE", "ALTER", "MERGE", "CREATE") ||
			has("PG_TERMINATE_BACKEND", "PG_CANCEL_BACKEND", "LO_UNLINK", "LO_EXPORT", "SETVAL", "NEXTVAL", "DBLINK_EXEC", "LOAD_EXTENSION", "WRITEFILE", "PG_WRITE_FILE", "PG_FILE_UNLINK") {
			return sqlLoses
		}
		return sqlReads
	case "SHOW", "DESCRIBE", "DESC", "USE", "PRAGMA", "BEGIN", "START", "COMMIT", "ROLLBACK", "END", "SET", "HELP", "STATUS", "ANALYZE",
		"SAVEPOINT", "RELEASE", "LIST", "ATTACH", "DETACH":
		if words[0] == "PRAGMA" && has("=") || words[0] == "ATTACH" {
			return sqlLoses
		}
		return sqlReads
	case "INSERT":
		if has("REPLACE", "CONFLICT", "DUPLICATE", "OVERWRITE") {
			return sqlLoses
		}
		return sqlAdds
	case "CREATE", "COMMENT":
		if has("REPLACE") {
			return sqlLoses
		}
		return sqlAdds
	case "COPY":
		if has("TO") && !has("PROGRAM") {
			return sqlReads
		}
		return sqlLoses
	default:
		return sqlLoses
	}
}

// sqlStatements splits SQL into upper-case words per statement.
func sqlStatements(sql string) [][]string {
	var out [][]string
	var words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ';':
			flush()
			i++
		case c == '\'' || c == '"' || c == '`':
			j := i + 1
			for j < len(sql) && sql[j] != c {
				j++
			}
			words = append(words, "'")
			i = j + 1
		case strings.HasPrefix(sql[i:], "--") || c == '#':
			for i < len(sql) && sql[i] != '\n' {
				i++
			}
		case strings.HasPrefix(sql[i:], "/*"):
			end := strings.Index(sql[i:], "*/")
			if end < 0 || strings.HasPrefix(sql[i:], "/*!") {
				return append(out, []string{"?"})
			}
			i += end + 2
		case isNameByte(c):
			j := i
			for j < len(sql) && isNameByte(sql[j]) {
				j++
			}
			words = append(words, strings.ToUpper(sql[i:j]))
			i = j
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '(' && len(words) == 0:
			i++
		default:
			words = append(words, string(c))
			i++
		}
	}
	flush()
	return out
}
