"""random_meshes.py CARDIAC SOURCE COUNT SEED: graded meshes of a box drawn at random, their nodes moved and in any order. `check` counts them; a run with
`velocity:` activates them at the velocity that was asked for, or says why not; Python reads the mesh that was written, and the activation that is counted."""
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings

program, source, count, seed = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, os.path.join(source, "app", "python"))
os.environ["CARDIAC"] = program
try:
    import numpy as np
    import cardiac
except ImportError as missing:
    print(missing)
    sys.exit(77)
KINDS = {1: "Ln", 2: "Tr", 3: "Tt"}
SPLIT = {1: [(0, 1)], 2: [(0, 1, 3), (0, 3, 2)], 3: [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]}
CELLS = {1: 60, 2: 22, 3: 9}
CONFIG = """version: 1
mesh: {file: mesh.elem, scale: 1 mm}
tissue: {surface_to_volume: 1400 /cm, fibers: [1, 0, 0], regions: [{model: %s, velocity: %s}]}
stimuli: [{where: x < %.6g mm, duration: 2 ms, current: 60 uA/uF}]
time: {end: %d ms, step: 0.1 ms}
output: {directory: out, every: 5 ms}
threads: 1
device: cpu
"""


def graded(draw, cells, edge):
    """Coordinates of a side whose edges change by a constant factor from its one end to its other"""
    edges = np.geomspace(1, draw.choice([1, 1, 2, 3, 0.4]), cells)
    return np.concatenate([[0], np.cumsum(edges * (edge / edges.mean()))])


def box(draw, dimension):
    """(nodes, 3) points in mm and elements of a graded box, and its sides"""
    edge = draw.choice([0.1, 0.2, 0.3]) if dimension < 3 else draw.choice([0.25, 0.35])
    cells = [max(4, CELLS[dimension] // draw.choice([1, 1, 2]) // (1 + 2 * (d == 2))) if d < dimension else 0 for d in range(3)]
    sides = [graded(draw, n, edge) if n else np.zeros(1) for n in cells]
    points = np.stack(np.meshgrid(*sides, indexing="ij"), 3).reshape(-1, 3)
    numbers = np.arange(len(points)).reshape([len(side) for side in sides])
    corner = [numbers[tuple(slice(k >> d & 1, len(sides[d]) - 1 + (k >> d & 1)) if d < dimension else 0 for d in range(3))].ravel() for k in range(1 << dimension)]
    elements = np.concatenate([np.stack([corner[k] for k in split], 1) for split in SPLIT[dimension]])
    least = min(float(np.diff(side).min()) for side in sides[:dimension])
    inner = np.all([(points[:, d] > 0) & (points[:, d] < sides[d][-1]) for d in range(dimension)], 0)
    noise = np.random.default_rng(draw.getrandbits(32))
    points[inner, :dimension] += noise.uniform(-0.1, 0.1, (int(inner.sum()), dimension)) * least
    order = noise.permutation(len(points))
    place = np.argsort(order)
    return points[order], place[elements], [float(side[-1]) for side in sides[:dimension]]


def write(points, elements):
    kind = KINDS[elements.shape[1] - 1]
    with open("mesh.pts", "w") as file:
        file.write("%d\n" % len(points) + "".join("%.12g %.12g %.12g\n" % tuple(point) for point in points))
    with open("mesh.elem", "w") as file:
        file.write("%d\n" % len(elements) + "".join("%s %s 1\n" % (kind, " ".join(map(str, nodes))) for nodes in elements))


def call(command, *options):
    """Status, JSON and what was said; never a signal nor a traceback"""
    done = subprocess.run([program, command, "a.yaml", "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode in (0, 2) and "Traceback" not in done.stderr, (done.returncode, done.stderr)
    assert done.returncode == 0 or "cardiac: " in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None, done.stderr


def one(draw):
    """Draws a mesh and checks all that is said of it; a word for the outcome"""
    dimension = draw.choice([1, 2, 2, 3])
    points, elements, sides = box(draw, dimension)
    write(points, elements)
    speed = draw.choice([0.25, 0.4])
    velocity = "%g m/s" % speed if dimension == 1 or draw.random() < 0.5 else "{longitudinal: %g m/s, transverse: %g m/s}" % (speed, speed * draw.choice([0.5, 0.8]))
    end = 6 + max(sides) / (0.5 * speed)
    with open("a.yaml", "w") as file:
        file.write(CONFIG % (draw.choice(["mitchell-schaeffer", "bueno-orovio-epi"]), velocity, 0.12 * sides[0] + 0.01, 5 * (int(end / 5) + 1)))
    status, checked, said = call("check")
    if status:
        assert any(word in said for word in ("cannot carry", "is unknown", "was found by", "no front travels", "front of")), said
        return "refused"
    assert (checked["nodes"], checked["elements"], checked["dimension"]) == (len(points), len(elements), dimension), checked
    status, summary, said = call("run", "--overwrite")
    assert status == 0, said
    result = cardiac.read("out")
    assert result.nodes == len(points) and np.abs(result.points - points).max() < 1e-6 * max(sides), "another mesh"
    assert np.array_equal(np.sort(np.sort(result.cells, 1), 0), np.sort(np.sort(elements, 1), 0)), "other elements"
    assert np.isfinite(np.array(result.V)).all(), "V"
    times = result.activation.reshape(result.nodes, -1)[:, 0]
    assert np.isfinite(times).sum() == summary["activated"] and np.nanmax(times) == summary["last_activation"], summary["activated"]
    region = summary["regions"][0]["velocity"]["along"]
    assert region["asked"] is None or abs(region["asked"] - speed) < 1e-12, region
    warned = "not activated" in said or "velocity" in said or "too coarse" in said or "edges of" in said
    reached = summary["activated"] == summary["nodes"]
    assert reached or "were not activated" in said, said
    near = region["median"] is None or abs(region["median"] / speed - 1) < 0.05
    spread = region["median"] is not None and region["low"] <= speed <= region["high"]  # as where waves meet
    assert near or spread or warned, (region, said)
    return "near" if near else "spread" if spread else "warned"


def main():
    warnings.simplefilter("ignore")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder
        for k in range(count):
            try:
                outcome = one(random.Random("%d %d" % (seed, k)))
            except Exception:
                with open("a.yaml") as file:
                    print("case %d of seed %d:\n%s" % (k, seed, file.read()))
                raise
            found[outcome] = found.get(outcome, 0) + 1
    print("%d graded meshes: %s" % (count, ", ".join("%d %s" % (found[word], word) for word in sorted(found))))
    assert found.get("near", 0) > count // 2


main()
