#!/bin/sh
# installed_library.sh BUILD CMAKE SOURCE CC: docs/user/minimal.c is compiled and run with the installed header, library
# and pkg-config file alone. The library exports what its header declares, at most 40 functions, needs no library of the program's, and
# carries its soname.
build=$1 cmake=$2 source=$3 cc=$4
command -v pkg-config >/dev/null || { echo "no pkg-config here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$cmake" --install "$build" --prefix "$scratch/to" >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "the installation"; }
cp "$source/docs/user/minimal.c" "$scratch" || fail "no minimal.c"
pc=$(dirname "$(find "$scratch/to" -name cardiac.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs cardiac) || fail "pkg-config"
cd "$scratch" || exit 1
# shellcheck disable=SC2086 # words
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror minimal.c -o minimal $flags || fail "minimal.c with $flags"
lib=$(dirname "$pc")
LD_LIBRARY_PATH=$lib ./minimal >said 2>&1 || { cat said; fail "minimal"; }
[ "$(grep -c "^[0-9]* ms: " said)" = 3 ] && grep -q '^{"status": 0, .*"activated": 1681, ' said || { cat said; fail "what minimal prints"; }

grep -o "^CARDIAC_EXPORT [a-z ]*\*\?cardiac_[a-z_]*" "$source/app/api/cardiac.h" | grep -o "cardiac_[a-z_]*$" | LC_ALL=C sort >declared
nm -D --defined-only "$lib/libcardiac.so" | awk '{ print $3 }' | LC_ALL=C sort >exported
diff declared exported || fail "what is exported is not what is declared"
[ "$(wc -l <exported)" -le 40 ] || fail "$(wc -l <exported) functions"
echo '#include <cardiac.h>
int main(void) { return cardiac_error(0) == 0; }' >used.cc
if c++ --version >/dev/null 2>&1; then
    c++ -Wall -Wextra -Werror used.cc -o used $flags || fail "the header in C++"
fi
soname=$(readelf -d "$lib/libcardiac.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
expr "$soname" : 'libcardiac[.]so[.][0-9]*$' >/dev/null && [ -e "$lib/$soname" ] || fail "the soname: $soname"
echo "$(wc -l <exported) functions"
