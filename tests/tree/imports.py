#!/usr/bin/env python3
"""imports.py SOURCE: no module of app/python/cardiac imports itself by way of others, not by imports inside functions or for types either."""

import ast
import pathlib
import sys


def imported(name, text):
    """The names that a module imports anywhere in its text, each as a module and as what is in one"""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            above = name.split(".")[: -node.level] if node.level else []
            module = ".".join(above + ([node.module] if node.module else []))
            yield from [module] * bool(node.module)
            yield from ("%s.%s" % (module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def circle(modules):
    """A list of modules, each of which imports the next and the last one the first; [] = there is none"""
    below = {name: sorted(set(imported(name, text)) & set(modules) - {name}) for name, text in modules.items()}
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name) :]
        path.append(name)
        found = next(filter(None, (visit(other) for other in below[name] if other not in done)), [])
        path.pop()
        done.add(name)
        return found

    return next(filter(None, map(visit, sorted(modules))), [])


def main():
    root = pathlib.Path(sys.argv[1], "app", "python")
    modules = {
        ".".join(path.relative_to(root).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in root.glob("cardiac/**/*.py")
    }
    planted = {"c.a": "from .s import b", "c.s.b": "def f():\n    from ..a import x", "c.d": "import c.a"}
    assert circle(planted) == ["c.a", "c.s.b"] and not circle({**planted, "c.s.b": ""}), "imports.py sees nothing"
    assert len(modules) > 30, "hardly a module in %s" % root
    found = circle(modules)
    if found:
        print("modules import each other: " + " -> ".join(found + found[:1]))
    return int(bool(found))


sys.exit(main())
