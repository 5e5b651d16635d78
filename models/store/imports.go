package store

import (
	"crypto/sha256"
	"errors"
	"time"

	"gorm.io/gorm/clause"

	"polaris/models"
	"polaris/models/fault"
)

var noImport = fault.New(fault.NotFound, "No such import.").WithCode("no_such_import")

// ErrItemEnded says that an item has ended meanwhile: another process did it, or
// its import was cancelled.
var ErrItemEnded = errors.New("store: the item has ended")

// openStates are those in which an item has not ended.
var openStates = []models.ItemState{models.ItemQueued, models.ItemReading}

// InsertImport saves a new import, without items.
func (tx *Tx) InsertImport(i *models.Import) error {
	i.BrainID = tx.Brain
	if i.Scopes == nil {
		i.Scopes = []models.Scope{}
	}
	return tx.db.Create(i).Error
}

// Import returns an import by its id.
func (tx *Tx) Import(id string) (*models.Import, error) {
	return one[models.Import](tx.db.Where("brain_id = ? AND id = ?", tx.Brain, id), noImport)
}

// LockImport returns an import, which nobody else adds to or cancels until the
// transaction ends.
func (tx *Tx) LockImport(id string) (*models.Import, error) {
	return one[models.Import](tx.db.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("brain_id = ? AND id = ?", tx.Brain, id), noImport)
}

// ImportPage returns some of the brain's imports, newest first.
func (tx *Tx) ImportPage(s Stretch) ([]models.Import, error) {
	is := []models.Import{}
	return is, s.newest(tx.db.Where("brain_id = ?", tx.Brain), "started_at", "id").Find(&is).Error
}

// ImportItems returns the items of an import, in order.
func (tx *Tx) ImportItems(id string) ([]models.ImportItem, error) {
	items := []models.ImportItem{}
	return items, tx.db.Where("brain_id = ? AND import_id = ?", tx.Brain, id).Order("n").Find(&items).Error
}

// ItemCounts returns how many items of each import are in each state.
func (tx *Tx) ItemCounts(imports []string) (map[string]map[models.ItemState]int, error) {
	var rows []struct {
		ImportID string
		State    models.ItemState
		N        int
	}
	err := tx.db.Model(&models.ImportItem{}).Select("import_id, state, count(*) AS n").
		Where("brain_id = ? AND import_id IN ?", tx.Brain, imports).Group("import_id, state").Scan(&rows).Error
	by := make(map[string]map[models.ItemState]int, len(imports))
	for _, r := range rows {
		if by[r.ImportID] == nil {
			by[r.ImportID] = map[models.ItemState]int{}
		}
		by[r.ImportID][r.State] = r.N
	}
	return by, err
}

// A Staged adds documents to an import, whose row is locked.
type Staged struct {
	tx   *Tx
	id   string
	n    int
	now  time.Time
	jobs []Job
}

// Stage begins to add documents to an import, whose row must be locked.
func (tx *Tx) Stage(id string, now time.Time) (*Staged, error) {
	s := &Staged{tx: tx, id: id, now: now}
	return s, tx.db.Model(&models.ImportItem{}).Select("coalesce(max(n), 0)").Where("brain_id = ? AND import_id = ?", tx.Brain, id).Scan(&s.n).Error
}

// Items is how many items the import has.
func (s *Staged) Items() int { return s.n }

// Add stages one document: its bytes, and the item that says what becomes of it.
// Code is the source that it is to be a revision of, where that is known.
func (s *Staged) Add(name, code string, data []byte, ofArchive int) error {
	return s.AddItem(models.ImportItem{Name: name, Wanted: code, OfArchive: ofArchive}, data)
}

// AddItem stages an item of which the caller says more: where it was fetched
// from, or is to be fetched from. The latter has no bytes yet.
func (s *Staged) AddItem(item models.ImportItem, data []byte) error {
	s.n++
	if data == nil {
		data = []byte{} // NULL otherwise
	}
	sum := sha256.Sum256(data)
	item.BrainID, item.ImportID, item.N, item.SHA256, item.Size = s.tx.Brain, s.id, s.n, sum[:], int64(len(data))
	item.State, item.Warnings, item.CardsAffected, item.QueuedAt = models.ItemQueued, []string{}, []models.AffectedCard{}, s.now
	if err := s.tx.db.Create(&item).Error; err != nil {
		return err
	}
	s.jobs = append(s.jobs, Job{s.tx.Brain, s.id, s.n})
	return s.tx.exec(`INSERT INTO import_files (brain_id, import_id, n, bytes) VALUES ($1, $2, $3, $4)`, string(s.tx.Brain), s.id, s.n, data)
}

// Enqueue puts in a job for each document that was added.
func (s *Staged) Enqueue() error {
	var open int64
	err := s.tx.db.Model(&models.ImportItem{}).Where("brain_id = ? AND state IN ?", s.tx.Brain, openStates).Count(&open).Error
	if err != nil {
		return err
	}
	return s.tx.Enqueue(s.jobs, int(open)-len(s.jobs))
}

// TakeItem returns an item. One that has not ended is being read from now on.
func (tx *Tx) TakeItem(j Job, now time.Time) (*models.ImportItem, error) {
	item, err := one[models.ImportItem](tx.db.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("brain_id = ? AND import_id = ? AND n = ?", tx.Brain, j.Import, j.N), noImport)
	if err != nil || !item.State.Open() {
		return item, err
	}
	item.State, item.StartedAt = models.ItemReading, &now
	return item, tx.db.Model(item).Select("state", "started_at").Updates(item).Error
}

// ItemBytes returns the bytes of an item that has not ended.
func (tx *Tx) ItemBytes(j Job) ([]byte, error) {
	var b []byte
	return b, tx.db.Raw("SELECT bytes FROM import_files WHERE brain_id = ? AND import_id = ? AND n = ?", tx.Brain, j.Import, j.N).Row().Scan(&b)
}

// EndItem says what became of an item, and lets its bytes go. ErrItemEnded is
// returned where that is said already: whatever else the transaction did must
// not be done twice.
func (tx *Tx) EndItem(item *models.ImportItem) error {
	q := tx.db.Model(item).Where("state IN ?", openStates).
		Select("state", "status", "reason", "fault", "source_id", "code", "title", "revision", "passages", "warnings", "flags", "cards_affected", "recommendation", "finished_at", "etag", "last_modified").Updates(item)
	if q.Error != nil {
		return q.Error
	}
	if q.RowsAffected == 0 {
		return ErrItemEnded
	}
	return tx.db.Exec("DELETE FROM import_files WHERE brain_id = ? AND import_id = ? AND n = ?", tx.Brain, item.ImportID, item.N).Error
}

// RequeueItem says that an item is waiting again.
func (tx *Tx) RequeueItem(j Job) error {
	return tx.db.Model(&models.ImportItem{}).Where("brain_id = ? AND import_id = ? AND n = ? AND state IN ?", tx.Brain, j.Import, j.N, openStates).
		Update("state", models.ItemQueued).Error
}

// CancelImport ends what of an import has not ended. What is being read is read
// for nothing.
func (tx *Tx) CancelImport(i *models.Import, by string, at time.Time) (int64, error) {
	i.CancelledAt, i.CancelledBy = &at, by
	if err := tx.db.Model(i).Select("cancelled_at", "cancelled_by").Updates(i).Error; err != nil {
		return 0, err
	}
	q := tx.db.Model(&models.ImportItem{}).Where("brain_id = ? AND import_id = ? AND state IN ?", tx.Brain, i.ID, openStates).
		Updates(map[string]any{"state": models.ItemCancelled, "finished_at": at})
	if q.Error != nil {
		return 0, q.Error
	}
	return q.RowsAffected, tx.db.Exec(`DELETE FROM import_files f USING import_items i WHERE i.brain_id = f.brain_id AND i.import_id = f.import_id AND i.n = f.n
		AND f.brain_id = ? AND f.import_id = ? AND i.state = 'cancelled'`, tx.Brain, i.ID).Error
}

// LostItems returns the items that have not ended and that no job is for: those
// of a database that was restored, and, as given up, those whose job was tried
// too often.
func (tx *Tx) LostItems() (lost, givenUp []Job, err error) {
	var rows []struct {
		ImportID string
		N        int
		Tried    bool
	}
	err = tx.db.Raw(`SELECT i.import_id, i.n, EXISTS (SELECT FROM river.river_job j WHERE j.args @> jsonb_build_object('brain', i.brain_id, 'import', i.import_id, 'n', i.n) AND j.state = 'discarded') AS tried
		FROM import_items i WHERE i.brain_id = ? AND i.state IN ('queued', 'reading')
		AND NOT EXISTS (SELECT FROM river.river_job j WHERE j.args @> jsonb_build_object('brain', i.brain_id, 'import', i.import_id, 'n', i.n) AND j.state NOT IN ('discarded', 'completed', 'cancelled'))
		ORDER BY i.import_id, i.n`, tx.Brain).Scan(&rows).Error
	for _, r := range rows {
		j := Job{tx.Brain, r.ImportID, r.N}
		if r.Tried {
			givenUp = append(givenUp, j)
		} else {
			lost = append(lost, j)
		}
	}
	return lost, givenUp, err
}

// RolesOf returns what a person is in the brain now, nothing for who is disabled.
func (tx *Tx) RolesOf(person string) ([]models.Role, error) {
	var m []MemberPerson
	err := tx.members().Where("m.person_id = ? AND p.disabled_at IS NULL", person).Scan(&m).Error
	if err != nil || len(m) == 0 {
		return nil, err
	}
	return m[0].Roles, nil
}

// A FolderSource is a source of the draft that was imported from a folder.
type FolderSource struct {
	ID, Code, Title, Name string
	SHA256                []byte `gorm:"column:sha256"`
}

// SourcesOfFolder returns the draft's sources that were imported from a folder,
// by code.
func (tx *Tx) SourcesOfFolder(folder string) ([]FolderSource, error) {
	var all []FolderSource
	return all, tx.db.Raw(`SELECT s.id, s.code, s.title, r.name, r.sha256 FROM sources s
		JOIN revisions r ON r.brain_id = s.brain_id AND r.source_id = s.id AND r.n = s.head
		WHERE s.brain_id = ? AND s.removed_at IS NULL AND EXISTS (
		  SELECT FROM import_items i JOIN imports m ON m.brain_id = i.brain_id AND m.id = i.import_id
		  WHERE i.brain_id = s.brain_id AND i.source_id = s.id AND i.state IN ('done', 'held', 'unchanged') AND m.options->>'folder' = ?)
		ORDER BY s.code`, tx.Brain, folder).Scan(&all).Error
}

// FetchedFor returns the addresses of the documents that were fetched for an
// item already, and how many bytes each has.
func (tx *Tx) FetchedFor(j Job) (map[string]int64, error) {
	var items []models.ImportItem
	err := tx.db.Select("url", "size").Where("brain_id = ? AND import_id = ? AND of_archive = ?", tx.Brain, j.Import, j.N).Find(&items).Error
	have := make(map[string]int64, len(items))
	for _, i := range items {
		have[i.URL] = i.Size
	}
	return have, err
}

// LastFetched returns the item that an address was last imported by, if what it
// gave is still what the draft has, and how its server marked it; nil where the
// document is to be sent again.
func (tx *Tx) LastFetched(url string) (*models.ImportItem, error) {
	item, err := one[models.ImportItem](tx.db.Joins("JOIN sources s ON s.brain_id = import_items.brain_id AND s.id = import_items.source_id AND s.head = import_items.revision AND s.removed_at IS NULL").
		Where("import_items.brain_id = ? AND import_items.url = ? AND import_items.state IN ? AND (import_items.etag <> '' OR import_items.last_modified <> '')", tx.Brain, url, []models.ItemState{models.ItemDone, models.ItemHeld, models.ItemUnchanged}).
		Order("import_items.finished_at DESC"), noImport)
	if fault.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // it was never fetched, or the draft has another text
	}
	return item, err
}

// SourceFrom returns the code of the only source of the draft that comes from an
// address, "" where there is none or are several.
func (tx *Tx) SourceFrom(url string) (string, error) {
	var codes []string
	err := tx.db.Model(&models.Source{}).Where("brain_id = ? AND origin_url = ? AND removed_at IS NULL", tx.Brain, url).Limit(2).Pluck("code", &codes).Error
	if len(codes) != 1 {
		return "", err
	}
	return codes[0], err
}
