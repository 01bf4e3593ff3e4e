#!/bin/sh
# rooms.sh SOURCE [--write]: every folder of app/, solver/ and kernels/ has a README.md that describes it and lists its
# modules, each with the first sentence of its head, and so has app/python with its package; a folder includes only what stands above it in the list of its layer's
# README.md. Prints what differs; --write makes the lists anew.
cd "$1" || exit 1
rows=$(pwd)/tests/tree/rooms.awk
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# list FOLDER: its modules as rows of a table, a module's header first
list() {
    [ "$1" != app/python ] || { find app/python/cardiac -name '*.py' ! -name __init__.py | LC_ALL=C sort | xargs awk -f "$rows"; return; }
    for source in "$1"/*.h "$1"/*.cuh "$1"/*.c "$1"/*.cu; do
        [ -e "$source" ] || continue
        name=${source##*/}
        case ${name##*.} in h) order=1 ;; cuh) order=2 ;; c) order=3 ;; *) order=4 ;; esac
        printf '%s %s %s\n' "${name%.*}" $order "$source"
    done | LC_ALL=C sort -k1,1 -k2,2n | cut -d' ' -f3 | xargs awk -f "$rows"
}

# order LAYER: its folders from the bottom up, as its README.md lists them
order() {
    sed '/^| module |/,$d' "$1/README.md" | sed -nE 's,^\| `([a-z.]+)/?` \|.*,\1,p'
}

find app solver kernels -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | sed 's,/[^/]*$,,' | LC_ALL=C sort -u >"$scratch/rooms"
echo app/python >>"$scratch/rooms"
[ "$(wc -l <"$scratch/rooms")" -gt 9 ] || { echo "hardly a folder in $1" && exit 1; }
while read -r room; do
    readme=$room/README.md
    [ "$(head -n 1 "$readme" 2>/dev/null)" = "# $room" ] || { echo "$readme does not begin with '# $room'" && failed=1 && continue; }
    list "$room" >"$scratch/rows"
    grep -n ' |  |$' "$scratch/rows" && failed=1
    if [ "${2:-}" = --write ]; then
        { sed '/^| module | what it is |$/,$d' "$readme" && printf '| module | what it is |\n|---|---|\n' && cat "$scratch/rows"; } >"$scratch/new"
        cp "$scratch/new" "$readme"
    fi
    sed '1,/^| module | what it is |$/d' "$readme" | sed 1d >"$scratch/listed"
    diff "$scratch/listed" "$scratch/rows" >"$scratch/diff" ||
        { echo "$readme is not what the heads say; make it anew: sh tests/tree/rooms.sh . --write" && cat "$scratch/diff" && failed=1; }
done <"$scratch/rooms"

# upward LAYER: includes of a folder that stands below the includer's in the list of the layer
upward() {
    order "$1" >"$scratch/order"
    find "$1" -mindepth 2 -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -exec \
        grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + |
        awk -v layer="$1" -v order="$(tr '\n' ' ' <"$scratch/order")" '
            BEGIN { n = split(order, name, " "); for (k = 1; k <= n; k++) rank[name[k]] = k }
            {
                split($0, at, ":")
                split(at[1], from, "/")
                included = $0
                sub(/^[^"]*"/, "", included)
                sub(/".*/, "", included)
                m = split(included, to, "/")
                if (to[1] != layer) next
                if (!(from[2] in rank)) print at[1] ": its folder is not in the list of " layer "/README.md"
                else if (!(to[2] in rank) || rank[to[2]] > rank[from[2]])
                    print at[1] ":" at[2] ": includes " included ", which comes after " layer "/" from[2] "/ in " layer "/README.md"
            }'
}
for layer in app solver kernels; do
    upward "$layer" >"$scratch/upward"
    [ ! -s "$scratch/upward" ] || { cat "$scratch/upward" && failed=1; }
done
exit $failed
