package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	"github.com/counterstep/counterstep/internal/proc"
)

// screen reports whether a person sees stdout.
func (e Env) screen() (*os.File, bool) {
	f, ok := e.Stdout.(*os.File)
	return f, ok && terminal(f)
}

// page writes a longer text: through the pager when a person sees it, plain
// otherwise.
func page(ctx context.Context, env Env, write func(w io.Writer, p palette) error) error {
	out, person := env.screen()
	p := newPalette(env)
	if !person {
		return write(env.Stdout, p)
	}
	var text bytes.Buffer
	if err := write(&text, p); err != nil {
		return err
	}
	pager := strings.Fields(env.Getenv("PAGER"))
	if len(pager) == 0 {
		pager = []string{"less"}
	}
	path, err := proc.Look(pager[0], env.Getenv("PATH"))
	if err == nil && pager[0] != "cat" {
		less := env.Getenv("LESS")
		if less == "" {
			less = "FRX"
		}
		vars := []string{"LESS=" + less, "TERM=" + env.Getenv("TERM"), "PATH=" + env.Getenv("PATH"), "LANG=" + env.Getenv("LANG"), "HOME=" + env.home()}
		shown := bytes.NewReader(text.Bytes())
		if proc.Show(ctx, proc.Cmd{Path: path, Args: pager[1:], Dir: "/", Env: vars, Stdin: shown}, out) == nil {
			return nil
		}
	}
	_, err = text.WriteTo(out)
	return err
}

// palette colours words for people; the zero one leaves them as they are.
type palette struct{ on bool }

// newPalette is on when a person sees stdout and has not said no.
func newPalette(env Env) palette {
	_, person := env.screen()
	return palette{on: person && env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb"}
}

func (p palette) paint(code, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) red(text string) string    { return p.paint("31", text) }
func (p palette) green(text string) string  { return p.paint("32", text) }
func (p palette) yellow(text string) string { return p.paint("33", text) }
func (p palette) cyan(text string) string   { return p.paint("36", text) }
func (p palette) faint(text string) string  { return p.paint("2", text) }
