#!/bin/sh
# docs_limits.sh SOURCE: README.md and the pages for users stay readable: no line over 130 characters, no sentence over 30 words, no page
# over 150 lines. Tables and code count as lines of the page only; code in backticks and a link's address count as one word.
# A page of docs/dev/decisions/ has at most ten decisions of at most 120 words. The paper has the sections and the length that its journal asks for.
cd "$1" || exit 1
exempt="docs/user/config.md" # a table with one row for each key

limits() {
    awk '
        function words(text, parts, n, i, count) {
            gsub(/`[^`]*`/, "code", text)
            gsub(/\]\([^)]*\)/, "", text)
            n = split(text, parts, /[.?!]["*)]*([ \t]+|$)/)
            for (i = 1; i <= n; i++) {
                count = split(parts[i], word, /[ \t]+/)
                if (parts[i] ~ /^[ \t]/) count--
                if (count > 30) printf "%s:%d: a sentence of %d words: %s\n", FILENAME, start, count, parts[i]
            }
        }
        function flush() { if (paragraph != "") words(paragraph); paragraph = "" }
        /^```/ { flush(); code = !code; next }
        code || /^<!--/ { next }
        /^(\||#|!\[)/ { flush(); next }
        { if (length($0) > 130) printf "%s:%d: %d characters\n", FILENAME, FNR, length($0) }
        NF == 0 || /^ *([-*]|[0-9]+[.]) / { flush() }
        NF { if (paragraph == "") start = FNR; sub(/^ *([-*]|[0-9]+[.]) +/, ""); sub(/^ +/, ""); paragraph = paragraph == "" ? $0 : paragraph " " $0 }
        END { flush(); if (FNR > 150) printf "%s: %d lines\n", FILENAME, FNR }' "$1"
}

failed=0
for page in README.md docs/README.md docs/user/*.md; do
    case " $exempt " in *" $page "*) continue ;; esac
    found=$(limits "$page")
    [ -z "$found" ] || { echo "$found" && failed=1; }
done
for page in docs/dev/decisions/*.md; do
    awk 'function flush() { if (words > 120) { printf "%s: %d words: %s\n", FILENAME, words, title; bad = 1 } words = 0 }
        /^- [*][*]/ { flush(); title = $0; inside = 1; decisions++ }
        NF == 0 { flush(); inside = 0 }
        inside { words += NF }
        END { flush(); if (decisions > 10) { print FILENAME ": " decisions " decisions"; bad = 1 } exit bad }' "$page" || failed=1
done
words=$(awk '/^---$/ { n++; next } n > 1' docs/paper/paper.md | wc -w)
[ "$words" -ge 750 ] && [ "$words" -le 1750 ] || { echo "docs/paper/paper.md: $words words, not 750 to 1750" && failed=1; }
for section in "Summary" "Statement of need" "State of the field" "Software design" "Research impact statement" "Acknowledgements" "References"; do
    grep -qx "# $section" docs/paper/paper.md || { echo "docs/paper/paper.md: no section '$section'" && failed=1; }
done
for key in $(grep -oE '@[A-Z][A-Za-z]*[0-9]{4}' docs/paper/paper.md | sort -u); do
    grep -q "{${key#@}," docs/paper/paper.bib || { echo "docs/paper/paper.bib: no $key" && failed=1; }
done
exit $failed
