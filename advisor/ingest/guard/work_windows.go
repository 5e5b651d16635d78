package guard

import (
	"os"
	"path/filepath"
)

// held is a file that its owner has open, and that nobody can remove until then.
const held = "held"

func hold(dir string) (let func(), err error) {
	f, err := os.Create(filepath.Join(dir, held))
	if err != nil {
		return nil, err
	}
	return func() {
		_ = f.Close()
		_ = os.RemoveAll(dir)
	}, nil
}

// removeIfFree removes a folder that no process holds.
func removeIfFree(dir string) bool {
	if err := os.Remove(filepath.Join(dir, held)); err != nil && !os.IsNotExist(err) {
		return false
	}
	return os.RemoveAll(dir) == nil
}
