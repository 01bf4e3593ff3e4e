#!/bin/sh
# man.sh CARDIAC: cardiac(1) on standard output, from what the program says of itself.
program=$1
version=$("$program" --version) || exit 1

# troff: backslashes, hyphens and leading dots as they are
text() { sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'"'"']/\\\&&/'; }

# command WORD...: its usage, summary and options
command() {
    printf '.SS "cardiac %s"\n' "$*"
    "$program" "$@" --help 2>/dev/null | text | awk '
        /^Usage: cardiac / { print ".B " substr($0, 8); print ".PP"; next }
        /^  [^ \\]/ { print ".br"; sub(/^ +/, ""); print; next }
        /^  \\-\\-/ { line = substr($0, 3); match(line, /  +/)
            if (!RSTART) { print ".TP\n.B " line; next }
            print ".TP\n.B " substr(line, 1, RSTART - 1) "\n" substr(line, RSTART + RLENGTH); options = 1; next }
        /^$/ { if (!options) print ".PP"; next }
        { sub(/^ +/, ""); print }'
}

# words COMMAND...: the subcommands that its help lists
words() { "$program" "$@" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'; }

printf '.TH CARDIAC 1 "" "%s" "User Commands"\n.SH NAME\ncardiac \\- electrical waves in the heart (monodomain equation)\n' "$version"
printf '.SH SYNOPSIS\n.B cardiac\n.I COMMAND\n.RI [ options ]\n.SH COMMANDS\n'
for word in $(words); do
    if [ "$word" = bench ]; then # a program of its own, which need not be there
        printf '.SS "cardiac bench"\nStarts cardiac\\-bench, where it stands beside cardiac; it has a \\-\\-help of its own.\n'
        continue
    fi
    command "$word"
    if [ "$word" = mesh ]; then for part in $(words mesh); do command mesh "$part"; done; fi
done
printf '.SH "KEYS OF A CONFIG"\n'
"$program" check --keys | sed -n 's/^| `\([^`]*\)` |\([^|]*\)|\([^|]*\)| \(.*\) |$/\1\t\2\t\3\t\4/p' | tr -d '`' | text | awk -F '\t' '
    { gsub(/^ +| +$/, "", $2); gsub(/^ +| +$/, "", $3)
      printf ".TP\n.B %s\n%s; %s%s\n", $1, $2, $3 == "" ? "" : "default " $3 "; ", $4 }'
printf '.SH "EXIT STATUS"\n0: good; 1: a comparison or verification failed; 2: the input is wrong; 3: the run failed; 4: stopped by \\-\\-stop\\-after; '
printf '128 + number: ended by a signal.\n'
