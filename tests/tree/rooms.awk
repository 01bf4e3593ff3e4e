# rooms.awk: the head comments of sources, or docstrings of modules -> one row a module for the README of their folder.
#   awk -f rooms.awk FILE.h FILE.c ...    (a module's files side by side, the header first)
# A module is what shares a stem; its sentence is the first one of its header's head, or of its source's, whole.
FNR == 1 {
    file = FILENAME
    python = file ~ /[.]py$/
    sub(python ? "^app/python/cardiac/" : ".*/", "", file)
    stem = ending = file
    sub(/[.][a-z]+$/, "", stem)
    sub(/^[^.]*/, "", ending)
    if (stem != module) {
        flush_row()
        module = stem
        names = "`" file "`"
        sentence = ""
        reading = 1
    } else {
        names = names " `" ending "`"
        reading = 0
    }
    text = ""
}
reading {
    line = $0
    last = line ~ (python ? "[^\"]\"\"\"$" : "\\*/")
    blank = line ~ /^ \*[[:space:]]*$/ || (python && line == "")
    sub(/^\/\* [^:]*: /, "", line)
    sub(/^ \* ?/, "", line)
    sub(/ *\*\/.*/, "", line)
    if (python)
        gsub(/"""/, "", line)
    text = text (text == "" ? "" : " ") line
    stop = sentence_end(text, last || blank)
    if (stop) {
        text = substr(text, 1, stop)
        sub(/(; see [a-z_]+[.]h|: *)$/, "", text)
        sentence = text
        reading = 0
    }
}
END { flush_row() }
# The length of the first sentence without its full stop; 0 where the text has not reached it. "V = g . x", an initial and what stands in
# parentheses end no sentence.
function sentence_end(text, complete,    at, after, depth, c) {
    for (at = 1; at <= length(text); at++) {
        c = substr(text, at, 1)
        depth += (c == "(") - (c == ")")
        after = substr(text, at + 1)
        if (c == "." && depth == 0 && substr(text, at - 1, 1) != " " &&
            (after ~ /^ *$/ || (after ~ /^ +[A-Za-z`]/ && after !~ /^ +[A-Z][.]/ && substr(text, 1, at - 1) !~ /(^|[^A-Za-z0-9])[A-Z]$/)))
            return at - 1
    }
    return complete ? length(text) : 0
}
function flush_row() {
    if (module != "")
        printf "| %s | %s |\n", names, sentence
}
