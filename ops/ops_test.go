package ops_test

import (
	"context"
	"testing"
	"time"

	"polaris/internal/leaks"
	"polaris/models"
	"polaris/models/store"
	"polaris/models/store/storetest"
	"polaris/ops"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// newDesk returns a desk on a fresh database.
func newDesk(t testing.TB, o store.Options) (*ops.Desk, storetest.Database) {
	t.Helper()
	s, db := storetest.Open(t, o)
	return ops.NewDesk(s, ops.Settings{PublicURL: "http://polaris.test", MaxQueryChars: 8000, RateLimit: models.Rate{N: 60, Window: time.Minute}, SealingKey: make([]byte, 32)}, leaks.Log(t)), db
}

// ada is the person at the terminal of these tests.
const ada = "ada@example.org"

// terminal returns the circumstances of a command on the brain.
func terminal(brain models.BrainID) ops.Call {
	return ops.Call{By: models.Principal{Kind: models.KindTerminal, Actor: ada, Brain: brain}, Brain: brain, Via: ops.CLI}
}

// newBrain makes a brain owned by ada.
func newBrain(t testing.TB, d *ops.Desk, id models.BrainID, fourEyes bool) ops.Call {
	t.Helper()
	c := terminal(id)
	must(t, d, c, ops.CreateBrain, ops.CreateBrainIn{ID: id, Name: string(id), OwnerEmail: ada, FourEyes: fourEyes})
	return c
}

// must runs an operation that has to succeed.
func must[In, Out any](t testing.TB, d *ops.Desk, c ops.Call, o *ops.Op[In, Out], in In) Out {
	t.Helper()
	out, err := ops.Do(context.Background(), d, c, o, in)
	if err != nil {
		t.Fatalf("%s: %v", o.Name, err)
	}
	return out
}

// keyOf mints a key for the brain and returns what it stands for.
func keyOf(t testing.TB, d *ops.Desk, c ops.Call, scopes ...models.Scope) (key string, p models.Principal) {
	t.Helper()
	key = must(t, d, c, ops.CreateAPIKey, ops.CreateAPIKeyIn{Label: "test key", Scopes: scopes}).Secret
	p, err := d.KeyPrincipal(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return key, p
}

const rules = `# House Rules

## 1 Fees

(a) The late fee is 12 euros.

(b) No fee is charged in the first month.
`
