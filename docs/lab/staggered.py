"""staggered.py PROGRAM [MODEL or SCHEME ... | s2 | page]: makes docs/lab/staggered.csv and, of its largest errors, a table of docs/lab/steps.md.

A cable of 8 mm, edges of 0.1 mm, stimulated at its end, in steps of 0.1 to 0.0025 ms by several schemes: activation at 6.4 mm, and the velocity
between 3.2 and 6.4 mm; and APD90 of one cell. With s2 a second stimulus follows at 1.15 APD90, in the steps that are judged. Errors are against dt -> 0, by Richardson from the two shortest staggered steps
(APD90: of the cell's, whose order is 1). The numbers are exact on any machine."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from pages import LAB, replaced

STORED = LAB / 'staggered.csv'
COLUMNS = ['model', 'scheme', 'step_ms', 'activation_ms', 'velocity_m_s', 'apd90_ms', 's2_activation_ms']
STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.0025)
SHOWN = (0.1, 0.05, 0.02, 0.01)
JUDGED = SHOWN[:3]
SCHEMES = {'godunov': ('godunov', 'jacobi'), 'staggered': ('staggered', 'jacobi'), 'staggered, rkl2': ('staggered', 'rkl2')}
MODELS = ('tp06-epi', 'luo-rudy-1991', 'courtemanche-ra', 'ohara-endo', 'ohara-cipa-endo', 'grandi-epi', 'tor-ord-endo', 'trovato', 'maleckar', 'stewart',
          'bueno-orovio-epi', 'mitchell-schaeffer')


def cable(program, model, scheme, step, interval=0):
    """ms at 6.4 mm, and m/s; nothing where the step is refused. With an interval, ms, those of a second stimulus, since it began"""
    splitting, method = SCHEMES[scheme]
    again, beats, end = ({'count': 2, 'period': f'{interval} ms'}, 2, interval + 60) if interval else ({}, 1, 60)
    config = {'version': 1, 'mesh': {'cable': {'length': '8 mm', 'spacing': '0.1 mm'}},
              'tissue': {'surface_to_volume': '1400 /cm', 'capacitance': '1 uF/cm^2', 'fibers': [1, 0, 0],
                         'regions': [{'model': model, 'conductivity': '0.133417722 S/m'}]},
              'stimuli': [{'where': 'x < 0.75 mm', 'duration': '2 ms', 'current': '50 uA/uF', **again}],
              'time': {'end': f'{end} ms', 'step': f'{step} ms'}, 'activation': {'threshold': '-40 mV', 'beats': beats},
              'solver': {'splitting': splitting, 'method': method, 'tolerance': '1e-7 mV', 'precision': 'double'},
              'output': {'directory': 'out', 'every': f'{end} ms'}}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'config.json').write_text(json.dumps(config))  # YAML reads JSON
        done = subprocess.run([program, 'run', 'config.json', '--quiet', '--device', 'cpu'], cwd=folder, capture_output=True, text=True)
        if done.returncode == 2 and 'step' in done.stderr:
            return '', ''
        if done.returncode:
            sys.exit(done.stderr)
        import h5py
        with h5py.File(pathlib.Path(folder, 'out', 'run.vtkhdf')) as file:
            x = file['VTKHDF/Points'][:, 0]
            time = file['VTKHDF/PointData']['activation_time'][:].astype(float).reshape(-1)[-len(x):] - interval
    at = {position: float(time[abs(x - position).argmin()]) for position in (3.2, 6.4)}
    return at[6.4], 3.2 / (at[6.4] - at[3.2])


def cell(program, model, scheme, step):
    """APD90, ms, of one beat"""
    if scheme not in ('godunov', 'staggered'):  # a cell diffuses nothing
        return ''
    done = subprocess.run([program, 'cell', model, '--dt', f'{step} ms', '--splitting', scheme, '--json'], capture_output=True, text=True)
    return json.loads(done.stdout)['apd90'] or '' if done.returncode == 0 else ''


def study(program, model, schemes):
    for scheme in schemes:
        for step in STEPS:
            yield [model, scheme, step, *cable(program, model, scheme, step), cell(program, model, scheme, step), '']


def second(program, rows):
    """Rows <- what a second stimulus at 1.15 APD90 evokes"""
    for row in rows:
        if float(row[2]) in JUDGED or (row[1] == 'staggered' and float(row[2]) in STEPS[3:5]):
            interval = 5 * math.ceil(1.15 * limit(rows, row[0], 5) / 5)
            found = cable(program, row[0], row[1], float(row[2]), interval)[0]
            row[6] = str(found) if found and found == found else ''  # it conducts
            print(','.join(row), flush=True)


def limit(rows, model, column):
    """For dt -> 0, by the two shortest staggered steps, of order 2, or 1 for APD90"""
    at = {float(row[2]): float(row[column]) for row in rows if row[:2] == [model, 'staggered'] and row[column]}
    coarse, fine = (at[step] for step in sorted(at, reverse=True)[-2:])
    return 2 * fine - coarse if column == 5 else (4 * fine - coarse) / 3


def largest(rows, model, scheme, column):
    """|error| at most in steps of 0.02 to 0.1 ms that are not refused; nothing without a number"""
    found = [float(row[column]) for row in rows if row[:2] == [model, scheme] and float(row[2]) in JUDGED and row[column]]
    return max(abs(value - limit(rows, model, column)) for value in found) if found else math.nan


def judgement(rows):
    """The largest error of all models by scheme"""
    said = ['| | activation, ms | by a second stimulus, ms | APD90, ms | smallest error of activation |', '|' + '---|' * 5]
    of = {(scheme, model): [largest(rows, model, scheme, column) for column in (3, 6, 5)] for scheme in SCHEMES for model in MODELS}
    best = [min(SCHEMES, key=lambda scheme: of[scheme, model][0]) for model in MODELS]
    for scheme in SCHEMES:
        worst = [max((of[scheme, model][k] for model in MODELS if of[scheme, model][k] == of[scheme, model][k]), default=math.nan) for k in range(3)]
        cells = [form % value if value == value else '–' for form, value in zip(('%.3f', '%.3f', '%.2f'), worst)]
        said.append(f'| {scheme} | ' + ' | '.join(cells) + f' | in {best.count(scheme)} of {len(MODELS)} |')
    return '\n'.join(said)


def main():
    program, names = os.path.abspath(sys.argv[1]), [name for name in sys.argv[2:] if name in MODELS]
    schemes = [name for name in sys.argv[2:] if name in SCHEMES] or list(SCHEMES)
    stored = list(csv.reader(STORED.open()))[1:] if STORED.exists() else []
    if sys.argv[2:3] == ['s2']:
        second(program, [row for row in stored if row[0] in (names or MODELS)])
        names = []
    elif sys.argv[2:] != ['page']:
        names = names or MODELS
    for name in names:
        fresh = [[str(value) for value in row] for row in study(program, name, schemes)]
        print('\n'.join(','.join(row) for row in fresh), flush=True)
        stored = [row for row in stored if row[0] != name or row[1] not in schemes] + fresh
    stored.sort(key=lambda row: (MODELS.index(row[0]), list(SCHEMES).index(row[1]), -float(row[2])))
    with STORED.open('w', newline='') as file:
        csv.writer(file, lineterminator='\n').writerows([COLUMNS, *stored])
    page = LAB / 'steps.md'
    page.write_text(replaced(page.read_text(), 'judgement', judgement(stored)))


if __name__ == '__main__':
    main()
