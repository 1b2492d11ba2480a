package classify

// ownReads are the verbs that anyone may use.
const ownReads = "explain ledger show status verify version help doctor list checkpoints search blame diff stats arm rules rehearse demo log"

// ownModels is counterstep itself. What reads is for everyone; what fires or
// weakens is for people.
func ownModels() []*Model {
	return models([]verbs{{
		names: "counterstep", family: "own", title: "Reads the ledger; firing and weakening are for people", undo: "fire is undone by redo", class: Irreversible,
		values: "--store", read: ownReads,
		rest: restRefuse, examples: []string{"counterstep ledger", "counterstep arm -- 'rm -rf data'", "counterstep fire --last"},
		first: func(inv *Invocation, said []string, args []Word) bool {
			if len(said) > 0 && said[0] == "init" && hasFlag(args, "--print") {
				inv.Inert("only prints")
				return true
			}
			if len(said) == 0 || wantsHelp(args) || matches(ownReads, said) > 0 {
				return false
			}
			inv.part.forbid("counterstep "+said[0]+" is for people, not for agents", "ask the person to run: counterstep "+said[0], inv.pos)
			return true
		},
	}})
}
