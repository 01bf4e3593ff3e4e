#!/bin/sh
# command_line.sh CARDIAC SOURCE: exit statuses and messages of the program itself, as a shell sees them.
cardiac=$1
source=$2
failed=0

# expect STATUS TEXT ARGUMENT...: the program ends with STATUS and TEXT stands in what it prints
expect() {
    want=$1
    text=$2
    shift 2
    output=$("$cardiac" "$@" 2>&1)
    got=$?
    case $output in
    *"$text"*) ;;
    *)
        echo "cardiac $*: '$text' is not in: $output"
        failed=1
        ;;
    esac
    if [ $got -ne "$want" ]; then
        echo "cardiac $*: status $got, not $want"
        failed=1
    fi
}

expect 0 "cardiac " --version
# Tests wait passively, most of them alone on a core; whoever says nothing has the program's own spin (app/util/omp_spin.h), of the
# runtimes that have one.
spins=$(for policy in "" OMP_WAIT_POLICY=passive; do
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_DISPLAY_ENV=verbose $policy "$cardiac" --version 2>&1 | grep "^ *GOMP_SPINCOUNT" | tail -n 1 | tr -cd "0-9\n"
done)
[ -z "$spins" ] || [ "$(echo $spins)" = "2000 0" ] || { echo "waiting threads spin $spins times"; failed=1; }
expect 0 "Usage: cardiac COMMAND" --help
expect 2 "Usage: cardiac COMMAND"
expect 2 "no command 'chek' (did you mean 'check'?)" chek
expect 0 "Usage: cardiac check" check --help
expect 0 "Usage: cardiac run CONFIG" help run
expect 2 "no command 'chek' (did you mean 'check'?)" help chek
expect 2 "unknown option '--kyes' (did you mean '--keys'?)" check --kyes
expect 2 "unknown option '--levels'; see cardiac mesh refine --help" mesh refine in.msh out.msh --levels 1
expect 2 "expected a config, or --keys" check
expect 2 "too many arguments" check a b
expect 2 "--set needs a value" check "$source/configs/niederer.yaml" --set
expect 2 "expected key=value" check "$source/configs/niederer.yaml" --set time.step
expect 2 "--gpus 0: use --device cpu to run without GPUs" run "$source/configs/niederer.yaml" --gpus 0 --dry-run
expect 2 "--gpus 2 and --device cpu: use one of them" run "$source/configs/niederer.yaml" --gpus 2 --device cpu --dry-run
expect 2 "--gpus 2 and --device cpu-avx2: use one of them" run "$source/configs/niederer.yaml" --gpus 2 --device cpu-avx2 --dry-run
expect 2 "--json reports the progress of steps" run "$source/configs/niederer.yaml" --json --quiet
expect 2 "cannot be opened: No such file" check no-such-file.yaml
expect 2 "cannot be read: Is a directory" check "$source"
expect 0 "mass_lumping: 0.5" check "$source/configs/cable.yaml" --resolved --set solver.mass_lumping=0.5
expect 0 "mass_lumping: 0.5" check --resolved --set=solver.mass_lumping=0.5 -- "$source/configs/cable.yaml"
expect 0 "warning: solver.precision_budget: has no effect" check "$source/configs/cable.yaml" --set solver.precision=double --set solver.precision_budget=1e-6mV

# Keys by a word in their name or their meaning, in letters of either case
expect 0 "solver.tolerance: mV, above 0 .. 10; default 0.0001 mV
    largest error of V that the sweeps may leave" keys Tolerance
expect 0 "checkpoint.keep: whole number" keys "number of most"
[ "$("$cardiac" keys rearm | grep -c '^[^ ]')" = 1 ] || { "$cardiac" keys rearm && failed=1; }
expect 2 "no key matches 'qwerty'" keys qwerty
while IFS=: read -r word expected; do expect 0 "$expected" keys "$word"; done <<'END'
BCL:stimuli[].period: ms
Basic cycle-length:stimuli[].period: ms
scar:tissue.regions[].scale: number
fibrosis:tissue.regions[].where: condition
Purkinje:see docs/user/heart.md: a fast endocardium
AF:see docs/user/atrium.md
Ablation:see docs/user/atrium.md
pulmonary vein:see docs/user/atrium.md
block:see docs/user/reading-results.md
ERP:see `cardiac restitution`
cv:tissue.regions[].velocity: m/s
reentry:induction.protocol: programmed
re-entry:see `cardiac induce`, docs/user/induction.md
ECG leads:ecg.electrodes: map of points
END
[ "$("$cardiac" keys lat | grep -c '^[^ ]')" = 1 ] || { "$cardiac" keys lat && failed=1; } # not "latest"
# Each row of the table of words names a key or a page that exists
sed -n '/^} usual_words/,/^};/s/^    {"\([^"]*\)".*/\1/p' "$source/app/config/print.c" >command_line.words
while read -r path; do
    case $path in
    see*) page=${path##*docs/} && [ -e "$source/docs/${page%%:*}" ] ;;
    *) grep -qF "| \`$path\` |" "$source/docs/user/config.md" ;;
    esac || { echo "a word leads to '$path', which does not exist" && failed=1; }
done <command_line.words
[ "$(wc -l <command_line.words)" -gt 20 ] || { echo "no table of words" && failed=1; }
rm command_line.words
: >command_line.par
expect 2 "not a config but openCARP parameters" run command_line.par
rm command_line.par
expect 2 "expected a word, or --json" keys
exit $failed
