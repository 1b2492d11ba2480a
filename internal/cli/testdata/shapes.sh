# Builds one shape of repository below $PWD: shapes.sh SHAPE. The calls run in
# the directory that the file "at" names.
set -e
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git config --global user.name t
git config --global user.email t@example.invalid
git config --global protocol.file.allow always
git config --global advice.detachedHead false

history() { # three commits, another branch, a tag, a stash
  mkdir -p src
  printf 'ignored/\n.env\nnode_modules/\n' > .gitignore
  printf 'one\ntwo\nthree\n' > src/a; echo one > src/b; echo c > c
  git add . && git commit -qm one
  echo two >> src/a && git commit -qam two
  git branch other HEAD~1
  git tag v1
  git tag -a -m annotated v2 HEAD~1
  echo three > c && git commit -qam three
  git update-ref refs/remotes/up/main HEAD~1
  git remote add up ../nowhere
  echo stashed > src/a && git stash -q
}
dirty() { # everything that can be lost
  echo modified > src/a
  echo staged > src/b && git add src/b && echo later > src/b
  echo new > staged-new && git add staged-new
  echo untracked > untracked
  mkdir -p ignored node_modules/pkg more/deep
  echo x > ignored/x; echo SECRET > .env; echo p > node_modules/pkg/p; echo d > more/deep/d
  chmod 600 .env; chmod +x untracked
}
lived() { # DIR [OPTIONS OF INIT]
  d=$1; shift
  git init -q -b main "$@" "$d"
  cd "$d"; history; dirty; cd - > /dev/null
}
clash() { # a conflict between main and clash
  git stash -q -u
  git checkout -q -b clash HEAD~1
  echo clash > c && git commit -qam clash
  git checkout -q main
}

echo p > at
mkdir -p p
case $1 in
plain) lived p ;;
detached) git init -q -b main p; cd p; history; git checkout -q --detach HEAD~1; dirty ;;
unborn) git init -q -b main p; cd p; mkdir src; echo a > src/a; echo b > src/b; git add .; echo more > src/a; echo u > untracked ;;
packed) git init -q -b main p; cd p; history; git gc -q --prune=now; dirty ;;
linked) lived base; git -C base worktree add -q -b tree ../p other; cd p; echo mine > src/a; echo staged > src/b; git add src/b; echo u > untracked ;;
inner) lived p; git -C p worktree add -q -b tree wt other; echo p/wt > at; cd p/wt; echo mine > src/a; echo u > untracked ;;
submodule) lived lib; git init -q -b main p; cd p; git submodule --quiet add ../lib sub; git commit -qm sub; echo p/sub > ../at; cd sub; git branch other HEAD~1; git tag v1 HEAD~1 -f > /dev/null; dirty ;;
super) git init -q -b main lib; ( cd lib; history ); git init -q -b main p; cd p; history; git submodule --quiet add ../lib sub; git commit -qm sub; dirty; echo inside > sub/src/a ;;
empty-sub) git init -q -b main lib; ( cd lib; history ); git init -q -b main p; cd p; history; git submodule --quiet add ../lib sub; git commit -qm sub; git submodule --quiet deinit -f sub; dirty ;;
nested) lived p; lived p/nested ;;
gitfile) lived p --separate-git-dir=./gd ;;
shallow) git init -q -b main far; ( cd far; history ); rm -rf p; git clone -q --depth 2 "file://$PWD/far" p; cd p; git branch other; git tag -f v1 > /dev/null; dirty ;;
partial) git init -q -b main far; ( cd far; history; git config uploadpack.allowFilter true ); rm -rf p; git clone -q --filter=blob:none "file://$PWD/far" p; cd p; git branch other; git tag -f v1 > /dev/null; dirty ;;
sparse) git init -q -b main p; cd p; history; mkdir far; echo f > far/f; git add far; git commit -qm far; git sparse-checkout set --cone src; echo modified > src/a; echo u > src/untracked ;;
sha256) lived p --object-format=sha256 ;;
merging) git init -q -b main p; cd p; history; clash; git merge -q clash > /dev/null || true; echo half > c; echo u > untracked ;;
rebasing) git init -q -b main p; cd p; history; clash; git rebase -q clash > /dev/null 2>&1 || true; echo half > c; echo u > untracked ;;
picking) git init -q -b main p; cd p; history; clash; git cherry-pick clash > /dev/null 2>&1 || true; echo half > c ;;
bisecting) git init -q -b main p; cd p; history; git bisect start -q HEAD HEAD~2 > /dev/null; dirty ;;
stash-u) git init -q -b main p; cd p; history; echo deep > kept-untracked; git stash -q -u; dirty ;;
assumed) lived p; cd p; git update-index --assume-unchanged c; echo secret >> c; git update-index --skip-worktree src/a ;;
below) lived p; echo p/src > at ;;
alternates) git init -q -b main far; ( cd far; history ); rm -rf p; git clone -q -s far p; cd p; git branch other HEAD~1; git tag -f v1 > /dev/null; dirty ;;
names) lived p; cd p; printf x > "new
line"; printf x > 'ü '; ln -s nowhere link; git add .; git commit -qm names; echo y > "new
line"; ln -sf elsewhere link; printf 'a\r\nb' > crlf; chmod +x c ;;
lfs) lived p; cd p; echo '*.bin filter=lfs -text' > .gitattributes; printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 1\n' > x.bin; git add .gitattributes x.bin; git commit -qm lfs; echo changed > x.bin ;;
bare) lived base; rm -rf p; git clone -q --bare base p; cd p; git branch -f other; git tag -f v1 > /dev/null ;;
split) lived p; cd p; git update-index --split-index; echo again > src/b; git add src/b ;;
intent) lived p; cd p; echo planned > planned; git add -N planned ;;
no-reflog) git init -q -b main p; cd p; git config core.logAllRefUpdates false; history; dirty ;;
part) lived p; mkdir p/part; echo p/part > at ;;
*) echo "no shape $1" >&2; exit 2 ;;
esac
