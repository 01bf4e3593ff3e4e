#!/bin/sh
# bench_apart.sh BUILD BENCH ... -- LIBRARY ...: what the libraries BENCH define, nothing of a run defines or asks for: neither
# the other libraries nor cardiac and the tests, which are linked with them. cardiac-bench has all of it, so that a symbol would be seen.
command -v nm >/dev/null || exit 77
build=$1
shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
looked=0
failed=0

# common FILE: the symbols of the bench that it has or asks for
common() {
    nm -gP "$1" 2>/dev/null | awk '$2 ~ /^[TDBRCU]$/ { print $1 }' | LC_ALL=C sort -u >"$scratch/symbols"
    [ -s "$scratch/symbols" ] || { echo "$1 has no symbols" && failed=1; }
    LC_ALL=C comm -12 "$scratch/bench" "$scratch/symbols"
}

while [ "$1" != -- ]; do
    nm -gP "$1" | awk '$2 ~ /^[TDBRC]$/ { print $1 }'
    shift
done | LC_ALL=C sort -u >"$scratch/bench"
while [ "$1" != -- ]; do shift; done # the loop above was a shell of its own
shift
[ "$(common "$build/cardiac-bench" | wc -l)" -gt 100 ] || { echo "hardly a symbol of the bench in cardiac-bench" && exit 1; }
for file in "$@" "$build"/cardiac "$build"/test_*; do
    # tests of the bench itself, and what is no program
    case $file in */test_cachelines | */test_matrix_market | */test_order | */test_order_fails | *.*[!a]) continue ;; esac
    [ -f "$file" ] || continue
    common "$file" >"$scratch/common"
    [ ! -s "$scratch/common" ] || { echo "$file has of the bench: $(tr '\n' ' ' <"$scratch/common")" && failed=1; }
    looked=$((looked + 1))
done
echo "$(wc -l <"$scratch/bench") symbols of the bench, in none of $looked libraries and programs"
exit $failed
