"""models.py PROGRAM [--part models|costs]: makes the tables of docs/lab/models.md.

models: each model as `cardiac verify models --full` finds it, and paced three times at 1 Hz in steps of several lengths.
costs: what a step of each text costs, on one core and on the GPU if there is one. Some five minutes each."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess

from pages import LAB, replaced

LADDER = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
APART = ('passive', 'huxley', 'pathmanathan-gray', 'splitting-test')
BEATS = 3
TEXTS = LAB.parent.parent / 'kernels/models'
DEVICES = ('cpu-avx2', 'cpu-avx512', 'cuda')


def last_beat(program, name, step):
    """rest, peak, dV/dt max, APD50, APD90 of the last beat; None if the cell is lost or has no such beat"""
    said = subprocess.run([program, 'cell', name, '--splitting', 'godunov', '--beats', str(BEATS), '--period', '1000', '--duration', str(1000 * BEATS),
                           '--dt', str(step)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    words = said.stderr.split('\n')[-2].split() if said.returncode == 0 else []
    try:
        return [float(w) for w in words[2:5] + words[6:8]] if words and words[0] == str(BEATS) else None
    except ValueError:
        return None


def near(beat, want):
    """Within 1 % of APD90 and 5 % of the height"""
    return (beat and abs(beat[4] - want[4]) <= 0.01 * want[4] and
            abs(beat[1] - want[1]) <= 0.05 * (want[1] - want[0]))


def verified(said):
    """name: the text, the largest |dV| extrapolated and at 1e-4 ms, the order"""
    found = {}
    for case in re.split(r'\n  (?=\S+, first beat)', said)[1:]:
        name, text = re.match(r'(\S+), first beat, against (.*)', case).groups()
        found[name] = [text] + [float(re.search(rf'{what} +(\S+)', case).group(1)) for what in
                                ('extrapolated: largest \\|dV\\|, mV', '1e-4 ms: largest \\|dV\\|, mV', 'order in dt')]
    return found


def row(name, beats, check):
    text, extrapolated, fine, order = check
    shown = f'| `{name}` | {text} | {fine:.3f}, {extrapolated:.4f} | {order:.2f} |'
    want = beats[LADDER[0]]
    if not want:
        return shown + ' | | | | | | |'
    good = works = LADDER[0]
    for before, step in zip(LADDER, LADDER[1:]):
        good = step if near(beats[step], want) and good == before else good
        works = step if beats[step] and works == before else works
    off = [f'{beats[s][4] - want[4]:+.2f}, {100 * (beats[s][2] / want[2] - 1):+.0f} %' if beats[s] else '-' for s in (0.02, 0.05)]
    return (f'{shown} {want[0]:.1f} | {want[1]:.1f} | {want[2]:.0f} | {want[4]:.1f} | {off[0]} | {off[1]} | '
            f'{good:g}, {works:g} |')


def bench(program, text, device, *more):
    """(numbers, whether V is alike): figures of a text on a device; empty without that device"""
    said = subprocess.run([program, 'bench', 'ionic', text, '--device', device, '--threads', '1', '--json', *more],
                          capture_output=True, text=True)
    if said.returncode:
        return {}
    return {(r['variant'].split(', ', 1)[1], 'alike' in r['section']): r for r in json.loads(said.stdout)['rows']
            if r['bench'] == 'ionic'}


def cost_row(text, on):
    """on: device -> figures"""
    def figure(device, numbers, alike=False, key='ns/cell'):
        return f"{on[device][numbers, alike][key]:.3g}" if (numbers, alike) in on[device] else '-'
    cells = [figure(d, n) for d in DEVICES[:2] for n in ('double', 'mixed')]
    for numbers, alike in (('double', False), ('double', True), ('double, tables', True), ('mixed', False)):
        cells.append(figure('cuda', numbers, alike))
        if not alike:
            cells.append(figure('cuda', numbers, alike, 'floor ns'))
    registers = [figure('cuda', n, key='registers') for n in ('double', 'mixed')]
    return f"| {pathlib.Path(text).stem} | {' | '.join(cells)} | {', '.join(registers)} |"


def model_rows(program, pool):
    listed = subprocess.run([program, 'models'], capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split()[0] for line in listed if line.split()[0] not in APART]
    beats = {(n, s): pool.submit(last_beat, program, n, s) for n in names for s in LADDER}
    said = subprocess.run([program, 'verify', 'models', '--full', '--threads', '1', '--device', 'cpu'],
                          capture_output=True, text=True).stdout
    check = verified(said)
    return ['| model | against | largest dV (mV): at 1e-4 ms, extrapolated | order | rest (mV) | peak (mV) | dV/dt max (mV/ms) | '
            'APD90 (ms) | off at 0.02 ms: APD90 (ms), dV/dt | off at 0.05 ms | longest step (ms): good, works |',
            '|---|' + '---|' * 10] + [row(n, {s: beats[n, s].result() for s in LADDER}, check[n]) for n in names]


def cost_rows(program, pool):
    texts = [str(p) for p in sorted(TEXTS.glob('*.mmt'))]
    for device in DEVICES:  # what is compiled is kept for the measurement
        list(pool.map(lambda text: bench(program, text, device, '--quick'), texts))
    on = dict(zip(DEVICES, pool.map(lambda device: [bench(program, text, device) for text in texts], DEVICES)))
    over = {numbers: [figures[numbers]['ns/cell'] / figures[numbers]['floor ns'] for figures in on['cuda'] if numbers in figures]
            for numbers in (('double', False), ('double, tables', True), ('mixed', False))}
    medians = [f'{statistics.median(v):.2f} ({", ".join(n)})' for n, v in
               ((('double',), over['double', False]), (('double', 'with tables'), over['double, tables', True]),
                (('mixed',), over['mixed', False])) if v]
    return ['| text | AVX2 double | mixed | AVX-512 double | mixed | GPU double | its floor | V alike | with tables | mixed | '
            'its floor | registers |', '|---|' + '---|' * 11] + [
                cost_row(text, {d: on[d][k] for d in DEVICES}) for k, text in enumerate(texts)] + [
                    '', f'On the GPU the median of the time over its floor is {"; ".join(medians)}.'] * bool(medians)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--part', choices=['models', 'costs'])
    said = parser.parse_args()
    page = LAB / 'models.md'
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for part, rows in (('models', model_rows), ('costs', cost_rows)):
            if said.part in (None, part):
                made = '\n'.join(rows(said.program, pool))
                page.write_text(replaced(page.read_text(), part, made))


if __name__ == '__main__':
    main()
