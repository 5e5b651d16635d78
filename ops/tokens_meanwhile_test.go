package ops_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"polaris/models"
	"polaris/models/store"
	"polaris/ops"
)

// A meanwhile does something just before a statement that has the text, once.
type meanwhile struct {
	text string
	do   atomic.Pointer[func()]
}

func (m *meanwhile) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, m.text) {
		if do := m.do.Swap(nil); do != nil {
			(*do)()
		}
	}
	return ctx
}
func (*meanwhile) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestAPasswordReplacedWhileItIsChecked: a sign-in whose password fitted, and was
// then replaced before the session or token was there, gives none.
func TestAPasswordReplacedWhileItIsChecked(t *testing.T) {
	t.Parallel()
	m := &meanwhile{text: "SELECT token_version FROM persons"}
	d, db := newDesk(t, store.Options{Tracer: m})
	newBrain(t, d, "calliope", false)
	newMember(t, d, eve, models.RoleReader)
	other, err := store.Open(t.Context(), db.URL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	p, err := other.PersonByEmail(t.Context(), eve)
	if err != nil {
		t.Fatal(err)
	}
	replace := func() {
		err := other.InBrain(context.Background(), ops.Instance, func(tx *store.Tx) error { return tx.SetPassword(p.ID, p.PasswordHash) })
		if err != nil {
			t.Error(err)
		}
	}
	c := ops.Call{By: ops.Visitor(), Brain: ops.Instance, Via: ops.Web}
	in := ops.SignInIn{Email: eve, Password: memberPassword}
	for name, try := range map[string]func() error{
		"session": func() error { _, err := ops.Do(t.Context(), d, c, ops.SignIn, in); return err },
		"tokens": func() error {
			_, err := d.TokensByPassword(t.Context(), c, in, "calliope", ops.CreateTokensIn{})
			return err
		},
	} {
		m.do.Store(&replace)
		if err := try(); told(err) != "wrong_sign_in" || m.do.Load() != nil {
			t.Errorf("%s: %v, want it refused", name, err)
		}
		if err := try(); err != nil {
			t.Errorf("%s, with nothing in between: %v", name, err)
		}
	}
}
