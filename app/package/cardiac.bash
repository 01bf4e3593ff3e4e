# bash completion for cardiac: what the program itself lists.
_cardiac() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} words= command=${COMP_WORDS[1]}
    local path=("$command")
    [[ $command == mesh && COMP_CWORD -gt 2 ]] && path+=("${COMP_WORDS[2]}")
    COMPREPLY=()
    if [[ COMP_CWORD -eq 1 || ( $command == mesh && COMP_CWORD -eq 2 ) ]]; then
        [[ COMP_CWORD -eq 1 ]] && path=()
        words=$("$program" "${path[@]}" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
    elif [[ $prev == --set || $command == keys ]]; then
        words=$("$program" check --keys 2>/dev/null | sed -n 's/^| `\([^`]*\)` .*/\1/p')
        [[ $prev == --set ]] && compopt -o nospace 2>/dev/null && words=${words//$'\n'/=$'\n'}=
    elif [[ $prev == --device ]]; then
        words="auto cpu cuda"
    elif [[ $cur == -* ]]; then
        words=$("$program" "${path[@]}" --help 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p')
    elif [[ $command == models || $command == cell ]]; then
        words=$("$program" models 2>/dev/null | sed 's/ .*//')
    elif [[ $command == verify ]]; then
        words="all $("$program" verify --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\) .*/\1/p')"
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _cardiac cardiac
