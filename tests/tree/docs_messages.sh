#!/bin/sh
# docs_messages.sh SOURCE: every message that docs/user/trouble.md quotes is in the sources.
cd "$1" || exit 1
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
{ find app solver kernels -name '*.c' -exec cat {} + | tr '\n' ' ' | sed 's/" *"//g' && cat app/python/cardiac/*.py; } >"$said"
failed=0
sed '/^| symptom/,$d' docs/user/trouble.md | sed -n 's/^| \(`.*\)|.*|$/\1/p' | grep -o '`[^`]*`' | tr -d '`' | {
    count=0
    while IFS= read -r words; do
        count=$((count + 1))
        grep -qF -- "$words" "$said" || { echo "nothing says: $words" && failed=1; }
    done
    [ $count -gt 5 ] || { echo "hardly a message: $count" && failed=1; }
    exit $failed
}
