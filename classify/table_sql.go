package classify

import "strings"

// sqlModels are clients of SQL servers, and of databases in one file.
func sqlModels() []*Model {
	return []*Model{
		{
			Names: []string{"psql", "pgcli"}, Family: "database", Title: "Talks to PostgreSQL", Undo: "none for what a server holds", Class: Irreversible,
			Examples: []string{"psql -c 'SELECT 1'", "psql -c 'DROP TABLE users'", "psql -l"},
			Options: &Grammar{Short: "abAeEnqsStxXzw0c:d:f:v:L:o:F:P:R:T:h:p:U:WlV1H?", Lenient: true, Long: []string{
				"command=", "dbname=", "file=", "list", "set=", "variable=", "version", "no-psqlrc", "single-transaction", "log-file=",
				"output=", "host=", "port=", "username=", "no-password", "password", "csv", "html", "tuples-only", "quiet", "no-align",
				"field-separator=", "pset=", "record-separator=", "table-attr=", "expanded", "help=?", "echo-all", "echo-queries",
			}},
			Apply: applyPsql,
		},
		{
			Names: []string{"mysql", "mariadb", "mycli"}, Family: "database", Title: "Talks to MySQL", Undo: "none for what a server holds", Class: Irreversible,
			Examples: []string{"mysql -e 'SHOW TABLES'", "mysql -e 'DROP DATABASE d'"},
			Options: &Grammar{Short: "e:u:h:P:D:S:p::BNsrtvwqnfA#::T", Lenient: true, Long: []string{
				"execute=", "user=", "host=", "port=", "database=", "socket=", "password=?", "batch", "skip-column-names", "silent", "raw",
				"table", "verbose", "tee=", "defaults-file=", "default-character-set=", "protocol=", "ssl-mode=", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				if asksHelp(inv) {
					return
				}
				for _, w := range inv.Values("tee") {
					inv.Write(w)
				}
				serverSQL(inv, inv.Values("e", "execute"), true)
			},
		},
		{
			Names: []string{"sqlcmd", "clickhouse-client", "cqlsh", "snowsql", "usql", "trino", "presto"}, Family: "database",
			Title: "Talks to an SQL server", Undo: "none for what a server holds", Class: Irreversible, Examples: []string{"sqlcmd -Q 'SELECT 1'", "cqlsh -e 'DROP TABLE t'"},
			Options: &Grammar{Short: "q:Q:e:i:S:U:P:d:u:h:f:k:", Lenient: true, Long: []string{"query=", "execute=", "help", "version", "host=", "user=", "password=", "database=", "file="}},
			Apply: func(inv *Invocation) {
				if !asksHelp(inv) {
					serverSQL(inv, inv.Values("q", "Q", "e", "query", "execute"), true)
				}
			},
		},
		{
			Names: []string{"sqlite3", "sqlite", "duckdb"}, Family: "database", Title: "Reads and changes a database file", Undo: "puts the file back with its journal",
			Class: Invertible, Examples: []string{"sqlite3 DB 'SELECT 1'", "sqlite3 DB 'DELETE FROM users'"}, Apply: applySqlite,
		},
		{
			Names: []string{"pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "pg_basebackup"}, Family: "database", Title: "Reads a database out", Undo: "puts the old output file back",
			Class: Inert, Examples: []string{"pg_dump -f NEW db"},
			Options: &Grammar{Short: "abcCE:f:F:j:n:N:Oh:p:U:d:t:T:sSvwWxZ:D:Xu:P:r:", Lenient: true, Long: []string{"file=", "result-file=", "pgdata=", "format=", "dbname=", "host=", "port=", "username=", "table=", "schema=", "compress=", "help", "version"}},
			Apply: func(inv *Invocation) {
				inv.Inert("only reads")
				for _, w := range inv.Values("f", "file", "r", "result-file") {
					inv.Overwrite(w, onlyDirs(inv, w))
				}
			},
		},
		{
			Names: []string{"dropdb", "dropuser", "pg_restore", "mysqladmin", "mysqlimport", "pg_resetwal", "initdb", "createdb", "createuser", "pg_ctl", "pg_isready", "reindexdb", "vacuumdb", "mysqlcheck"}, Family: "database",
			Title: "Administers a database server", Undo: "none for what a server holds", Class: Irreversible, Examples: []string{"createdb d", "dropdb d"}, Apply: applyDatabaseAdmin,
		},
	}
}

func applyDatabaseAdmin(inv *Invocation) {
	verb := ""
	if ws := plainArgs(inv); len(ws) > 0 {
		verb, _ = ws[len(ws)-1].One()
	}
	switch {
	case wantsHelp(inv.Args()), inv.Name() == "pg_isready", inv.Name() == "pg_restore" && hasFlag(inv.Args(), "-l", "--list"),
		inv.Name() == "mysqladmin" && isOneOf(verb, []string{"status", "ping", "version", "processlist", "variables", "extended-status"}):
		inv.Inert("only reads")
	case isOneOf(inv.Name(), []string{"createdb", "createuser", "pg_ctl", "reindexdb", "vacuumdb", "mysqlcheck"}),
		inv.Name() == "mysqladmin" && hasWord(inv.Args(), "create"):
		inv.Barrier(inv.Name() + " changes a database server")
	default:
		refuseSQL(inv)
	}
}

func refuseSQL(inv *Invocation) {
	inv.Refuse(inv.Name()+" changes what a database server holds, and that cannot be captured",
		"a SELECT that shows what would be hit; then let the person run it")
}

// serverSQL judges the statements a client is given, or reads.
func serverSQL(inv *Invocation, given []Word, stdin bool) {
	var sql strings.Builder
	for _, w := range given {
		s, ok := w.One()
		if !ok && !fixedSQL(w) {
			inv.Unresolved("the SQL is not known")
			return
		}
		if !ok {
			s = strings.ReplaceAll(showHoles(w.val.all()[0]), "…", " x ")
		}
		sql.WriteString(s + ";\n")
	}
	if len(given) == 0 && stdin {
		t := textOf(inv.StdinWord())
		if !t.ok || t.loose {
			inv.Unresolved("the SQL that " + inv.Name() + " reads is not known")
			return
		}
		sql.WriteString(t.s)
	}
	switch readSQL(sql.String()) {
	case sqlReads:
		inv.Inert("only reads")
	case sqlAdds:
		inv.Barrier(inv.Name() + " adds to what a database server holds")
	default:
		refuseSQL(inv)
	}
}

// fixedSQL reports that SQL with parts that are not known is one SELECT as far
// as it is known: a value in a condition.
func fixedSQL(w Word) bool {
	p := strings.ToUpper(strings.TrimSpace(w.Prefix()))
	return len(w.val.all()) == 1 && strings.HasPrefix(p, "SELECT ") && readSQL(p) == sqlReads
}

func applyPsql(inv *Invocation) {
	if asksHelp(inv) || inv.Has("l", "list", "V", "version") {
		inv.Inert("only reads")
		return
	}
	for _, w := range inv.Values("o", "output", "L", "log-file") {
		if beginsWith(w, "|") {
			inv.RunScript(w.cut(1))
		} else {
			inv.Write(w)
		}
	}
	given := inv.Values("c", "command")
	for _, f := range inv.Values("f", "file") {
		name, _ := f.One()
		data, ok := inv.Read(name)
		if name == "-" {
			data, ok = inv.Stdin()
		}
		if !ok {
			inv.Unresolved("the SQL file cannot be read")
			return
		}
		given = append(given, inv.Lit(string(data)))
	}
	serverSQL(inv, metaCommands(inv, given), !inv.Has("c", "command", "f", "file"))
}

// metaCommands takes the lines that are for psql itself out of SQL.
func metaCommands(inv *Invocation, given []Word) []Word {
	var out []Word
	for _, w := range given {
		s, ok := w.One()
		if !ok {
			out = append(out, w)
			continue
		}
		var kept []string
		for l := range strings.SplitSeq(s, "\n") {
			t := strings.TrimSpace(l)
			switch {
			case !strings.HasPrefix(t, `\`):
				kept = append(kept, l)
			case strings.HasPrefix(t, `\!`):
				inv.RunScript(inv.Lit(t[2:]))
			case strings.HasPrefix(t, `\o`), strings.HasPrefix(t, `\w`), strings.HasPrefix(t, `\copy`), strings.HasPrefix(t, `\i`), strings.HasPrefix(t, `\g`):
				kept = append(kept, "UNKNOWN")
			}
		}
		out = append(out, inv.Lit(strings.Join(kept, "\n")))
	}
	return out
}

// applySqlite writes the database file and its journal unless every statement
// reads.
func applySqlite(inv *Invocation) {
	args := inv.Args()
	var ws, sql []Word
	for i := 0; i < len(args); i++ {
		s := strings.TrimPrefix(args[i].Prefix(), "-")
		switch {
		case !beginsWith(args[i], "-"):
			ws = append(ws, args[i])
		case isOneOf(s, []string{"-cmd", "cmd", "-c", "c"}) && i+1 < len(args):
			i++
			sql = append(sql, args[i])
		case isOneOf(s, []string{"separator", "-separator", "newline", "-newline", "nullvalue", "-nullvalue", "mmap", "vfs", "init", "-init"}):
			i++
		case isOneOf(s, []string{"-version", "version", "-help", "help"}):
			inv.Inert("prints help")
			return
		}
	}
	if len(ws) == 0 {
		inv.Inert("a database in memory")
		return
	}
	db := ws[0]
	sql = append(sql, ws[1:]...)
	if len(ws) == 1 {
		t := textOf(inv.StdinWord())
		if !t.ok || t.loose {
			inv.Opaque("the commands that sqlite3 reads are not known")
			sqliteWrites(inv, db)
			return
		}
		for _, l := range t.lines() {
			sql = append(sql, inv.Lit(l))
		}
	}
	plain := strings.Builder{}
	for _, w := range sql {
		s, ok := w.One()
		if !ok && fixedSQL(w) {
			continue
		}
		if !ok || !sqliteDot(inv, s) {
			sqliteWrites(inv, db)
			if !ok {
				inv.Opaque("a command of sqlite3 is not known")
			}
			continue
		}
		if !strings.HasPrefix(strings.TrimSpace(s), ".") {
			plain.WriteString(s + "\n")
		}
	}
	inv.Inert("only reads")
	if readSQL(plain.String()) != sqlReads || hasJournal(inv, db) {
		sqliteWrites(inv, db)
	}
}

// hasJournal reports that closing the database can move a journal into it.
func hasJournal(inv *Invocation, db Word) bool {
	s, ok := db.One()
	if !ok {
		return true
	}
	_, wal := inv.Stat(s + "-wal")
	_, old := inv.Stat(s + "-journal")
	return wal || old
}

func sqliteWrites(inv *Invocation, db Word) {
	inv.Write(db)
	for _, suffix := range []string{"-wal", "-shm", "-journal", ".wal"} {
		side := db
		side.val = db.val.concat(known(suffix))
		if s, ok := side.One(); ok && !inv.isMissing(inv.Lit(s)) {
			inv.Write(side)
		}
	}
}

// sqliteDot follows one dot command; false when it writes the database.
func sqliteDot(inv *Invocation, s string) bool {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, ".") {
		return true
	}
	name, rest, _ := strings.Cut(s, " ")
	rest = strings.Trim(strings.TrimSpace(rest), `'"`)
	switch name {
	case ".shell", ".system":
		inv.RunScript(inv.Lit(rest))
	case ".output", ".once", ".log", ".trace", ".o":
		if strings.HasPrefix(rest, "|") {
			inv.RunScript(inv.Lit(rest[1:]))
		} else if rest != "" && rest != "stdout" && rest != "off" {
			inv.Write(inv.Lit(rest))
		}
	case ".backup", ".save", ".clone", ".excel":
		if f := strings.Fields(rest); len(f) > 0 {
			inv.Write(inv.Lit(f[len(f)-1]))
		}
	case ".restore", ".import", ".read", ".open", ".archive", ".load", ".recover", ".sha3sum", ".expert", ".filectrl", ".vfsname", ".dbconfig":
		return name == ".sha3sum" || name == ".expert"
	}
	return true
}
