package ops

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"errors"
	"time"

	"polaris/models"
	"polaris/models/fault"
	"polaris/models/store"
)

// A signer signs access tokens with one key.
type signer struct {
	kid string
	key ed25519.PrivateKey
}

// The ways in which there is no key to sign with.
var (
	noSealingKey = fault.New(fault.Unavailable, "There is no secret key here, so access tokens cannot be signed. Set POLARIS_SECRET_KEY, or start `bb serve` once, which makes one.").WithCode("no_secret_key")
	sealedByElse = fault.New(fault.Unavailable, "The keys that sign access tokens were sealed with another secret key than this one. Start with that POLARIS_SECRET_KEY; if it is lost, drop them with `bb op tokens.rotate_signing_key --brain-id _instance` and {\"drop\": true}, which ends every access token that is out.").WithCode("wrong_secret_key")
)

// PrepareSigning makes sure that access tokens can be signed, and makes the first
// key. Run it before serving: a wrong secret key should be found then, and not by
// the first program that signs in.
func (d *Desk) PrepareSigning(ctx context.Context) error {
	now := d.Now().UTC()
	return d.Store.InBrain(ctx, store.Instance, func(tx *store.Tx) error {
		_, err := d.signerNow(tx, now)
		return err
	})
}

// signerNow returns the key that signs now. Where there is none, or its time is
// over, it makes the next one; one process does that at a time. The key is read
// anew each time, so that one that was dropped signs nothing more.
func (d *Desk) signerNow(tx *store.Tx, now time.Time) (*signer, error) {
	k, err := tx.SigningKey(now)
	if err != nil {
		return nil, err
	}
	if k == nil {
		if err := tx.LockSigningKeys(); err != nil {
			return nil, err
		}
		if k, err = tx.SigningKey(now); err != nil {
			return nil, err
		}
	}
	if k == nil {
		return d.newSigner(tx, now)
	}
	return d.unsealed(k)
}

// newSigner makes a key. The transaction holds the lock of signing keys.
func (d *Desk) newSigner(tx *store.Tx, now time.Time) (*signer, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	s := &signer{kid: models.RandomBase62(12), key: private}
	sealed, err := d.seal(private.Seed(), s.kid)
	if err != nil {
		return nil, err
	}
	until := now.Add(models.SigningLife)
	return s, tx.InsertSigningKey(&models.SigningKey{KID: s.kid, PublicKey: public, Sealed: sealed, CreatedAt: now, SignsUntil: until, VerifiesUntil: until.Add(models.SigningOverlap)})
}

// sealer returns what seals private keys: AES-256-GCM.
func (d *Desk) sealing() (cipher.AEAD, error) {
	if len(d.Settings.SealingKey) == 0 {
		return nil, noSealingKey
	}
	block, err := aes.NewCipher(d.Settings.SealingKey)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal returns a private key's seed as it is stored. It is bound to the key's id,
// so that one sealed key cannot be put in another's place.
func (d *Desk) seal(seed []byte, kid string) ([]byte, error) {
	aead, err := d.sealing()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, seed, sealedFor(kid)), nil
}

func sealedFor(kid string) []byte { return []byte("polaris signing key " + kid) }

// unsealed opens a stored key. One that does not open, or is not the half of its
// public key, was sealed by another secret key or tampered with.
func (d *Desk) unsealed(k *models.SigningKey) (*signer, error) {
	aead, err := d.sealing()
	if err != nil {
		return nil, err
	}
	seed, err := aead.Open(nil, nil, k.Sealed, sealedFor(k.KID))
	if err == nil && len(seed) != ed25519.SeedSize {
		err = errors.New("a sealed key of the wrong length")
	}
	if err != nil {
		return nil, sealedByElse.Because(err)
	}
	s := &signer{kid: k.KID, key: ed25519.NewKeyFromSeed(seed)}
	if !ed25519.PublicKey(k.PublicKey).Equal(s.key.Public()) {
		return nil, sealedByElse.Because(errors.New("the public key is another's"))
	}
	return s, nil
}

// RotateSigningKeyIn says what becomes of the keys that signed until now.
type RotateSigningKeyIn struct {
	Drop bool `json:"drop,omitempty"` // they verify nothing from now on: one of them is in wrong hands
}

// RotatedSigningKey is the key that signs from now on.
type RotatedSigningKey struct {
	KID     string `json:"kid"`
	Retired int64  `json:"retired"` // keys that verify until the last of their tokens has run out
	Dropped int64  `json:"dropped"` // keys that were removed, and all access tokens with them
}

// RotateSigningKey makes a new key for access tokens before its time. Refresh
// tokens are not signed and go on.
var RotateSigningKey = &Op[RotateSigningKeyIn, RotatedSigningKey]{
	Name: "tokens.rotate_signing_key", Title: "Rotate the signing key", Summary: "Sign access tokens with a new key; with drop, end every access token that is out.",
	Class: Reversible, Needs: models.MayAdminister, Offered: CLI | Web,
	Final: "the key of before is not used again",
	Run: func(_ context.Context, e *Env, in RotateSigningKeyIn) (out RotatedSigningKey, err error) {
		if err := ofInstance(e); err != nil {
			return out, err
		}
		if err := e.Tx.LockSigningKeys(); err != nil {
			return out, err
		}
		if in.Drop {
			out.Dropped, err = e.Tx.DropSigningKeys()
		} else {
			out.Retired, err = retire(e)
		}
		if err != nil {
			return out, err
		}
		s, err := e.desk.newSigner(e.Tx, e.Now)
		if err != nil {
			return out, err
		}
		out.KID, e.Audit.Target = s.kid, s.kid
		return out, nil
	},
}

// retire lets the keys that there are sign no more. Whoever cannot open the one
// that signs now has not the servers' secret key: what they made, no server could
// sign with.
func retire(e *Env) (int64, error) {
	k, err := e.Tx.SigningKey(e.Now)
	if err != nil {
		return 0, err
	}
	if k != nil {
		if _, err := e.desk.unsealed(k); err != nil {
			return 0, err
		}
	}
	return e.Tx.RetireSigningKeys(e.Now, e.Now.Add(models.SigningOverlap))
}

// ofInstance refuses a brain for what belongs to all of them.
func ofInstance(e *Env) error {
	if e.Call.Brain != store.Instance {
		return fault.Field("brain_id", "This belongs to the whole instance and not to a brain: say %s.", store.Instance)
	}
	return nil
}
