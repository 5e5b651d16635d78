package ops_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

const houseBook = `# House Rules

## 1 Fees

(a) The late fee is 12 euros.

(b) No fee is charged in the first month.

## 2 Complaints

(a) A complaint is acknowledged within 2 days.

(b) A complaint is answered within 30 days.

## 3 Leave

(a) Staff have 28 days of annual leave.
`

// researcher is a brain with the handbook published, somebody who may ask it, and
// workers.
func researcher(t *testing.T, id models.BrainID, d *ops.Desk) ops.Call {
	t.Helper()
	c := newBrain(t, d, id, false)
	must(t, d, c, ops.ImportSource, ops.ImportSourceIn{Name: "rules.md", Code: "HR", Data: []byte(houseBook)})
	must(t, d, c, ops.PublishVersion, ops.PublishIn{})
	_, key := keyOf(t, d, c, models.ScopeAdvisorRead, models.ScopeResearchRun)
	key.Published = 1
	return ops.Call{By: key, Brain: key.Brain, Via: ops.Hosted}
}

func works(t *testing.T, d *ops.Desk) {
	t.Helper()
	w, err := d.Work(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// The three tools: a question about the server is answered at once, a small one
// while it is waited for, a large one in steps that are polled; and its report
// has every part, each quoted.
func TestResearch(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	by := researcher(t, "calliope", d)
	works(t, d)

	if r := must(t, d, by, ops.SubmitQuery, ops.SubmitIn{Query: "What can you do?"}); r.Depth != "meta" || r.State != "complete" || !strings.Contains(r.Result, "Version 1 is published") || r.Estimated != nil {
		t.Errorf("%+v", r)
	}
	small := must(t, d, by, ops.SubmitQuery, ops.SubmitIn{Query: "How much is the late fee?"})
	if small.Depth != "shallow" || small.State != "complete" || !strings.Contains(small.Result, "12 euros") || len(small.Citations) == 0 {
		t.Errorf("%+v", small)
	}
	if again := must(t, d, by, ops.GetReport, ops.JobIn{JobID: small.JobID}); again.Result != small.Result {
		t.Errorf("fetched again: %+v", again)
	}
	began := time.Now()
	r := must(t, d, by, ops.SubmitQuery, ops.SubmitIn{Query: "Compare fees, complaints and leave, with all deadlines."})
	if r.Depth != "deep" || r.State != "queued" || *r.Estimated != 10 || *r.FirstPoll != 5 || r.Result != "" {
		t.Fatalf("%+v", r)
	}
	job := ops.JobIn{JobID: r.JobID}
	first := time.Duration(0)
	var p *ops.ResearchResult
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		p = must(t, d, by, ops.PollQuery, job)
		if first == 0 && len(p.Todos) > 2 {
			first = time.Since(began)
		}
		if p.State == "complete" {
			break
		}
		if *p.NextPoll != 5 || p.Result != "" {
			t.Fatalf("%+v", p)
		}
	}
	if p.State != "complete" || p.NextPoll != nil || len(p.Todos) != 5 || first == 0 || first > 2*time.Second {
		t.Fatalf("first steps after %v, then %+v", first, p)
	}
	for _, todo := range p.Todos {
		if todo.Status != "completed" {
			t.Errorf("%+v", todo)
		}
	}
	done := must(t, d, by, ops.GetReport, job)
	for _, want := range []string{"12 euros", "30 days", "28 days", "| Complaints | within 30 days | HR 2(b) |", "## Sources"} {
		if !strings.Contains(done.Result, want) {
			t.Errorf("the report lacks %q:\n%s", want, done.Result)
		}
	}
	if len(done.Citations) < 3 {
		t.Errorf("%+v", done.Citations)
	}
}

// Unknown, malformed, foreign, large-letter and expired ids are told apart by
// nothing.
func TestResearchIDsTellNothing(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	by, other := researcher(t, "calliope", d), researcher(t, "euterpe", d)
	d.Settings.InlineWait = time.Millisecond // nobody works
	r := must(t, d, by, ops.SubmitQuery, ops.SubmitIn{Query: "How much is the late fee?"})
	if r.State != "queued" || *r.Estimated != 10 {
		t.Errorf("%+v", r)
	}
	if r := must(t, d, by, ops.GetReport, ops.JobIn{JobID: r.JobID}); r.State != "not_ready" || r.Error != "job_not_ready" {
		t.Errorf("%+v", r)
	}
	want := `{"state":"not_found","error":"job_not_found"}`
	for name, c := range map[string]struct {
		call ops.Call
		id   string
	}{
		"unknown":   {by, "6f1c2a9e-0000-4000-8000-000000000000"},
		"malformed": {by, "job-1"},
		"empty":     {by, ""},
		"capitals":  {by, strings.ToUpper(r.JobID)},
		"braces":    {by, "{" + r.JobID + "}"},
		"version 1": {by, "6f1c2a9e-0000-1000-8000-000000000000"},
		"foreign":   {other, r.JobID},
	} {
		for _, o := range []*ops.Op[ops.JobIn, *ops.ResearchResult]{ops.PollQuery, ops.GetReport} {
			b, err := json.Marshal(must(t, d, c.call, o, ops.JobIn{JobID: c.id}))
			if err != nil || string(b) != want {
				t.Errorf("%s, %s: %s %v", name, o.Name, b, err)
			}
		}
	}
	// What is finished ends a day later.
	works(t, d)
	for end := time.Now().Add(20 * time.Second); must(t, d, by, ops.PollQuery, ops.JobIn{JobID: r.JobID}).State != "complete"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody does it")
		}
	}
	later := ops.NewDesk(d.Store, d.Settings, d.Log)
	later.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	works(t, later)
	b, err := json.Marshal(must(t, d, by, ops.GetReport, ops.JobIn{JobID: r.JobID}))
	if err != nil || string(b) != want {
		t.Errorf("a day later: %s %v", b, err)
	}
}

// What is suspended while a job runs is not in its report.
func TestResearchWithholds(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	by := researcher(t, "calliope", d)
	r := must(t, d, by, ops.SubmitQuery, ops.SubmitIn{Query: "Compare fees, complaints and leave, with all deadlines."})
	must(t, d, terminal("calliope"), ops.SuspendSource, ops.SuspendIn{Source: "HR", Key: "HR 2(b)", Reason: "It is being revised."})
	works(t, d)
	for end := time.Now().Add(20 * time.Second); must(t, d, by, ops.PollQuery, ops.JobIn{JobID: r.JobID}).State != "complete"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody does it")
		}
	}
	done := must(t, d, by, ops.GetReport, ops.JobIn{JobID: r.JobID})
	if strings.Contains(done.Result, "30 days") || !strings.Contains(done.Result, "28 days") {
		t.Errorf("%s", done.Result)
	}
}
