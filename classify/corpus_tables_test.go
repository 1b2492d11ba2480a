package classify_test

import (
	"fmt"
	"strings"
)

// meaning is one plain command and what it does to the tree. Every spelling is
// tried for those that are full, one in ten for the others.
type meaning struct {
	full            bool
	effect, command string
}

func meanings() []meaning {
	return []meaning{
		{true, "gone src/a.txt", "rm src/a.txt"},
		{true, "gone src/a.txt", "rm -rf src"},
		{true, "content src/a.txt", "mv b.txt src/a.txt"},
		{true, "content src/a.txt", "cp b.txt src/a.txt"},
		{false, "gone src/a.txt", "unlink src/a.txt"},
		{false, "gone empty", "rmdir empty"},
		{false, "gone src/a.txt", "mv src/a.txt moved"},
		{false, "content src/a.txt", "truncate -s 0 src/a.txt"},
		{false, "content src/a.txt", "dd if=/dev/null of=src/a.txt"},
		{false, "content src/a.txt", "ln -sf ../b.txt src/a.txt"},
		{false, "content src/a.txt", "sed -i s/a/b/ src/a.txt"},
		{false, "metadata src/a.txt", "chmod 600 src/a.txt"},
		{false, "gone src/c.o", "find src -name c.o -delete"},
		{false, "content src/a.txt", "tee src/a.txt"},
	}
}

// spelled lists the commands of one meaning.
func (m meaning) spelled(offset int) []string {
	var list []string
	for i, s := range spellings() {
		if m.full || i%10 == offset%10 {
			list = append(list, spell(s, m.command))
		}
	}
	return list
}

// spell puts one command into one spelling. CMD is the command, NAME and ARGS
// its parts, HEAD and TAIL the parts of the name, MID and LAST of the arguments,
// HEX and OCT the name in escapes, NL a newline.
func spell(spelling, command string) string {
	name, args, _ := strings.Cut(command, " ")
	mid, last := "", args
	if i := strings.LastIndexByte(args, ' '); i >= 0 {
		mid, last = args[:i], args[i+1:]
	}
	var hex, oct strings.Builder
	for _, c := range []byte(name) {
		fmt.Fprintf(&hex, `\x%02x`, c)
		fmt.Fprintf(&oct, `\%03o`, c)
	}
	return strings.NewReplacer("CMD", command, "NAME", name, "ARGS", args, "HEAD", name[:1], "TAIL", name[1:],
		"MID", mid, "LAST", last, "HEX", hex.String(), "OCT", oct.String(), "NL", "\n", "TAB", "\t").Replace(spelling)
}

// spellings lists ways to write one command, grouped by trick.
func spellings() []string {
	var all []string
	for _, group := range []string{nameSpellings, wrapperSpellings, controlSpellings, variableSpellings, shellSpellings, substitutionSpellings, toolSpellings} {
		all = append(all, strings.Split(strings.TrimSpace(group), "\n")...)
	}
	return all
}

const nameSpellings = `
CMD
\CMD
'NAME' ARGS
"NAME" ARGS
HEAD\TAIL ARGS
HEAD''TAIL ARGS
HEAD""TAIL ARGS
'HEAD'TAIL ARGS
HEAD'TAIL' ARGS
"HEAD"'TAIL' ARGS
$'NAME' ARGS
$'HEX' ARGS
$'OCT' ARGS
$'HEAD''TAIL' ARGS
$"NAME" ARGS
HEAD$@TAIL ARGS
HEAD"$@"TAIL ARGS
HEAD$*TAIL ARGS
HEAD${nothing}TAIL ARGS
HEAD$()TAIL ARGS
HEAD$(true)TAIL ARGS
HEAD\NLTAIL ARGS
\NLCMD
NLNLCMD
TABNAMETABARGS
true;CMD
CMD;
CMD # a comment
# a commentNLCMD
true #NLCMD
/bin/NAME ARGS
/usr/bin/NAME ARGS
/usr/bin/../bin/NAME ARGS
/usr//bin/./NAME ARGS
../../../usr/bin/NAME ARGS
"/usr/bin/NAME" ARGS
/usr/b'i'n/NAME ARGS
{NAME,MID,LAST}
NAME MID 'LAST'
NAME MID "LAST"
NAME MID ./LAST
NAME MID $PWD/LAST
NAME MID "$PWD/LAST"
NAME MID ${PWD}/LAST
NAME MID ~/app/LAST
NAME MID $HOME/app/LAST
NAME MID /home/dev/app/LAST
NAME MID ../app/LAST
NAME MID $(pwd)/LAST
NAME MID "$(pwd)/LAST"
NAME MID $(echo LAST)
NAME MID "$(printf %s LAST)"
NAME ARGS 2>/dev/null
2>/dev/null CMD
>/dev/null 2>&1 CMD
</dev/null CMD
=NAME ARGS
`

const wrapperSpellings = `
command CMD
command -p CMD
command -- CMD
command command CMD
builtin command CMD
exec CMD
exec -a x CMD
env CMD
env -- CMD
env - PATH=/usr/bin CMD
env -i /usr/bin/NAME ARGS
env -u X CMD
env A=1 CMD
env A=1 B=2 CMD
env -S 'CMD'
env -S'CMD'
env --split-string='CMD'
env -vS 'CMD'
env -C . CMD
env --chdir=. CMD
A=1 CMD
A=1 B=2 CMD
A=$(true) CMD
nohup CMD
nice CMD
nice -n 5 CMD
nice -n5 CMD
nice -5 CMD
nice --adjustment=5 CMD
ionice -c3 CMD
ionice -c 3 CMD
timeout 5 CMD
timeout -k 1 5 CMD
timeout -s KILL 5 CMD
timeout --signal=KILL 5 CMD
timeout --kill-after 1 5 CMD
time CMD
time -p CMD
setsid CMD
setsid -w CMD
stdbuf -o0 CMD
stdbuf -oL CMD
stdbuf --output=0 CMD
sudo CMD
sudo -u root CMD
sudo -- CMD
sudo -n -E CMD
sudo A=1 CMD
sudo sh -c 'CMD'
sudo -- sh -c 'CMD'
doas CMD
flock lock CMD
flock lock -c 'CMD'
flock -n lock CMD
script -qc 'CMD' /dev/null
script -q -c 'CMD' /dev/null
busybox CMD
busybox sh -c 'CMD'
setpriv CMD
taskset 1 CMD
linux64 CMD
setarch -R CMD
chrt -b 0 CMD
prlimit -c0 CMD
noglob CMD
nocorrect CMD
repeat 1 CMD
sudo nice timeout 5 CMD
nohup env A=1 CMD
time nice env CMD
exec env CMD
command env CMD
env sh -c 'CMD'
env nice sh -c 'CMD'
`

const controlSpellings = `
true && CMD
false || CMD
true; CMD
true & CMD
CMD & wait
! CMD
{ CMD; }
(CMD)
( (CMD) )
{ { CMD; }; }
{ CMD }
if true; then CMD; fi
if CMD; then :; fi
if false; then :; else CMD; fi
if false; then :; elif true; then CMD; fi
while CMD; do break; done
until CMD; do :; done
while :; do CMD; break; done
while true; do CMD && break; done
for i in 1; do CMD; done
for i in 1 2; do CMD; done
for ((i=0; i<1; i++)); do CMD; done
for i in 1; { CMD; }
for i (1) CMD
for i (1) { CMD }
case x in x) CMD;; esac
case x in (y) ;; *) CMD ;; esac
case x in x) :;& y) CMD;; esac
case x in x) :;;& *) CMD;; esac
select i in a; do CMD; break; done <<< 1
f() { CMD; }; f
f() (CMD); f
function f { CMD; }; f
function f() { CMD; }; f
f() if true; then CMD; fi; f
f() { g() { CMD; }; g; }; f
f() { "$@"; }; f CMD
f() { NAME "$@"; }; f ARGS
f() { $*; }; f CMD
() { CMD }
{ CMD } always { : }
coproc CMD; wait
coproc { CMD; }; wait
coproc X { CMD; }; wait
CMD | cat
true | CMD
CMD |& cat
CMD &!
CMD &|
[[ -n x ]] && CMD
[ -f b.txt ] && CMD
[ ! -f nothing ] && CMD
test -f nothing || CMD
((1)) && CMD
((0)) || CMD
let 1 && CMD
cd . && CMD
cd src/..; CMD
(cd src; cd ..; CMD)
pushd . >/dev/null; CMD
cd / && cd - >/dev/null && CMD
cd ~/app; CMD
cd "$PWD"; CMD
set -e; CMD
set -eu; CMD
set -euo pipefail; CMD
set -x; CMD
trap 'CMD' EXIT
trap 'CMD' 0
trap "CMD" EXIT
trap CMD EXIT
trap 'CMD' INT; kill -INT $$
trap 'CMD' TERM; kill $$
trap 'CMD' ERR; false
trap 'CMD' DEBUG; :
trap 'CMD' RETURN; f() { :; }; f; . ./safe.sh
TRAPEXIT() { CMD; }
(trap 'CMD' EXIT)
time (CMD)
time { CMD; }
{ CMD; } 2>/dev/null
(CMD) >/dev/null
exit 0 & CMD
false; [ $? = 1 ] && CMD
if (CMD); then :; fi
{ true; CMD; } | cat
echo x | { CMD; }
echo x | (CMD)
echo x | while read y; do CMD; done
while read y; do CMD; done < b.txt
while read y; do CMD; done <<< x
while IFS= read -r y; do CMD; done < <(echo x)
for i; do :; done; CMD
command -v sh && CMD
`

const variableSpellings = `
x=NAME; $x ARGS
x=NAME; "$x" ARGS
x=NAME; ${x} ARGS
x=HEAD; ${x}TAIL ARGS
x=HEAD; y=TAIL; $x$y ARGS
x=HEAD; x+=TAIL; $x ARGS
x=xNAME; ${x#x} ARGS
x=NAMEx; ${x%x} ARGS
x=HEADxTAIL; ${x/x/} ARGS
x=HEADxTAIL; ${x/x} ARGS
x=xNAMEx; ${x:1:-1} ARGS
x=NAME; ${x,,} ARGS
x=NAME; y=x; ${!y} ARGS
${x:-NAME} ARGS
${x-NAME} ARGS
${x:=NAME} ARGS
${HOME:+NAME} ARGS
export x=NAME; $x ARGS
declare x=NAME; $x ARGS
typeset x=NAME; $x ARGS
readonly x=NAME; $x ARGS
x=$(echo NAME); $x ARGS
x=$(printf NAME); "$x" ARGS
read x <<< NAME; $x ARGS
read -r x < <(echo NAME); $x ARGS
printf -v x NAME; $x ARGS
printf -v x %s%s HEAD TAIL; $x ARGS
$(echo NAME) ARGS
$(printf '%s' NAME) ARGS
$(command -v NAME) ARGS
$(which NAME) ARGS
$(type -p NAME) ARGS
$(echo CMD)
x='CMD'; $x
x='CMD'; eval $x
x='CMD'; eval "$x"
x='CMD'; ${=x}
x='CMD'; ${(z)x}
x='CMD'; sh -c "$x"
x='CMD'; bash <<< "$x"
x='CMD'; echo "$x" | sh
a=(CMD); "${a[@]}"
a=(CMD); ${a[*]}
a=(CMD); ${a[@]}
a=(CMD); $a
a=(NAME); ${a[0]} ARGS
a=(NAME); $a[1] ARGS
a=(x NAME); ${a[1]} ARGS
a=(NAME); a+=(ARGS); "${a[@]}"
declare -A m=([k]=NAME); ${m[k]} ARGS
set -- CMD; "$@"
set -- CMD; $*
set -- NAME; $1 ARGS
set -- NAME; "$1" ARGS
set -- LAST; NAME MID "$1"
set -- LAST; for f; do NAME MID "$f"; done
for c in NAME; do $c ARGS; done
for f in LAST; do NAME MID $f; done
for f in LAST; do NAME MID "$f"; done
for f in LAST x; do NAME MID "$f"; break; done
x=LAST; NAME MID $x
x=LAST; NAME MID "$x"
x=LAST; NAME MID "${x}"
x=${y:-LAST}; NAME MID "$x"
x=LAST; y=$x; NAME MID "$y"
x=./LAST; NAME MID "$x"
x=$PWD; NAME MID "$x/LAST"
x=LAST.bak; NAME MID "${x%.bak}"
x=$(echo LAST); NAME MID "$x"
x=$(basename /q/LAST); NAME MID "$x"
read -r f <<< LAST; NAME MID "$f"
echo LAST | while read -r f; do NAME MID "$f"; done
while read -r f; do NAME MID "$f"; done <<< LAST
while read -r f; do NAME MID "$f"; done < <(echo LAST)
printf '%s\n' LAST | while IFS= read -r f; do NAME MID "$f"; done
printf 'LAST\0' | while IFS= read -r -d '' f; do NAME MID "$f"; done
mapfile -t a <<< LAST; NAME MID "${a[0]}"
mapfile -t a <<< LAST; NAME MID "${a[@]}"
readarray -t a < <(echo LAST); for f in "${a[@]}"; do NAME MID "$f"; done
IFS=,; x=NAME,MID,LAST; $x
NAME$IFS'MID'$IFS'LAST'
NAME${IFS}MID${IFS}LAST
x=NAME y=2; $x ARGS
local x=1 2>/dev/null; CMD
f() { local x=NAME; $x ARGS; }; f
f() { echo NAME; }; $(f) ARGS
f() { x=NAME; }; f; $x ARGS
unset x; ${x:-NAME} ARGS
: ${x:=NAME}; $x ARGS
((x=1)); [ $x = 1 ] && CMD
alias q=NAMENLq ARGS
alias q='CMD'NLq
shopt -s expand_aliasesNLalias q=NAMENLq ARGS
shopt -s expand_aliasesNLalias q='CMD'NLq
alias q='CMD'; eval q
alias -g G=LASTNLNAME MID G
alias q='sudo 'NLalias r=NAMENLq r ARGS
hash -p /usr/bin/NAME q; q ARGS
PATH=/bin; CMD
PATH=/bin:$PATH CMD
ln -s /usr/bin/NAME q; ./q ARGS
cp /usr/bin/NAME q; ./q ARGS
PATH=.:$PATH; ln -s /usr/bin/NAME q; q ARGS
functions[q]='CMD'; q
enable -n echo; CMD
`

const shellSpellings = `
eval CMD
eval 'CMD'
eval "CMD"
eval NAME 'ARGS'
eval eval CMD
eval "eval 'CMD'"
eval "$(echo CMD)"
eval $(echo CMD)
eval ` + "`echo CMD`" + `
eval -- CMD
eval '' CMD
sh -c 'CMD'
sh -c "CMD"
bash -c 'CMD'
dash -c 'CMD'
zsh -c 'CMD'
zsh -fc 'CMD'
rbash -c 'CMD'
/bin/sh -c 'CMD'
bash -ec 'CMD'
bash -exc 'CMD'
bash -lc 'CMD'
bash -e -c 'CMD'
bash -o pipefail -c 'CMD'
bash +e -c 'CMD'
bash --norc -c 'CMD'
bash --norc --noprofile -c 'CMD'
bash -c -- 'CMD'
bash -c -e 'CMD'
sh -c 'CMD' x y
bash -c "bash -c 'CMD'"
sh -c "sh -c \"sh -c 'CMD'\""
sh -c 'NAME "$@"' _ ARGS
sh -c 'NAME $*' _ ARGS
sh -c '$0 "$@"' CMD
sh -c 'exec "$0" "$@"' CMD
sh -c 'eval "$1"' _ 'CMD'
sh -c "$(echo CMD)"
sh -c "$(cat <<'E'NLCMDNLENL)"
bash <<< 'CMD'
bash <<< "CMD"
bash -s <<< 'CMD'
sh <<ENLCMDNLE
sh <<'E'NLCMDNLE
sh <<-ENLTABCMDNLTABE
sh <<"E"NLCMDNLE
sh <<\ENLCMDNLE
sh -s <<ENLCMDNLE
sh -s a b <<ENLCMDNLE
sh /dev/stdin <<ENLCMDNLE
x=NAME; sh <<ENL$x ARGSNLE
<<ENL shNLCMDNLE
<<E shNLCMDNLE
echo 'CMD' | sh
echo CMD | bash
echo "CMD" | sh -s
echo CMD | sudo sh
echo CMD | env sh
echo CMD | sh -
echo CMD | sh /dev/stdin
echo CMD | (sh)
echo CMD | { sh; }
echo CMD | cat | sh
echo CMD | tee copy | sh
echo CMD | sed s/q/r/ | sh
echo q CMD | cut -c3- | sh
echo CMD | tr a a | sh
echo CMD | base64 | base64 -d | sh
printf 'CMD' | sh
printf '%s\n' 'CMD' | sh
printf '%s ' CMD | sh
printf 'HEX ARGS' | sh
echo -e 'HEX ARGS' | sh
cat <<'E' | shNLCMDNLE
cat <<E | shNLCMDNLE
cat <<E | bashNLx=1NLCMDNLE
sh < <(echo CMD)
bash <(echo CMD)
source <(echo CMD)
. <(echo CMD)
. /dev/stdin <<< 'CMD'
source /dev/stdin <<ENLCMDNLE
echo CMD > t.sh; sh t.sh
echo CMD > t.sh; sh < t.sh
echo CMD > t.sh; . ./t.sh
echo CMD > t.sh && source t.sh
echo CMD > t.sh; chmod +x t.sh; ./t.sh
printf '#!/bin/sh\nCMD\n' > t.sh; chmod +x t.sh && ./t.sh
cat > t.sh <<'E'NLCMDNLENLbash t.sh
cat <<E > t.shNLCMDNLENLsh ./t.sh
echo CMD > t.sh; cat t.sh | sh
echo CMD > t.sh; eval "$(cat t.sh)"
echo CMD > t.sh; eval "$(< t.sh)"
echo CMD > t.sh; bash -c "$(cat t.sh)"
echo CMD > t.sh; BASH_ENV=./t.sh bash -c :
echo CMD > t.sh; ENV=./t.sh sh -i -c :
echo CMD > t.sh; PATH=$PWD:$PATH; . t.sh
f() { CMD; }; export -f f; bash -c f
f() { CMD; }; typeset -f f >/dev/null; f
env "BASH_FUNC_f%%=() { CMD; }" bash -c f
PS4='$(CMD)'; set -x; :
PS4='$(CMD)' bash -xc :
mapfile -C 'CMD;:' -c 1 a <<< x
emulate sh -c 'CMD'
zmodload zsh/zutil; CMD
autoload -U add-zsh-hook; CMD
`

const substitutionSpellings = `
echo $(CMD)
echo "$(CMD)"
echo "a $(true; CMD) b"
echo ` + "`CMD`" + `
echo "` + "`CMD`" + `"
echo $(echo $(CMD))
echo ` + "`echo \\`CMD\\``" + `
echo ${ CMD; }
$(CMD)
x=$(CMD)
x="$(CMD)"
x=` + "`CMD`" + `
x=(1 $(CMD))
export x=$(CMD)
export x="$(CMD)"
declare x=$(CMD)
readonly x=$(CMD)
f() { local x=$(CMD); }; f
A=$(CMD) true
: $(CMD)
: "${x:-$(CMD)}"
: ${x:=$(CMD)}
: ${x-` + "`CMD`" + `}
: ${HOME:+$(CMD)}
: ${HOME/x/$(CMD)}
: ${HOME#$(CMD)}
: ${HOME:$(CMD 1>&2; echo 0)}
: "${x:-${y:-$(CMD)}}"
a[$(CMD 1>&2; echo 0)]=1
a=([$(CMD 1>&2; echo 0)]=1)
: ${a[$(CMD 1>&2; echo 0)]}
cat <(CMD)
cat < <(CMD)
diff <(CMD) b.txt
echo x > >(CMD); sleep 0.1
echo x | tee >(CMD) >/dev/null; sleep 0.1
cat =(CMD)
[[ -n $(CMD) ]]
[[ -z "$(CMD)" && 1 ]]
[[ a =~ $(CMD) ]]
[[ a == $(CMD)* ]]
[ -n "$(CMD)" ]
[ -z "` + "`CMD`" + `" ]
test -z "$(CMD)"
case $(CMD) in *) ;; esac
case x in $(CMD)) ;; esac
for i in $(CMD); do :; done
for i in "$(CMD)"; do :; done
while [ -n "$(CMD)" ]; do break; done
if [ -z "$(CMD)" ]; then :; fi
cat <<ENL$(CMD)NLE
cat <<ENL` + "`CMD`" + `NLE
cat <<ENL${x:-$(CMD)}NLE
cat <<ENL$((0 + $(CMD 1>&2; echo 1)))NLE
cat <<-ENLTAB$(CMD)NLTABE
cat <<< $(CMD)
cat <<< "$(CMD)"
: > "/dev/null$(CMD)"
: < /dev/null$(CMD)
: 2> /dev/null$(CMD)
echo $((0$(CMD)))
echo $((1 + $(CMD 1>&2; echo 1)))
echo $((` + "`CMD 1>&2; echo 1`" + `))
(( 0$(CMD) ))
let x=0$(CMD)
for ((i=0$(CMD 1>&2); i<0; i++)); do :; done
printf %s "$(CMD)"
printf -v 'a[$(CMD 1>&2; echo 0)]' x
test -v 'a[$(CMD 1>&2; echo 0)]'
[ -v 'a[$(CMD 1>&2; echo 0)]' ]
declare -i n='a[$(CMD 1>&2; echo 0)]'
let 'a[$(CMD 1>&2; echo 0)]=1'
x='a[$(CMD 1>&2; echo 0)]'; echo $((x))
x='a[$(CMD 1>&2; echo 0)]'; ((x))
x='a[$(CMD 1>&2; echo 0)]'; [[ x -eq 0 ]]
read 'a[$(CMD 1>&2; echo 0)]' <<< 1
x='$(CMD)'; : ${(e)x}
x='$(CMD)'; eval "echo $x"
x='$(CMD)'; : "${x@P}"
return $(CMD)
exit $(CMD)
set -- $(CMD)
trap -- "$(CMD)" EXIT
kill -0 $(CMD; echo $$)
cd "$(CMD)"
source /dev/null "$(CMD)"
echo *(e:'CMD':)
git --version "$(CMD)"
grep "$(CMD)" b.txt
git commit -m "fix $(CMD)"
echo 'safe' "and $(CMD)"
`

const toolSpellings = `
echo LAST | xargs NAME MID
echo LAST | xargs -n1 NAME MID
echo LAST | xargs -n 1 -P 2 NAME MID
echo LAST | xargs -I{} NAME MID {}
echo LAST | xargs -I {} NAME MID {}
echo LAST | xargs -i NAME MID {}
echo LAST | xargs -t NAME MID
echo LAST | xargs -r NAME MID
echo LAST | xargs --no-run-if-empty NAME MID
echo LAST | xargs -L1 NAME MID
echo LAST | xargs -d '\n' NAME MID
printf 'LAST\0' | xargs -0 NAME MID
printf 'LAST\0' | xargs -0 -I% NAME MID %
printf '%s\0' LAST | xargs --null NAME MID
echo LAST | xargs sh -c 'NAME MID "$@"' _
echo LAST | xargs -I{} sh -c 'NAME MID {}'
echo LAST | xargs -I{} bash -c 'NAME MID "$1"' _ {}
echo LAST | xargs sudo NAME MID
echo LAST | xargs env NAME MID
echo x | xargs -I{} CMD
echo x | xargs -I{} sh -c 'CMD'
echo 'CMD' | xargs -I{} sh -c '{}'
xargs NAME MID <<< LAST
xargs NAME MID < <(echo LAST)
echo LAST > t; xargs -a t NAME MID
echo LAST > t; xargs NAME MID < t
ls -d LAST | xargs NAME MID
find LAST -prune | xargs NAME MID
find LAST -prune -print0 | xargs -0 NAME MID
find LAST -prune -exec NAME MID {} \;
find LAST -prune -exec NAME MID {} ';'
find LAST -prune -exec NAME MID {} +
find LAST -maxdepth 0 -exec NAME MID {} \;
find . -maxdepth 0 -execdir sh -c 'cd ~/app; CMD' \;
find . -maxdepth 0 -exec CMD \;
find . -maxdepth 0 -exec sh -c 'CMD' \;
find . -maxdepth 0 -exec sh -c 'CMD' _ {} +
find . -maxdepth 0 -exec env CMD \;
find . -maxdepth 0 -execdir sh -c 'cd app; CMD' \;
find LAST -prune -exec sh -c 'NAME MID "$1"' _ {} \;
find LAST -prune -exec sh -c 'for f; do NAME MID "$f"; done' _ {} +
find . -maxdepth 0 -type d -exec CMD \; -print
find . -maxdepth 0 \( -name q -o -exec CMD \; \)
yes | find . -maxdepth 0 -ok CMD \;
for f in $(find LAST -prune); do NAME MID "$f"; done
find LAST -prune | while read -r f; do NAME MID "$f"; done
NAME MID $(find LAST -prune)
NAME MID ` + "`ls -d LAST`" + `
NAME MID "$(realpath LAST)"
NAME MID "$(readlink -f .)/LAST"
NAME MID $(dirname LAST)/$(basename LAST)
parallel NAME MID ::: LAST
echo LAST | parallel NAME MID
fdfind -d1 '^b.txt$' -x CMD
awk 'BEGIN{system("CMD")}'
awk 'BEGIN { print "CMD" | "sh" }'
echo x | awk '{ system("CMD") }'
awk 'BEGIN { "CMD" | getline }'
echo CMD | awk '{ print }' | sh
perl -e 'system("CMD")'
perl -e 'exec q(CMD)'
perl -e '` + "`CMD`" + `'
python3 -c 'import os; os.system("CMD")'
printf 'x:\n\tCMD\n' | make -sf -
make -sf /dev/stdin <<< 'x: ; CMD'
tar cf /dev/null b.txt --checkpoint=1 --checkpoint-action=exec='CMD'
tar cf /dev/null -I 'sh -c "CMD"' b.txt
ed -s <<< '!CMD'
ed -s b.txt <<< 'r !CMD'
sed '1e CMD' b.txt
sed -n '1e CMD' b.txt
sed 's,^.*$,CMD,e' a.txt
sed --expression='1e CMD' b.txt
ex -sc '!CMD' -c q
vim -es -c '!CMD' -c q
git -c alias.x='!CMD' x
GIT_PAGER='CMD' git --paginate help -a
git -c core.pager='CMD' --paginate help -a
gawk 'BEGIN{system("CMD")}'
gawk -f - <<< 'BEGIN{system("CMD")}'
find . -maxdepth 0 | xargs -I{} CMD
seq 1 | xargs -I{} CMD
yes 'CMD' | head -n 1 | sh
echo CMD > t.sh; xargs -n1 sh <<< t.sh
echo CMD > t.sh; find . -name t.sh -exec sh {} \;
split -b 9 b.txt --filter='CMD' z
sort --compress-program=false b.txt; CMD
busybox find . -maxdepth 0 -exec CMD \;
busybox xargs -I{} CMD <<< x
echo LAST | busybox xargs NAME MID
crontab -l; CMD
ssh -o ProxyCommand='CMD' nowhere
rsync -e 'sh -c "CMD"' b.txt nowhere:
unshare -r CMD
`
