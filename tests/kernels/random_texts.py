"""random_texts.py COMPILE_TEXT RATES CC ROOT [TEXTS [SEED [DIRECTORY]]]: compiled texts at random against trees of their own.

A text's formulas, with conditions, are trees made here and written in the language of texts. What one step of the compiled
text adds to each state, in double, in mixed state and with tables of both, is compared with the trees' values, at random and
at telling V, with the default parameters and with others. Myokit (PyPI), where it can be imported, evaluates the same texts.

A value has three parts: x, its number; e, which times a unit of rounding bounds what rounding makes of it, in whatever order
sums are formed; and d, by how much it may differ otherwise: where V is anywhere within a row of a table, or where a guard
stands for a formula. What a condition decides within its e is not compared. RATES is random_rates, CC a C compiler."""
import array
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

try:
    import myokit
except ImportError:
    myokit = None

FORMULAS, INPUTS, GATES, SETS, POINTS = 20, 3, 3, 3, 60
STEP = 0.5  # ms
ROW = 0.1  # mV, of a table
ROUNDINGS = 64  # units of an operation: elementary functions, and powers of one exponential for others
CLOSE = 1e-5  # between a formula and the guard that it replaces, relative (kernels/compiler/algebra/algebra.c)
JUMP = 2e-3  # of a row that is still a line (kernels/base/lookup.h)
LARGEST, LEAST = 1e12, 1e-12  # what mixed state holds, with products of four
UNITS = (2.0**-53, 2.0**-24)
WAYS = ('double', 'mixed', 'tables', 'mixed with tables')


class Unsure(Exception):
    """No value, or one that mixed state may not hold"""


def is_single(x):
    return struct.unpack('f', struct.pack('f', x))[0] == x


def is_line(tree):
    """Whether tables never hold it: V, parameters, inputs and numbers, their sums and differences"""
    return tree[0] in ('v', 'p', 'u', 'num') or (tree[0] in ('add', 'sub', 'abs') and all(map(is_line, tree[1:])))


class Point:
    """Values of trees at one V, inputs and parameters. `least`: the fewest units of rounding, per e, that decide a
    condition; `tabled`: whether all are decided within a row, too"""

    def __init__(self, v, inputs, parameters, row):
        self.leaf = {'v': [v], 'u': inputs, 'p': parameters}
        self.row, self.least, self.tabled = row, math.inf, True

    def value(self, tree):
        name = tree[0]
        if name in self.leaf:
            x = self.leaf[name][tree[1]]
            return x, 0 if is_single(x) else abs(x), self.row if name == 'v' else 0
        x, e, d = result = getattr(self, 'of_' + name)(*tree[1:])
        if d != d:
            return x, e, math.inf
        if not abs(x) < LARGEST or 0 < abs(x) < LEAST or not e < 1e30:
            raise Unsure
        return result

    def of_num(self, x):
        return x, 0 if is_single(x) else abs(x), 0

    def of_add(self, a, b, sign=1):
        (x, ex, dx), (y, ey, dy) = self.value(a), self.value(b)
        exact = ex == ey == 0 and is_single(x + sign * y)
        return x + sign * y, 0 if exact else ex + ey + abs(x) + abs(y), dx + dy

    def of_sub(self, a, b):
        return self.of_add(a, b, -1)

    @staticmethod
    def product(a, b):
        (x, ex, dx), (y, ey, dy) = a, b
        return x * y, abs(x) * ey + abs(y) * ex + abs(x * y), abs(x) * dy + abs(y) * dx + dx * dy

    def of_mul(self, a, b):
        return self.product(self.value(a), self.value(b))

    def of_div(self, a, b):
        (x, ex, dx), (y, ey, dy) = self.value(a), self.value(b)
        if y == 0:
            raise Unsure
        q = x / y
        return q, (ex + abs(q) * ey) / abs(y) + abs(q), (abs(q) * dy + dx) / (abs(y) - dy) if dy < abs(y) else math.inf

    def of_neg(self, a):
        x, e, d = self.value(a)
        return -x, e, d

    def of_exp(self, a):
        x, e, d = self.value(a)
        if abs(x) > 25:
            raise Unsure
        y = math.exp(x)
        return y, y * (1 + e + abs(x)), y * math.expm1(min(d, 100))

    def of_log(self, a):
        x, e, d = self.value(a)
        if x <= 0:
            raise Unsure
        return math.log(x), e / x + 50, -math.log1p(-d / x) if d < x else math.inf  # log(a b) may be log a + log b

    def of_sqrt(self, a):
        x, e, d = self.value(a)
        if x <= 0:
            raise Unsure
        return math.sqrt(x), e / math.sqrt(x) + math.sqrt(x), d / math.sqrt(x)

    def of_abs(self, a):
        x, e, d = self.value(a)
        return abs(x), e, d

    def of_sin(self, a):
        x, e, d = self.value(a)
        return math.sin(x), e + 1 + abs(x), d

    def of_cos(self, a):
        x, e, d = self.value(a)
        return math.cos(x), e + 1 + abs(x), d

    def of_atan(self, a):
        x, e, d = self.value(a)
        return math.atan(x), e + 1, d

    def of_floor(self, a):
        x, e, d = self.value(a)
        self.decide(min(x - math.floor(x), math.floor(x) + 1 - x), e, d, is_line(a))
        return math.floor(x), 0, 0

    def of_power(self, a, n):
        value = result = self.value(a)
        for _ in range(n - 1):
            result = self.product(result, value)
        return result

    def of_if(self, condition, a, b):
        truth = self.truth(condition)
        return self.smooth(self.value(a if truth else b), b if truth else a)

    def smooth(self, value, other):
        """What a table may make of a value where another stands in the same row: no more than if it were no jump"""
        if self.row == 0:
            return value
        x, e, d = value
        try:
            beside = Point(self.leaf['v'][0] + self.row / 3, self.leaf['u'], self.leaf['p'], self.row)
            y, _, dy = beside.value(other)
        except Unsure:
            return value
        return (x, e, abs(x - y) + d + dy) if abs(x - y) <= JUMP * (abs(x) + abs(y)) + d + dy else value

    def of_piecewise(self, *parts):
        for k in range(0, len(parts) - 1, 2):
            if self.truth(parts[k]):
                return self.value(parts[k + 1])
        return self.value(parts[-1])

    def of_guard(self, condition, near, formula):
        """The limit of a formula that is 0 / 0 there"""
        if not self.truth(condition):
            return self.value(formula)
        x, e, d = self.value(near)
        return self.smooth((x, e, d + CLOSE * abs(x)), formula)

    def decide(self, distance, e, d, line):
        if e > 0:
            self.least = min(self.least, distance / e)
        self.tabled &= line or distance > d

    def truth(self, tree):
        name = tree[0]
        if name == 'not':
            return not self.truth(tree[1])
        if name in ('and', 'or'):
            both = [self.truth(x) for x in tree[1:]]
            return all(both) if name == 'and' else any(both)
        (x, ex, dx), (y, ey, dy) = self.value(tree[1]), self.value(tree[2])
        self.decide(abs(x - y), ex + ey, dx + dy, is_line(tree[1]) and is_line(tree[2]))
        return {'<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y, '==': x == y, '!=': x != y}[name]


def written(tree):
    """In the language of texts"""
    name, parts = tree[0], tree[1:]
    if name == 'v':
        return '(membrane.V / 1 [mV])'
    if name in 'up':
        return f'f.{name}{parts[0]}'
    if name == 'num':
        return f'{parts[0]!r}' if parts[0] >= 0 else f'({parts[0]!r})'
    if name == 'power':
        return f'({written(parts[0])})^{parts[1]}'
    parts = [written(x) for x in parts]
    sign = {'add': '+', 'sub': '-', 'mul': '*', 'div': '/'}.get(name, name)
    if name == 'neg':
        return f'(-{parts[0]})'
    if name == 'not':
        return f'not ({parts[0]})'
    if sign in ('+', '-', '*', '/', '<', '<=', '>', '>=', '==', '!=', 'and', 'or'):
        return f'({parts[0]} {sign} {parts[1]})'
    return f'{"if" if name == "guard" else name}({", ".join(parts)})'


class Text:
    """Formulas of V, inputs (states that stand still) and parameters: shifts are potentials, scales factors"""

    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.conditions, self.telling = 0, [-80.0]
        self.default = [self.potential() for _ in range(3)] + [r.randrange(16, 257) / 64 for _ in range(4)]
        self.shifts, self.scales = range(3), range(3, 7)
        self.inputs = [r.randrange(8, 65) / 32 for _ in range(INPUTS)] + [0.25] * GATES
        self.gates = [self.gate(k) for k in range(INPUTS, INPUTS + GATES - 1)] + [self.no_gate(INPUTS + GATES - 1)]
        self.formulas = [self.formula() for _ in range(FORMULAS)]
        self.v_rate = self.formula() if r.random() < 0.5 else ('num', 0.0)

    def potential(self):
        """mV, in half of the cases at a row of a table"""
        r = self.random
        v = r.randrange(-190, 40) / 2 if r.random() < 0.5 else r.randrange(-6000, 1500) / 64
        self.telling.append(v)
        return v

    def small(self):
        return ('num', self.random.choice([-1, 1]) * self.random.randrange(1, 129) / 16)

    def scale(self):
        """A positive factor that no cell changes"""
        r = self.random
        return ('p', r.choice(self.scales)) if r.random() < 0.5 else ('num', r.randrange(16, 257) / 64)

    def shift(self):
        r = self.random
        return ('p', r.choice(self.shifts)) if r.random() < 0.4 else ('num', self.potential())

    def slope(self):
        """A line in V of size 1"""
        r = self.random
        top = ('sub', ('v', 0), self.shift())
        return r.choice([('div', top, ('num', float(r.randrange(5, 41)))), ('mul', ('num', r.randrange(2, 13) / 64), top),
                         ('div', top, ('mul', ('num', 16.0), self.scale())),
                         ('neg', ('div', top, ('num', float(r.randrange(5, 41)))))])

    def number(self, depth):
        r = self.random
        if depth <= 0:
            return r.choice([self.slope, self.small, self.scale, lambda: ('u', r.randrange(INPUTS))])()
        kind = r.random()
        a = self.number(depth - 1)
        if kind < 0.30:
            return (r.choice(['add', 'sub', 'mul']), a, self.number(depth - 1))
        if kind < 0.45:  # a rate or a steady state
            return ('div', a, ('add', ('num', 1.0), ('exp', self.slope())))
        if kind < 0.53:
            return ('mul', a, ('exp', self.slope()))
        if kind < 0.60:
            return ('div', a, ('add', self.scale(), ('power', self.slope(), 2)))
        if kind < 0.66:
            return (r.choice(['sin', 'cos', 'atan']), a)
        if kind < 0.70:
            return ('log', ('add', ('num', 1.0), ('power', a, 2)))
        if kind < 0.74:
            return r.choice([('sqrt', ('add', ('num', 1.0), ('abs', a))), ('abs', a), ('power', a, r.randrange(2, 5)),
                             ('floor', a)])
        if kind < 0.88:
            self.conditions += 1
            return ('if', self.condition(2), a, self.number(depth - 1))
        if kind < 0.92:
            self.conditions += 2
            return ('piecewise', self.condition(1), a, self.condition(1), self.number(depth - 1), self.number(depth - 1))
        return self.near(a)

    def condition(self, depth):
        r = self.random
        kind = r.random() if depth > 0 else 0
        if kind > 0.7:
            return (r.choice(['and', 'or']), self.condition(depth - 1), self.condition(depth - 1))
        if kind > 0.6:
            return ('not', self.condition(depth - 1))
        order = r.choice(['<', '<=', '>', '>='])
        kind = r.random()
        if kind < 0.5:
            return (order, ('v', 0), self.shift())
        if kind < 0.6:
            return (r.choice(['==', '!=']), ('v', 0), self.shift())
        if kind < 0.75:
            return (order, ('abs', ('sub', ('v', 0), self.shift())), ('num', r.choice([2.0, 0.875, 0.03125, 2.0**-10])))
        if kind < 0.9:
            return (order, ('u', r.randrange(INPUTS)), self.scale())
        return (order, self.number(1), self.number(1))

    def near(self, a):
        """A formula and what stands for it at one V or near it: its limit, or not quite"""
        r = self.random
        self.conditions += 1
        c, k = self.shift(), ('num', float(r.randrange(5, 41)))
        x = ('sub', ('v', 0), c)
        here = r.choice([('==', ('v', 0), c), ('<', ('abs', x), ('num', r.choice([1e-7, 1e-6, 2.0**-16])))])
        wide = ('<', ('abs', x), ('num', r.choice([0.9375, 0.5, 0.0078125, 2.0**-10])))
        singular = ('div', x, ('sub', ('num', 1.0), ('exp', ('neg', ('div', x, k)))))
        kind = r.random()
        if kind < 0.35:
            return ('guard', here, ('mul', a, k), ('mul', a, singular))
        if kind < 0.45:  # another number there
            return ('if', here, ('mul', a, ('num', 3.0)), ('mul', a, singular))
        if kind < 0.55:  # the limit by the default parameters
            p = r.choice(self.scales)
            return ('if', here, ('mul', ('p', p), k), ('mul', ('num', self.default[p]), singular))
        if kind < 0.65:  # there by the default parameters
            p = r.choice(self.shifts)
            x = ('sub', ('v', 0), ('p', p))
            here = ('<', ('abs', ('sub', ('v', 0), ('num', self.default[p]))), ('num', 1e-6))
            return ('if', here, k, ('div', x, ('sub', ('num', 1.0), ('exp', ('neg', ('div', x, k))))))
        if kind < 0.75:
            return ('if', wide, ('mul', a, k), ('mul', a, singular))
        if kind < 0.90:
            return ('if', r.choice([here, wide]), a, ('add', a, ('mul', self.scale(), ('power', x, 2))))
        return ('if', here, a, ('div', ('mul', a, ('sin', x)), r.choice([x, ('abs', x)])))

    def gate(self, k):
        """The rate of state k, and what a step of STEP adds to it divided by that"""
        one, limits = ('num', 1.0), []
        for _ in range(2):
            limits.append(('div', one, ('add', one, ('exp', self.slope()))))
        limit = ('if', ('<', ('v', 0), self.shift()), *limits)
        rate = ('mul', self.scale(), ('exp', ('div', ('v', 0), ('num', 64.0))))
        self.conditions += 1
        rise = ('sub', one, ('exp', ('neg', ('mul', ('num', STEP), rate))))
        left = ('sub', limit, ('u', k))
        return ('mul', left, rate), ('div', ('mul', left, rise), ('num', STEP))

    def no_gate(self, k):
        """A rate that is a gate's on either side of a value that a beat does not reach, and takes Euler's step"""
        low, high = (('sub', ('num', x), ('u', k)) for x in (0.25, 2.0))
        rate = ('mul', self.scale(), ('if', ('<', ('u', k), ('num', 0.5)), low, high))
        self.conditions += 1
        return rate, rate

    def formula(self):
        return self.near(self.number(1)) if self.random.random() < 0.3 else self.number(3)

    def source(self):
        lines = ['[[model]]', 'membrane.V = -80']
        lines += [f'f.u{k} = {u!r}' for k, u in enumerate(self.inputs)] + [f'f.x{k} = 0' for k in range(FORMULAS)]
        lines += ['[engine]', 'time = 0 [ms] in [ms] bind time', '[membrane]',
                  f'dot(V) = {written(self.v_rate)} * 1 [mV/ms] in [mV] label membrane_potential', '[f]']
        lines += [f'p{k} = {p!r}' for k, p in enumerate(self.default)]
        lines += [f'dot(u{k}) = 0 [1/ms]' for k in range(INPUTS)]
        lines += [f'dot(u{INPUTS + k}) = {written(rate)} * 1 [1/ms]' for k, (rate, _) in enumerate(self.gates)]
        lines += [f'dot(x{k}) = {written(f)} * 1 [1/ms]' for k, f in enumerate(self.formulas)]
        return '\n'.join(lines) + '\n'

    def sets(self):
        """The default parameters, then others: shifts on a table's rows and off them"""
        r = self.random
        for k in range(SETS):
            other = [self.potential() for _ in self.shifts] + [r.randrange(16, 257) / 64 for _ in self.scales]
            yield [x if r.random() < 0.6 else self.default[n] for n, x in enumerate(other)] if k else self.default

    def points(self, parameters):
        """V, then the inputs"""
        r = self.random
        telling = self.telling + 3 * [parameters[k] for k in self.shifts]
        for _ in range(POINTS):
            v = r.choice(telling) + r.choice([0, 0, 2.0**-12, -2.0**-12, 1 / 64, -1 / 64, 0.4375, -0.4375])
            v = v if r.random() < 0.7 else r.randrange(-6400, 2560) / 64
            inputs = [u * r.randrange(64, 97) / 64 if r.random() < 0.5 else u for u in self.inputs[:INPUTS]]
            yield v, inputs + [r.randrange(0, 65) / 64 for _ in range(GATES)]


class Known(Text):
    """What the compiler once took for something else, among others at random"""

    def __init__(self, seed):
        super().__init__(seed)
        v, one, p0 = ('v', 0), ('num', 1.0), ('p', 0)
        product = ('mul', ('p', 6), v)
        above, x = ('sub', v, ('num', -79.25)), ('sub', v, ('num', -60.5))
        logistic = ('div', ('exp', ('div', v, ('num', 10.0))), ('add', one, ('exp', ('div', v, ('num', 7.0)))))
        self.default[0] = -40.0
        self.telling = [-80.0, -79.25, -79.0, -60.5, -39.98, -39.96875, -40.0, -39.984375]
        known = [
            # a condition that is no guard of a singularity
            ('if', ('<', ('abs', above), ('num', 0.875)), one, ('add', one, ('power', above, 2))),
            ('if', ('==', v, ('num', -79.25)), one, ('add', one, ('exp', above))),
            # jumps that a parameter moves off the rows of a table, and between two of its V
            ('mul', logistic, ('if', ('<', v, p0), one, ('num', 100.0))),
            ('mul', logistic, ('if', ('<', ('abs', ('sub', v, p0)), ('num', 0.015625)), ('num', 100.0), one)),
            ('mul', logistic, ('if', ('==', v, p0), ('num', 100.0), one)),
            # quotients by 0 that are not used, next to others that are
            ('if', ('==', x, ('num', 0.0)), one, ('div', ('sin', x), ('abs', x))),
            ('div', one, ('add', one, ('exp', ('mul', ('u', 0), ('div', v, ('num', 32.0)))))),
            # a logarithm of two factors that a parameter makes negative
            ('if', ('>', product, ('num', 0.0)), ('log', product), one),
        ]
        self.formulas[:len(known)] = known
        self.conditions += len(known) - 1

    def sets(self):
        for p0 in (-40.0, -39.96, -39.984375):
            yield [p0] + self.default[1:-1] + [-self.default[-1] if p0 == -39.96 else self.default[-1]]


class Checker:
    """Counts, and what was wrong"""

    def __init__(self):
        self.values, self.left, self.conditions, self.count, self.wrong, self.myokit = [0] * 4, [0] * 4, 0, 0, {}, 0

    def compare(self, text, name, tree, parameters, v, inputs, got):
        try:
            exact = Point(v, inputs, parameters, 0)
            x, e, d = exact.value(tree)
            row = Point(v, inputs, parameters, ROW)
            rough = row.value(tree)[2]
        except Unsure:
            self.left = [n + 1 for n in self.left]
            return
        for way, value in enumerate(got):
            unit = UNITS[way % 2]
            if exact.least <= ROUNDINGS * unit or (way >= 2 and not (row.tabled and rough < math.inf)):
                self.left[way] += 1
                continue
            # V and states of the step: what is added is the difference of two of them
            bound = ROUNDINGS * unit * e + d + (2 * rough if way >= 2 else 0) + (1e-13 if way % 2 == 0 else 1e-6)
            self.values[way] += 1
            if not abs(value - x) <= bound:
                self.report(text, name, f'{name}, {WAYS[way]}, V = {v!r}, inputs {inputs}, parameters {parameters}: {value!r}, '
                          f'not {x!r} to {bound:.2g}\n    {written(tree)}')

    def report(self, text, name, words):
        """The first of each formula is kept"""
        self.count += 1
        self.wrong.setdefault((text, name), words)

    def by_myokit(self, text, points):
        """The text as Myokit reads it, at the default parameters and others"""
        if not myokit:
            return
        model = myokit.parse_model(text.source())
        for parameters, v, inputs in points:
            for k, p in enumerate(parameters):
                model.set_value(f'f.p{k}', p)
            try:
                rates = model.evaluate_derivatives([v, *inputs, *[0] * FORMULAS])
            except myokit.NumericalError:
                continue
            for k, tree in enumerate(text.formulas):
                try:
                    point = Point(v, inputs, parameters, 0)
                    x, e, d = point.value(tree)
                except Unsure:
                    continue
                if point.least > ROUNDINGS * UNITS[0]:
                    self.myokit += 1
                    if not abs(rates[1 + INPUTS + GATES + k] - x) <= ROUNDINGS * UNITS[0] * e + 1e-300:
                        self.report(text, f'x{k}', f'x{k}, Myokit, V = {v!r}: {rates[1 + INPUTS + GATES + k]!r}, not {x!r}')


def build(text, directory, compile_text, cc, root):
    source, header, library = (os.path.join(directory, 'text.' + end) for end in ('mmt', 'h', 'so'))
    with open(source, 'w') as f:
        f.write(text.source())
    subprocess.run([compile_text, source, 'loaded', header], check=True)
    subprocess.run([cc, '-std=c17', '-D_GNU_SOURCE', '-O1', '-fPIC', '-shared', '-w', '-fopenmp-simd', '-ffp-contract=off',
                    '-fno-math-errno', '-fno-trapping-math', '-I' + root, f'-DCOMPILED="{header}"',
                    os.path.join(root, 'tests/kernels/random_unit.c'), '-lm', '-o', library], check=True)
    return library


def check_text(text, checker, directory, compile_text, rates, cc, root):
    library = build(text, directory, compile_text, cc, root)
    sets = list(text.sets())
    points = [(p, v, inputs) for p in sets for v, inputs in text.points(p)]
    numbers = array.array('d', [SETS, POINTS])
    for p in sets:
        numbers.extend(p)
    for _, v, inputs in points:
        numbers.extend([v, *inputs, *[0] * FORMULAS])
    out = array.array('d', subprocess.run([rates, library, repr(STEP)], input=numbers.tobytes(), stdout=subprocess.PIPE,
                                          check=True).stdout)
    first = 1 + INPUTS + GATES
    width = first + FORMULAS
    for n, (p, v, inputs) in enumerate(points):
        row = [out[(way * len(points) + n) * width:][:width] for way in range(4)]
        for k, tree in enumerate(text.formulas):
            checker.compare(text, f'x{k}', tree, p, v, inputs, [r[first + k] / STEP for r in row])
        for k, (_, tree) in enumerate(text.gates):
            checker.compare(text, f'u{INPUTS + k}', tree, p, v, inputs, [r[1 + INPUTS + k] / STEP for r in row])
        checker.compare(text, 'V', text.v_rate, p, v, inputs, [r[0] / STEP for r in row])
    checker.conditions += text.conditions
    checker.by_myokit(text, points[::POINTS // 4])


def main():
    compile_text, rates, cc, root = sys.argv[1:5]
    texts, seed = (int(x) for x in (sys.argv[5:7] + ['4', '1'][len(sys.argv[5:7]):]))
    checker = Checker()
    with tempfile.TemporaryDirectory() as directory:
        for k in range(texts):
            text = Text(seed + k) if k else Known(seed)
            check_text(text, checker, directory, compile_text, rates, cc, root)
    for words in list(checker.wrong.values())[:20]:
        print(words)
    print(f'{texts} texts of {FORMULAS + GATES + 1} formulas with {checker.conditions} conditions: '
          + ', '.join(f'{n} values in {way} ({left} left)' for n, left, way in zip(checker.values, checker.left, WAYS))
          + f'; {checker.myokit} by Myokit; {checker.count} wrong, of {len(checker.wrong)} formulas')
    sys.exit(bool(checker.wrong))


main()
