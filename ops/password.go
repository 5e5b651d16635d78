package ops

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"polaris/models/fault"
)

// Argon2id's cost: the second of the settings that OWASP recommends, 19 MiB
// and two passes, about 20 ms here. hashing bounds how many run at once, so a
// burst of sign-ins costs time and not memory.
const (
	argonMemory  = 19 * 1024 // KiB
	argonPasses  = 2
	argonThreads = 1
	argonKey     = 32
)

var hashing = make(chan struct{}, 2)

// PasswordMin is the shortest password, in characters; passwordMax is the
// longest, in bytes.
const (
	PasswordMin = 12
	passwordMax = 1024
)

var b64 = base64.RawStdEncoding

// newPassword checks a password that somebody chose, and returns its hash.
func newPassword(password string) (hash string, err error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	return hashPassword(password), nil
}

// hashPassword returns the password's argon2id hash as a PHC string.
func hashPassword(password string) string {
	salt := make([]byte, 16)
	rand.Read(salt) // never fails since Go 1.24
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonThreads,
		b64.EncodeToString(salt), b64.EncodeToString(argon(password, salt, argonPasses, argonMemory, argonThreads)))
}

func argon(password string, salt []byte, passes, memory uint32, threads uint8) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, argonKey)
}

// noPassword stands in for the hash of a person who is not there, so that
// trying one takes as long as trying one who is. No password hashes to nothing
// but zeros. It is written rather than made: each process of this program, the
// short-lived ones too, would spend 20 ms on it.
var noPassword = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonThreads,
	b64.EncodeToString(make([]byte, 16)), b64.EncodeToString(make([]byte, argonKey)))

// passwordMatches reports whether hash was made from password.
func passwordMatches(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || len(password) > passwordMax {
		return false
	}
	var memory, passes uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil {
		return false
	}
	salt, err1 := b64.DecodeString(parts[4])
	want, err2 := b64.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(want) != argonKey {
		return false
	}
	return subtle.ConstantTimeCompare(argon(password, salt, passes, memory, threads), want) == 1
}

// checkPassword reports what is wrong with a new password, or nil.
func checkPassword(password string) error {
	switch {
	case !utf8.ValidString(password) || len(password) > passwordMax:
		return fault.Field("password", "A password is at most %d bytes of text.", passwordMax)
	case utf8.RuneCountInString(password) < PasswordMin:
		return fault.Field("password", "Use at least %d characters; a few unrelated words do well.", PasswordMin)
	}
	return nil
}
