#!/bin/sh
# words.sh SOURCE: words that were replaced by the field's own (docs/dev/glossary.md) do not come back: one line each, what to write.
cd "$1" || exit 1
failed=0
# retired WORD REPLACEMENT: the word alone or as a part of a name, in either case
retired() {
    found=$(grep -rniE "(^|[^a-z])($1)s?([^a-z]|\$)" app solver kernels tests docs --include='*.[ch]' --include='*.cu' --include='*.cuh' --include='*.md' --include='*.sh' \
        --exclude=words.sh | head -5)
    [ -z "$found" ] || { printf '%s\nwrite "%s", not "%s"\n' "$found" "$2" "$1" && failed=1; }
}
retired seat "local index"
retired twin "duplicate"
retired mailbox "exchange buffer"
retired handover "halo update"
retired carried "copied, bundled or permuted"
retired "kept sum" "conserved sum"
retired progress_say "progress_print"
retired wants_key "expects_key"
retired "(maps|probes|velocity|list|put|is)_kept" "stored, retained, conserved or local"
retired "forecast_share|share_problem" "subdomain"
retired "read_said" "read_option"
retired "(conductor|block|observer|writer|print|put|find)_place" "position or index"
retired "(config|ionic|cache|diffusion|profile)_part" "subset, input, span or phase"
retired "(ionic|activation)_level" "parameter set or threshold"
retired "(source|packing)_unit" "source or quantum"
retired "writer_work|(front|rotation)_turn|waves_look|arena_take" "task, measurement, advance, update or allocate"
exit $failed
