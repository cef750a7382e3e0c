//go:build !race

package contracttest

const oneOf = 1
