package store

import (
	"errors"
	"time"

	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

var noResearch = fault.New(fault.NotFound, "No such research job.").WithCode("job_not_found")

// ErrResearchEnded says that a job has ended meanwhile: it was cancelled, or
// another process did the step.
var ErrResearchEnded = errors.New("store: the research job has ended")

var openResearch = []models.ResearchState{models.ResearchQueued, models.ResearchRunning}

// InsertResearch saves a new job.
func (tx *Tx) InsertResearch(j *models.ResearchJob) error {
	j.BrainID = tx.Brain
	if j.Topics == nil {
		j.Topics = []string{}
	}
	if j.Gaps == nil {
		j.Gaps = []string{}
	}
	for _, c := range []*string{&j.Findings, &j.Citations} {
		if *c == "" {
			*c = "[]"
		}
	}
	if j.Plan == "" {
		j.Plan = "{}"
	}
	return tx.db.Create(j).Error
}

// ResearchByID returns the job with the id that has this hash.
func (tx *Tx) ResearchByID(hash []byte) (*models.ResearchJob, error) {
	return one[models.ResearchJob](tx.db.Where("brain_id = ? AND id_hash = ?", tx.Brain, hash), noResearch)
}

// Research returns a job by its ref.
func (tx *Tx) Research(ref string) (*models.ResearchJob, error) {
	return one[models.ResearchJob](tx.db.Where("brain_id = ? AND ref = ?", tx.Brain, ref), noResearch)
}

// LockResearch returns a job that nobody else changes until the transaction ends.
func (tx *Tx) LockResearch(ref string) (*models.ResearchJob, error) {
	return one[models.ResearchJob](tx.db.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("brain_id = ? AND ref = ?", tx.Brain, ref), noResearch)
}

// ResearchPage returns some of the brain's jobs, newest first.
func (tx *Tx) ResearchPage(s Stretch) ([]models.ResearchJob, error) {
	js := []models.ResearchJob{}
	return js, s.newest(tx.db.Where("brain_id = ?", tx.Brain), "created_at", "ref").Find(&js).Error
}

// OpenResearch returns how many jobs of the brain have not ended.
func (tx *Tx) OpenResearch() (int, error) {
	var n int64
	return int(n), tx.db.Model(&models.ResearchJob{}).Where("brain_id = ? AND state IN ?", tx.Brain, openResearch).Count(&n).Error
}

// SaveResearch writes how far a job has come, unless it has ended.
func (tx *Tx) SaveResearch(j *models.ResearchJob) error {
	q := tx.db.Model(j).Where("state IN ?", openResearch).
		Select("state", "plan", "findings", "result", "citations", "gaps", "error", "started_at", "finished_at").Updates(j)
	if q.Error == nil && q.RowsAffected == 0 {
		return ErrResearchEnded
	}
	return q.Error
}

// SweepResearch removes the jobs that ended before a moment, and returns how many.
func (tx *Tx) SweepResearch(before time.Time) (int, error) {
	q := tx.db.Where("brain_id = ? AND finished_at < ?", tx.Brain, before).Delete(&models.ResearchJob{})
	return int(q.RowsAffected), q.Error
}

// LostResearch returns the jobs that are open and which no work is queued for.
func (tx *Tx) LostResearch() (lost []ResearchStep, err error) {
	var refs []string
	err = tx.db.Raw(`SELECT ref FROM research_jobs j WHERE brain_id = ? AND state IN ('queued', 'running') AND created_at < now() - interval '10 seconds'
		AND NOT EXISTS (SELECT FROM river.river_job r WHERE r.kind = ? AND r.state NOT IN ('completed', 'cancelled', 'discarded') AND r.args->>'brain' = j.brain_id AND r.args->>'ref' = j.ref)`,
		tx.Brain, ResearchStep{}.Kind()).Scan(&refs).Error
	for _, ref := range refs {
		lost = append(lost, ResearchStep{Brain: tx.Brain, Ref: ref})
	}
	return lost, err
}
