// Package gate turns one call of a coding agent into one decision.
//
// This file holds the words it shares with the harness adapters: what came in,
// freed of each harness's spelling, and what is to be answered.
package gate

// Event says at which moment of a session a harness speaks to us.
type Event string

// The moments. A moment that no constant names is Other and never stops
// anything.
const (
	Before      Event = "before"       // a call is about to run; can be refused
	After       Event = "after"        // a call has run
	AfterFailed Event = "after-failed" // a call has run and reported a failure
	Prompt      Event = "prompt"       // a person's prompt was taken
	Start       Event = "start"        // a session starts or goes on
	Stop        Event = "stop"         // the agent has answered; work of its may go on
	End         Event = "end"          // a session is over
	Config      Event = "config"       // a settings file changed; can be refused
	Other       Event = "other"        // anything else
)

// CanRefuse reports whether an answer to e can stop something. Failures of
// ours must block these events and must let all others pass.
func (e Event) CanRefuse() bool { return e == Before || e == Config }

// Request is one event of a harness, decoded. Nothing in it is trusted: every
// string comes from the payload as it was.
type Request struct {
	Harness string // name of the adapter that decoded it
	Event   Event

	Session string // the harness's session id; "" when it has none
	Prompt  string // id of the prompt that led to the call; "" when unknown
	CallID  string // the harness's id of the call; "" when it has none
	Agent   string // id of the subagent that makes the call; "" for the main one
	Cwd     string // directory of the call, absolute as the payload gave it

	Tool        string // the harness's own name of the tool
	Input       Input
	Description string // the agent's own words about the call; "" when none
	Background  bool   // the call goes on after its After event
	Task        string // After: the harness's id of what goes on; "" when it has none
	// Ended are ids of calls, or of their tasks, of which the event says that
	// they are over.
	Ended []string
	// Running are the tasks that go on after a Stop event; nil when it does not
	// say.
	Running []string

	PromptText   string // Prompt: what was asked
	Transcript   string // file in which the harness keeps the conversation; "" when it has none
	SettingsFile string // Config: the file that changed; "" when not said
	// CanAsk says that the harness can ask a person about this call.
	CanAsk bool
	// Source is the harness's word for what caused the event: the kind of
	// settings for Config, startup or resume for Start. For a Before event it
	// is "" unless the call is no ordinary tool call; then it names the event.
	Source string
}

// InputKind says which of an Input's fields carry the call.
type InputKind string

// The kinds of input. The zero value and Unknown are the cautious ones:
// nothing is known about what the call does.
const (
	Shell      InputKind = "shell"      // Command is a line for the user's shell
	PowerShell InputKind = "powershell" // Command is a line for PowerShell
	Write      InputKind = "write"      // Paths are written whole
	Edit       InputKind = "edit"       // Paths are changed in place
	Read       InputKind = "read"       // nothing is changed
	External   InputKind = "external"   // acts outside our sight: web, other agents
	Unknown    InputKind = "unknown"    // a tool that is not known, such as one of an MCP server
)

// Input is what a call hands to its tool.
type Input struct {
	Kind    InputKind
	Command string   // Shell, PowerShell
	Paths   []string // Write, Edit; as given, relative ones to Request.Cwd
	Words   []string // Unknown: the texts in the input, some of which may be paths
	// Canonical is the tool's input as JSON with sorted keys and no space, so
	// that equal inputs have equal bytes. It keys calls that have no id.
	Canonical []byte
}

// Decision is the answer to a Request. The zero value lets the call go and
// says nothing.
type Decision struct {
	Refused bool // we looked and refuse
	Ask     bool // with Refused: a person may let it go, where the harness asks
	Fault   bool // we could not look: our own failure; counts as refused where that is possible

	Reason  string // why, in a sentence for the model; required when Refused or Fault
	Hint    string // what would work instead, or the command to type; may be ""
	Message string // for the person: what was done; "" to stay quiet
	Note    string // for the harness's debug log; never decides anything
}
