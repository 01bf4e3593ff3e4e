#!/usr/bin/env python3
"""CellML 1.0 (content MathML) -> a C right-hand side, for tests of the ionic models against an independent text.

usage: cellml_to_c.py FILE.cellml OUT.c

OUT.c defines names and initial values of the states (V among them) and
    void cellml_rates(double time, const double *state, double *rate);
All equations of the file are written in the order in which they need each other. Variables connected between
components must share one name, which is so in the files tested; anything else stops with an error.
"""
import sys
import xml.etree.ElementTree as tree

MATH = "{http://www.w3.org/1998/Math/MathML}"


def local(element):
    return element.tag.split("}")[-1]


def expression(element, used):
    """MathML -> C text; the names it reads are added to `used`"""
    kind = local(element)
    if kind == "ci":
        name = element.text.strip()
        used.add(name)
        return "v_" + name
    if kind == "cn":
        parts = [element.text.strip()] + [part.tail.strip() for part in element]
        return repr(float("e".join(parts)))
    if kind == "piecewise":
        text = "NAN"
        for part in element:
            if local(part) == "otherwise":
                text = expression(part[0], used)
        for part in reversed(element):
            if local(part) == "piece":
                text = f"({expression(part[1], used)} ? {expression(part[0], used)} : {text})"
        return text
    if kind != "apply":
        sys.exit(f"cellml_to_c: <{kind}> is not understood")
    operator, terms = local(element[0]), element[1:]
    if operator == "root" and local(terms[0]) != "degree":
        return f"sqrt({expression(terms[0], used)})"
    values = [expression(term, used) for term in terms]
    infix = {"plus": "+", "minus": "-", "times": "*", "divide": "/", "and": "&&", "or": "||",
             "lt": "<", "leq": "<=", "gt": ">", "geq": ">=", "eq": "=="}
    call = {"exp": "exp", "ln": "log", "power": "pow", "floor": "floor", "abs": "fabs", "tanh": "tanh"}
    if operator == "minus" and len(values) == 1:
        return f"(-{values[0]})"
    if operator in infix:
        return "(" + f" {infix[operator]} ".join(values) + ")"
    if operator in call:
        return f"{call[operator]}({', '.join(values)})"
    sys.exit(f"cellml_to_c: <{operator}/> is not understood")


def read(path):
    """-> (initial values by name, {name: (text, names read)}, [state names])"""
    initial, assigned, states = {}, {}, []
    for element in tree.parse(path).iter():
        if local(element) == "variable" and "initial_value" in element.attrib:
            name = element.attrib["name"]
            if name in initial:
                sys.exit(f"cellml_to_c: {name} has two initial values")
            initial[name] = float(element.attrib["initial_value"])
        if element.tag != MATH + "math":
            continue
        for equation in element:
            left, right = equation[1], equation[2]
            used = set()
            text = expression(right, used)
            if local(left) == "ci":
                name = left.text.strip()
            else:
                state = left[2].text.strip()
                states.append(state)
                name = "d/dt " + state
            if name in assigned:
                sys.exit(f"cellml_to_c: {name} is assigned twice")
            assigned[name] = (text, used)
    return initial, assigned, states


def ordered(assigned, known):
    """names of `assigned`, each after those that it reads"""
    done, result = set(known), []
    waiting = list(assigned)
    while waiting:
        ready = [name for name in waiting if assigned[name][1] <= done]
        if not ready:
            missing = sorted(set().union(*(assigned[name][1] for name in waiting)) - done - set(assigned))
            sys.exit(f"cellml_to_c: no order of equations; undefined: {missing}")
        result += ready
        done |= set(ready)
        waiting = [name for name in waiting if name not in done]
    return result


def write(path, source):
    initial, assigned, states = read(source)
    lines = ["#include <math.h>", f"const int cellml_states = {len(states)};",
             "const char *const cellml_name[] = {" + ", ".join(f'"{name}"' for name in states) + "};",
             "const double cellml_initial[] = {" + ", ".join(repr(initial[name]) for name in states) + "};",
             "void cellml_rates(double v_time, const double *state, double *rate)", "{", "    (void)v_time;"]
    lines += [f"    double v_{name} = state[{k}];" for k, name in enumerate(states)]
    lines += [f"    double v_{name} = {value!r};" for name, value in initial.items() if name not in states]
    for name in ordered(assigned, set(initial) | {"time"}):
        text = assigned[name][0]
        if name.startswith("d/dt "):
            lines.append(f"    rate[{states.index(name[5:])}] = {text};")
        else:
            lines.append(f"    double v_{name} = {text};")
    lines.append("}")
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(sys.argv[2], sys.argv[1])
