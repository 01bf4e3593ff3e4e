"""longer_steps.py PROGRAM [CASE ... | page]: makes the table of longer steps in docs/lab/steps.md and docs/lab/longer_steps.csv.

Each case runs in steps of time.step and again with time.longest, by Godunov's splitting and in staggered steps: steps of diffusion, sweeps, and the
largest difference of activation, of APD90 and of the leads, relative to the largest amplitude; and what half of time.step changes. Counts are
exact on any machine."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from pages import LAB, replaced

ROOT = LAB.parent.parent
STORED = LAB / 'longer_steps.csv'
COLUMNS = ['case', 'splitting', 'beats', 'steps', 'steps_longest', 'sweeps', 'sweeps_longest', 'repeated', 'activation_ms', 'apd90_ms', 'ecg_percent',
           'activation_half_ms', 'apd90_half_ms']
TISSUE = {'surface_to_volume': '1400 /cm', 'capacitance': '1 uF/cm^2'}
LEADS = {'RA': ['-60 mm', '0 mm', '40 mm'], 'LA': ['60 mm', '20 mm', '40 mm'], 'LL': ['30 mm', '-10 mm', '-80 mm']}


def stimulus(where, **more):
    return {'where': where, 'duration': '2 ms', 'current': '50 uA/uF', **more}


def cable(model, **region):
    return {'mesh': {'cable': {'length': '20 mm', 'spacing': '0.2 mm'}},
            'tissue': {**TISSUE, 'fibers': [1, 0, 0], 'regions': [{'model': model, 'conductivity': '0.133 S/m', **region}]}}


# Each: what it shows, and its config but for the times of output
CASES = {
    '1 Hz': ('`meshes/heart.msh.gz`, fibres by rule, tp06 endo and epi, paced twice at 1 Hz', {
        'mesh': {'file': str(ROOT / 'meshes/heart.msh.gz'), 'scale': '1 mm'},
        'tissue': {**TISSUE, 'fibers': {'rule': 'ldrb'}, 'regions': [
            {'where': 'transmural < 0.5', 'model': 'tp06-endo', 'conductivity': {'longitudinal': '0.6 S/m', 'transverse': '0.3 S/m'}},
            {'model': 'tp06-epi', 'conductivity': {'longitudinal': '0.6 S/m', 'transverse': '0.3 S/m'}}]},
        'stimuli': [stimulus('apicobasal < 0.15', start='10 ms', period='1000 ms', count=2)],
        'time': {'end': '2000 ms', 'step': '0.05 ms'}, 'ecg': {'electrodes': LEADS}}, 2),
    'S1-S2': ('sheet of 20 x 10 mm, tp06-epi, S2 at half of it in the tail of S1', {
        'mesh': {'sheet': {'size': ['20 mm', '10 mm'], 'spacing': '0.4 mm'}},
        'tissue': {**TISSUE, 'fibers': [1, 0, 0], 'regions': [
            {'model': 'tp06-epi', 'conductivity': {'longitudinal': '0.267 S/m', 'transverse': '0.089 S/m'}}]},
        'stimuli': [stimulus('x < 1 mm', start='10 ms'), stimulus('x < 10 mm and y < 5 mm', start='345.3 ms')],
        'time': {'end': '800 ms', 'step': '0.05 ms'}, 'ecg': {'electrodes': LEADS}}, 2),
    'pacemaker': ('cable of 20 mm, `fabbri`, which beats by itself, with g_f from 90 to 110 %', {
        **cable('fabbri', conductivity='0.05 S/m', parameters={'ifunny.g_f': {'factor': '0.9 + 0.2 * x / 20 mm'}}),
        'stimuli': [], 'activation': {'threshold': '-30 mV'},
        'time': {'end': '2000 ms', 'step': '0.05 ms'}, 'ecg': {'electrodes': LEADS}}, 2),
    'pacemaker and atrium': ('cable of 20 mm, `fabbri` at 0.01 S/m, its last 8 mm `courtemanche-ra` at 0.05 S/m', {
        'mesh': {'cable': {'length': '20 mm', 'spacing': '0.2 mm'}},
        'tissue': {**TISSUE, 'fibers': [1, 0, 0], 'regions': [
            {'where': 'x < 12 mm', 'model': 'fabbri', 'conductivity': '0.01 S/m'}, {'model': 'courtemanche-ra', 'conductivity': '0.05 S/m'}]},
        'stimuli': [], 'activation': {'threshold': '-30 mV'},
        'time': {'end': '2000 ms', 'step': '0.05 ms'}, 'ecg': {'electrodes': LEADS}}, 2),
    'early afterdepolarizations': ('cable of 20 mm, `ohara-endo` with 8 % of its I_Kr, paced once', {
        **cable('ohara-endo', parameters={'ikr.g_Kr': 0.0037}),
        'stimuli': [stimulus('x < 1 mm', start='10 ms')], 'activation': {'threshold': '-10 mV'},
        'time': {'end': '3000 ms', 'step': '0.05 ms'}, 'ecg': {'electrodes': LEADS}}, 4),
    'spiral': ('`configs/reentry.yaml`: a wave round a scar', {
        'mesh': {'sheet': {'size': ['60 mm', '60 mm'], 'spacing': '0.5 mm'}},
        'tissue': {**TISSUE, 'regions': [
            {'where': 'ball([30 mm, 30 mm, 0 mm], 12 mm)', 'model': 'passive', 'conductivity': '0 S/m'},
            {'model': 'mitchell-schaeffer', 'parameters': {'tau_open': '80 ms', 'tau_close': '40 ms'}, 'conductivity': '0.2 S/m'}]},
        'stimuli': [stimulus('ball([30 mm, 0 mm, 0 mm], 3 mm)'), stimulus('box([42 mm, 22 mm, 0 mm], [60 mm, 28 mm, 0 mm])', start='185 ms')],
        'activation': {'threshold': '-30 mV'}, 'time': {'end': '1000 ms', 'step': '0.1 ms'}, 'ecg': {'electrodes': LEADS}}, 8),
}
LONGEST = 16  # times time.step


def run(program, config, folder, *sets):
    with open(os.path.join(folder, 'config.json'), 'w') as file:
        json.dump(config, file)  # YAML reads JSON
    said = subprocess.run([program, 'run', 'config.json', '--device', 'cpu', '--overwrite', '--quiet', '--output', 'out', *(w for s in sets for w in ('--set', s))],
                          cwd=folder, capture_output=True, text=True)
    if said.returncode:
        sys.exit(said.stderr)
    return pathlib.Path(folder, 'out')


def numbers(out, beats):
    """Steps, sweeps and blocks repeated; the maps; the leads"""
    log = (out / 'run.log').read_text()
    taken = re.search(r'steps taken: (\d+) for \d+ of .*; (\d+) blocks? .* after (\d+) sweeps', log)
    import h5py
    with h5py.File(out / 'run.vtkhdf') as file:
        count = file['run/numbers'].attrs
        maps = {name: file['VTKHDF/PointData'][name][:].astype(float).reshape(-1) for name in ('activation_time', 'apd90')}
        leads = file['ecg/values'][:] if 'ecg' in file else None
        steps, sweeps = int(count['steps']), int(count['sweeps'])
    if taken:
        steps, sweeps = int(taken[1]), sweeps + int(taken[3])
    return steps, sweeps, int(taken[2]) if taken else 0, maps, leads


def apart(a, b):
    """The largest difference; infinite where one of both has a value alone"""
    import numpy
    return float('inf') if (numpy.isnan(a) != numpy.isnan(b)).any() else float(numpy.nanmax(abs(a - b)))


def study(program, name):
    """The rows of a case"""
    said, config, beats = CASES[name]
    step = float(config['time']['step'].split()[0])
    longest, end = LONGEST * step, float(config['time']['end'].split()[0])
    config['time']['end'] = '%.10g ms' % (longest * round(end / longest))
    config['output'] = {'every': '%.10g ms' % (50 * longest), 'maps': ['activation_time', 'apd90']}
    config['ecg']['every'] = '%.10g ms' % longest
    config['activation'] = {**config.get('activation', {}), 'beats': beats}
    config['version'] = 1
    config['solver'] = {'precision': 'double'}  # so that steps of one length have the same bits with time.longest, too
    for splitting in ('godunov', 'staggered'):
        with tempfile.TemporaryDirectory() as folder:
            way = 'solver.splitting=' + splitting
            steps, sweeps, _, maps, leads = numbers(run(program, config, folder, way), beats)
            *_, half, _ = numbers(run(program, config, folder, way, 'time.step=%.10gms' % (step / 2)), beats)
            some, swept, repeated, found, seen = numbers(run(program, config, folder, way, 'time.longest=%.10gms' % longest), beats)
        amplitude = abs(leads).max()
        yield [name, splitting, beats, steps, some, sweeps, swept, repeated, apart(maps['activation_time'], found['activation_time']),
               apart(maps['apd90'], found['apd90']), 100 * abs(leads - seen).max() / amplitude,
               apart(maps['activation_time'], half['activation_time']), apart(maps['apd90'], half['apd90'])]


def shown(value):
    return 'other beats' if float(value) == float('inf') else f'{float(value):.2g}'


def table(rows):
    text = ['| | steps | with `time.longest` | sweeps | with it | activation, ms | APD90, ms | leads, % | the same by half of `time.step` |', '|' + '---|' * 9]
    for row in rows:
        if row[1] != 'godunov':
            continue
        text.append(f'| {CASES[row[0]][0]} | {row[3]} | {row[4]} | {row[5]} | {row[6]} | {shown(row[8])} | {shown(row[9])} | {shown(row[10])} | '
                    f'{shown(row[11])}, {shown(row[12])} |')
    return '\n'.join(text)


def main():
    program, names = os.path.abspath(sys.argv[1]), [name for name in sys.argv[2:] or CASES if name in CASES]
    stored = list(csv.reader(STORED.open()))[1:] if STORED.exists() else []
    for name in names:
        fresh = [[str(value) for value in row] for row in study(program, name)]
        print('\n'.join(','.join(row) for row in fresh), flush=True)
        stored = [row for row in stored if row[0] != name] + fresh
    stored.sort(key=lambda row: (list(CASES).index(row[0]), row[1]))
    with STORED.open('w', newline='') as file:
        csv.writer(file, lineterminator='\n').writerows([COLUMNS, *stored])
    page = LAB / 'steps.md'
    page.write_text(replaced(page.read_text(), 'longer', table(stored)))


if __name__ == '__main__':
    main()
