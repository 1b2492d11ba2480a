package classify

import "strings"

// dataModels are clients of other stores and the tools that change schemas.
func dataModels() []*Model {
	out := models([]verbs{
		{
			names: "prisma", family: "database", title: "Changes a schema and its database", undo: "puts the workspace back; none for a server", class: Irreversible,
			read: "validate version migrate/status migrate/diff", refuse: "migrate/reset db/execute", opaque: "generate format studio init db/pull", thing: "what a database holds", instead: "prisma migrate diff",
			allow: "migrate/deploy db/seed db/push", first: func(inv *Invocation, said []string, args []Word) bool {
				switch {
				case hasFlag(args, "--force-reset", "--accept-data-loss"):
					refuseSQL(inv)
				case len(said) > 1 && said[0] == "migrate" && said[1] == "dev":
					inv.Opaque("writes migrations")
					inv.Barrier("the database of the project")
				default:
					return false
				}
				return true
			},
		},
		{
			names: "rails", family: "database", title: "Runs a project's tasks; db:* change its database", undo: "puts the workspace back; none for a server", class: Irreversible,
			read: "routes about notes stats db:version db:migrate:status --tasks -T", refuse: "db:drop* db:reset* db:purge* db:schema:load* db:structure:load* db:migrate:reset db:migrate:redo db:migrate:down db:rollback* db:truncate_all db:seed:replant db:fixtures:load db:setup",
			allow: "db:create* db:migrate* db:seed* db:prepare", thing: "what a database holds", instead: "rails db:migrate:status", rest: restOpaque,
		},
		{
			names: "artisan", family: "database", title: "Runs a project's tasks", undo: "puts the workspace back; none for a server", class: Irreversible,
			read: "list route:list migrate:status about", refuse: "migrate:fresh migrate:refresh migrate:reset migrate:rollback db:wipe queue:flush", allow: "migrate db:seed", thing: "what a database holds", rest: restOpaque,
		},
		{
			names: "mix", family: "database", title: "Builds Elixir projects; ecto.* change a database", undo: "puts the workspace back; none for a server", class: Irreversible,
			read: "help ecto.migrations", refuse: "ecto.drop ecto.reset ecto.rollback hex.publish", allow: "ecto.create ecto.migrate", thing: "what a database holds", rest: restOpaque, examples: []string{"mix test", "mix ecto.drop"},
		},
		{
			names: "alembic flyway liquibase knex sequelize sequelize-cli typeorm drizzle-kit dbmate goose migrate atlas sqlx diesel", family: "database", title: "Moves a database to another schema", undo: "none for a server", class: Irreversible,
			read:   "history current heads show check info validate status list version migrations/list migrate:list migrate:status",
			refuse: "downgrade clean dropAll drop-all rollback* undo migrate:rollback migrate:down migrate:undo* db:drop schema:drop migration:revert drop down redo reset fix force database/drop database/reset database/setup migration/revert migration/redo",
			allow:  "upgrade migrate update up migrate:latest migrate:up db:migrate db:create db:seed migration:run push apply migration/run create", opaque: "revision init new generate stamp", thing: "what a database holds", rest: restRefuse,
			examples: []string{"alembic history", "alembic upgrade head", "alembic downgrade base"},
		},
		{
			names: "supabase", family: "database", title: "Works with Supabase", undo: "none for a server", class: Irreversible, read: "status db/diff db/lint projects/list migration/list functions/list",
			refuse: "db/reset db/push projects/delete functions/delete secrets/unset branches/delete stop", allow: "start login link functions/deploy", opaque: "init gen db/pull migration/new functions/new", thing: "what a database holds", rest: restRefuse,
		},
		{
			names: "mongodump mongoexport", family: "database", title: "Reads a database out", undo: "puts the old output back", class: Bounded, rest: restOpaque, examples: []string{"mongodump"},
		},
		{
			names: "mongorestore mongoimport", family: "database", title: "Loads a database", undo: "none for a server", class: Irreversible, rest: restRefuse, thing: "what a database holds", examples: []string{"mongorestore D"},
			first: func(inv *Invocation, _ []string, args []Word) bool {
				if !wantsHelp(args) {
					refuseSQL(inv)
				}
				return true
			},
		},
	})
	return append(out,
		&Model{
			Names: []string{"redis-cli", "valkey-cli", "keydb-cli"}, Family: "database", Title: "Talks to Redis", Undo: "none for what a server holds", Class: Irreversible,
			Examples: []string{"redis-cli GET k", "redis-cli FLUSHALL"}, Apply: applyRedis,
		},
		&Model{
			Names: []string{"mongosh", "mongo"}, Family: "database", Title: "Talks to MongoDB", Undo: "none for what a server holds", Class: Irreversible,
			Examples: []string{"mongosh --eval 'db.users.find()'", "mongosh --eval 'db.dropDatabase()'"}, Apply: applyMongo,
		})
}

func applyRedis(inv *Invocation) {
	args := inv.Args()
	i := 0
	for i < len(args) && beginsWith(args[i], "-") {
		if args[i].Is("-h", "-p", "-s", "-a", "-u", "-n", "-r", "-i", "--user", "--pass", "-d", "-D") {
			i++
		}
		if i < len(args) && args[i].Is("--version", "--help", "--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency") {
			inv.Inert("only reads")
			return
		}
		i++
	}
	if i >= len(args) {
		t := textOf(inv.StdinWord())
		if !t.ok || t.loose {
			inv.Unresolved("the commands that redis-cli reads are not known")
			return
		}
		for _, l := range t.lines() {
			if f := strings.Fields(l); len(f) > 0 && !redisReads(f[0]) {
				refuseSQL(inv)
				return
			}
		}
		inv.Inert("only reads")
		return
	}
	verb, ok := args[i].One()
	if f := strings.Fields(verb); len(f) > 0 {
		verb = f[0]
	}
	sub := ""
	if i+1 < len(args) {
		sub, _ = args[i+1].One()
	}
	switch {
	case !ok:
		inv.Unresolved("the command of redis-cli is not known")
	case redisReads(verb), isOneOf(strings.ToUpper(verb+" "+sub), []string{"CONFIG GET", "CLIENT LIST", "CLIENT INFO", "MEMORY USAGE", "SLOWLOG GET", "CLUSTER INFO", "CLUSTER NODES", "OBJECT ENCODING", "ACL LIST", "ACL WHOAMI", "XINFO STREAM", "LATENCY LATEST", "FUNCTION LIST", "COMMAND DOCS"}):
		inv.Inert("only reads")
	default:
		refuseSQL(inv)
	}
}

func redisReads(verb string) bool {
	switch strings.ToUpper(verb) {
	case "GET", "MGET", "KEYS", "SCAN", "INFO", "PING", "TTL", "PTTL", "TYPE", "STRLEN", "GETRANGE", "EXISTS", "DBSIZE", "LLEN", "LRANGE", "LINDEX",
		"HGET", "HGETALL", "HMGET", "HKEYS", "HVALS", "HLEN", "HEXISTS", "HSCAN", "SMEMBERS", "SCARD", "SISMEMBER", "SSCAN", "ZRANGE", "ZREVRANGE",
		"ZRANGEBYSCORE", "ZSCORE", "ZCARD", "ZCOUNT", "ZSCAN", "ZRANK", "XRANGE", "XLEN", "XREAD", "MONITOR", "TIME", "ECHO", "LASTSAVE", "ROLE",
		"RANDOMKEY", "BITCOUNT", "GETBIT", "SELECT", "AUTH", "HELLO", "COMMAND", "SUBSCRIBE", "PSUBSCRIBE", "DUMP", "PFCOUNT", "GEOPOS", "GEODIST":
		return true
	}
	return false
}

// applyMongo lets scripts go whose methods all read.
func applyMongo(inv *Invocation) {
	code, ok := flagValue(inv.Args(), "--eval")
	if !ok {
		if wantsHelp(inv.Args()) {
			inv.Inert("prints help")
			return
		}
		code = inv.StdinWord()
	}
	s, known := code.One()
	if !known {
		inv.Unresolved("the script is not known")
		return
	}
	for _, t := range awkTokens(s) {
		if isNameByte(t[0]) && mongoWrites(t) {
			refuseSQL(inv)
			return
		}
	}
	inv.Inert("only reads")
}

// mongoWrites reports that a name in a script is not one of those that read. A
// name that no method has is a collection, a field or a value.
func mongoWrites(name string) bool {
	low := strings.ToLower(name)
	for _, part := range []string{
		"insert", "update", "delete", "remove", "drop", "replace", "rename", "create", "bulk", "shutdown", "save", "admin", "runcommand", "eval", "load",
		"modify", "write", "convert", "compact", "fsync", "kill", "grant", "revoke", "add", "enable", "disable", "require", "import", "out", "merge", "set", "function", "initiate", "reconfig",
	} {
		if strings.HasPrefix(low, part) || strings.Contains(low, "and"+part) {
			return true
		}
	}
	return false
}
