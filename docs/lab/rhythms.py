"""rhythms.py PROGRAM [PROBLEM ... | page]: what steps of the cells do to rhythms: makes its table in docs/lab/steps.md and docs/lab/rhythms.csv.

A wave on a ring of 240 nodes, the shortest interval of two stimuli at which a cable conducts, a pacemaker and a cell with an early
afterdepolarization, in steps of 0.1 to 0.005 ms by Godunov's and by staggered steps. The numbers are exact on any machine."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from pages import LAB, replaced
from staggered import SCHEMES as ALL, cable

STORED = LAB / 'rhythms.csv'
STEPS = (0.1, 0.05, 0.02, 0.01, 0.005)
SCHEMES = list(ALL)
FINEST = 'staggered, 1/2'  # the errors are against its shortest step
FAST = {'model': 'mitchell-schaeffer', 'parameters': {'tau_open': '80 ms', 'tau_close': '40 ms'}, 'conductivity': '0.2 S/m'}
THREE = {'cable': {'length': '0.2 mm', 'spacing': '0.1 mm'}}  # uniform tissue is a cell
PROBLEMS = {  # what is measured, its column of beats.csv, mesh, region, end in ms, stimuli
    'mitchell-schaeffer on a ring': ('period, ms', 'cycle_length (ms)', {'file': 'ring.elem', 'scale': '1 um'},
             {**FAST, 'initial': {'pace': 3, 'period': '160 ms', 'phase': 'atan(y / x) / 6.283185307 + if(x < 0 mm, 0.5, 0)'}}, 1600, []),
    'tp06-epi, S1-S2': ('shortest interval, ms', None, None, None, None, None),
    'fabbri, a pacemaker': ('period, ms', 'cycle_length (ms)', THREE, {'model': 'fabbri', 'conductivity': '0.1 S/m'}, 4000, []),
    'ohara-endo, 8 % of I_Kr': ('APD90, ms', 'apd90 (ms)', THREE,
                                {'model': 'ohara-endo', 'conductivity': '0.1 S/m', 'parameters': {'ikr.g_Kr': 'x0.08'}}, 3000,
                                [{'where': 'x > -1 mm', 'duration': '1 ms', 'current': '52 uA/uF', 'start': '10 ms'}])}


def ring(folder, nodes=240, edge=250):
    """ring.pts and ring.elem, um"""
    turn, radius = 2 * math.pi / nodes, edge * nodes / (2 * math.pi)
    pathlib.Path(folder, 'ring.pts').write_text(f'{nodes}\n' + ''.join('%.10g %.10g 0\n' % (radius * math.cos((i + 0.5) * turn), radius * math.sin((i + 0.5) * turn))
                                                                       for i in range(nodes)))
    pathlib.Path(folder, 'ring.elem').write_text(f'{nodes}\n' + ''.join(f'Ln {i} {(i + 1) % nodes} 1\n' for i in range(nodes)))


def shortest(program, scheme, step):
    """ms, to 0.1 ms"""
    low, high = 300.0, 320.0  # blocked, conducts
    while high - low > 0.11:
        middle = round(10 * (low + high) / 2) / 10
        at = cable(program, 'tp06-epi', scheme, step, middle)[0]
        low, high = (low, middle) if at == at else (middle, high)
    return high


def measure(program, problem, scheme, step):
    """The last number of that column; nothing where the step is refused"""
    _, column, mesh, region, end, stimuli = PROBLEMS[problem]
    if not mesh:
        return shortest(program, scheme, step)
    splitting, _, method = ALL[scheme]
    config = {'version': 1, 'mesh': mesh, 'tissue': {'surface_to_volume': '1400 /cm', 'regions': [region]}, 'stimuli': stimuli,
              'time': {'end': f'{end} ms', 'step': f'{step} ms'}, 'activation': {'beats': 20},
              'solver': {'splitting': splitting, 'method': method, 'tolerance': '1e-7 mV', 'precision': 'double'},
              'output': {'directory': 'out', 'every': f'{end} ms', 'maps': ['activation_time', 'apd90', 'cycle_length'], 'probes': {'a': ['0 mm', '0 mm', '0 mm']}}}
    if 'file' in mesh:
        config['output']['probes'] = {'a': ['9.548 mm', '0 mm', '0 mm']}
    with tempfile.TemporaryDirectory() as folder:
        ring(folder)
        pathlib.Path(folder, 'config.json').write_text(json.dumps(config))
        done = subprocess.run([program, 'run', 'config.json', '--quiet', '--device', 'cpu'], cwd=folder, capture_output=True, text=True)
        if done.returncode == 2 and 'step' in done.stderr:
            return ''
        if done.returncode:
            sys.exit(done.stderr)
        with open(pathlib.Path(folder, 'out', 'beats.csv'), newline='') as file:
            return next(float(row[column]) for row in reversed(list(csv.DictReader(file))) if row[column] not in ('', 'nan'))


def table(rows):
    shown = [scheme for scheme in SCHEMES if scheme != 'staggered']  # its theta of 1 is gone
    said = ['| | | dt -> 0 | ' + ' | '.join(shown) + ' |', '|' + '---|' * (len(shown) + 3)]
    for problem in PROBLEMS:
        at = {(row[1], float(row[2])): float(row[3]) for row in rows if row[0] == problem and row[3]}
        if not at:
            continue
        limit = at[FINEST, STEPS[-1]]
        said.append(f'| {problem} | {PROBLEMS[problem][0]} | {limit:.2f} | ' + ' | '.join(
            ', '.join(f'{at[scheme, step] - limit:+.2f}' if (scheme, step) in at else '–' for step in STEPS[:3]) for scheme in shown) + ' |')
    return '\n'.join(said)


def main():
    program, names = os.path.abspath(sys.argv[1]), [name for name in sys.argv[2:] if name in PROBLEMS]
    stored = list(csv.reader(STORED.open()))[1:] if STORED.exists() else []
    for name in names or (PROBLEMS if sys.argv[2:] != ['page'] else []):
        for scheme in SCHEMES:
            for step in STEPS if scheme == FINEST else STEPS[:3]:
                row = [name, scheme, str(step), str(measure(program, name, scheme, step))]
                print(','.join(row), flush=True)
                stored = [other for other in stored if other[:3] != row[:3]] + [row]
    with STORED.open('w', newline='') as file:
        csv.writer(file, lineterminator='\n').writerows([['problem', 'scheme', 'step_ms', 'value'], *stored])
    page = LAB / 'steps.md'
    page.write_text(replaced(page.read_text(), 'rhythms', table(stored)))


if __name__ == '__main__':
    main()
