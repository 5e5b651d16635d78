package ops_test

import (
	"strings"
	"testing"

	"polaris/models"
	"polaris/models/fault"
	"polaris/ops"
)

// TestWhatIsLackingIsNamed: a program that is refused is told what would let it.
func TestWhatIsLackingIsNamed(t *testing.T) {
	t.Parallel()
	key := func(role models.Role, s ...models.Scope) models.Principal {
		return models.Principal{Kind: models.KindKey, KeyID: "k", Brain: "calliope", Roles: []models.Role{role}, Scopes: s}
	}
	for _, r := range []struct {
		by   models.Principal
		op   *ops.Entry
		want string
	}{
		{key(models.RoleOwner, models.ScopeAdvisorRead), ops.ListSources.Entry(), "has not the scope mcp:invoke, which sources.list takes"},
		{key(models.RoleReader, models.ScopeInvoke), ops.ListSources.Entry(), "no role that covers sources.list"},
		{key(models.RoleOwner, models.Scopes()...), ops.VerifyAudit.Entry(), "No scope covers audit.verify"},
	} {
		err := ops.Allowed(ops.Call{By: r.by, Brain: "calliope", Via: ops.Web}, r.op)
		if f := fault.Of(err); err == nil || f.Code != "insufficient_scope" || !strings.Contains(f.Message, r.want) {
			t.Errorf("%v, want %q", err, r.want)
		}
	}
}
