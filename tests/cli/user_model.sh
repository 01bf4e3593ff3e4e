#!/bin/bash
# user_model.sh PROGRAM [DEVICE]: models as texts: compiled at their first use, kept, as exact as those that are built in, and what is
# said when something is wrong. With a DEVICE only the bits there against those of the CPU.
stiff=$(cd "$(dirname "$0")/../kernels" && pwd)/stiff.mmt
. "$(dirname "$0")/../support/run_helpers.sh"
device=${2:-cpu}
export XDG_CACHE_HOME=$dir/cache
mkdir cache bin

# a compiler that counts
real=$(command -v cc || command -v gcc || command -v clang) || { echo "no C compiler here: skipped"; exit 77; }
cat > bin/counted <<END
#!/bin/sh
case " \$* " in *" --version "*) ;; *) echo compiled >> $dir/count; printf '%s\n' "\$@" | grep ^-D > $dir/options ;; esac
exec $real "\$@" \$SLOWLY
END
chmod +x bin/counted
compilations() { cat count 2>/dev/null | wc -l; }

export CC=$dir/bin/counted
# config MODEL: a short cable of that model with all of its states in fp64
config() {
    cat <<END
version: 1
mesh: {cable: {length: 3.1 mm, spacing: 0.1 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {tags: all, model: $1, parameters: {$parameter}, conductivity: 0.1 S/m}
stimuli:
  - {sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 0.5 mm}, duration: 1 ms, current: 60 uA/uF}
time: {end: 12 ms, step: 0.02 ms}
solver: {precision: double}
output: {every: 4 ms, precision: float64, fields: [V, $states]}
checkpoint: {every: 12 ms}
END
}
# texts MODEL: built-in.yaml and my.yaml, with the text my.mmt of that model
texts() {
    "$cardiac" models "$1" --mmt > my.mmt || fail "models --mmt"
    config "$1" > built-in.yaml
    config '{file: my.mmt}' > my.yaml
}
# same_bits VARIED: built in and loaded, on every device, with a thread and with three; and with a parameter that varies, and has this value
# everywhere
same_bits() {
    "$cardiac" run built-in.yaml --quiet --device cpu --threads 1 --output built-in || fail "built in"
    expect 0 "" "$cardiac" run my.yaml --quiet --device "$device" --threads 3 --output my
    same built-in/run.vtkhdf my/run.vtkhdf
    "$cardiac" compare built-in/run.vtkhdf my/run.vtkhdf | grep -q "${states%%,*}" || fail "states were not compared"
    expect 0 "" "$cardiac" run my.yaml --quiet --device "$device" --output varied --set "tissue.regions[0].parameters={$1}"
    same built-in/run.vtkhdf varied/run.vtkhdf
}
if full || [ "$device" != cpu ]; then
    parameter="ik.g_K: 0.3" states="ina.m, ina.h, ina.j, isi.d, isi.f, calcium.Ca_i, ik.x"
    texts luo-rudy-1991
    [ "$device" = cpu ] || "$cardiac" run built-in.yaml --device "$device" --dry-run --quiet > /dev/null 2>&1 || exit 77
    same_bits "ik.g_K: {field: 0.3 + 0 * x / (1 mm)}"
    # states that are solved for together
    cp "$stiff" stiff.mmt
    config '{file: stiff.mmt}' | sed 's/parameters: {[^}]*}, //; s/fields: .*]/fields: [V, channel.o, calcium.bound]/' > stiff.yaml
    expect 0 "" "$cardiac" run stiff.yaml --quiet --device "$device" --threads 3 --output stiff
    expect 0 "" "$cardiac" run stiff.yaml --quiet --device cpu-plain --output stiff-plain
    same stiff/checkpoint-600.h5 stiff-plain/checkpoint-600.h5
    [ "$device" = cpu ] || exit 0
    expect 0 "" "$cardiac" run my.yaml --quiet --set ionic.state=mixed --output mixed
    config '{file: my.mmt, variant: luo-rudy-1991}' > variant.yaml
    expect 0 "" "$cardiac" run variant.yaml --quiet --device cpu --threads 1 --output variant
    same built-in/run.vtkhdf variant/run.vtkhdf
    rm -r built-in my varied
else
    export SLOWLY=-O0 # little optimising, which changes no bit
fi
parameter="fast.g_fi: 5" states="fast.v, slow.w"
texts fenton-karma-br
same_bits "fast.g_fi: {field: 5 + 0 * x / (1 mm)}"
[ "$(compilations)" -ge 1 ] || fail "nothing was compiled"

# kept: a second start compiles nothing, one that begins where the entries are damaged does, and gives the same
before=$(compilations)
expect 0 "" "$cardiac" run my.yaml --quiet --output again
[ "$(compilations)" = "$before" ] || fail "compiled again"
for entry in cache/cardiac/*.so; do printf 'x' | dd of="$entry" bs=1 seek=3000 conv=notrunc 2>/dev/null; done
expect 0 "" "$cardiac" run my.yaml --quiet --output repaired
[ "$(compilations)" -gt "$before" ] || fail "a damaged entry was used"
same my/checkpoint-600.h5 repaired/checkpoint-600.h5
for entry in cache/cardiac/*.so; do : > "$entry"; done
cp my.mmt same.mmt
"$cardiac" models same.mmt > kept || fail "models with an entry"
for entry in cache/cardiac/*.model; do
    kept=yes
    printf 'x' | dd of="$entry" bs=1 seek=300 conv=notrunc 2>/dev/null # not the formulas that it was sealed with
done
[ "${kept:-}" = yes ] || fail "what the text is compiled to was not kept"
"$cardiac" models same.mmt > anew && cmp kept anew || fail "a damaged entry was used"
for entry in cache/cardiac/*.model; do # sealed, and of no model
    { printf '7 1 0 1 nan\n0101010\nint' && printf '7 1 0 1 nan\n0101010\nint' | sha256sum | cut -c1-64 | tr -d '\n'; } > "$entry"
done
"$cardiac" models same.mmt > anew && cmp kept anew || fail "an entry of no model was used"
expect 0 "" "$cardiac" run my.yaml --quiet --output resealed
same my/checkpoint-600.h5 resealed/checkpoint-600.h5
before=$(compilations)
for entry in cache/cardiac/*.so; do # sealed, and no object
    { printf 'nothing' && printf 'nothing' | sha256sum | cut -c1-64 | tr -d '\n'; } > "$entry"
done
expect 0 "" "$cardiac" run my.yaml --quiet --output reloaded
[ "$(compilations)" -gt "$before" ] || fail "an entry that cannot be loaded was used"
same my/checkpoint-600.h5 reloaded/checkpoint-600.h5
before=$(compilations)
expect 0 "" "$cardiac" run my.yaml --quiet --output reloaded --overwrite
[ "$(compilations)" = "$before" ] || fail "the entry was not replaced"
if full; then
    "$cardiac" run my.yaml --quiet --output one & "$cardiac" run my.yaml --quiet --output two || fail "two at once"
    wait $! || fail "two at once"
    same my/checkpoint-600.h5 one/checkpoint-600.h5
    same my/checkpoint-600.h5 two/checkpoint-600.h5
fi
[ -z "$(find cache/cardiac -name '.*' ! -name .swept -type f)" ] || fail "files were left behind"

# options that stand in $CC are options of another entry
before=$(compilations)
expect 0 "" env CC="$CC -ffast-math" "$cardiac" run my.yaml --quiet --output fast
[ "$(compilations)" -gt "$before" ] || fail "code of other options was used"
expect 0 "" "$cardiac" run my.yaml --quiet --output slow
same my/checkpoint-600.h5 slow/checkpoint-600.h5
long=$(printf '%01000d' 0)
expect 0 "" env CC="$CC -DLETTERS=$long -DBEHIND=1" "$cardiac" run my.yaml --quiet --output far
[ "$(tail -n 1 options)" = "-DBEHIND=1" ] || fail "options behind the first letters of \$CC were lost: $(cut -c1-200 options)"
expect 2 "more than 4095 letters or 63 options" env CC="$CC -DLETTERS=$long$long$long$long$long" "$cardiac" run my.yaml --quiet --output far --overwrite
expect 2 "more than 4095 letters or 63 options" env CC="$CC $(printf -- '-w %.0s' $(seq 64))" "$cardiac" run my.yaml --quiet --output far --overwrite

# a place that somebody else could have written is refused
chmod 755 cache/cardiac
expect 2 "chmod 700" "$cardiac" check my.yaml
chmod 700 cache/cardiac
if chown 1 cache/cardiac 2>/dev/null; then
    expect 2 "another user" "$cardiac" check my.yaml
    chown 0 cache/cardiac
fi
mv cache/cardiac elsewhere && ln -s ../elsewhere cache/cardiac
expect 2 "a link" "$cardiac" check my.yaml
rm cache/cardiac && mv elsewhere cache/cardiac

# without a home, or with a read-only one, the cache is a temporary folder
mkdir temporary
expect 0 "" env HOME= XDG_CACHE_HOME= TMPDIR="$dir/temporary" "$cardiac" check my.yaml
ls temporary/cardiac-*/*.so > /dev/null || fail "no temporary cache"
before=$(compilations)
expect 0 "" env XDG_CACHE_HOME=/proc/none TMPDIR="$dir/temporary" "$cardiac" check my.yaml
[ "$(compilations)" = "$before" ] || fail "the temporary cache was not used"
expect 2 "XDG_CACHE_HOME selects another folder" env HOME=/proc/none XDG_CACHE_HOME= TMPDIR=/proc/none "$cardiac" check my.yaml

# a run does not go on from a checkpoint of another text; other formulas are compiled anew
cp my.mmt first.mmt
sed -i 's/^tau_0 = 12.5/tau_0 = 12.6/' my.mmt
before=$(compilations)
expect 2 "the text of a model has changed since" "$cardiac" run my.yaml --quiet --output my --resume --set time.end=14ms
grep -q "my[.]mmt" said || fail "the text is not named"
[ "$(compilations)" = "$before" ] || fail "another constant was compiled"
sed 's/ u [/] tau_0/ 2 * u \/ tau_0/' my.mmt > twice.mmt
expect 0 "" "$cardiac" cell twice.mmt --duration 1
[ "$(compilations)" -gt "$before" ] || fail "an edited formula was not compiled"
mv first.mmt my.mmt
expect 0 "" "$cardiac" run my.yaml --quiet --output my --resume --set time.end=16ms

# without a compiler
unset CC
expect 2 "package gcc" env PATH=nothing "$cardiac" check my.yaml --set output.fields=[W] --set activation.threshold=-60mV --set activation.rearm=-50mV
grep -q "'W' is neither V nor a state" said && grep -q "is above activation.threshold" said || { cat said; fail "what else is wrong"; }
expect 0 "" env PATH=nothing "$cardiac" check built-in.yaml
expect 0 "fast.g_fi" env PATH=nothing "$cardiac" models my.mmt
expect 2 "nowhere" env CC=nowhere "$cardiac" check my.yaml
expect 2 "not a C compiler" env CC=/bin/false "$cardiac" check my.yaml
export CC=$dir/bin/counted

# what can be wrong with keys and texts
expect 2 "did you mean 'fast.g_fi'" "$cardiac" check my.yaml --set 'tissue.regions[0].parameters={fast.g_f: 1}'
expect 2 "use {file: my.mmt} for a text" "$cardiac" check my.yaml --set 'tissue.regions[0].model=my.mmt'
expect 2 "file is missing" "$cardiac" check my.yaml --set 'tissue.regions[0].model={time_unit: 1 ms}'
expect 2 "No such file" "$cardiac" check my.yaml --set 'tissue.regions[0].model={file: other.mmt}'
cp my.mmt passive.mmt
expect 2 "has the name of the built-in model" "$cardiac" check my.yaml --set 'tissue.regions[0].model={file: passive.mmt}'
: > empty.mmt
printf 'membrane\0\377' > binary.mmt
{ cat my.mmt && head -c 1100000 /dev/zero | tr '\0' ' '; } > endless.mmt
mkfifo pipe.mmt
mkdir folder.mmt
sed 's/slow.J_si/slow.none/' my.mmt > unknown.mmt
for text in empty binary endless pipe folder unknown; do expect 2 "$text.mmt" "$cardiac" models $text.mmt; done
grep -q "unknown.mmt:[0-9]*:[0-9]*: " said || fail "no line and column: $(cat said)"

# what a stimulus becomes in a text, and its variants
"$cardiac" models luo-rudy-1991 --mmt > long.mmt && "$cardiac" models long.mmt > said
grep -q "^stimulus: 1 uA/uF of a config is -1 uA/uF in membrane.stimulus" said || fail "$(grep stimulus said)"
grep -q "^protocol: level 1 from 10 ms for 1 ms, every 1000 ms" said || fail "$(grep protocol said)"
"$cardiac" models tp06-m --mmt > m.mmt && "$cardiac" models m.mmt | grep -qx "variants: tp06-epi, tp06-endo, tp06-m" || fail "no variants"
values() { awk '/^Currents/ { exit } /^States/ { on = 1 } on'; }
"$cardiac" models m.mmt --model variant=tp06-m | values > own && "$cardiac" models tp06-m | values | cmp - own || fail "other values"
expect 2 "no variant 'tp06-em' (did you mean 'tp06-m'?)" "$cardiac" models m.mmt --model variant=tp06-em

# one cell, by the text's own protocol
expect 0 "" "$cardiac" cell long.mmt --duration 400 --variables V --output trace.csv
awk 'NR == 2 && $2 == 10 && $4 > 30 && $8 > 300 { good = 1 } END { exit !good }' said || fail "$(cat said)"

# whatever its sign and size, as it stands; --stimulus replaces all of it; what is not applied is announced
cat > own.mmt <<'END'
[[model]]
membrane.V = -80
[engine]
time = 0 [ms] in [ms] bind time
pace = 0 bind pace
[stimulus]
amplitude = 0 [mV/ms] in [mV/ms]
current = engine.pace * amplitude in [mV/ms]
[membrane]
dot(V) = -(V + 80 [mV]) / 10 [ms] + stimulus.current in [mV] label membrane_potential
[[protocol]]
1 5 3 1000 0
END
at() { # at MS MV OPTION...: V then
    expect 0 "" "$cardiac" cell own.mmt --dt 0.0005 --duration 20 --variables V --output own.csv "${@:3}"
    awk -F, -v t="$1" -v v="$2" '$1 == t { good = ($2 - v) ^ 2 < 0.01 } END { exit !good }' own.csv || fail "V at $1 ms: $(cat own.csv)"
}
at 8 -80
grep -q "warning: the text's own stimulus is 0 uA/uF" said || fail "$(cat said)"
at 8 -61.857 --parameter stimulus.amplitude=7
! grep -q "own stimulus" said || fail "$(cat said)"
sed -i 's/amplitude = 0/amplitude = -7/' own.mmt
at 8 -98.143
sed -i 's/amplitude = -7/amplitude = 0/' own.mmt
at 8 -80 --parameter stimulus.amplitude=7 --stimulus 7uA/uF
at 11 -73.339 --stimulus 7uA/uF
sed 's/+ stimulus.current//; s/^1 5 3 1000 0/&\n1 300 3 1000 0/' own.mmt > none.mmt
config '{file: none.mmt}, initial: {pace: 1, period: 1000 ms}' | sed 's/, parameters: {[^}]*}//; s/, fields: .*]}/}/' > none.yaml
expect 0 "warning: tissue.regions[0].initial: the text has a protocol and no stimulus current; it is paced with 52 uA/uF for 1 ms" \
    "$cardiac" check none.yaml
sed 's/^1 5 3 1000 0/&\n1 300 3 1000 0/' own.mmt > two.mmt
expect 0 "warning: of the 2 events of the text's protocol only the first is applied" "$cardiac" cell two.mmt --duration 20

full || exit 0
# tables: a text that reads V in them alone, one that has none, and one whose parameter moves a jump off their rows
cat > tables.mmt <<'END'
[[model]]
membrane.V = -39.98
f.a = 0
f.b = 0
f.c = 0
f.d = 0
[engine]
time = 0 [ms] in [ms] bind time
[membrane]
dot(V) = 0 [mV/ms] in [mV] label membrane_potential
[f]
use membrane.V
jump = -40 [mV] in [mV]
dot(a) = if(V < jump, exp(V / 10 [mV]), 100) / (1 + exp(V / 7 [mV])) * 1 [1/ms]
dot(b) = exp(V / 11 [mV]) / (1 + exp(V / 8 [mV])) * 1 [1/ms]
dot(c) = exp(V / 12 [mV]) / (1 + exp(V / 9 [mV])) * 1 [1/ms]
dot(d) = exp(V / 13 [mV]) / (1 + exp(V / 6 [mV])) * 1 [1/ms]
END
sed '/^f.[bcd]/d; /^dot.[bcd]/d' tables.mmt > none.mmt
cell() { "$cardiac" cell "$@" --duration 1 --variables f.a 2> said | tail -n 1; }
cell tables.mmt --tables > on-rows && cell tables.mmt > computed || fail "a text with tables"
awk -F, 'NR == FNR { x = $3; next } END { exit !(x > 50 && ($3 - x)^2 < (1e-5 * x)^2) }' on-rows computed || fail "tables of a text"
cell tables.mmt --parameter f.jump=-39.96 > computed
cell tables.mmt --parameter f.jump=-39.96 --tables > off-rows
cmp computed off-rows || fail "a jump off the rows of a table"
expect 2 "has no tables in V" "$cardiac" cell none.mmt --tables
