#!/usr/bin/env python3
"""make_rooms.py [--check]: draw docs/dev/rooms.svg, the folders of each layer with their lines of C, CUDA or Python, in the order of the layers' README.md.
--check: are they all there, and is none drawn a quarter too large or too small?"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "dev" / "rooms.svg"
ENDINGS = (".c", ".h", ".cu", ".cuh", ".py")
LAYERS = {"app": "#4c72b0", "solver": "#55a868", "kernels": "#c44e52"}
ROW, LEFT, WIDE, MOST = 17, 130, 420, 15000  # pixels of a row, left of the bars, and of a bar with MOST lines
APART = 0.25


def sizes():
    """{folder: (lines, files)} below each layer, from the top of its layer to the bottom"""
    found = {}
    for layer in LAYERS:
        listed = re.findall(r"^\| `([a-z]+)/` \|", (ROOT / layer / "README.md").read_text(encoding="utf-8"), re.M)
        others = sorted(path.name for path in (ROOT / layer).iterdir() if path.is_dir() and path.name not in listed)
        for folder in (*reversed(listed), *others):
            files = [path for path in (ROOT / layer / folder).rglob("*") if path.suffix in ENDINGS and "__pycache__" not in path.parts]
            if len(files) > 1:
                lines = sum(len(path.read_bytes().splitlines()) for path in files)
                found["%s/%s" % (layer, folder)] = lines, len(files)
    return found


def picture(found):
    """An SVG: a bar and its figures for each folder, under the name and the sum of each layer"""
    rows, y = [], 0
    for layer, color in LAYERS.items():
        own = {name: size for name, size in found.items() if name.startswith(layer + "/")}
        y += 26
        lines, files = (sum(size[k] for size in own.values()) for k in range(2))
        rows.append('<text x="0" y="%d" font-weight="bold">%s: %d lines in %d files</text>' % (y, layer, round(lines, -2), files))
        y += 8
        for name, (lines, files) in own.items():
            length = WIDE * lines / MOST
            rows.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (LEFT - 6, y + 12, name.partition("/")[2]))
            rows.append('<rect x="%d" y="%d" width="%.0f" height="%d" fill="%s"/>' % (LEFT, y, length, ROW - 3, color))
            rows.append('<text x="%.0f" y="%d" data-lines="%d" data-room="%s">%d, %d files</text>' % (LEFT + length + 5, y + 12, lines, name, round(lines, -2), files))
            y += ROW
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">' % (LEFT + WIDE + 110, y + 6)
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *rows, "</svg>"]) + "\n"


def check(found):
    drawn = {name: int(lines) for lines, name in re.findall(r'data-lines="(\d+)" data-room="([^"]*)"', PICTURE.read_text(encoding="utf-8"))}
    wrong = [name for name in {**found, **drawn} if abs(drawn.get(name, 0) - found.get(name, (0, 0))[0]) > APART * drawn.get(name, 0)]
    if wrong:
        print("%s shows other sizes of %s; make it anew: python3 docs/lab/make_rooms.py" % (PICTURE.relative_to(ROOT), ", ".join(wrong)))
    return int(bool(wrong))


def main():
    found = sizes()
    assert len(found) > 20, "hardly a folder in %s" % ROOT
    if "--check" in sys.argv:
        return check(found)
    PICTURE.write_text(picture(found), encoding="utf-8")
    return 0


sys.exit(main())
