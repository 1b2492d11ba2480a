package classify

import "strings"

// packModels compress single files and take the original away.
func packModels() []*Model {
	type packer struct {
		names, suffix string
		keeps         bool // the original stays unless --rm is given
	}
	var out []*Model
	for _, p := range []packer{
		{"gzip gunzip pigz unpigz", ".gz", false},
		{"bzip2 bunzip2 pbzip2 lbzip2", ".bz2", false},
		{"xz unxz pixz", ".xz", false},
		{"lzma unlzma", ".lzma", false},
		{"compress uncompress", ".Z", false},
		{"lzip plzip", ".lz", false},
		{"zstd unzstd pzstd zstdmt", ".zst", true},
		{"lz4 unlz4", ".lz4", true},
		{"brotli", ".br", true},
	} {
		names := strings.Fields(p.names)
		out = append(out, &Model{
			Names: names, Family: "archive", Title: "Compresses a file, and takes the original away unless it is told to keep it",
			Undo: "puts the original back, removes what was made", Class: Invertible,
			Examples: []string{names[0] + " F", names[0] + " -k F", names[0] + " -c F"},
			Options: &Grammar{Short: "0123456789abcdfhklLmMnNqrRS:tvVzFeD:o:T:B:p:iK:C:X:P::", Long: []string{
				"stdout", "to-stdout", "decompress", "uncompress", "force", "help", "keep", "list", "license", "no-name", "name",
				"quiet", "recursive", "rsyncable", "suffix=", "test", "verbose", "version", "fast=?", "best", "compress",
				"processes=", "threads=", "rm", "ultra", "long=?", "output-dir-flat=", "format=", "extreme", "block-size=",
				"no-check", "check=", "memlimit=", "small", "single-stream", "adapt=?", "no-sparse", "sparse", "output=",
				"quality=", "lgwin=", "files=?", "files0=?", "no-progress", "content-size", "flush-timeout=",
			}},
			Apply: func(inv *Invocation) { applyPacker(inv, p.suffix, p.keeps) },
		})
	}
	return out
}

func applyPacker(inv *Invocation, suffix string, keeps bool) {
	if inv.Has("c", "stdout", "to-stdout", "t", "test", "l", "list", "h", "help", "V", "version", "L", "license") {
		inv.Inert("only prints")
		return
	}
	inv.Inert("reads its input")
	if w, ok := inv.Value("S", "suffix"); ok {
		suffix, _ = w.One()
	}
	for _, w := range inv.Values("o", "output") {
		inv.Write(w)
	}
	keep := inv.Has("k", "keep") || keeps && !inv.Has("rm")
	unpacks := inv.Has("d", "decompress", "uncompress") || strings.HasPrefix(inv.Name(), "un") || strings.HasPrefix(inv.Name(), "gun") ||
		strings.HasPrefix(inv.Name(), "bun")
	for _, w := range inv.Operands() {
		if w.Is("-") {
			continue
		}
		if inv.Has("r", "R", "recursive") && !keep {
			inv.Overwrite(w, true)
		}
		made := w
		if unpacks {
			made.val = w.val.each(func(s string) string { return unpackedName(s, suffix) })
			if bare := w; inv.isMissing(w) {
				bare.val = w.val.concat(known(suffix))
				made, w = w, bare
			}
		} else {
			made.val = w.val.concat(known(suffix))
		}
		if !inv.Has("o", "output") {
			inv.Replace(made)
		}
		if !keep {
			inv.Delete(w, false)
		}
	}
}

// unpackedName is the name without the suffix of a compressed file.
func unpackedName(s, suffix string) string {
	for _, x := range []string{".tgz", ".tbz", ".tbz2", ".txz", ".tzst"} {
		if t, ok := strings.CutSuffix(s, x); ok {
			return t + ".tar"
		}
	}
	if t, ok := strings.CutSuffix(s, suffix); ok {
		return t
	}
	return s + ".out"
}

// isMissing reports that nothing is at w.
func (inv *Invocation) isMissing(w Word) bool {
	s, ok := w.One()
	if !ok {
		return false
	}
	_, there := inv.Lstat(s)
	return !there
}
