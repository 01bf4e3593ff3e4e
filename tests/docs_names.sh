#!/bin/sh
# docs_names.sh SOURCE: docs/walk.md lists every source of app/, solver/ and kernels/ exactly once; documents name no source
# that is not there, sources no document, and links lead somewhere. Prints what is missing; then proves that it bites.
cd "$1" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
source='(app|solver|kernels)/[a-z0-9_/]+[.](c|h|cu|cuh)'

find app solver kernels -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | LC_ALL=C sort >"$scratch/there"
[ "$(wc -l <"$scratch/there")" -gt 99 ] || { echo "hardly a source in $1" && exit 1; }

# walk FILE: whether its table rows "| `file` | what |" are the sources, each once, and none without a word
walk() {
    sed -nE "s,^\\| \`($source)\` \\| [^ ].* \\|\$,\\1,p" "$1" | LC_ALL=C sort >"$scratch/listed"
    LC_ALL=C uniq -d "$scratch/listed" | sed 's/^/listed twice: /' >"$scratch/wrong"
    LC_ALL=C uniq "$scratch/listed" >"$scratch/once"
    LC_ALL=C comm -23 "$scratch/there" "$scratch/once" | sed 's/^/has no line: /' >>"$scratch/wrong"
    LC_ALL=C comm -13 "$scratch/there" "$scratch/once" | sed 's/^/listed, but not there: /' >>"$scratch/wrong"
    [ ! -s "$scratch/wrong" ]
}

failed=0
walk docs/walk.md || { sed 's,^,docs/walk.md: ,' "$scratch/wrong" && failed=1; }

for file in README.md docs/*.md meshes/README.md tests/reference/README.md; do
    for name in $(grep -oE "$source" "$file" | LC_ALL=C sort -u); do
        [ -e "$name" ] || { echo "$file: $name is not there" && failed=1; }
    done
    # shellcheck disable=SC2013 # links hold no blanks
    for link in $(grep -oE '\]\([^)#]+' "$file" | sed 's/^](//' | grep -v '^[a-z]*:'); do
        [ -e "$(dirname "$file")/$link" ] || { echo "$file: link to $link leads nowhere" && failed=1; }
    done
done
for page in $(grep -rhoE 'docs/[a-z0-9_/-]+[.](md|py)' CMakeLists.txt CMakePresets.json bootstrap.sh app solver kernels configs tests | LC_ALL=C sort -u); do
    [ -e "$page" ] || { echo "sources name $page, which is not there" && failed=1; }
done
[ $failed = 0 ] || exit 1

# Does it bite? A row left out, a row twice, a row too many.
row=$(grep -n '^| `solver/matrix/rows.c`' docs/walk.md | cut -d: -f1)
for change in "${row}d" "${row}p" "${row}s/rows[.]c/rowz.c/"; do
    sed "$change" docs/walk.md >"$scratch/walk.md"
    walk "$scratch/walk.md" && { echo "not seen in docs/walk.md: $change" && failed=1; }
done
exit $failed
