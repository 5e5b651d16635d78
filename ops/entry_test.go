package ops_test

import (
	"context"
	"testing"

	"polaris/models/fault"
	"polaris/models/store"
	"polaris/ops"
)

// A set-up that the database did not answer must not send its reader off to
// restart the server for another token.
func TestSetUpTellsAnOutageFromAUsedToken(t *testing.T) {
	t.Parallel()
	d, _ := newDesk(t, store.Options{})
	c := ops.Call{By: ops.Visitor(), Brain: ops.Instance, Via: ops.Web}
	in := ops.SetUpIn{Token: "none", Name: "Ada", Email: ada, Password: "correct horse battery"}
	if _, err := ops.Do(t.Context(), d, c, ops.SetUp, in); fault.Of(err).Code != "link_dead" {
		t.Errorf("a token that is none: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ops.Do(gone, d, c, ops.SetUp, in); err == nil || fault.Of(err).Code == "link_dead" {
		t.Errorf("a query that was cut off: %v, want no word on the token", err)
	}
}
