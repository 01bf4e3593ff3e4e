# rooms.awk: the head comments of sources -> one row a module for the README of their folder.
#   awk -f rooms.awk FILE.h FILE.c ...    (a module's files side by side, the header first)
# A module is what shares a stem; its sentence is the first one of its header's head, or of its source's.
FNR == 1 {
    file = FILENAME
    sub(/.*\//, "", file)
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
    last = line ~ /\*\//
    blank = line ~ /^ \*[[:space:]]*$/
    sub(/^\/\* [^:]*: /, "", line)
    sub(/^ \* ?/, "", line)
    sub(/ *\*\/.*/, "", line)
    text = text (text == "" ? "" : " ") line
    if (last || blank || text ~ /[.]( |$)/) {
        sub(/[.]( .*)?$/, "", text)
        sub(/ \([A-Z]$/, "", text) # a reference begins
        sub(/; see [a-z_]+[.]h$/, "", text)
        sentence = text
        reading = 0
    }
}
END { flush_row() }
function flush_row() {
    if (module != "")
        printf "| %s | %s |\n", names, sentence
}
