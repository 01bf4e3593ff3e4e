#!/bin/sh
# docs_names.sh SOURCE: documents name no source that is not there, sources no document, links lead to a file and heading that are there,
# and docs/README.md names every page once. Prints what is missing.
cd "$1" || exit 1
source='(tests/)?(app|solver|kernels)/[a-z0-9_/]+[.](c|h|cu|cuh)'

# headings FILE: its headings as the anchors that links name
headings() {
    awk '/^```/ { code = !code } !code && sub(/^#+ /, "")' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

failed=0
for file in README.md $(find docs -name "*.md") meshes/README.md $(find app solver kernels tests -name README.md); do
    for name in $(grep -oE "$source" "$file" | LC_ALL=C sort -u); do
        [ -e "$name" ] || { echo "$file: $name is not there" && failed=1; }
    done
    # shellcheck disable=SC2013 # links hold no blanks
    for link in $(grep -oE '\]\([^)#]+' "$file" | sed 's/^](//' | grep -v '^[a-z]*:'); do
        [ -e "$(dirname "$file")/$link" ] || { echo "$file: link to $link leads nowhere" && failed=1; }
    done
    # shellcheck disable=SC2013
    for link in $(grep -oE '\]\([^)]*#[^)]+' "$file" | sed 's/^](//' | grep -v '^[a-z]*:'); do
        page=${link%%#*}
        page=${page:+$(dirname "$file")/$page}
        headings "${page:-$file}" | grep -qxF "${link#*#}" || { echo "$file: no heading for $link" && failed=1; }
    done
done
for page in $(grep -rhoE 'docs/[a-z0-9_/-]+[.](md|py)' CMakeLists.txt CMakePresets.json bootstrap.sh app solver kernels configs tests | LC_ALL=C sort -u); do
    [ -e "$page" ] || { echo "sources name $page, which is not there" && failed=1; }
done
for page in $(find docs -mindepth 2 -name '*.md'); do
    [ "$(grep -cF "](${page#docs/})" docs/README.md)" = 1 ] || { echo "docs/README.md does not name $page once" && failed=1; }
done
exit $failed
