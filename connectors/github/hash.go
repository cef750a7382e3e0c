package github

import (
	"crypto/sha1" //nolint:gosec // how Git names a blob, no protection
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// noteHash: a content is not the one that its hash names. GitHub's own always
// is; a server that hands out made-up hashes may still tell the truth, so that
// this is said and does not decide.
const noteHash = "content_hash"

// misnamed reports whether data is another blob than that of the hash. What is
// no whole hash names nothing.
func misnamed(sha string, data []byte) bool {
	if !isHash(sha) {
		return false
	}
	blob := append([]byte("blob "+strconv.Itoa(len(data))+"\x00"), data...)
	if len(sha) == sha256.Size*2 {
		sum := sha256.Sum256(blob)
		return hex.EncodeToString(sum[:]) != sha
	}
	sum := sha1.Sum(blob) //nolint:gosec // see above
	return hex.EncodeToString(sum[:]) != sha
}
