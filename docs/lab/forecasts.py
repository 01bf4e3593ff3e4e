#!/usr/bin/env python3
"""forecasts.py PROGRAM [MESH=FILE ...]: makes the table of forecast and measured sweeps in docs/lab/steps.md and docs/lab/forecasts.csv.

Staggered steps of 0.05 ms, theta 1/2, with a front in the tissue, of tp06-epi where no model is named, by jacobi and chebyshev, f = 1 and 1/2, on generated meshes,
meshes/heart.msh.gz and public ones, which are read from the FILE that an argument gives for their name; those that are not given keep their rows. The numbers
are exact on any machine."""
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pages import LAB, replaced

STORED = LAB / 'forecasts.csv'
COLUMNS = ['mesh', 'nodes', 'f', 'method', 'forecast', 'sweeps', 'stages']
RABBIT = str(LAB.parents[1] / 'meshes' / 'heart.msh.gz')
MODELS = ('ohara-endo', 'courtemanche-ra', 'maleckar', 'mitchell-schaeffer')
SMALL, WHOLE, ATRIUM = (0.133, 0.0176), (0.6, 0.3), (0.267, 0.133)  # S/m along and across
# mesh: (its section of a config or its unit, S/m, fibres, stimulated volume, end in ms)
MESHES = {
    'cable, 0.1 mm': ({'cable': {'length': '12 mm', 'spacing': '0.1 mm'}}, SMALL, [1, 0, 0], 'x < 0.75 mm', 12),
    'cable, 0.05 mm': ({'cable': {'length': '8 mm', 'spacing': '0.05 mm'}}, SMALL, [1, 0, 0], 'x < 0.75 mm', 10),
    'cable, 0.025 mm': ({'cable': {'length': '5 mm', 'spacing': '0.025 mm'}}, SMALL, [1, 0, 0], 'x < 0.75 mm', 8),
    'sheet, 0.1 mm': ({'sheet': {'size': ['8 mm', '4 mm'], 'spacing': '0.1 mm'}}, SMALL, [1, 0, 0], 'x < 1 mm and y < 1 mm', 12),
    'sheet, 0.05 mm': ({'sheet': {'size': ['5 mm', '3 mm'], 'spacing': '0.05 mm'}}, SMALL, [1, 0, 0], 'x < 1 mm and y < 1 mm', 9),
    'slab, 0.2 mm': ({'slab': {'size': ['10 mm', '4 mm', '2 mm'], 'spacing': '0.2 mm'}}, SMALL, [1, 0, 0],
                     'x < 1.5 mm and y < 1.5 mm and z < 1.5 mm', 15),
    'slab, 0.1 mm': ({'slab': {'size': ['4 mm', '3 mm', '1.5 mm'], 'spacing': '0.1 mm'}}, SMALL, [1, 0, 0],
                     'x < 1 mm and y < 1 mm and z < 1 mm', 8),
    'meshes/heart.msh.gz': ('1 mm', WHOLE, [0, 0, 1], 'z < -14 mm', 12),
    'ambit_heart3D': ('1 mm', WHOLE, [0, 0, 1], 'z < 10 mm', 12),
    'crtdemo': ('1 mm', WHOLE, [0, 0, 1], 'z < -50 mm', 12),
    'cobiveco_geo1': ('1 mm', WHOLE, [0, 0, 1], 'z < 20 mm', 3),
    'laendo1': ('0.001 mm', ATRIUM, 'from mesh', 'x < 30 mm', 5),
    'laendo2': ('0.001 mm', ATRIUM, 'from mesh', 'x < 15 mm', 5)}
CABLE = {'cable': {'length': '12 mm', 'spacing': '0.1 mm'}}
for model, end in zip(MODELS, (16, 14, 18, 20)):
    MESHES[f'cable, 0.1 mm, {model}'] = (CABLE, SMALL, [1, 0, 0], 'x < 0.75 mm', end)
MESHES['laendo1, courtemanche-ra'] = ('0.001 mm', ATRIUM, 'from mesh', 'x < 30 mm', 5)
MESHES['laendo1, mitchell-schaeffer'] = ('0.001 mm', ATRIUM, 'from mesh', 'x < 30 mm', 10)


def measure(program, name, file, method, f):
    """Nodes, forecast and measured sweeps a step, and the stages of rkl2"""
    mesh, along, fibers, where, end = MESHES[name]
    model = name.split(', ')[-1]
    config = {'version': 1, 'mesh': {'file': os.path.abspath(file), 'scale': mesh} if file else mesh,
              'tissue': {'surface_to_volume': '1400 /cm', 'fibers': fibers, 'regions': [
                  {'model': model if model in MODELS else 'tp06-epi', 'conductivity': {'longitudinal': f'{along[0]} S/m', 'transverse': f'{along[1]} S/m'}}]},
              'stimuli': [{'where': where, 'duration': '2 ms', 'current': '50 uA/uF'}], 'time': {'end': f'{end} ms', 'step': '0.05 ms'},
              'solver': {'method': method, 'mass_lumping': f, 'splitting': 'staggered'},
              'output': {'directory': 'out', 'every': f'{end} ms'}}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'config.json').write_text(json.dumps(config))  # YAML reads JSON
        done = subprocess.run([program, 'run', 'config.json', '--verbose', '--device', 'cpu'], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    stages = re.search(r'^rkl2 would take (\d+) stages', done.stdout, re.M)
    return [re.search(pattern, done.stdout, re.M).group(1) for pattern in
            (r'^mesh: (\d+) nodes', r'^method: \w+, about (\S+) sweeps', r'^sweeps: (\S+) a step')] + [stages.group(1) if stages else '']


def summary(rows):
    ratios = {}
    for name in MESHES:
        for f in ('1', '0.5'):
            of = {row[3]: row for row in rows if row[0] == name and row[2] == f}
            for method, row in of.items():
                ratios.setdefault((method, f), []).append(abs(math.log(float(row[4]) / float(row[5]))) <= math.log(1.5))
    within = [f'{sum(all_of)} of {len(all_of)} ({method}, f = {f})' for (method, f), all_of in ratios.items()]
    return 'Within 1.5 times: ' + ', '.join(within) + '.'


def main():
    program, given = os.path.abspath(sys.argv[1]), dict(argument.split('=', 1) for argument in sys.argv[2:])
    given['meshes/heart.msh.gz'] = RABBIT
    stored = list(csv.reader(STORED.open()))[1:] if STORED.exists() else []
    for name in MESHES:
        if isinstance(MESHES[name][0], str) and name.split(', ')[0] not in given:
            continue
        stored = [row for row in stored if row[0] != name]
        for method in ('jacobi', 'chebyshev'):
            for f in ('1', '0.5'):
                nodes, forecast, sweeps, stages = measure(program, name, given.get(name) or given.get(name.split(', ')[0]), method, float(f))
                stored.append([name, nodes, f, method, forecast, sweeps, stages])
                print(*stored[-1], flush=True)
    stored.sort(key=lambda row: list(MESHES).index(row[0]))
    with STORED.open('w', newline='') as file:
        csv.writer(file, lineterminator='\n').writerows([COLUMNS, *stored])
    page = LAB / 'steps.md'
    page.write_text(replaced(page.read_text(), 'forecasts', summary(stored)))


if __name__ == '__main__':
    main()
