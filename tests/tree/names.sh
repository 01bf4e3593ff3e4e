#!/bin/sh
# names.sh SOURCE PROTOTYPES...: what a header declares has the name of its module: a function begins with a word of the
# header's name, with its folder, with the name of a type that the header defines, or with that of a file beside it which has no header of
# its own; so do macros and, with their enum, enumerators.
# PROTOTYPES: what gcc's -aux-info prints for a layer's headers in one unit.
source=$1
shift
cd "$source" || exit 1
for file; do [ -s "$file" ] || { echo "no prototypes in $file: not gcc?" && exit 77; }; done

{
    # header name
    cat "$@" | sed -nE "s,^/\\* [^ :]*/((app|solver|kernels)/[^:]*[.]h):[0-9]+:[A-Z]+ \\*/ [^(]*[^A-Za-z0-9_(]([A-Za-z0-9_]+) \\(.*,\\1 \\3,p"
    find app solver kernels -name '*.h' ! -path 'kernels/models/*' ! -name formulas.h ! -name loops.h ! -name instantiate.h ! -name csr_row.h ! -name terms.h -exec awk '
        FNR == 1 { guard = 1 }
        /^#define CARDIAC_/ && guard { guard = 0; next }
        /^#define [A-Za-z][A-Za-z]/ { name = $2; sub(/[(].*/, "", name); print FILENAME, name }
        /^(typedef )?enum [a-z_0-9]* ?[{]/ { inside = 1 }
        inside { text = $0; sub(/.*[{]/, "", text); sub(/\/[*].*/, "", text); n = split(text, item, ",")
                 for (k = 1; k <= n; k++) { sub(/=.*/, "", item[k]); gsub(/[ };]/, "", item[k]); if (item[k] ~ /^[A-Z][A-Z]/) print FILENAME, item[k] } }
        /[}]/ { inside = 0 }' {} \;
} | LC_ALL=C sort -u >"${TMPDIR:-/tmp}/names.$$"
trap 'rm -f "${TMPDIR:-/tmp}/names.$$"' EXIT
[ "$(wc -l <"${TMPDIR:-/tmp}/names.$$")" -gt 300 ] || { echo "hardly a name was found" && exit 1; }

awk '
    # words of a name that may begin what it exports
    function allow(header, word) { allowed[header] = allowed[header] " " tolower(word) }
    BEGIN { # one word where a header speaks for many
        allow("kernels/base/elementary.h", "real"); allow("kernels/base/lookup.h", "ionic")
        allow("kernels/device/isa.h", "clone"); allow("kernels/base/error.h", "try") }
    !($1 in allowed_by_path) {
        allowed_by_path[$1] = 1
        n = split($1, part, "/")
        stem = part[n]; sub(/[.].*/, "", stem)
        split(stem, word, "_")
        allow($1, word[1]); allow($1, stem); allow($1, part[n - 1])
        if (part[n - 1] == "language") allow($1, "mmt") # for Myokit texts
        folder = $1; sub(/[^/]*$/, "", folder)
        files = "for c in " folder "*.c; do [ -e \"${c%.c}.h\" ] || basename \"$c\" .c; done"
        while ((files | getline file) > 0) allow($1, file)
        close(files)
        while ((getline line < $1) > 0)
            if (match(line, /^(typedef )?(struct|enum|union) [a-z_0-9]+ ?[{]/)) {
                split(line, token, " ")
                tag = token[1] == "typedef" ? token[3] : token[2]
                split(tag, word, "_")
                allow($1, word[1])
            }
        close($1)
    }
    {
        n = split(allowed[$1], word, " ")
        name = tolower($2)
        good = 0
        for (k = 1; k <= n; k++) {
            one = word[k]; sub(/s$/, "", one)
            if (index(name, one) == 1) good = 1
        }
        if (!good) { print $1 ": " $2 " has not the name of its module"; wrong = 1 }
    }
    END { exit wrong }' "${TMPDIR:-/tmp}/names.$$"
