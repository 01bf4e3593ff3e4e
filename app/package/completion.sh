#compdef cardiac
# completion.sh: completion for bash and zsh: what the program itself lists.

# _cardiac_words PROGRAM WORD...: the candidates for the last word, one a line
_cardiac_words() {
    local program=$1 command=$2 part= previous= current= word
    [ "$command" = mesh ] && [ $# -gt 3 ] && part=$3
    for word; do previous=$current current=$word; done
    if [ $# -eq 2 ]; then
        "$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
    elif [ "$command" = mesh ] && [ $# -eq 3 ]; then
        "$program" mesh --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
    elif [ "$previous" = --set ]; then
        "$program" check --keys 2>/dev/null | sed -n 's/^| `\([^`]*\)` .*/\1=/p' | sed 's/\[\]/[0]/g'
    elif [ "$command" = keys ]; then
        "$program" check --keys 2>/dev/null | sed -n 's/^| `\([^`]*\)` .*/\1/p'
    elif [ "$previous" = --device ]; then
        printf '%s\n' auto cpu cuda
    elif [ "${current#-}" != "$current" ]; then
        "$program" "$command" ${part:+"$part"} --help 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'
    elif [ "$command" = models ] || [ "$command" = cell ]; then
        "$program" models 2>/dev/null | sed 's/ .*//'
    elif [ "$command" = verify ]; then
        echo all
        "$program" verify --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\) .*/\1/p'
    fi
}

if [ -n "${ZSH_VERSION:-}" ]; then
    _cardiac() {
        local IFS=$'\n' ending=' '
        local -a found
        found=($(_cardiac_words "${words[@]:0:$CURRENT}"))
        [ "${words[CURRENT-1]}" = --set ] && ending=
        compadd -S "$ending" -a found || _files
    }
    # compinit runs this file as the function _cardiac; else it was sourced.
    if [ "${funcstack[1]}" = _cardiac ]; then _cardiac "$@"; else compdef _cardiac cardiac; fi
else
    _cardiac() {
        local current=${COMP_WORDS[COMP_CWORD]}
        [ "${COMP_WORDS[COMP_CWORD-1]}" = --set ] && compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W "$(_cardiac_words "${COMP_WORDS[@]:0:COMP_CWORD+1}")" -- "$current")
    }
    complete -o default -F _cardiac cardiac
fi
