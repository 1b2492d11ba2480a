# Prints all of a repository that must come back: gitstate.sh DIR [tidied].
# After gc and the expiry of reflogs, what those took is left out.
cd "$1" || exit
export GIT_OPTIONAL_LOCKS=0
git symbolic-ref -q HEAD || git rev-parse -q --verify HEAD
bare=$(git rev-parse --is-bare-repository)
if [ "$2" = tidied ]; then
  git for-each-ref | grep -v refs/stash
else
  git for-each-ref
  git stash list
  git for-each-ref --format='%(refname)' | while read -r r; do git reflog "$r"; done
fi
[ "$bare" = true ] || { git status --porcelain=v2 --ignored; git ls-files -s -v; git reflog HEAD | { [ "$2" = tidied ] && cat > /dev/null || cat; }; }
git config --list --local
git fsck --strict --no-dangling --no-progress 2>&1 | grep -v '^notice: '
git submodule status 2>/dev/null
true
