package ops

import (
	"fmt"

	"polaris/models"
)

// recordsByTwo reports whether a change of what is recorded of answers takes a
// second person. To keep no more texts from now on, only their hashes, takes
// nobody else: what is served can still be proved by whoever has it, and it may
// be urgent. To record nothing gives up the proof, to record more goes beyond
// what people were told, and to let bodies expire sooner destroys what there is.
func recordsByTwo(now, next BrainSettings) bool {
	quieter := now.RecordAnswers == models.RecordFull && next.RecordAnswers == models.RecordHash
	return now.AnswerDays != next.AnswerDays || now.RecordAnswers != next.RecordAnswers && !quieter
}

// recording says what is recorded, for the audit log.
func (s BrainSettings) recording() string {
	if s.AnswerDays == 0 {
		return s.RecordAnswers + ", for ever"
	}
	return fmt.Sprintf("%s, for %d days", s.RecordAnswers, s.AnswerDays)
}

func saveRecording(e *Env, now, next BrainSettings) error {
	if now.recording() == next.recording() {
		return nil
	}
	e.changed("recorded answers", now.recording(), next.recording())
	return e.Tx.SetRecording(next.RecordAnswers, next.AnswerDays)
}
