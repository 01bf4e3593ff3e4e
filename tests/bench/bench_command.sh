#!/bin/sh
# bench_command.sh CARDIAC: what `cardiac bench` says from the command line: its verdicts as JSON, files that are
# measured, input that is refused.
cardiac=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# refuses TEXT ARGUMENT...: status 2 and TEXT in the message
refuses() {
    text=$1
    shift
    output=$("$cardiac" bench "$@" 2>&1)
    got=$?
    case $output in
    *"$text"*) ;;
    *) echo "cardiac bench $*: '$text' is not in: $output" && failed=1 ;;
    esac
    [ $got -eq 2 ] || { echo "cardiac bench $*: status $got, not 2" && failed=1; }
}

refuses "name what to measure"

# The bench is another program: without it cardiac says how to build it
mkdir "$folder/alone" && cp "$cardiac" "$folder/alone/cardiac"
output=$("$folder/alone/cardiac" bench all --quick 2>&1)
got=$?
case $got:$output in
"2:cardiac: $folder/alone/cardiac-bench: "*"cmake --build build --target cardiac-bench"*) ;;
*) echo "cardiac without cardiac-bench: status $got, $output" && failed=1 ;;
esac

refuses "no bench 'smpv' (did you mean 'spmv'?)" smpv
refuses "no section 'format' (did you mean 'formats'?)" spmv --section format
refuses "it must be above 0" spmv --spacing "0 mm"
refuses "is not a length" spmv --spacing "2 mV"
refuses "at most 100" jacobi --percent 101
refuses "exclude each other" spmv --matrix a --config b
refuses "did you mean 'method'" step --profile --set solver.methd=auto
refuses "--profile belongs to step" spmv --profile
refuses "is a model's text" spmv no-such-file.mmt
refuses "no-such-file.mmt" ionic --quick no-such-file.mmt
refuses "--model is for texts" ionic --model time_unit=1ms
refuses "no-such-file.mtx" spmv --quick --matrix no-such-file.mtx

# A file that is not symmetric, with an empty row and unequal ones, plain and gzipped
cat >"$folder/a.mtx" <<END
%%MatrixMarket matrix coordinate real general
% rows 1, 3 and 4 have a diagonal entry, 2 is empty
5 5 9
1 1 2.5
1 5 -1e-3
3 3 1
3 1 0.125
3 2 7
3 4 -3
3 5 11
4 4 -2
5 2 1
END
gzip -c "$folder/a.mtx" >"$folder/b.mtx.gz"
for file in a.mtx b.mtx.gz; do
    output=$("$cardiac" bench spmv --quick --device cpu --threads 1 --matrix "$folder/$file" 2>&1) ||
        { echo "$file: $output" && failed=1; }
    case $output in
    *"formats, $file"*"are right"*) ;;
    *) echo "$file: $output" && failed=1 ;;
    esac
done
output=$("$cardiac" bench jacobi --quick --device cpu --threads 1 --matrix "$folder/a.mtx" 2>&1)
case $output in
*"no diagonal entry"*) ;;
*) echo "no word on the missing diagonal: $output" && failed=1 ;;
esac

# A text is measured in every way of stepping, in place of the built-in models
if command -v cc >/dev/null; then
    "$cardiac" models luo-rudy-1991 --mmt >"$folder/own.mmt"
    output=$(XDG_CACHE_HOME=$folder "$cardiac" bench ionic "$folder/own.mmt" --quick --device cpu --threads 1 2>&1)
    case $output in
    *"floor ns"*"own, double"*"own, mixed, tables"*"All 12 variants are right"*) ;;
    *) echo "ionic own.mmt: $output" && failed=1 ;;
    esac
fi

# An error planted into the input is found in every variant, and JSON says so in the same words
"$cardiac" bench gemm --quick --device cpu --threads 1 --inject --json >"$folder/out.json" ||
    { echo "--inject --json failed" && failed=1; }
grep -q '"verdict": "caught"' "$folder/out.json" || { echo "nothing was caught" && failed=1; }
exit $failed
