"""cvodes_texts.py CARDIAC TEXTS DATA [NAME...]: `cardiac cell` against Myokit's CVODES, one beat of every public model.

TEXTS/*.mmt are ours, with their variants; DATA has texts of others: mmt/*.mmt, cellml/*.cellml and cellml/*.ode, converted
by the commands that the program names. Nothing is fetched. V of the program is 2 V(dt) - V(2 dt), since its error of the
first order in the step is no fault of a text; at each whole ms it may differ by OFF mV and by what V changes in EARLY ms.
Exit status 77 without Myokit, its compiler or DATA."""
import csv
import glob
import math
import os
import subprocess
import sys
import tempfile

import numpy

try:
    import myokit
except ImportError:
    sys.exit(77)

from model_texts import variants_of

UNTIL = 500  # ms
STEP = 0.001  # ms
OFF, EARLY = 0.2, 0.02  # mV, ms
LIKELY = ('membrane.V', 'membrane.v', 'cell.V', 'membrane_potential.V_m', 'component_0.v', 'membrane.E')


def texts(ours, data):
    """(name, path, variant, its values)"""
    for path in sorted(glob.glob(os.path.join(ours, '*.mmt'))):
        for variant, values in variants_of(path).items():
            yield variant, path, values
    for kind in ('mmt/*.mmt', 'cellml/*.cellml', 'cellml/*.ode'):
        for path in sorted(glob.glob(os.path.join(data, kind))):
            yield os.path.basename(path), path, {}


def converted(path, directory):
    """The .mmt of a file of another language"""
    made = os.path.join(directory, os.path.basename(path).replace('.', '_'))
    if path.endswith('.ode'):
        subprocess.run(['gotranx', 'ode2cellml', path, '-o', made + '.cellml'], check=True, capture_output=True)
        path = made + '.cellml'
    if path.endswith('.cellml'):
        subprocess.run([sys.executable, '-m', 'myokit', 'import', 'cellml', path, made + '.mmt'], check=True,
                       capture_output=True)
        path = made + '.mmt'
        text = open(path).read()  # their authors' units contradict each other here and there
        open(path, 'w').write(text.replace('[[model]]\n', '[[model]]\nunits: warn\n', 1))
    return path


def voltage(model):
    v = model.label('membrane_potential')
    return v or next(model.get(name) for name in LIKELY if model.has_variable(name))


def first_event(model, protocol, unit):
    """A protocol of the first event alone, and the options of `cardiac cell` that give its number of stimuli"""
    event = protocol.head() if protocol and model.binding('pace') else None
    if not event:
        return None, ['--stimulus', '0pA/pF']
    first = myokit.Protocol()
    first.schedule(event.level(), event.start(), event.duration(), event.period(), event.multiplier())
    period = event.period() * unit
    beats = 1 if not period else max(1, math.ceil((UNTIL - event.start() * unit) / period))
    return first, ['--beats', str(beats)]


def of_cvodes(path, values):
    """V each ms, its name, and the options of the protocol"""
    model, protocol, _ = myokit.load(path)
    for name, value in values.items():
        variable = model.get(name)
        variable.set_initial_value(value) if variable.is_state() else variable.set_rhs(value)
    v = voltage(model)
    unit = 1e3 if model.time().unit() == myokit.units.s else 1.0
    factor = 1e3 if v.unit() == myokit.units.V else 1.0
    first, options = first_event(model, protocol, unit)
    simulation = myokit.Simulation(model, first)
    simulation.set_tolerance(1e-9, 1e-9)
    log = simulation.run((UNTIL + 0.5) / unit, log=[v.qname()],
                         log_times=numpy.arange(UNTIL + 1) / unit)
    return v.qname(), numpy.array(log[v.qname()]) * factor, options


def of_program(cardiac, path, variant, v, options, step, directory):
    table = os.path.join(directory, 'v.csv')
    command = [cardiac, 'cell', path, '--dt', f'{step}ms', '--duration', str(UNTIL), '--every', '1ms',
               '--variables', 'V', '--output', table, *options]
    command += ['--model', f'variant={variant}'] if variant else ['--model', f'voltage.name={v}']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    rows = list(csv.reader(open(table)))
    return numpy.array([float(row[1]) for row in rows[1:]])


def main():
    cardiac, ours, data, *names = sys.argv[1:]
    if not os.path.isdir(data):
        return 77
    counts = {'equal': 0, 'different': 0, 'refused': 0}
    with tempfile.TemporaryDirectory() as directory:
        for name, path, values in texts(ours, data):
            if names and name not in names:
                continue
            try:
                path = converted(path, directory)
                v, want, options = of_cvodes(path, values)
                one, two = (of_program(cardiac, path, values and name, v, options, k * STEP, directory) for k in (1, 2))
            except (OSError, ValueError, StopIteration, subprocess.CalledProcessError, myokit.MyokitError) as error:
                counts['refused'] += 1
                print(f'{name}: refused: {type(error).__name__} {str(error).splitlines()[0] if str(error) else ""}', flush=True)
                continue
            off = abs(2 * one - two - want)
            allowed = OFF + EARLY * abs(numpy.gradient(want))
            at = int(numpy.argmax(off / allowed))
            good = off[at] <= allowed[at]
            counts['equal' if good else 'different'] += 1
            print(f'{name}: {"" if good else "DIFFERENT "}largest {off.max():.3g} mV; at {at} ms {off[at]:.3g} mV, '
                  f'allowed {allowed[at]:.3g}', flush=True)
    print(', '.join(f'{count} {what}' for what, count in counts.items()))
    return counts['different'] > 0


if __name__ == '__main__':
    sys.exit(main())
