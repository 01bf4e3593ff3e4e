"""mmt_rates.py DIRECTORY: the rates of every text of a directory at its initial state as Myokit (PyPI)
computes them: name of the text, pace, state, its rate per ms; V in mV. What pace = 1 leaves as it was is not repeated."""
import glob
import os
import sys

import myokit
import numpy


def values(model, pace, shift=0):
    """Of all variables and rates, by name"""
    names = {}
    writer = myokit.numpy_writer()
    writer.set_lhs_function(lambda lhs: names.setdefault(lhs, f'x{len(names)}'))
    space = {'numpy': numpy}
    for state, value in zip(model.states(), model.initial_values(as_floats=True)):
        space[writer.ex(myokit.Name(state))] = numpy.float64(value * (1 + shift))
    inputs = {'time': 0, 'pace': pace, 'diffusion_current': 0}
    for group in model.solvable_order().values():
        for lhs, rhs in group:
            value = inputs.get(lhs.var().binding())
            space[writer.ex(lhs)] = numpy.float64(eval(writer.ex(rhs), space) if value is None else value)
    return {lhs: space[name] for lhs, name in names.items()}


def factor(variable, unit, power):
    return numpy.float64(myokit.Unit.conversion_factor(variable.unit(), unit).value() ** power)


def main():
    numpy.seterr(all='ignore')
    print(f'# by mmt_rates.py, Myokit {myokit.__version__}')
    for path in sorted(glob.glob(os.path.join(sys.argv[1], '*.mmt'))):
        name, before = os.path.basename(path)[:-4], {}
        for pace in (0, 1):
            model = myokit.load_model(path)
            at = values(model, pace)
            for state in model.states():
                rate = at[myokit.Derivative(myokit.Name(state))] * factor(model.time(), myokit.units.ms, -1)
                if state.qname() == 'membrane.V':
                    rate *= factor(state, myokit.units.mV, 1)
                if rate != before.get(state.qname()):
                    print(name, pace, state.qname(), repr(float(rate)))
                before[state.qname()] = rate


if __name__ == '__main__':
    main()
