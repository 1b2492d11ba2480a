// Command perf measures counterstep against plain tools on this machine and
// prints the ratios of the performance budget, with the machine and commit.
//
//	go run ./internal/testkit/perf [-rounds 5] [-large] [-past] [-bounded] [-calls N] [-dir DIR]
//
// Each ratio is the median over interleaved rounds of one run. As root, a
// loop-mounted ext4 image is used: a root file system may have no journal.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

var (
	rounds    = flag.Int("rounds", 5, "interleaved rounds")
	past      = flag.Bool("past", false, "measure only what looks into a long ledger")
	bound     = flag.Bool("bounded", false, "measure only checkpoints and calls with unknown writes")
	calls     = flag.Int("calls", 0, "measure only how large the store is after so many calls with unknown writes")
	megabytes = flag.Int("megabytes", 100, "how large the tree for -calls is")
	large     = flag.Bool("large", false, "also measure 100,000 files")
	dir       = flag.String("dir", "", "work in this directory instead of a loop-mounted ext4")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func run() error {
	base, done, err := place()
	if err != nil {
		return err
	}
	defer done()
	b := &bench{base: base}
	if err := b.build(); err != nil {
		return err
	}
	fmt.Printf("machine: %s, %d processors, %s; commit %s; %d rounds\n\n", cpu(), runtime.NumCPU(), runtime.Version(), commit(), *rounds)
	fmt.Println("| what | goal | measured | against |")
	fmt.Println("|---|---|---|---|")
	if *past {
		return b.history()
	}
	if *calls > 0 {
		return b.growth(*calls, 1000, *megabytes*1000)
	}
	if *bound {
		return b.bounded(10_000)
	}
	if err := b.inert(); err != nil {
		return err
	}
	sizes := []int{200, 10_000}
	if *large {
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		if err := b.armAndFire(n); err != nil {
			return err
		}
	}
	if err := b.bounded(10_000); err != nil {
		return err
	}
	if err := b.local(10_000); err != nil {
		return err
	}
	if err := b.push(); err != nil {
		return err
	}
	if err := b.append(); err != nil {
		return err
	}
	return b.history()
}

// place is where to measure: a fresh journalled ext4 where that can be had.
func place() (string, func(), error) {
	if *dir != "" {
		d, err := os.MkdirTemp(*dir, "perf-")
		return d, func() { os.RemoveAll(d) }, err
	}
	d, err := os.MkdirTemp("", "perf-")
	if err != nil {
		return "", nil, err
	}
	img, mnt := filepath.Join(d, "img"), filepath.Join(d, "mnt")
	os.Mkdir(mnt, 0o755)
	script := fmt.Sprintf("truncate -s 8G %s && mkfs.ext4 -q -F -N 1500000 %s && mount -o loop %s %s", img, img, img, mnt)
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		fmt.Printf("(no loop-mounted ext4 here, so the temporary directory: %s)\n", strings.TrimSpace(string(out)))
		return d, func() { os.RemoveAll(d) }, nil
	}
	return mnt, func() { exec.Command("umount", "-l", mnt).Run(); os.RemoveAll(d) }, nil
}

type bench struct {
	base, bin, empty string
	n                int
}

// build makes the binary and an empty Go program to compare with.
func (b *bench) build() error {
	b.bin, b.empty = filepath.Join(b.base, "counterstep"), filepath.Join(b.base, "empty")
	src := filepath.Join(b.base, "src")
	os.Mkdir(src, 0o755)
	os.WriteFile(filepath.Join(src, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644)
	os.WriteFile(filepath.Join(src, "go.mod"), []byte("module empty\n\ngo 1.26\n"), 0o644)
	for _, c := range []*exec.Cmd{
		exec.Command("go", "build", "-trimpath", "-o", b.bin, "./cmd/counterstep"),
		exec.Command("go", "build", "-C", src, "-trimpath", "-o", b.empty, "."),
	} {
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", c, err, out)
		}
	}
	return nil
}

// env is a private state for one measurement.
func (b *bench) env(state string) []string {
	e := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(b.base, "home"), "XDG_STATE_HOME=" + state}
	if r := filepath.Join(b.base, "run"); exec.Command("mountpoint", "-q", r).Run() == nil {
		e = append(e, "XDG_RUNTIME_DIR="+r)
	}
	return e
}

func (b *bench) hook(state, cwd, command string) (time.Duration, error) {
	b.n++
	payload := fmt.Sprintf(`{"session_id":"p","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"t%d"}`, cwd, command, b.n)
	c := exec.Command(b.bin, "hook")
	c.Env, c.Stdin = b.env(state), strings.NewReader(payload)
	start := time.Now()
	out, err := c.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("hook on %q: %w: %s", command, err, out)
	}
	return time.Since(start), nil
}

func timed(c *exec.Cmd) (time.Duration, error) {
	start := time.Now()
	out, err := c.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", c, err, out)
	}
	return time.Since(start), nil
}

// inert compares a hook on a harmless call with an empty program.
func (b *bench) inert() error {
	state, cwd := filepath.Join(b.base, "state0"), filepath.Join(b.base, "p0")
	os.MkdirAll(cwd, 0o755)
	var ratios []float64
	for range *rounds * 40 {
		e, err := timed(exec.Command(b.empty))
		if err != nil {
			return err
		}
		h, err := b.hook(state, cwd, "git status && ls -la | head")
		if err != nil {
			return err
		}
		ratios = append(ratios, float64(h)/float64(e))
	}
	row("hook on an inert call, whole process", "≤ 2.5", ratios, "an empty Go program")
	return nil
}

// append compares a hook's append to a long ledger with one to a new ledger.
func (b *bench) append() error {
	short, long := filepath.Join(b.base, "short"), filepath.Join(b.base, "long")
	cwd := filepath.Join(b.base, "p0")
	for _, s := range []string{short, long} {
		if _, err := b.hook(s, cwd, "ls"); err != nil {
			return err
		}
	}
	files, _ := filepath.Glob(filepath.Join(long, "counterstep", "*", "ledger", "ledger.jsonl"))
	if len(files) != 1 {
		return fmt.Errorf("no ledger below %s", long)
	}
	line, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	f, err := os.OpenFile(files[0], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	for range 100_000 {
		f.Write(line)
	}
	if err := f.Close(); err != nil {
		return err
	}
	var ratios []float64
	for range *rounds * 10 {
		s, err := b.hook(short, cwd, "ls")
		if err != nil {
			return err
		}
		l, err := b.hook(long, cwd, "ls")
		if err != nil {
			return err
		}
		ratios = append(ratios, float64(l)/float64(s))
	}
	row("hook with a ledger of 100,000 records", "≤ 1.2", ratios, "the same with a new ledger")
	return nil
}

func row(what, goal string, ratios []float64, against string) {
	slices.Sort(ratios)
	fmt.Printf("| %s | %s | %.2f (%.2f–%.2f) | %s |\n", what, goal, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1], against)
}

func cpu() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.SplitSeq(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return runtime.GOARCH
}

func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
