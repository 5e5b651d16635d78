package leaks

import (
	"encoding/base64"
	"os"
	"path/filepath"
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

// Files are looked through wherever they lie.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, _ := models.MintKey()
	inner := filepath.Join(dir, "base", "1")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"clean": "nothing", "dirty": "\x00\xff" + key + "\x00"} {
		if err := os.WriteFile(filepath.Join(inner, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	looked, err := Files(dir, func(path, secret string) { found = append(found, filepath.Base(path)+" "+secret) })
	if err != nil || looked != len("nothing")+3+len(key) || len(found) != 1 || !strings.HasPrefix(found[0], "dirty API key sk-polaris-") || strings.Contains(found[0], key) {
		t.Errorf("%d bytes, found %q; %v", looked, found, err)
	}
}
