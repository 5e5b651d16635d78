package ops

// A Disposition says what the gate does with an operation of a class that came
// in by a surface.
type Disposition int

// The dispositions.
const (
	Never   Disposition = iota // not done here at all
	Runs                       // done at once
	Names                      // done at once, with a named person who approved it
	Decides                    // done at once; the person who asks is the approver
	Queues                     // waits for a second person
)

// Dispose is the table of SPEC §2: surface × class.
func Dispose(via Surface, c Class) Disposition {
	if c == Read || c == Metered {
		return Runs
	}
	switch via {
	case Web:
		return map[Class]Disposition{Reversible: Runs, Judgement: Decides, Irreversible: Queues}[c]
	case CLI, Stdio:
		return map[Class]Disposition{Reversible: Runs, Judgement: Names, Irreversible: Queues}[c]
	case Hosted, REST:
		return Queues
	}
	return Never // the OpenAI endpoint changes nothing
}
