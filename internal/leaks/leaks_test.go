package leaks

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/gorilla/securecookie"

	"polaris/models"
)

// Each secret is found in the middle of other text, and what is public of one is
// not taken for it.
func TestIn(t *testing.T) {
	t.Parallel()
	key, id := models.MintKey()
	cookie, err := securecookie.New([]byte(strings.Repeat("k", 32)), nil).SetSerializer(securecookie.NopEncoder{}).Encode("polaris_session", []byte(models.RandomBase62(43)))
	if err != nil {
		t.Fatal(err)
	}
	part := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"EdDSA","typ":"at+jwt"}`))
	for secret, found := range map[string]bool{
		key:                                   true,
		strings.Replace(key, "sk-", "rt-", 1): true,
		cookie:                                true,
		"session-polaris-" + models.RandomBase62(43):      true,
		"link-polaris-" + models.RandomBase62(32):         true,
		part + "." + part + "." + strings.Repeat("x", 86): true,
		models.KeyStart(id):                               false,
		models.RedactIn(key):                              false,
		id:                                                false,
		strings.Repeat("0123456789abcdef", 4):             false,
	} {
		if got := In([]byte(`{"msg":"before ` + secret + ` after"}`)); (len(got) == 1) != found || len(got) > 1 {
			t.Errorf("%q: found %v", secret, got)
		}
	}
}
