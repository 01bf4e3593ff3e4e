#!/usr/bin/env python3
"""thorax.py HEART OUT.msh [options of cardiac mesh coordinates]: an ellipsoid with two lungs and blood around a heart.

    python3 meshes/thorax.py geo1.ele thorax.msh --scale 1mm --base 1 --epi 2 --lv 3 --rv 4

It is nobody's thorax: a body as large as an adult's for a heart as large as an adult's, else in proportion, for an ECG in a conductor with
bounds and lungs. Regions are named heart, blood, lungs and body; `electrodes:` is printed, those of `cardiac mesh coordinates` moved to the
skin. Needs the programs cardiac and gmsh (the meshing; tested with 4.15) in PATH, numpy and h5py.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

# mm in the chest's frame, x to the left, y to the back, z to the head, from the heart's centre (solver/heart/electrodes.c)
LIMBS = {"RA": (-180, 0, 160), "LA": (150, 0, 160), "LL": (60, 0, -350)}
BODY = np.array((-20, 36, -60)), np.array((145, 112, 300))  # centre and half axes: its skin is within 1 cm of V1 to V6
LUNGS = 125, 120  # y of their backs, half of their height
GAP, CHEST_WALL, MIDLINE = 6, 18, 15  # between lungs and heart, skin, and the middle of the body
TAGS = {"heart": 1, "blood": 2, "lungs": 3, "body": 4}


def cardiac(*words):
    done = subprocess.run(["cardiac", "mesh", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr or done.stdout)
    return done.stdout


def read(path):
    """points, triangles, {name: values at nodes}"""
    with h5py.File(path) as file:
        grid = file["VTKHDF"]
        return grid["Points"][:], grid["Connectivity"][:].reshape(-1, 3), {name: grid["PointData"][name][:] for name in grid["PointData"]}


def sphere(halvings):
    """Points and triangles of an icosahedron whose edges are halved so often, on the unit sphere"""
    g = (1 + 5 ** 0.5) / 2
    points = [np.roll((s, t * g, 0), k) / np.hypot(1, g) for k in range(3) for s in (-1, 1) for t in (-1, 1)]
    near = np.min([np.linalg.norm(p - points[0]) for p in points[1:]]) * 1.01
    close = [[np.linalg.norm(p - q) < near for q in points] for p in points]
    faces = [(i, j, k) for i in range(12) for j in range(i) for k in range(j) if close[i][j] and close[j][k] and close[i][k]]
    for _ in range(halvings):
        middle, halved = {}, []
        for face in faces:
            half = []
            for i, j in zip(face, face[1:] + face[:1]):
                key = min(i, j), max(i, j)
                if key not in middle:
                    p = points[i] + points[j]
                    middle[key] = len(points)
                    points.append(p / np.linalg.norm(p))
                half.append(middle[key])
            halved += [(face[c], half[c], half[c - 1]) for c in range(3)] + [tuple(half)]
        faces = halved
    return np.array(points), np.array(faces)


def frame(text):
    """Centre, the chest's axes as columns times its size, and the electrodes' places"""
    places = {name: np.array([float(x) for x in values.replace("mm", "").split(",")])
              for name, values in re.findall(r"(\w+): \[([^]]*)\]", text.split("electrodes:")[1])}
    x = (places["LA"] - places["RA"]) / 330
    z = (places["RA"] + 240 * x - places["LL"]) / 510
    size = np.linalg.norm(x)
    axes = np.stack([x, np.cross(z, x) / size, z], 1)
    return places["RA"] - axes @ np.array(LIMBS["RA"]), axes, places


def lung(side, heart, unit):
    """Points of the one to the right (-1) or left (1) for those of a sphere: from beside the midline, around an ellipsoid that holds the
    heart, to the chest's wall; as deep as there is room"""
    (x0, *middle), (half, *halves) = BODY[0], BODY[1] - CHEST_WALL
    centre = (heart.max(0) + heart.min(0)) / 2
    holds = (heart.max(0) - heart.min(0)) / 2
    holds = holds * np.linalg.norm((heart - centre) / holds, axis=1).max() + GAP
    back, high = LUNGS
    for deep in range(back - int(middle[0]), 10, -1):
        place = unit[:, 1:] * (deep, high) + (back - deep, 0)
        outer = side * x0 + half * np.sqrt(np.maximum(1 - (((place - middle) / halves) ** 2).sum(1), 0))
        beside = 1 - (((place - centre[1:]) / holds[1:]) ** 2).sum(1)
        inner = np.maximum(side * x0 + MIDLINE, np.where(beside > 0, side * centre[0] + holds[0] * np.sqrt(np.abs(beside)), -np.inf))
        if (outer - inner).min() > GAP:
            x = (inner + outer) / 2 + (outer - inner) / 2 * side * unit[:, 0]
            return np.column_stack([side * x, place])
    sys.exit("no room for the lungs")


def write(path, points, elements, names=()):
    """Gmsh 2.2: elements[tag] = [.., 3 or 4] nodes"""
    with open(path, "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n")
        if names:
            file.write("$PhysicalNames\n%d\n%s$EndPhysicalNames\n" % (len(names), "".join('3 %d "%s"\n' % (names[n], n) for n in names)))
        file.write("$Nodes\n%d\n" % len(points))
        file.writelines("%d %.9g %.9g %.9g\n" % (i + 1, *p) for i, p in enumerate(points))
        file.write("$EndNodes\n$Elements\n%d\n" % sum(map(len, elements.values())))
        number = 0
        for tag, nodes in elements.items():
            kind = {3: 2, 4: 4}[nodes.shape[1]]
            for row in nodes:
                number += 1
                file.write("%d %d 2 %d %d %s\n" % (number, kind, tag, tag, " ".join(str(i + 1) for i in row)))
        file.write("$EndElements\n")


def read_tetrahedra(path):
    lines = Path(path).read_text().split("\n")
    nodes, elements = lines.index("$Nodes"), lines.index("$Elements")
    points = np.array([line.split() for line in lines[nodes + 2:nodes + 2 + int(lines[nodes + 1])]], float)
    rows = [line.split() for line in lines[elements + 2:elements + 2 + int(lines[elements + 1])]]
    cells = np.array([[row[3], *row[-4:]] for row in rows if row[1] == "4"], int)
    place = np.zeros(int(points[:, 0].max()) + 1, int)
    place[points[:, 0].astype(int)] = np.arange(len(points))
    return points[:, 1:], cells[:, 0], place[cells[:, 1:]]


def fill(points, cells, outside, triangles):
    """Of the cells outside the heart those of the cavity behind these triangles: below the lowest point of their rim, from face to face"""
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    rim = points[np.unique(unique[counts == 1])]
    up = np.linalg.svd(rim - rim.mean(0), full_matrices=False)[2][2]
    up = up if up @ (rim.mean(0) - points[triangles].mean((0, 1))) > 0 else -up
    below = outside & ((points[cells] @ up).max(1) <= (rim @ up).min())
    mine = np.flatnonzero(below)
    faces = np.sort(np.concatenate([np.delete(cells[mine], k, 1) for k in range(4)]), axis=1)
    names = np.unique(faces, axis=0, return_inverse=True)[1].reshape(4, -1)
    wall = np.zeros(len(points), bool)
    wall[triangles] = True
    inside = wall[cells[mine]].sum(1) >= 3  # a face on the endocardium
    while True:
        marked = np.zeros(names.max() + 1, bool)
        marked[names[:, inside]] = True
        grown = marked[names].any(0)
        if grown.sum() == inside.sum():
            return mine[inside]
        inside = grown


def mesh(folder, surfaces):
    """Points, tags and tetrahedra within surfaces of the heart, the body and two lungs; the heart's points come first"""
    starts = np.cumsum([0] + [len(points) for points, _ in surfaces])
    write(folder / "surfaces.msh", np.concatenate([points for points, _ in surfaces]),
          {k + 1: triangles + starts[k] for k, (_, triangles) in enumerate(surfaces)})
    (folder / "thorax.geo").write_text("""
Merge "surfaces.msh";
For k In {1:4}
  Surface Loop(k) = {k};
EndFor
Volume(1) = {1};
Volume(2) = {3};
Volume(3) = {4};
Volume(4) = {2, 1, 3, 4};
Physical Volume(1) = {1};
Physical Volume(3) = {2, 3};
Physical Volume(4) = {4};
""")
    subprocess.run(["gmsh", "-3", "-v", "2", "-format", "msh22", folder / "thorax.geo", "-o", folder / "thorax.msh"], check=True)
    return read_tetrahedra(folder / "thorax.msh")


def main(heart, out, *options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        centre, axes, places = frame(cardiac("coordinates", heart, folder / "heart.vtkhdf", *options))
        cardiac("surface", folder / "heart.vtkhdf", folder / "skin.vtkhdf")
        points, triangles, values = read(folder / "skin.vtkhdf")
        local = np.linalg.solve(axes, (points - centre).T).T
        surfaces = [(points, triangles)]
        ball, faces = sphere(5)
        surfaces.append((centre + (BODY[0] + ball * BODY[1]) @ axes.T, faces))
        ball, faces = sphere(4)
        surfaces += [(centre + lung(side, local, ball) @ axes.T, faces) for side in (-1, 1)]
        nodes, tags, cells = mesh(folder, surfaces)
    for side in ("lv", "rv"):
        on = values["distance_" + side][triangles].max(1) == 0
        tags[fill(nodes, cells, tags == TAGS["body"], triangles[on])] = TAGS["blood"]
    write(out, nodes, {tag: cells[tags == tag] for tag in TAGS.values()}, TAGS)
    moved = []
    for lead, place in places.items():
        ray = np.linalg.solve(axes, place - centre) - BODY[0]
        skin = centre + axes @ (BODY[0] + ray / np.linalg.norm(ray / BODY[1]))
        moved.append("%s: [%s]" % (lead, ", ".join("%.4g mm" % x for x in skin)))
    print("electrodes: {%s}" % ", ".join(moved))


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
