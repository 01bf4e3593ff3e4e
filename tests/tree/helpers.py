#!/usr/bin/env python3
"""helpers.py SOURCE: a static function whose body stands in three files belongs into a shared header. Bodies are compared without
comments and white space, parameters by their number; those of one statement that ignores its parameters are entries of tables.
What a shared helper does stands in its file alone."""

import collections
import pathlib
import re
import sys

FUNCTION = re.compile(r"^static [^;{}=]*?\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.M | re.S)
IGNORES = re.compile(r"^(\(void\)P\d+[,;])+(return[\w0]*;)?$")

OWNED = (  # what only the helper's own file has, a sample of it, and the helper
    (r"\bopen_memstream\(", "open_memstream(&text, &size)", "kernels/base/printed.c"),
    (r"\+=[^;]*\bsnprintf\([\w>.-]+ \+", "used += (size_t)snprintf(text + used, room, name)", "kernels/base/printed.c"),
    (r"\bsnprintf\([^;]*\? \", \" : \"\"", 'snprintf(text, room, "%s%s", k ? ", " : "", name)', "kernels/base/printed.c"),
    (r"\(did you mean '%s'\?\)", "(did you mean '%s'?)", "kernels/base/suggest.c"),
    (r"return \(x > y\) - \(x < y\);", "return (x > y) - (x < y);", "kernels/base/compare.c"),
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
    """Where the same body stands in three files"""
    places = collections.defaultdict(set)
    for path, text in texts.items():
        for name, body in functions(text):
            if not IGNORES.match(body):
                places[body].add((path, name))
    return [sorted(found) for found in places.values() if len({path for path, _ in found}) > 2]


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
    for pattern, sample, owner in OWNED:
        assert copied({"a.c": sample}) == [("a.c", owner)] and owner in texts, "helpers.py does not see %s" % sample
    for path, owner in copied(texts):
        print("%s: what %s has" % (path, owner))
    found = repeated(texts)
    for places in found:
        print("the same function in: " + ", ".join("%s (%s)" % place for place in places))
    return len(found) + len(copied(texts)) > 0


sys.exit(main())
