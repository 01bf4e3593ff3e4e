"""model_texts.py TEXTS DATA [NAME...]: our texts of models against independent ones, by Myokit (PyPI).

TEXTS/*.mmt, with their variants, and what model_texts.txt beside this file names of DATA: units checked
strictly, then the rates of both at random states, state by state. `published` is a statement of its own in
published.py. Exit status 77 without Myokit or DATA.
model_texts.py --traces TEXTS DATA > app/verify/model_traces.txt: V of the independent texts over one beat, from our
initial states and with our stimulus, integrated by SciPy's LSODA. The first line holds the times; each other one is
MODEL TEXT STIMULUS (mV/ms, from 10 ms) DURATION (ms) V (mV) ..."""
import gc
import math
import os
import random
import re
import sys

import published

try:
    import myokit
    import myokit.formats
except ImportError:
    sys.exit(77)

TIMES = ([9.0] + [10 + k / 4 for k in range(1, 25)] + [17, 18, 19, 20, 22, 25, 30, 35] +
         [40 + 10 * k for k in range(0, 17)] + [220 + 20 * k for k in range(0, 15)])
STATES = 50


class Bounded:
    """math, with an exponential that is large where that of Python fails"""
    log, sqrt, fabs, floor = math.log, math.sqrt, math.fabs, math.floor

    @staticmethod
    def exp(x):
        return math.exp(min(x, 700.0))


class Side:
    """A text as a function of its states, in the order and the units of ours"""

    def __init__(self, model, stimulus, changes):
        self.model = model
        for name, value in changes.items():
            variable = model.get(name) if '.' in name else self.called(model, name)
            variable.set_state_value(value) if variable.is_state() else variable.set_rhs(value)
        model.get(stimulus).set_rhs(0)
        self.stimulus = model.get(stimulus)
        self.states = list(model.states())
        self.compile()

    @staticmethod
    def called(model, name):
        """The variable of that name, or component_name, in any component"""
        found = [v for v in model.variables(deep=True) if v.name() == name]
        if len(found) != 1:
            raise ValueError(f'{name}: which of {found}?')
        return found[0]

    def compile(self):
        names, lines = {}, []
        writer = myokit.python_writer()
        writer.set_lhs_function(lambda lhs: names.setdefault(lhs, f'x{len(names)}'))
        state = ', '.join(writer.ex(myokit.Name(s)) for s in self.states)
        stimulus = writer.ex(myokit.Name(self.stimulus))
        for group in self.model.solvable_order().values():
            for lhs, rhs in group:
                if lhs.var() is not self.stimulus:
                    lines.append(f'    {writer.ex(lhs)} = {writer.ex(rhs) if not lhs.var().binding() else 0}')
        rates = ', '.join(writer.ex(myokit.Derivative(myokit.Name(s))) for s in self.states)
        space = {'math': Bounded}
        exec(f'def rates(y, {stimulus}):\n    {state}, = y\n' + '\n'.join(lines) +
             f'\n    return [{rates}]\n', space)
        self.rates = space['rates']


def short(name):
    return name.split('.')[-1].replace('_', '').lower()


def variants_of(path):
    """name: {variable: value} of the models that a text of ours declares"""
    found = {}
    for name, body in re.findall(r'^variant_(\w+): """\n(.*?)"""$', open(path).read(), re.M | re.S):
        found[name.replace('_', '-')] = {n: float(v) for n, v in re.findall(r'^ *(\w+\.\w+) = (\S+)$', body, re.M)}
    return found or {os.path.splitext(os.path.basename(path))[0].replace('_', '-'): {}}


def load(path):
    if path.endswith('.cellml'):
        return myokit.formats.importer('cellml').model(path)
    return myokit.load(path)[0]


class Case:
    """A model of ours beside an independent text"""

    def __init__(self, path, changes, other, words):
        said = dict(w.split('=', 1) for w in words)
        self.tolerance = float(said.pop('tolerance', '1e-9'))
        self.paced = float(said.pop('paced', '1'))
        stimulus, *scale = said.pop('stimulus').split('*')
        voltage, *line = said.pop('V', 'V').replace('*', ' ').replace('+', ' ').split()
        constant = said.pop('constant', '').split(',')
        parameter = {n[1:]: float(v) for n, v in said.items() if n.startswith('@')}
        changes = dict(changes, **{n[1:]: float(v) for n, v in said.items() if n.startswith('%')})
        pair = {n: v for n, v in said.items() if n[0] not in '@%'}
        model, self.protocol, _ = myokit.load(path)
        model.check_units(myokit.UNIT_STRICT)
        self.strength = self.stimulus_of(model)
        self.ours = Side(model, 'membrane.stimulus', changes)
        self.theirs = Side(load(other), stimulus, parameter)
        self.at, self.factor, self.shift = [], [], []
        self.time = self.conversion(self.theirs.model.time() or self.time_of(self.theirs.model), 'ms')
        self.scale = float(scale[0]) if scale else 1
        for state in self.ours.states:
            name = pair.pop(state.qname(), voltage if state.qname() == 'membrane.V' else None)
            k = self.find(name or state.qname(), bool(name), state)
            self.at.append(k)
            unit = self.theirs.states[k].unit()
            f = 1.0 if state.unit() is None or unit is None else self.ratio(unit, state.unit())
            v = state.qname() == 'membrane.V' and line
            self.factor.append(float(line[0]) if v else f)
            self.shift.append(float(line[1]) if v else 0.0)
        alone = [s.qname() for k, s in enumerate(self.theirs.states) if k not in self.at and s.qname() not in constant]
        if pair or alone or len(set(self.at)) < len(self.at):
            raise ValueError(f'{path}: states do not pair: {pair}, {alone}')

    def event(self):
        return self.protocol.head() if self.protocol else myokit.ProtocolEvent(1, 10, 1)

    def initial(self):
        return [s.initial_value(as_float=True) for s in self.ours.states]

    def drive(self):
        """What the stimulus adds to dV/dt, mV/ms"""
        y = self.initial()
        on, off = self.ours.rates(y, self.strength * self.paced), self.ours.rates(y, 0)
        return on[self.v_at()] - off[self.v_at()]

    def v_at(self):
        return [s.qname() for s in self.ours.states].index('membrane.V')

    @staticmethod
    def stimulus_of(model):
        m = model.clone()
        m.get(m.binding('pace').qname()).set_rhs(1)
        m.binding('pace').set_binding(None)
        return m.get('membrane.stimulus').eval()

    @staticmethod
    def time_of(model):
        return next(v for v in model.variables(deep=True) if v.name() in ('time', 't') and not v.is_state())

    @staticmethod
    def ratio(a, b):
        return 1.0 if a == myokit.units.dimensionless or b == myokit.units.dimensionless else \
            myokit.Unit.conversion_factor(a, b).value()

    def conversion(self, variable, unit):
        return self.ratio(variable.unit() or myokit.units.ms, myokit.parse_unit(unit))

    def find(self, name, exact, state):
        for match in ((lambda s: s.qname() == name), (lambda s: s.name() == name.split('.')[-1]),
                      (lambda s: short(s.qname()) == short(name) and not exact)):
            found = [k for k, s in enumerate(self.theirs.states) if match(s)]
            if len(found) == 1:
                return found[0]
        raise ValueError(f'{state.qname()}: which of {[s.qname() for s in self.theirs.states]}?')

    def their_rates(self, y, stimulus):
        """In our order and units"""
        x = [s.initial_value(as_float=True) for s in self.theirs.states]
        for v, k, f, s in zip(y, self.at, self.factor, self.shift):
            x[k] = (v - s) / f
        rate = self.theirs.rates(x, stimulus * self.scale)
        return [rate[k] * f / self.time for k, f in zip(self.at, self.factor)]

    def compare(self):
        """The largest difference of rates relative to the largest of that state, and its state"""
        generator = random.Random(1)
        low, high, worst = {}, {}, (0.0, '')
        initial = self.initial()
        pairs = []
        for n in range(STATES):
            y = []
            for state, value in zip(self.ours.states, initial):
                if state.qname() == 'membrane.V':
                    y.append(generator.uniform(-100, 50))
                elif 0 <= value <= 1 and state.unit() in (None, myokit.units.dimensionless):
                    y.append(generator.uniform(0.01, 0.99))
                else:
                    y.append(value * generator.uniform(0.7, 1.4))
            stimulus = self.strength * self.paced * (n % 2)
            pairs.append((self.ours.rates(y, stimulus), self.their_rates(y, stimulus)))
        for k, state in enumerate(self.ours.states):
            most = max(1e-300, max(max(abs(a[k]), abs(b[k])) for a, b in pairs))
            for a, b in pairs:
                if abs(a[k] - b[k]) / most > worst[0]:
                    worst = (abs(a[k] - b[k]) / most, state.qname())
        return worst

    def trace(self):
        """V, mV, at TIMES"""
        import numpy
        from scipy.integrate import solve_ivp
        event, strength = self.event(), self.strength * self.paced
        y = self.initial()
        edges = [0, 10, 10 + event.duration(), TIMES[-1]]
        v = {}
        at = self.v_at()
        atol = [max(abs(a), 1e-3) * 1e-8 for a in y]
        for k in range(3):
            on = strength if k == 1 else 0
            times = [t for t in TIMES if edges[k] < t <= edges[k + 1]]
            out = solve_ivp(lambda t, x: self.their_rates(x.tolist(), on), (edges[k], edges[k + 1]), y, 'LSODA',
                            sorted(set(times + [edges[k + 1]])), rtol=1e-7, atol=atol, max_step=5.0)
            if not out.success:
                raise ValueError(out.message)
            v.update(zip(out.t, out.y[at]))
            y = numpy.array(out.y)[:, -1]
        return [v[t] for t in TIMES]


class Stated(Case):
    """A model of published.py, beside a text of ours unless ours is code"""

    def __init__(self, name, path, changes):
        self.rates, self.start, self.scale, self.shift, self.unit = published.MODELS[name]
        self.tolerance, self.paced, self.protocol, self.strength, self.ours = 1e-9, 1.0, None, 52 / self.scale, None
        self.driven = 1.0  # units of our stimulus in one of theirs
        if path:
            model, self.protocol, _ = myokit.load(path)
            model.check_units(myokit.UNIT_STRICT)
            self.strength = self.stimulus_of(model)
            unit = model.get('membrane.stimulus').unit()
            self.driven = self.scale if unit == myokit.parse_unit('mV/ms') else 1.0
            self.ours = Side(model, 'membrane.stimulus', changes)

    def initial(self):
        return super().initial() if self.ours else [self.shift] + self.start[1:]

    def drive(self):
        return super().drive() if self.ours else self.strength * self.scale

    def v_at(self):
        return 0

    def their_rates(self, y, stimulus):
        rate = self.rates([(y[0] - self.shift) / self.scale] + list(y[1:]), stimulus / self.driven)
        return [rate[0] * self.scale / self.unit] + [r / self.unit for r in rate[1:]]


def cases(texts, data, selected):
    """name, whether the trace is of this text, its path, case: in the order of model_texts.txt"""
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'model_texts.txt')
    models = {name: (os.path.join(texts, f), changes) for f in sorted(os.listdir(texts)) if f.endswith('.mmt')
              for name, changes in variants_of(os.path.join(texts, f)).items()}
    seen, lines = set(), re.sub(r'\n +', ' ', open(table).read()).splitlines()
    for line in lines:
        word = line.split('#')[0].split()
        if not word or selected and word[0] not in selected:
            continue
        path, changes = models.get(word[0], (None, {}))
        if word[1] == 'published':
            yield word[0], word[0] not in seen, word[1], Stated(word[0], path, changes)
            seen.add(word[0])
            continue
        other = os.path.join(data, word[1])
        if os.path.exists(other):
            yield word[0], word[0] not in seen, word[1], Case(path, changes, other, word[2:])
        seen.add(word[0])


def main(arguments):
    gc.disable()  # nothing that a text is parsed to can be freed before the end
    traces = arguments[:1] == ['--traces']
    texts, data, *selected = arguments[traces:]
    good = True
    own = [os.path.join(texts, f) for f in sorted(os.listdir(texts)) if f.endswith('.mmt')]
    for path in own:
        myokit.load(path)
    if not os.path.isdir(data):
        print(f'Myokit reads {len(own)} texts; there are no others to compare with')
        return 0
    if traces:
        print('time ms 0 0', *(f'{t:g}' for t in TIMES))
    for name, first, path, case in cases(texts, data, selected):
        if traces and first:
            values = ' '.join(f'{v:.5g}' if abs(v) < 10 else f'{v:.6g}' for v in case.trace())
            origin = os.path.splitext(os.path.basename(path))[0]
            print(name, origin, f'{case.drive():g} {case.event().duration():g}', values, flush=True)
        elif not traces and case.ours:
            worst, state = case.compare()
            good = good and worst <= case.tolerance
            print(f'{"ok  " if worst <= case.tolerance else "FAIL"} {name:22} {path:55} {worst:8.1e} {state}', flush=True)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
