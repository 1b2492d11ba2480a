package classify

import (
	"errors"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxCommand is how many bytes a command may have.
	maxCommand = 64 << 10
	// maxNesting is how deep constructs may stand in each other. The parser
	// recurses, so the depth is looked at before it runs.
	maxNesting = 200
	// maxOpen bounds what the rough count before parsing accepts: it counts
	// brackets in quotes as well.
	maxOpen = 1500
)

// guardInput refuses input that this parser and the shells read differently, or
// that would exhaust the parser.
func guardInput(src string) *Refusal {
	if len(src) > maxCommand {
		return &Refusal{
			Reason:  "the command is longer than 64 KiB",
			Instead: "put the text into a file with the file tool and run that", Pos: Pos{Line: 1, Col: 1},
		}
	}
	if !utf8.ValidString(src) {
		at := 0
		for at < len(src) {
			r, n := utf8.DecodeRuneInString(src[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return &Refusal{Reason: "the command is not valid UTF-8", Pos: posAt(src, at)}
	}
	if at := strings.IndexByte(src, 0); at >= 0 {
		return &Refusal{Reason: "the command holds a NUL byte", Pos: posAt(src, at)}
	}
	if at := strings.IndexByte(src, '\r'); at >= 0 {
		return &Refusal{
			Reason:  "the command holds a carriage return, which shells read in different ways",
			Instead: "the same command with plain line ends", Pos: posAt(src, at),
		}
	}
	if at := tooDeep(src); at >= 0 {
		return &Refusal{Reason: "the command is nested deeper than 200 levels", Pos: posAt(src, at)}
	}
	return nil
}

// tooDeep gives the offset at which more brackets and keywords are open than
// any real command has, or -1.
func tooDeep(src string) int {
	open, run := 0, 0
	for i := range len(src) {
		switch src[i] {
		case '(', '{', '`':
			open++
			run++
		case ')', '}':
			open = max(0, open-1)
			run = 0
		case ' ', '\t', '\n', '$', '!', '"', '-', ':', '~', '+':
			// These stand between openings that nest.
		default:
			run = 0
		}
		if open > maxOpen || run > maxNesting {
			return i
		}
	}
	return -1
}

// posAt is the position of a byte offset.
func posAt(src string, off int) Pos {
	line := 1 + strings.Count(src[:off], "\n")
	col := off - strings.LastIndexByte(src[:off], '\n')
	return Pos{Off: off, Line: line, Col: col}
}

// parseRefusal says where and why the parser gave up.
func parseRefusal(err error) *Refusal {
	r := &Refusal{Reason: "the command cannot be parsed", Pos: Pos{Line: 1, Col: 1}}
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
		r.Reason += ": " + pe.Text
		r.Pos = fromPos(pe.Pos)
	case errors.As(err, &le):
		r.Reason += ": " + le.Feature + " is not understood"
		r.Pos = fromPos(le.Pos)
	}
	return r
}

func fromPos(p syntax.Pos) Pos {
	return Pos{Off: int(p.Offset()), Line: int(p.Line()), Col: int(p.Col())}
}

// astDepth is how deep the tree is, chains of && || and | counted once.
func astDepth(file *syntax.File) int {
	depth, deepest := 0, 0
	var stack []bool
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			if stack[len(stack)-1] {
				depth--
			}
			stack = stack[:len(stack)-1]
			return true
		}
		counts := false
		switch n.(type) {
		case *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause,
			*syntax.CaseClause, *syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ProcSubst,
			*syntax.ParenArithm, *syntax.ParenTest, *syntax.FuncDecl, *syntax.TimeClause, *syntax.CoprocClause, *syntax.DblQuoted:
			counts = true
			depth++
			deepest = max(deepest, depth)
		}
		stack = append(stack, counts)
		return true
	})
	return deepest
}
