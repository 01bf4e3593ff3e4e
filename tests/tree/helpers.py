#!/usr/bin/env python3
"""helpers.py SOURCE: a static function whose body stands in three files, or a long one in two, belongs into a shared header. Bodies
are compared without comments and white space, parameters by their number; those of one statement that ignores its parameters are
entries of tables. What a shared helper does stands in its file alone."""

import collections
import pathlib
import re
import sys

FUNCTION = re.compile(r"^static [^;{}=]*?\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.M | re.S)
IGNORES = re.compile(r"^(\(void\)P\d+[,;])+(return[\w0]*;)?$")
LONG = 40  # letters of a body

OWNED = (  # what only the helper's own file has, a sample of it, and the helper
    (r"\bopen_memstream\(", "open_memstream(&text, &size)", "kernels/base/printed.c"),
    (r"\+=[^;]*\bsnprintf\([\w>.-]+ \+", "used += (size_t)snprintf(text + used, room, name)", "kernels/base/printed.c"),
    (r"\bsnprintf\([^;]*\? \", \" : \"\"", 'snprintf(text, room, "%s%s", k ? ", " : "", name)', "kernels/base/printed.c"),
    (r"\(did you mean '%s'\?\)", "(did you mean '%s'?)", "kernels/base/suggest.c"),
    (r"return \(x > y\) - \(x < y\);", "return (x > y) - (x < y);", "kernels/base/compare.c"),
    (r"\+ 1\) % 3\] \* \w+\[\(\w \+ 2\) % 3\] -", "a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3]", "kernels/base/vec3.h"),
    (r"sqrt\((\w+)\[0\] \* \1\[0\] \+ \1\[1\] \* \1\[1\] \+ ", "sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])", "kernels/base/vec3.h"),
    (r"0x94d049bb133111eb", "x = (x ^ x >> 27) * 0x94d049bb133111ebu;", "kernels/base/bits.h"),
    (r"parent\[parent\[", "i = parent[i] = parent[parent[i]];", "kernels/base/union_find.h"),
    (r"for \(; (\w+) > 0 && \S+\[\1 - 1\] > ", "for (; at > 0 && node[at - 1] > vertex; at--)", "kernels/base/compare.h"),
    (
        r"while \(k < \S+ && strcmp\(\S+(parameter|state|current)\[",
        "while (k < n && strcmp(m->state[k].name, name))",
        "kernels/ionic/registry.c",
    ),
)


def functions(text):
    """(name, body) of each static function"""
    for name, parameters, body in FUNCTION.findall(text):
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        for k, parameter in enumerate(parameters.split(",")):
            words = re.findall(r"(\w+)(?:\[\w*\])*$", parameter.strip())
            body = re.sub(r"\b%s\b" % words[0], "P%d" % k, body) if words else body
        yield name, re.sub(r"\s+", "", body)


def repeated(texts):
    """Where the same body stands in three files, or a long one in two"""
    places = collections.defaultdict(set)
    for path, text in texts.items():
        for name, body in functions(text):
            if not IGNORES.match(body):
                places[body].add((path, name))
    return [sorted(found) for body, found in places.items() if len({path for path, _ in found}) > (1 if len(body) >= LONG else 2)]


def copied(texts):
    """What belongs into a helper, and the files outside it that have it"""
    return [(path, owner) for path, text in texts.items() for pattern, _, owner in OWNED if path != owner and re.search(pattern, text)]


def main():
    root = pathlib.Path(sys.argv[1])
    texts = {
        str(path.relative_to(root)): path.read_text()
        for layer in ("app", "solver", "kernels")
        for path in sorted(root.glob(layer + "/**/*.[ch]*"))
        if path.suffix in (".c", ".h", ".cu", ".cuh")
    }
    planted = {
        "%d.c" % k: "static int twice(int %s)\n{\n    return 2 * %s; /* %d */\n}\n" % (name, name, k) for k, name in enumerate("abc")
    }
    assert len(texts) > 400 and len(repeated(planted)) == 1 and not repeated(dict(list(planted.items())[:2])), "helpers.py sees nothing"
    longer = {path: text.replace("2 *", "2 * " * LONG) for path, text in list(planted.items())[:2]}
    assert len(repeated(longer)) == 1, "helpers.py does not see a long one"
    for pattern, sample, owner in OWNED:
        assert copied({"a.c": sample}) == [("a.c", owner)] and owner in texts, "helpers.py does not see %s" % sample
    for path, owner in copied(texts):
        print("%s: what %s has" % (path, owner))
    found = repeated(texts)
    for places in found:
        print("the same function in: " + ", ".join("%s (%s)" % place for place in places))
    return len(found) + len(copied(texts)) > 0


sys.exit(main())
