package cli

import (
	"cmp"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCommand struct{}

func (*versionCommand) register(*flag.FlagSet) {}

// run prints the version, and what it was built with, on one line.
func (*versionCommand) run(r *run, _ []string) error {
	say(r.Out, fmt.Sprintf("frank %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
	return nil
}

// version is that of the module, which the go command stamps: a tag, or commit
// and time for a build from a checkout.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		return cmp.Or(info.Main.Version, "devel")
	}
	return "devel"
}
