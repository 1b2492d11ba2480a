// Command counterstep holds the destructive calls of coding agents until their
// undo is proven, and takes them back.
package main

import (
	"os"

	"github.com/counterstep/counterstep/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.System(), os.Args[1:]))
}
