package localpg

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// aclName is the extended attribute that holds a file's access control list.
const aclName = "system.posix_acl_access"

// letPass lets one more user pass through a folder, for passing only: the folder
// can still not be listed, and everybody else stays out. A folder that has an
// access control list already is left as it is.
func letPass(dir string, st fs.FileInfo, uid int) error {
	if n, err := unix.Getxattr(dir, aclName, nil); n > 0 {
		return nil // somebody has thought about it
	} else if err != nil && !errors.Is(err, unix.ENODATA) {
		return err
	}
	const nobody = 0xffffffff // of an entry that names no user
	mode := uint16(st.Mode().Perm())
	acl := binary.LittleEndian.AppendUint32(nil, 2) // version
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{
		{0x01, mode >> 6 & 7, nobody}, // the owner
		{0x02, 1, uint32(uid)},        // the user: pass
		{0x04, mode >> 3 & 7, nobody}, // the group
		{0x10, mode>>3&7 | 1, nobody}, // mask: what users and groups that are named may have at most
		{0x20, mode & 7, nobody},      // everybody else
	} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.perm)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	return unix.Setxattr(dir, aclName, acl, 0)
}
