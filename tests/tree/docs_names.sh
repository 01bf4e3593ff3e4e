#!/bin/sh
# docs_names.sh SOURCE: documents name no source that is not there, sources no document, links lead somewhere, and docs/README.md
# names every page. Prints what is missing.
cd "$1" || exit 1
source='(tests/)?(app|solver|kernels)/[a-z0-9_/]+[.](c|h|cu|cuh)'

failed=0
for file in README.md $(find docs -name "*.md") meshes/README.md $(find app solver kernels tests -name README.md); do
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
for page in docs/*/*.md; do
    grep -qF "](${page#docs/})" docs/README.md || { echo "docs/README.md names no $page" && failed=1; }
done
exit $failed
