package classify

// OutputLoose says that the call writes some of these lines, in any order.
func (inv *Invocation) OutputLoose(text string) { inv.OutputWord(inv.UnknownWord("…")) }

// Loose is the text whose lines w may consist of, in any order.
func (w Word) Loose() (string, bool) { return "", false }
