#!/usr/bin/env python3
"""schemes.py PROGRAM [MODEL ... | page]: makes docs/lab/schemes.csv and, of its errors, a table of docs/lab/steps.md.

Forty cables of 8 mm, ten models with edges of 0.1 and 0.2 mm and two conductivities, by jacobi and rkl2 with default settings in steps of 0.1, 0.05
and 0.025 ms: activation at 6.4 mm, by S1 and by S2 at 1.15 APD90, and between 3.2 and 6.4 mm the means of APD30, APD90, peak and dvdt_max of S1. The limit dt -> 0 is Richardson's
from sweeps in steps of 0.02 and 0.01 ms in double precision to 1e-7 mV, of order 2, and 1 for APDs. Where refinement takes fewer stages, rkl2 is also run with those of the coarsest step:
a piece of three nodes beside the cable has edges that need them. The numbers are exact on any machine."""
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from pages import LAB, replaced

sys.path.insert(0, str(LAB.parents[1] / 'app' / 'python'))
from cardiac.studies.comparison import judge  # noqa: E402

STORED = LAB / 'schemes.csv'
QUANTITIES = {'activation': 'ms', 's2_activation': 'ms', 'apd30': 'ms', 'apd90': 'ms', 'peak': 'mV', 'dvdt_max': '%'}
COLUMNS = ['model', 'edge_mm', 'conductivity_s_m', 'scheme', 'step_ms', 'stages', *QUANTITIES]
MODELS = ('tp06-epi', 'luo-rudy-1991', 'courtemanche-ra', 'ohara-endo', 'grandi-epi', 'tor-ord-endo', 'trovato', 'maleckar', 'bueno-orovio-epi',
          'mitchell-schaeffer')
CABLES = [(edge, conductivity) for edge in (0.1, 0.2) for conductivity in (0.133, 0.05)]  # mm, S/m
STEPS = (0.1, 0.05, 0.025)
FINE = (0.02, 0.01)
SCHEMES = ('limit', 'jacobi', 'rkl2', 'rkl2, held')
SOLVERS = {'limit': {'method': 'jacobi', 'tolerance': '1e-7 mV', 'precision': 'double'}, 'jacobi': {'method': 'jacobi'}, 'rkl2': {'method': 'rkl2'},
           'rkl2, held': {'method': 'rkl2'}}
SURFACE_TO_VOLUME, LENGTH = 140.0, 8.0  # /mm, mm; at 1 uF/cm^2, D = conductivity / 1.4 mm^2/ms


def write_mesh(folder, edge, short):
    """A cable, and beside it one of two elements with edges of `short` mm"""
    count = round(LENGTH / edge)
    points = [f'{1e3 * edge * i!r} 0 0' for i in range(count + 1)] + [f'{2e4 + 1e3 * short * i!r} 0 0' for i in range(3)]
    lines = [f'Ln {i} {i + 1} 1' for i in range(count + 3) if i != count]
    pathlib.Path(folder, 'held.pts').write_text('\n'.join([str(len(points)), *points, '']))
    pathlib.Path(folder, 'held.elem').write_text('\n'.join([str(len(lines)), *lines, '']))


def cable(program, model, edge, conductivity, scheme, step, interval):
    """The stages, and each of QUANTITIES"""
    end = interval + 60
    config = {'version': 1, 'mesh': {'cable': {'length': f'{LENGTH} mm', 'spacing': f'{edge} mm'}},
              'tissue': {'surface_to_volume': f'{SURFACE_TO_VOLUME} /mm', 'capacitance': '1 uF/cm^2', 'fibers': [1, 0, 0],
                         'regions': [{'model': model, 'conductivity': f'{conductivity} S/m'}]},
              'stimuli': [{'where': 'x < 0.75 mm', 'duration': '2 ms', 'current': '50 uA/uF', 'count': 2, 'period': f'{interval} ms'}],
              'time': {'end': f'{end} ms', 'step': f'{step} ms'}, 'activation': {'threshold': '-40 mV', 'beats': 2}, 'solver': SOLVERS[scheme],
              'output': {'directory': 'out', 'every': f'{end} ms', 'maps': ['activation_time', 'apd30', 'apd90', 'peak', 'dvdt_max']}}
    with tempfile.TemporaryDirectory() as folder:
        if scheme == 'rkl2, held':
            write_mesh(folder, edge, edge * math.sqrt(step / STEPS[0]))
            config['mesh'] = {'file': 'held.pts', 'scale': '0.001 mm'}
        pathlib.Path(folder, 'config.json').write_text(json.dumps(config))  # YAML reads JSON
        done = subprocess.run([program, 'run', 'config.json', '--verbose', '--device', 'cpu', '--threads', '1'], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return ['', *[''] * len(QUANTITIES)]
        import h5py
        with h5py.File(pathlib.Path(folder, 'out', 'run.vtkhdf')) as file:
            x, data = file['VTKHDF/Points'][:, 0], file['VTKHDF/PointData']
            beats = {name: data[name][:].astype(float).reshape(len(x), -1) for name in config['output']['maps']}
    said = [line.split()[2] for line in done.stdout.splitlines() if line.startswith('method: rkl2, ')]
    at, inside = abs(x - 6.4).argmin(), (x > 3.15) & (x < 6.45)
    first, second = beats['activation_time'][at]
    found = [first, second - interval, *(beats[name][inside, 0].mean() for name in ('apd30', 'apd90', 'peak', 'dvdt_max'))]
    return [said[0] if said else '', *(f'{value:.8g}' if value == value else '' for value in found)]


def study(program, model):
    done = subprocess.run([program, 'cell', model, '--dt', '0.02 ms', '--json'], capture_output=True, text=True, check=True)
    interval = 5 * math.ceil(1.15 * json.loads(done.stdout)['apd90'] / 5)
    for edge, conductivity in CABLES:
        rows = []
        for scheme, steps in (('limit', FINE), ('jacobi', STEPS), ('rkl2', STEPS)):
            rows += [[model, edge, conductivity, scheme, step, *cable(program, model, edge, conductivity, scheme, step, interval)] for step in steps]
        if len({row[5] for row in rows if row[3] == 'rkl2'}) > 1:
            rows += [[model, edge, conductivity, 'rkl2, held', step, *cable(program, model, edge, conductivity, 'rkl2, held', step, interval)] for step in STEPS]
        for row in rows:
            print(','.join(map(str, row)), flush=True)
            yield [str(value) for value in row]


def value_of(rows, cable_of, scheme, step, quantity):
    found = [row[COLUMNS.index(quantity)] for row in rows if row[:3] == cable_of and row[3] == scheme and float(row[4]) == step]
    return float(found[0]) if found and found[0] else math.nan


def limit_of(rows, cable_of, quantity):
    coarse, fine = (value_of(rows, cable_of, 'limit', step, quantity) for step in FINE)
    return 2 * fine - coarse if quantity.startswith('apd') else (4 * fine - coarse) / 3


def errors(rows, cables, scheme, step, quantity):
    """Off the limit, in the quantity's unit; where held stages are the same as others, of those"""
    found = []
    for of in cables:
        own = scheme if scheme != 'rkl2, held' or any(row[:4] == [*of, scheme] for row in rows) else 'rkl2'
        off = value_of(rows, of, own, step, quantity) - limit_of(rows, of, quantity)
        found.append(100 * off / limit_of(rows, of, quantity) if QUANTITIES[quantity] == '%' else off)
    return found


def bars(rows, cables, scheme, quantity):
    """For how many cables converge gives a bar, and how many of these hold the limit"""
    given = held = 0
    for of, *values in zip(cables, *(errors(rows, cables, scheme, step, quantity) for step in STEPS)):
        levels = judge(values[1] - values[0], values[2] - values[1], 2)
        given += levels.asymptotic
        held += levels.asymptotic and abs(values[2] + levels.rest) <= levels.bar
    return given, held


def decision(rows):
    cables = [list(of) for of in dict.fromkeys(tuple(row[:3]) for row in rows)]
    said = ['| ' + ' | '.join(['', 'ms', *(f'{name}, {unit}' for name, unit in QUANTITIES.items())]) + ' |', '|' + '---|' * (len(QUANTITIES) + 2)]
    for scheme in SCHEMES[1:3]:
        for step in STEPS:
            cells = []
            for quantity in QUANTITIES:
                sizes = sorted(abs(off) for off in errors(rows, cables, scheme, step, quantity) if off == off)
                cells.append('%.2g, %.2g' % (statistics.median(sizes), sizes[-1]) if sizes else '–')
            said.append(f'| {scheme} | {step} | ' + ' | '.join(cells) + ' |')
    for scheme in SCHEMES[1:]:
        counts = [bars(rows, cables, scheme, quantity) for quantity in QUANTITIES]
        said.append(f'| bars of {scheme} | | ' + ' | '.join('%d, %d' % count for count in counts) + ' |')
    return f'{len(cables)} cables:\n\n' + '\n'.join(said)


def main():
    program, names = os.path.abspath(sys.argv[1]), [name for name in sys.argv[2:] if name in MODELS]
    stored = list(csv.reader(STORED.open()))[1:] if STORED.exists() else []
    for name in names or (() if sys.argv[2:] == ['page'] else MODELS):
        fresh = list(study(program, name))
        stored = [row for row in stored if row[0] != name] + fresh
        stored.sort(key=lambda row: (MODELS.index(row[0]), float(row[1]), -float(row[2]), SCHEMES.index(row[3]), -float(row[4])))
        with STORED.open('w', newline='') as file:
            csv.writer(file, lineterminator='\n').writerows([COLUMNS, *stored])
    page = LAB / 'steps.md'
    page.write_text(replaced(page.read_text(), 'schemes', decision(stored)))


if __name__ == '__main__':
    main()
