#!/bin/sh
# package.sh BUILD: the packages of a build with CARDIAC_PORTABLE, in trees that hold libc and nothing else: the .tar.gz runs where it
# is unpacked, the .deb is installed, used and removed, and leaves nothing. Skipped without dpkg or the right to chroot.
build=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
chroot=$(command -v chroot)
fail() { echo "$*" && exit 1; }
{ command -v dpkg-shlibdeps && command -v chroot && [ "$(id -u)" = 0 ]; } >/dev/null || { echo "no dpkg-dev, or not root" && exit 77; }

env PATH=/nowhere "$(command -v cmake)" -DCPACK_GENERATOR=DEB -P "$(dirname "$(readlink -f "$0")")/../../app/package/cpack.cmake" >said 2>&1 &&
    fail "a .deb without the program file"
grep -q "apt-get install file" said || { cat said && fail "the package file is not named"; }
cpack --config "$build/CPackConfig.cmake" -B "$scratch" >said 2>&1 || { cat said && exit 1; }
tar=$(echo cardiac-*.tar.gz) deb=$(echo cardiac-*.deb)
[ -s "$tar" ] && [ -s "$deb" ] || fail "no packages: $(ls)"

# bare TREE: the loader, libc, what its package requires to end a thread, and something to open as /dev/null
bare() {
    mkdir -p "$1/dev" "$1/tmp" "$1/lib/x86_64-linux-gnu" "$1/lib64" && : >"$1/dev/null" && chmod 666 "$1/dev/null"
    cp -L /lib64/ld-linux-x86-64.so.2 "$1/lib64"
    cp -L /lib/x86_64-linux-gnu/libc.so.6 /lib/x86_64-linux-gnu/libm.so.6 /lib/x86_64-linux-gnu/libgcc_s.so.1 "$1/lib/x86_64-linux-gnu"
}

# used TREE PREFIX: a run, a cell and the list of models from there
used() {
    env -i "$chroot" "$1" "$2/bin/cardiac" --version >said 2>&1 || { cat said && fail "$2: does not start"; }
    env -i "$chroot" "$1" "$2/bin/cardiac" run "$2/share/cardiac/configs/quickstart.yaml" --set time.end=20ms --output /tmp/out >said 2>&1 ||
        { cat said && fail "$2: a run"; }
    grep -q "^results: /tmp/out/run.vtkhdf" said || { cat said && fail "$2: no result"; }
    env -i "$chroot" "$1" "$2/bin/cardiac" run "$2/share/cardiac/configs/heart.yaml" --set time.end=1ms --set output.probes={} --output /tmp/heart >said 2>&1 ||
        { cat said && fail "$2: the heart and its mesh"; }
    env -i "$chroot" "$1" "$2/bin/cardiac" models | grep -q "^tp06-epi " || fail "$2: models"
    for file in share/man/man1/cardiac.1 share/bash-completion/completions/cardiac share/zsh/site-functions/_cardiac share/doc/cardiac/README.md share/cardiac/python/pyproject.toml; do
        [ -s "$1$2/$file" ] || [ -s "$1$2/$file.gz" ] || fail "$2/$file is not there"
    done
}

bare unpacked && tar -C unpacked -xzf "$tar"
# nor does a build need /proc
if [ -x "$build/model_compiler" ]; then
    cp "$build/model_compiler" unpacked/tmp
    "$chroot" unpacked /tmp/model_compiler embed /tmp/embedded.c texts.h || fail "the compiler of models, without /proc"
fi
used unpacked "/${tar%.tar.gz}"

dpkg-deb -f "$deb" Depends | grep -Eqx 'libc6 \(>= [0-9.]+\), (libgcc-s1 \(>= [0-9.]+\), )?libgomp1 \(>= [0-9.]+\)' || fail "depends: $(dpkg-deb -f "$deb" Depends)"
bare installed && mkdir -p installed/var/lib/dpkg/info installed/var/lib/dpkg/updates && : >installed/var/lib/dpkg/status
mkdir -p installed/bin installed/sbin installed/etc && cp -L /bin/sh installed/bin && cp -L /sbin/ldconfig installed/sbin # its script calls it for the library
"$chroot" installed /sbin/ldconfig || fail "ldconfig"
find installed -type f ! -path '*/dpkg/*' | LC_ALL=C sort >before
dpkg --root=installed --force-depends --log=/dev/null --install "$deb" >said 2>&1 || { cat said && fail "dpkg --install"; }
used installed /usr
rm -r installed/tmp/* # results, and the cache of who ran it
dpkg --root=installed --log=/dev/null --purge cardiac >said 2>&1 || { cat said && fail "dpkg --purge"; }
find installed -type f ! -path '*/dpkg/*' | LC_ALL=C sort | diff before - || fail "what it leaves"
[ ! -e installed/usr/share/cardiac ] || fail "a folder is left"
