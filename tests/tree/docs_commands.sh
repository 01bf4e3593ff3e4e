#!/bin/sh
# docs_commands.sh SOURCE CARDIAC [all]: every command of README.md and docs/ runs, and prints what the page shows. A fenced block marked `console` holds
# commands after "$ " and what they print, one marked `sh` only commands, one marked `output` what the command before it prints, or `output COMMAND`;
# one marked `mmt NAME` or `yaml NAME` is a file that they find. The blocks of a file run one after the other in
# a scratch folder with configs/ and build/cardiac, the runs in it shortened. What cannot run here is listed, with why.
# A command whose output is shown runs again as it stands. Each line shown must be one that it prints: whole numbers are equal, others
# within 1 %, and `...` stands for any text or lines, such as times, devices and threads. Of a shortened run one line is in docs_numbers.txt;
# a command marked `full` there takes seconds, and runs with `all` alone, as do the long of those that are compared.
source=$1
cardiac=$2
all=${3:-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# reason COMMAND: why this command is not run; empty: it is
reason() {
    case $1 in
    *bootstrap.sh* | .ci/run* | build-fuzz/*) echo "builds the tree and runs these tests" ;;
    "cmake "* | "cpack "* | "ctest "*) echo "builds the tree and runs these tests" ;;
    "build/cardiac report "* | "build/cardiac film "* | "cardiac report "* | "python3 -m venv "* | "pip install "* | "python3 app/package/wheel.py "*) echo "needs packages of Python; tests/python has them" ;;
    "apt-get "* | "sudo "* | "module "* | "spack "* | "bash tests/systems.sh "*) echo "installs packages or needs a cluster" ;;
    "git clone "* | "cd "*) echo "there is no second copy to get" ;;
    "git archive "* | "docker "* | "tar "* | "./configure "* | "mkdocs "*) echo "needs a program that the build does not" ;;
    "cp -r env/"* | "cardiac run configs/ventricle.yaml") echo "needs a wheel, which the test of that name installs" ;;
    "ncu "* | "paraview "* | "xdg-open "* | "pvpython "* | "valgrind "* | "gdb "*) echo "needs a program that the build does not" ;;
    "cc minimal.c "*) echo "needs an installed library; tests/api has one" ;;
    *bench_gpu.sh* | *accuracy.py* | *forecasts.py* | *kill_loop.sh*) echo "measures for minutes on a quiet machine" ;;
    "build/cardiac bench all --quick") echo "bench_quick runs it" ;;
    "python3 tests/mutate.py "*) echo "builds the tree many times" ;;
    "mpirun "* | "sbatch "* | "srun "* | *" --gpus "*) echo "needs several ranks, which test_ranks starts, or GPUs" ;;
    "nvidia-smi"* | "export CUDACXX="* | *"--device cuda "*) echo "needs a GPU or its compiler" ;;
    *"sh tests/bench/bench_gpu.sh "* | "python3 docs/lab/plot_"* | "python3 docs/lab/models.py "* | "python3 docs/lab/longer_steps.py "* | "python3 docs/lab/staggered.py "* | "python3 docs/lab/rhythms.py "* | "python3 docs/lab/forecasts.py "* | "python3 docs/lab/schemes.py "* | "python3 docs/lab/side_by_side.py "*) echo "measures for minutes and makes a page anew" ;;
    "tests/reference/make.sh "*) echo "makes stored results anew" ;;
    esac
}

# commands FILE: the commands of the blocks, one a line, lines that end in \ joined; number N's output as $scratch/shown.N. A line that begins
# with "!" is of a block `output COMMAND` and runs only to be compared.
commands() {
    awk -v shown="$scratch/shown." '
        /^```/ { if (inside) inside = ""; else if ($0 ~ /^```(sh|console)$/) inside = substr($0, 4); else if ($1 == "```output") begin(); else inside = "other"; next }
        inside == "console" && (joined || /^\$ /) { sub(/^\$ /, ""); emit($0); next }
        inside == "console" || inside == "output" { if ($0 !~ /^[.]*$/) print >(shown n) }
        inside == "sh" && !/^#/ && NF { emit($0) }
        function begin() { inside = "output"; if (NF > 1) emit("!" substr($0, 11)) }
        function emit(line) {
            sub(/[ \t]+# .*$/, "", line)
            n += !joined
            joined = sub(/\\$/, "", line)
            printf "%s%s", line, joined ? "" : "\n"
        }' "$1"
}

# compare SHOWN PRINTED: the lines that a page shows and a command did not print; status 1 if there are any
compare() {
    awk 'BEGIN { number = "[-+]?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?" }
        NR == FNR { shown[++lines] = $0; next }
        { for (l = 1; l <= lines; l++) if (!found[l] && same(shown[l], $0)) found[l] = 1 }
        END { for (l = 1; l <= lines; l++) if (!found[l]) { print shown[l]; bad = 1 } exit bad }
        # the pattern of a text in which any number stands for a number
        function pattern(text,    out, c) {
            while (text != "") {
                if (match(text, number) && RSTART == 1) { out = out number; text = substr(text, RLENGTH + 1); continue }
                c = substr(text, 1, 1)
                out = out (c ~ /[A-Za-z0-9 ]/ ? c : c ~ /[\\^]/ ? "\\" c : "[" c "]")
                text = substr(text, 2)
            }
            return out
        }
        function equal(a, b,    x, y) {
            while (match(a, number)) {
                x = substr(a, RSTART, RLENGTH); a = substr(a, RSTART + RLENGTH)
                match(b, number)
                y = substr(b, RSTART, RLENGTH); b = substr(b, RSTART + RLENGTH)
                if (x ~ /^[-+]?[0-9]+$/ ? x != y : (x - y) ^ 2 > 1e-4 * x ^ 2) return 0
            }
            return 1
        }
        function same(a, b,    piece, pieces, k, rest) {
            pieces = split(a, piece, /[.][.][.]/)
            for (k = 1; k <= pieces; k++) {
                if (!match(b, (k == 1 ? "^" : "") pattern(piece[k]) (k == pieces && piece[k] != "" ? "$" : ""))) return 0
                rest = substr(b, RSTART + RLENGTH)
                if (!equal(piece[k], substr(b, RSTART, RLENGTH))) return 0
                b = rest
            }
            return piece[pieces] == "" || b == ""
        }' "$1" "$2"
}

# texts FILE: the blocks marked `mmt NAME` or `yaml NAME` as files of that name
texts() {
    awk '/^```/ { name = $1 ~ /^```(mmt|yaml)$/ ? $2 : ""; next } name != "" { print >name }' "$1"
}

# number COMMAND: the line of docs_numbers.txt, of the longest beginning of the command; status 1 if there is none
number() {
    command=$1 awk -F ' [|] ' 'index(ENVIRON["command"], $1) == 1 && length($1) > most { most = length($1); line = $2 }
        END { if (most) print line; exit !most }' "$source/tests/tree/docs_numbers.txt" >"$scratch/number"
}
# longer COMMAND: it is marked `full`
longer() {
    command=$1 awk -F ' [|] ' '$3 == "full" && index(ENVIRON["command"], $1) == 1 { found = 1 } END { exit !found }' "$source/tests/tree/docs_numbers.txt"
}

mkdir "$scratch/build" || exit 1
export XDG_CACHE_HOME="$scratch/cache" PYTHONPATH="$scratch/python" # without pages, which tests/python looks at
mkdir "$scratch/python" && echo 'raise ModuleNotFoundError("not here", name="matplotlib")' >"$scratch/python/matplotlib.py" || exit 1
cp -r "$source/configs" "$source/meshes" "$source/docs" "$source/tests/reference" "$scratch" 2>/dev/null
sed -i 's/spacing: 0.2 mm/spacing: 0.5 mm/' "$scratch/configs/niederer.yaml" # a tenth of the nodes
sed -i 's/step: 0.02 ms/step: 0.05 ms/' "$scratch"/configs/*.yaml
cat >"$scratch/build/cardiac" <<END
#!/bin/sh
# the program, its runs and trains shortened, and its series to the first and the last of their intervals
for word; do
    shift
    case \$word in
    [1-9]*:[1-9]*:*ms) range=\${word%:*}; word=\$range:\$((\${range%:*} - \${range#*:}))ms ;;
    esac
    set -- "\$@" "\$word"
done
case "\$1 \$*" in
"run "*--dry-run* | "run "*--help* | "run "*" out/bundle"*) ;;
"run "*) set -- "\$@" --set time.end=2ms --set output.every=1ms ;;
"restitution "*) set -- "\$@" --set 'stimuli[0].count=2' ;;
"fit "*) set -- "\$@" --set fit.evaluations=12 ;;
"induce "*induction.yaml*) set -- "\$@" --set mesh.sheet.spacing=1mm --set induction.extra=1 --set induction.by=40ms ;;
esac
exec "$cardiac" "\$@"
END
chmod +x "$scratch/build/cardiac"
mkdir -p "$scratch/whole/build" && ln -s "$cardiac" "$scratch/whole/build/cardiac" && cp -r "$source/configs" "$source/meshes" "$scratch/whole" || exit 1
PATH=$scratch/build:$PATH
cd "$scratch" || exit 1

ran=0 compared=0 failed=0
for file in "$source/README.md" "$source"/docs/*/*.md "$source/tests/reference/README.md"; do
    texts "$file"
    rm -f "$scratch"/shown.*
    commands "$file" >"$scratch/list"
    n=0
    while IFS= read -r command; do
        n=$((n + 1)) once=
        why=$(reason "$command")
        case $command in
        !*) command=${command#!} ;;
        *)
            [ -n "$why" ] || [ -n "$all" ] || ! longer "$command" || why="longer; docs_commands_full runs it"
            case $command in
            *" > "* | *" --output "*) ;;
            *"cardiac tune "* | *"cardiac check "* | *"cardiac cell "*) [ ! -e "$scratch/shown.$n" ] || once=yes ;; # leaves no files, and runs below
            esac
            if [ -n "$why" ]; then
                echo "not run: $command ($why)"
                continue
            elif [ -n "$once" ]; then
                :
            elif sh -c "$command" </dev/null >"$scratch/log" 2>&1; then
                ran=$((ran + 1))
                if number "$command"; then
                    cat "$scratch/number" >>"$scratch/numbers"
                    compare "$scratch/number" "$scratch/log" >"$scratch/missing" ||
                        { printf '%s: `%s` does not print, as docs_numbers.txt has it,\n%s\nbut\n' "${file##*/}" "$command" "$(cat "$scratch/missing")" && cat "$scratch/log" && failed=1; }
                elif [ ! -e "$scratch/shown.$n" ] && [ -s "$scratch/log" ]; then
                    echo "a number of $command: skipped, it has no line in docs_numbers.txt"
                fi
            else
                echo "${file##*/}: status $? of: $command"
                cat "$scratch/log"
                failed=1
            fi
            ;;
        esac
        [ -e "$scratch/shown.$n" ] || continue
        case "$all $command" in
        " "*"induce configs/induction.yaml --results" | " "*"cardiac run configs/ventricle.yaml")
            echo "not compared: $command (longer; docs_commands_full compares it)"
            continue
            ;;
        esac
        compared=$((compared + 1))
        (cd "$scratch/whole" && PATH=$scratch/whole/build:$PATH && eval "$command") </dev/null >"$scratch/log" 2>&1
        status=$?
        if [ -n "$once" ]; then
            ran=$((ran + 1))
            [ $status = 0 ] || { echo "${file##*/}: status $status of: $command"; failed=1; }
        fi
        compare "$scratch/shown.$n" "$scratch/log" >"$scratch/missing" ||
            { printf '%s: `%s` does not print\n%s\nbut\n' "${file##*/}" "$command" "$(cat "$scratch/missing")" && cat "$scratch/log" && failed=1; }
    done <"$scratch/list"
done
echo "$ran commands ran, the output of $compared was compared, and a line of $(wc -l <"$scratch/numbers") that were shortened"
awk -F ' [|] ' -v all="$all" '!/^#/ && $2 != "" && (all != "" || $3 != "full") { print $2 }' "$source/tests/tree/docs_numbers.txt" | sort -u >"$scratch/listed" && sort -u "$scratch/numbers" | comm -23 "$scratch/listed" - >"$scratch/left"
[ ! -s "$scratch/left" ] || { echo "no command ran for these lines of docs_numbers.txt:" && cat "$scratch/left" && failed=1; }
[ $ran -gt 0 ] && [ $compared -gt 0 ] && exit $failed
exit 1
