#!/bin/sh
# site.sh SOURCE PYTHON: the site of mkdocs.yml is built without a warning: each link leads to a page and a heading of it, or to a picture that is there. Skipped without
# MkDocs Material.
"$2" -c "import mkdocs, material" 2>/dev/null || { echo "no mkdocs-material" && exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
NO_MKDOCS_2_WARNING=1 "$2" -B -m mkdocs build --strict -f "$1/mkdocs.yml" -d "$scratch/site" >"$scratch/said" 2>&1 || { cat "$scratch/said" && exit 1; }
grep "link to .* excluded" "$scratch/said" && exit 1
pages=$(find "$1/docs" -name '*.md' | wc -l)
[ "$(find "$scratch/site" -name '*.html' | wc -l)" -ge "$pages" ] || { echo "fewer pages than $pages" && exit 1; }
grep -q '<td><code>tissue[.]<wbr>regions</code></td>' "$scratch/site/user/config/index.html" || { echo "keys break within their words" && exit 1; }
grep -l '<p>```' -r "$scratch/site" --include=*.html && { echo "code that is no block" && exit 1; }
for page in index.html formats/index.html pages/index.html; do [ -s "$scratch/site/$page" ] || { echo "no $page" && exit 1; }; done
[ -s "$scratch/site/search/search_index.json" ] || { echo "no search" && exit 1; }
