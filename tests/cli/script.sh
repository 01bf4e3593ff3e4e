#!/bin/bash
# script.sh PROGRAM: commands that are Python scripts find an interpreter with numpy and h5py and the program's own package, and print what
# to install where there is none; the other commands need no Python.
. "$(dirname "$0")/../support/run_helpers.sh"
echo 'meshname = m' > a.par
for python in "$dir/none" /bin/false; do
    export CARDIAC_PYTHON=$python
    for command in "check --keys" "models tp06-epi" "info" "keys bcl"; do
        # shellcheck disable=SC2086 # words
        expect 0 "" "$cardiac" $command
    done
done
export CARDIAC_PYTHON=$dir/none
expect 2 "\`cardiac import\` is a Python script; $dir/none cannot be started; install what it needs: sudo apt-get install python3-numpy python3-h5py" \
    "$cardiac" import a.par
expect 2 "\`cardiac converge\` is a Python script; $dir/none cannot be started" "$cardiac" converge a.yaml
unset CARDIAC_PYTHON
"$cardiac" import --help > said 2>&1 || { cat said; exit 77; }
# an interpreter without the packages gives way to the next, or says what it lacks
printf '#!/bin/sh\nexec "%s" -S -I "$@"\n' "$(command -v python3)" > python3 && chmod +x python3
CARDIAC_PYTHON=$dir/python3 expect 2 "lacks numpy and h5py. Install them:" "$cardiac" import a.par
if /usr/bin/python3 -c 'import numpy, h5py' 2> /dev/null; then
    PATH=$dir:$PATH expect 0 "0 of 1 lines were not converted" "$cardiac" import a.par
fi
# another package of that name is not run
echo 'raise SystemExit("another cardiac")' > cardiac.py
PYTHONPATH=$dir expect 0 "0 of 1 lines were not converted" "$cardiac" import a.par
# the statuses of the other commands
expect 2 "cardiac: none.par: No such file or directory" "$cardiac" import none.par
expect 2 "" "$cardiac" import
expect 3 "cardiac: standard output cannot be written: No space left on device" sh -c "exec '$cardiac' import a.par > /dev/full"
expect 0 "Writes one HTML page" "$cardiac" report --help
expect 2 "cardiac: nothing: no result there" "$cardiac" report nothing
# a package that only this command needs
cat > cable.yaml <<'END'
version: 1
mesh: {cable: {length: 1 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
time: {end: 1 ms, step: 0.05 ms}
output: {directory: cable, every: 1 ms}
END
expect 0 "" "$cardiac" run cable.yaml
rm cardiac.py && echo 'raise ModuleNotFoundError(name="matplotlib")' > matplotlib.py
PYTHONPATH=$dir expect 2 "cardiac: report needs matplotlib, which " "$cardiac" report cable
echo "scripts start, or print what is missing"
