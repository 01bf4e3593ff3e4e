#!/bin/bash
# help_files.sh CARDIAC SOURCE: the manual page has every command, option and key of the program; completion offers what the program lists.
cardiac=$1
source=$2
page=$(mktemp) || exit 1
trap 'rm -f "$page"' EXIT
fail() { echo "$*" && exit 1; }

sh "$source/app/package/man.sh" "$cardiac" >"$page" || fail "no page"
if command -v man >/dev/null; then man --warnings -l "$page" 2>&1 >/dev/null | grep . && fail "man warns"; else echo "warnings of man, which is not here: skipped"; fi
commands=$("$cardiac" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
[ "$(wc -w <<<"$commands")" -gt 9 ] || fail "commands: $commands"
for command in $commands; do
    grep -qx "[.]SS \"cardiac $command\"" "$page" || fail "no $command"
    [ "$command" = bench ] && continue # a program of its own
    for option in $("$cardiac" "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'); do
        grep -qE "^[.]B ${option//-/\\\\-}( |\$)" "$page" || fail "no $option of $command"
    done
done
keys=$("$cardiac" check --keys | sed -n 's/^| `\([^`]*\)` .*/\1/p')
[ "$(wc -w <<<"$keys")" -gt 50 ] || fail "keys: $keys"
for key in $keys; do grep -qxF ".B $key" "$page" || fail "no $key"; done

. "$source/app/package/completion.sh"
# offers EXPECTED WORD...: completions of the last word
offers() {
    expected=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _cardiac
    [ "${COMPREPLY[*]}" = "$expected" ] || fail "$*: '${COMPREPLY[*]}', want '$expected'"
}
offers "run restitution report" "$cardiac" r
offers "converge check compare cell" "$cardiac" c
offers "convert coordinates cable" "$cardiac" mesh c
offers "--stop-after" "$cardiac" run a.yaml --st
offers "solver.tolerance" "$cardiac" keys solver.tol
offers "tp06-epi tp06-endo tp06-m" "$cardiac" models tp06
offers "constant conservation" "$cardiac" verify con
offers "" "$cardiac" run nothing-like-it
offers "tissue.regions[0].where=" "$cardiac" run a.yaml --set tissue.regions[0].whe
offers "solver.tolerance=" "$cardiac" run a.yaml --set solver.tol
