#!/usr/bin/env python3
"""test_examples.py CARDIAC GROWING SOURCE: all that a user imports is described, with its parameters and an example; every other function has a
docstring; in the lane full, all examples of the package run, in a folder with a config and its result."""
import ast
import doctest
import importlib.util
import inspect
import re
import warnings
from pathlib import Path

from support import Case, full, main, np, source

import cardiac

PACKAGE = Path(source, "app", "python", "cardiac")
USERS = ("cardiac", "cardiac.film", "cardiac.plot", "cardiac.report", "cardiac.tips")  # modules whose __all__ users import
HEART = """version: 1
title: A front along a slab
mesh: {slab: {size: [3 mm, 1.2 mm, 0.6 mm], spacing: 0.3 mm}}
tissue:
  surface_to_volume: 140 /mm
  fibers: [1, 0, 0]
  parameters: {tau_in: x1}
  regions: [{model: mitchell-schaeffer, conductivity: 0.133 S/m, parameters: {tau_open: 30 ms, tau_close: 20 ms}}]
stimuli: [{name: S1, where: x < 0.6 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 100 ms, step: 0.1 ms}
activation: {threshold: -40 mV}
ecg: {electrodes: {RA: [9 mm, 0 mm, 9 mm], LA: [-9 mm, 0 mm, 9 mm], LL: [-3 mm, 0 mm, -9 mm]}}
output: {directory: out/heart, every: 5 ms, maps: [activation_time, apd90], probes: {near: [0 mm, 0 mm, 0 mm], far: [3 mm, 1.2 mm, 0.6 mm]}}
"""


def names_of(path):
    return ".".join(("cardiac", *path.relative_to(PACKAGE).with_suffix("").parts)).replace(".__init__", "")


def members(name, found):
    """What a user calls, and its docstring: functions, classes, their methods and properties."""
    yield name, found
    for key, of in vars(found).items() if inspect.isclass(found) and not issubclass(found, cardiac.Error) else ():
        if key[0] != "_" and (inspect.isfunction(of) or isinstance(of, property)):
            yield "%s.%s" % (name, key), of.fget if isinstance(of, property) else of


class Examples(Case):
    def modules(self):
        for path in sorted(PACKAGE.rglob("*.py")):
            if path.name not in ("__main__.py",):
                try:
                    yield importlib.import_module(names_of(path))
                except ModuleNotFoundError as missing:
                    self.assertFalse(missing.name.startswith("cardiac"), missing)
                    print("%s: no %s here" % (path.name, missing.name))

    def test_users(self):
        """Each has a docstring, with all parameters by name and an example."""
        faults = []
        for module in filter(lambda module: module.__name__ in USERS, self.modules()):
            for name in module.__all__:
                for place, of in members("%s.%s" % (module.__name__, name), getattr(module, name)):
                    text = inspect.getdoc(of) or ""
                    if ">>> " not in text and not (inspect.isclass(of) and issubclass(of, cardiac.Error)):
                        faults.append(place + ": no example")
                    given = list(inspect.signature(of).parameters) if inspect.isfunction(of) else []
                    faults += ["%s: %s" % (place, p) for p in given if p != "self" and not re.search(r"(?m)^(\*\*|(\w+, )*)%s(, \w+)*( :|$)" % p, text)]
        self.assertEqual(faults, [])

    def test_others(self):
        """Every function and class of a module has a docstring, but for those that are its own."""
        faults = []
        for path in PACKAGE.rglob("*.py"):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_" and not ast.get_docstring(node):
                    faults.append("%s:%d: %s" % (path.relative_to(PACKAGE), node.lineno, node.name))
        self.assertEqual(faults, [])

    @full
    def test_run(self):
        """As they are shown"""
        with open("heart.yaml", "w") as file:
            file.write(HEART)
        self.shell("run", "heart.yaml", "--quiet")
        runner, known, count = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), {"cardiac": cardiac, "np": np}, 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a mesh that is coarse on purpose
            for module in self.modules():
                for test in doctest.DocTestFinder().find(module, globs=dict(known if module.__name__ in USERS else vars(module), **known)):
                    needed = re.findall("# needs (\\w+)", test.docstring or "")
                    lacks = [name for name in needed if not importlib.util.find_spec(name)]
                    if lacks:
                        print("%s: no %s here" % (test.name, lacks[0]))
                        continue
                    count += bool(test.examples)
                    runner.run(test)
        self.assertEqual(runner.failures, 0)
        self.assertGreater(count, 70)


main()
