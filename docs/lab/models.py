"""models.py PROGRAM [NAME...]: the table of docs/lab/models.md, each model paced three times at 1 Hz in steps of several lengths."""
import subprocess
import sys

from pages import LAB, replaced

LADDER = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
# Of the papers, where we have the place
PUBLISHED = {}
APART = ('passive', 'huxley', 'pathmanathan-gray', 'splitting-test')
BEATS = 3


def last_beat(program, name, step):
    """rest, peak, dV/dt max, APD50, APD90 of the last beat; None if the cell is lost or has no such beat"""
    said = subprocess.run([program, 'cell', name, '--beats', str(BEATS), '--period', '1000', '--duration', str(1000 * BEATS),
                           '--dt', str(step), '--output', '/dev/null'], capture_output=True, text=True)
    words = said.stderr.split('\n')[-2].split() if said.returncode == 0 else []
    try:
        return [float(w) for w in words[2:5] + words[6:8]] if words and words[0] == str(BEATS) else None
    except ValueError:
        return None


def near(beat, want):
    """Within 1 % of APD90 and 5 % of the height"""
    return (beat and abs(beat[4] - want[4]) <= 0.01 * want[4] and
            abs(beat[1] - want[1]) <= 0.05 * (want[1] - want[0]))


def row(program, name):
    beats = {step: last_beat(program, name, step) for step in LADDER}
    want = beats[LADDER[0]]
    published = PUBLISHED.get(name, '-')
    if not want:
        return f'| `{name}` | | | | | | | | {published} |'
    good, works = LADDER[0], LADDER[0]
    for step in LADDER[1:]:
        good = step if near(beats[step], want) and good == LADDER[LADDER.index(step) - 1] else good
        works = step if beats[step] and works == LADDER[LADDER.index(step) - 1] else works
    off = [f'{beats[s][4] - want[4]:+.2f}, {100 * (beats[s][2] / want[2] - 1):+.0f} %' if beats[s] else '-' for s in (0.02, 0.05)]
    return (f'| `{name}` | {want[0]:.1f} | {want[1]:.1f} | {want[2]:.0f} | {want[4]:.1f} | {off[0]} | {off[1]} | '
            f'{good:g}, {works:g} | {published} |')


def main():
    program, *wanted = sys.argv[1:]
    listed = subprocess.run([program, 'models'], capture_output=True, text=True, check=True).stdout.splitlines()
    names = wanted or [line.split()[0] for line in listed if line.split()[0] not in APART]
    rows = ['| model | rest (mV) | peak (mV) | dV/dt max (mV/ms) | APD90 (ms) | off at 0.02 ms: APD90 (ms), dV/dt | off at 0.05 ms | '
            'longest step (ms): good, works | published |', '|---|---|---|---|---|---|---|---|---|']
    for name in names:
        rows.append(row(program, name))
        print(rows[-1], flush=True)
    page = LAB / 'models.md'
    page.write_text(replaced(page.read_text(), 'models', '\n'.join(rows)))


if __name__ == '__main__':
    main()
