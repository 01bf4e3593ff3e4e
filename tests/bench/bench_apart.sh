#!/bin/sh
# bench_apart.sh BUILD BENCH ... -- LIBRARY ...: what the libraries BENCH define, nothing of a run defines or asks for: neither
# the other libraries nor cardiac and the tests, which are linked with them. cardiac-bench has all of it, so that a symbol would be seen.
command -v nm >/dev/null || exit 77
build=$1
shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# common FILE...: of each program or library FILE the symbols of the bench that it has or asks for, a line FILE:SYMBOLS
common() {
    nm -PA "$@" 2>/dev/null | awk -v list="$scratch/bench" '
        BEGIN { while ((getline name <list) > 0) bench[name] }
        {
            file = substr($0, 1, index($0, ": ") - 1)
            split(substr($0, length(file) + 3), word, " ")
            sub(/\[[^[]*\]$/, "", file) # the member of an archive
            if (word[2] !~ /^[TtDdBbRrCU]$/) next # hidden symbols are local in a program
            seen[file] = seen[file]
            if (word[1] in bench && !((file, word[1]) in had)) { had[file, word[1]]; seen[file] = seen[file] " " word[1] }
        }
        END { for (file in seen) print file ":" seen[file] }'
}

while [ "$1" != -- ]; do
    nm -gP "$1" | awk '$2 ~ /^[TDBRC]$/ { print $1 }'
    shift
done | LC_ALL=C sort -u >"$scratch/bench"
while [ "$1" != -- ]; do shift; done # the loop above was a shell of its own
shift
[ "$(common "$build/cardiac-bench" | wc -w)" -gt 100 ] || { echo "hardly a symbol of the bench in cardiac-bench" && exit 1; }
for file in "$build"/cardiac "$build"/test_*; do
    # tests of the bench itself, and what is no program
    case $file in */test_cachelines | */test_clones | */test_matrix_market | */test_order | */test_order_fails | *.*[!a]) continue ;; esac
    [ -f "$file" ] && set -- "$@" "$file"
done
common "$@" >"$scratch/common"
[ "$(wc -l <"$scratch/common")" = $# ] || { echo "of $# libraries and programs these alone have symbols:" && cat "$scratch/common" && exit 1; }
grep -v ':$' "$scratch/common" && echo "has symbols of the bench" && exit 1
echo "$(wc -l <"$scratch/bench") symbols of the bench, in none of $# libraries and programs"
