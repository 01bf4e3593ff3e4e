"""random_protocols.py CARDIAC COUNT SEED: stimuli drawn at random on rings, sheets, networks, bilayers and ventricles, with slow, late and
passive parts. What each run prints of its tissue is what a brute-force analysis of its V finds (waves.py): a check per sentence; random_pulses.py checks
what is said of pulses."""
import collections
import concurrent.futures
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import waves
except ImportError as missing:
    print(missing)
    sys.exit(77)

cardiac, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
LINE, TRIANGLE, TETRAHEDRON = "Ln", "Tr", "Tt"


class Mesh:
    """Points in mm; elements (kind, nodes, tag): 1 tissue, 2 a patch that recovers late, 3 passive, 10 a tree, 20 resistors"""

    def __init__(self):
        self.points, self.elements = [], []

    def write(self, name):
        with open(name + ".pts", "w") as file:
            file.write("%d\n" % len(self.points) + "".join("%.9g %.9g %.9g\n" % tuple(1e3 * x for x in p) for p in self.points))
        with open(name + ".elem", "w") as file:
            file.write("%d\n" % len(self.elements) + "".join("%s %s %d\n" % (kind, " ".join(map(str, nodes)), tag) for kind, nodes, tag in self.elements))


def ring(draw):
    mesh, n = Mesh(), draw.randint(80, 240)
    radius = 0.5 * n / (2 * math.pi)
    mesh.points = [(radius * math.cos(2 * math.pi * k / n), radius * math.sin(2 * math.pi * k / n), 0) for k in range(n)]
    mesh.elements = [(LINE, (k, (k + 1) % n), 1) for k in range(n - draw.choice([0, 0, 0, 1]))]
    return mesh


def sheet(draw, z=0.0, spacing=0.6):
    mesh, m, n = Mesh(), draw.randint(12, 24), draw.randint(8, 24)
    mesh.points = [(spacing * i, spacing * j, z) for j in range(n) for i in range(m)]
    for j in range(n - 1):
        for i in range(m - 1):
            a, b, c, d = (k + (j + l) * m for k, l in ((i, 0), (i + 1, 0), (i, 1), (i + 1, 1)))
            mesh.elements += [(TRIANGLE, (a, b, d), 1), (TRIANGLE, (a, d, c), 1)]
    return mesh


def join(mesh, other, links):
    """`other` added; resistors from its nodes to those of `mesh`: [(node of mesh, node of other)]"""
    first = len(mesh.points)
    mesh.points += other.points
    mesh.elements += [(kind, tuple(first + i for i in nodes), tag) for kind, nodes, tag in other.elements]
    mesh.elements += [(LINE, (a, first + b), 20) for a, b in links]
    return mesh


def bilayer(draw):
    state = draw.getstate()
    mesh = sheet(draw)
    draw.setstate(state)
    upper = sheet(draw, 1.0)
    links = draw.sample(range(len(upper.points)), draw.randint(1, 12))
    return join(mesh, upper, [(i, i) for i in links])


def network(draw):
    mesh, tree = sheet(draw), Mesh()
    tree.points, tips = [(-4, 3, 1)], [(0, 0.0)]
    for level in range(draw.randint(1, 3)):
        grown = []
        for tip, angle in tips:
            for turn in (-0.5, 0.5) if level else (0.0,):
                at = tip
                for _ in range(draw.randint(5, 9)):
                    x, y, z = tree.points[at]
                    tree.points.append((x + 0.4 * math.cos(angle + turn), y + 0.4 * math.sin(angle + turn), z))
                    tree.elements.append((LINE, (at, len(tree.points) - 1), 10))
                    at = len(tree.points) - 1
                grown.append((at, angle + turn))
        tips = grown
    links = [(j, tip) for tip, _ in tips for j in sorted(range(len(mesh.points)), key=lambda j: math.dist(mesh.points[j], tree.points[tip]))[:draw.choice([4, 9])]]
    return join(mesh, tree, links)


def heart(draw):
    subprocess.run([cardiac, "mesh", "ellipsoid", "e.elem", "--size", "%gmm,%gmm,2mm" % (draw.choice([3, 4]), draw.choice([5, 6])), "--edge", "1.2mm"],
                   check=True, capture_output=True)
    mesh = Mesh()
    mesh.points = [tuple(float(x) / 1e3 for x in row.split()) for row in open("e.pts").read().splitlines()[1:]]
    rows = [row.split() for row in open("e.elem").read().splitlines()[1:]]
    mesh.elements = [(TETRAHEDRON, tuple(map(int, row[1:5])), 1) for row in rows if row[0] == TETRAHEDRON]
    return mesh


KINDS = {"ring": ring, "sheet": sheet, "network": network, "bilayer": bilayer, "heart": heart}


def ball(mesh, centre, radius):
    return [i for i, p in enumerate(mesh.points) if math.dist(p, centre) <= radius]


def mark(mesh, centre, radius, tag):
    inside = set(ball(mesh, centre, radius))
    mesh.elements = [(kind, nodes, tag if old == 1 and inside.issuperset(nodes) else old) for kind, nodes, old in mesh.elements]


class Case:
    """A config, and what is to be known of it"""

    def __init__(self, number):
        draw = random.Random(1000003 * seed + number)
        self.kind = list(KINDS)[number % len(KINDS)]
        mesh = KINDS[self.kind](draw)
        self.patch = draw.random() < 0.7
        if self.patch:
            mark(mesh, draw.choice(mesh.points), draw.uniform(2, 6), 2)
        if draw.random() < 0.3:
            mark(mesh, draw.choice(mesh.points), draw.uniform(1, 3), 3)
        mesh.write("mesh")
        self.mesh = mesh
        self.end, self.step, self.beats = draw.choice([200, 300, 400]), 0.1, draw.choice([1, 2, 12, 12])
        self.threshold, self.rearm = -30.0, -50.0
        self.maps = draw.random() < 0.5
        self.regions(draw)
        self.stimuli = []
        for k in range(draw.choice([1, 1, 2, 2, 3])):
            self.stimuli.append(self.stimulus(draw, k))
        self.probes = sorted(draw.sample(range(len(mesh.points)), draw.choice([0, 3])))
        self.electrodes = [tuple(x + draw.uniform(2, 9) for x in draw.choice(mesh.points)) for _ in range(draw.choice([0, 2]))]
        self.write()

    def regions(self, draw):
        def cells(slow):
            tau = draw.choice([(40, 20), (60, 40)]) if not slow else draw.choice([(80, 70), (60, 60), (40, 28)])
            return "model: mitchell-schaeffer, parameters: {tau_open: %d ms, tau_close: %d ms}" % tau
        kinds = {kind for kind, _, _ in self.mesh.elements}
        size = {"ring": "", "heart": "", "sheet": ""}.get(self.kind, ", thickness: 1 mm")
        present = {tag for _, _, tag in self.mesh.elements}
        conductivity = draw.choice([0.1, 0.2, 0.3]) if TETRAHEDRON not in kinds else 0.5
        self.region = [(20, "conductance: %g uS" % draw.choice([2, 10, 50]), False), (10, cells(False) + ", conductivity: 1 S/m, radius: 0.1 mm", True),
                       (3, "model: passive, conductivity: %g S/m%s" % (draw.choice([0, 0.1]), size), False),
                       (2, cells(True) + ", conductivity: %g S/m%s" % (conductivity, size), True), (1, cells(False) + ", conductivity: %g S/m%s" % (conductivity, size), True)]
        self.region = [region for region in self.region if region[0] in present]

    def stimulus(self, draw, k):
        while True:
            nodes = ball(self.mesh, draw.choice(self.mesh.points), draw.uniform(0.7, 2.5))
            if len(nodes) < len(self.mesh.points) // 2:
                break
        pulses = draw.choice([1, 1, 2, 3, 5])
        start, period = round(draw.uniform(0, 40) if k == 0 else self.stimuli[0]["start"] + draw.uniform(0, 180), 1), round(draw.uniform(15, 160), 1)
        if draw.random() < 0.05:
            start = self.end - round(draw.uniform(0.1, 15), 1)
        current = draw.choice([50, 50, 50, 100, 30, 12, 6, 4, -20])
        with open("nodes%d.txt" % k, "w") as file:
            file.write("".join("%d\n" % i for i in nodes))
        return {"name": "S%d" % (k + 1), "set": set(nodes), "count": pulses, "period": period, "starts": [start + j * period for j in range(pulses)],
                "length": draw.choice([1, 2, 2, 5, 14]), "current": current, "start": start}

    def write(self):
        lines = ["version: 1", "mesh: {file: mesh.elem}", "tissue:", "  surface_to_volume: 1400 /cm", "  regions:"]
        lines += ["    - {tags: [%d], %s}" % (tag, text) for tag, text, _ in self.region] + ["stimuli:"]
        lines += ["  - {name: %s, nodes: nodes%d.txt, start: %g ms, duration: %g ms, current: %g uA/uF, count: %d, period: %g ms}" %
                  (s["name"], k, s["start"], s["length"], s["current"], s["count"], s["period"]) for k, s in enumerate(self.stimuli)]
        lines += ["time: {end: %g ms, step: %g ms}" % (self.end, self.step), "solver: {precision: double}",
                  "activation: {threshold: %g mV, rearm: %g mV, beats: %d}" % (self.threshold, self.rearm, self.beats),
                  "output: {directory: out, every: %g ms, precision: float64, maps: [activation_time%s]}" % (self.step, ", apd90" if self.maps else "")]
        if self.probes:
            lines[-1] = lines[-1][:-1] + ", probes: {%s}}" % ", ".join("p%d: [%.9g mm, %.9g mm, %.9g mm]" % (i, *self.mesh.points[i]) for i in self.probes)
        if self.electrodes:
            lines += ["ecg: {electrodes: {%s}}" % ", ".join("e%d: [%.9g mm, %.9g mm, %.9g mm]" % (k, *p) for k, p in enumerate(self.electrodes))]
        with open("a.yaml", "w") as file:
            file.write("\n".join(lines) + "\n")


class Checks:
    """Each method checks a sentence: what it yields are pairs of what was printed and what was found"""

    def __init__(self, case, printed, log, fields):
        self.case, self.printed, self.log, self.fields = case, printed, log, fields
        first = {}  # the region of a node: of those of its elements the one that is listed first
        order = {tag: r for r, (tag, _, _) in enumerate(case.region)}
        for nodes, tag in zip(fields.element, fields.tag):
            for i in nodes:
                first[i] = min(first.get(i, 99), order[tag] if case.region[order[tag]][1][:6] != "conduc" else 98)
        self.region = [first[i] for i in range(fields.nodes)]
        self.excitable = [r < 90 and case.region[r][2] for r in self.region]
        self.waves = waves.Waves(fields, case.stimuli, self.excitable, [case.threshold] * fields.nodes, [case.rearm] * fields.nodes, printed["fastest"])
        self.slots = max(sum(s["count"] for s in case.stimuli) + 2, case.beats + 1)
        self.able = [i for i in range(fields.nodes) if self.excitable[i]]
        self.firsts = [beats[0].time for beats in self.waves.beats if beats]

    def name(self, wave):
        return self.case.stimuli[wave.owners[0].stimulus]["name"], wave.owners[0].start, wave.repeat

    def trees(self):
        """the waves, by their pulses"""
        found = [self.name(wave) + (len(wave.beats), len(wave.outside), len(self.waves.again(wave)), round(wave.beats[0].time, 6), round(wave.beats[-1].time, 6),
                                    bool(self.waves.running(wave))) for wave in self.waves.members if wave.owners]
        printed = [(wave["stimulus"], wave["start"], wave["repeat"], wave["activations"], wave["outside"], wave["again"], round(wave["first"], 6), round(wave["last"], 6),
                    wave["running"]) for wave in self.printed["waves"]]
        yield sorted(printed), sorted(found), ""
        yield self.printed["unknown_causes"], sum(not wave.owners for wave in self.waves.members), "unknown"

    def reentry(self):
        """re-entry: the wave of S2 activated nodes again, first at 300 ms at node 5, at intervals of 120 ms"""
        found = []
        for wave in self.waves.members:
            again = self.waves.again(wave)
            if again:
                turns = sorted(b.time - before.time for b, before in again)
                found.append((self.name(wave) if wave.owners else None, round(again[0][0].time, 6), again[0][0].node, round(turns[(len(turns) - 1) // 2], 6),
                              bool(self.waves.running(wave))))
        printed = [((back["stimulus"], back["start"], back["repeat"]) if "stimulus" in back else None, round(back["time"], 6), back["node"], round(back["cycle"], 6),
                    back["running"]) for back in self.printed["reentry"]]
        yield sorted(printed, key=str), sorted(found, key=str), ""

    def stopped(self):
        """the wave of S2 at 340 ms stopped at 366 ms at node 8; it activated 300 of 861 nodes"""
        found = []
        for wave in self.waves.members:
            reached = len({b.node for b in wave.beats})
            edges = self.waves.blocked(wave)
            if wave.owners and reached < len(self.able) and edges and not self.waves.running(wave):
                last = max((a for a, _ in edges), key=lambda a: (a.time, a.node))
                ahead = [self.waves.rest([j], a.time) for a, j in edges]
                refractory = 2 * sum(up + early for _, up, early in ahead) > len(ahead)
                found.append(self.name(wave) + (reached, round(last.time, 6), last.node, refractory))
        printed = [(stop["stimulus"], stop["start"], stop["repeat"], stop["activated"], round(stop["time"], 6), stop["node"], stop["cause"] == "refractory")
                   for stop in self.printed["stopped"] if "stimulus" in stop]
        yield sorted(printed), sorted(found), ""
        last = max(self.waves.all, key=lambda b: (b.time, b.node), default=None)
        said = re.search(r"^warning: (\d+) of (\d+) nodes were not activated", self.log, re.M)
        yield (int(said[1]), int(said[2])) if said else None, (len(self.able) - len(self.firsts), len(self.able)) if 0 < len(self.firsts) < len(self.able) else None, "left"
        yield self.printed["running"], bool(last and self.waves.running(self.waves.wave[last])), "running"

    def recorded(self):
        """not recorded: 3 nodes were activated more than 4 times"""
        yield self.printed["not_recorded"], sum(len(beats) > self.slots for beats in self.waves.beats), ""

    def activated(self):
        """activated: 300 of 300 nodes, the first at 6.191 ms, the last at 196.067 ms"""
        found = (len(self.able), len(self.firsts)) + ((round(min(self.firsts), 6), round(max(self.firsts), 6)) if self.firsts else (None, None))
        printed = tuple(self.printed[key] for key in ("excitable", "activated", "first_activation", "last_activation"))
        yield tuple(x if x is None else round(x, 6) for x in printed), found, ()
        said = re.search(r"^(?:cardiac: warning: )?activated: (?:(\d+) of (\d+) nodes|(no node))", self.log, re.M)
        yield said and (0 if said[3] else int(said[1])), len(self.firsts), said

    def regions(self):
        """activated by region: 0 mitchell-schaeffer 87 %"""
        for r, region in enumerate(self.printed["regions"]):
            mine = [i for i in range(self.fields.nodes) if self.region[i] == r]
            yield (region["nodes"], region["activated"]), (len(mine), [sum(len(self.waves.beats[i]) > b for i in mine) for b in range(self.case.beats)]), r

    def apd(self):
        """APD90: of each region and beat"""
        for r, region in enumerate(self.printed["regions"]):
            for b, apd in enumerate(region["apd90"]):
                values = [beats[b].over - beats[b].time for i, beats in enumerate(self.waves.beats) if self.region[i] == r and len(beats) > b]
                found = waves.quartiles([x for x in values if not math.isnan(x)])
                if self.case.maps:
                    yield tuple(round(apd[key], 5) for key in ("count", "low", "median", "high")), tuple(round(x, 5) for x in found), (r, b)
                else:
                    values = [x for x in values if not math.isnan(x)]
                    yield min(values) - 1e-6 <= apd["low"] <= apd["high"] <= max(values) + 1e-6, True, (r, b)

    def velocity(self):
        """velocity: 0.386 m/s (quartiles 0.386 to 0.386), of the first beat outside the stimulated nodes"""
        time = np.array([beats[0].time if beats else math.nan for beats in self.waves.beats])
        for stimulus in self.case.stimuli:
            time[list(stimulus["set"])] = math.nan
        for r, region in enumerate(self.printed["regions"]):
            tag = self.case.region[r][0]
            along = region["velocity"]["along"]
            if tag == 20 or not self.case.region[r][2]:
                continue
            found = waves.velocities(self.fields, time, [e for e, other in enumerate(self.fields.tag) if other == tag])
            if len(found) >= 20 or along["elements"]:
                of = waves.quartiles(found)
                yield along["elements"], of[0], r
                for key, value in zip(("low", "median", "high"), of[1:]):
                    yield abs(along[key] / value - 1) < 2e-3, True, (r, key, along[key], value)

    def probes(self):
        """probes activated at, ms; APD90 at the probes; beats.csv"""
        rows = collections.defaultdict(list)
        for row in open("out/beats.csv").read().splitlines()[1:] if self.case.probes else []:
            cell = row.split(",")
            rows[int(cell[0][1:])].append([float(x) if x else None for x in cell[2:8]])
        for i in self.case.probes:
            found, beats = [], self.waves.beats[i][:self.case.beats]
            for b, beat in enumerate(beats):
                before = beats[b - 1] if b else None
                found.append([beat.time, beat.time - before.time if b else None, beat.time - before.over if b else None, beat.over - beat.time, beat.peak, beat.rest])
            for printed, of in zip(rows[i], found):
                for a, b in zip(printed, of):
                    b = None if b is None or math.isnan(b) else b
                    yield a is b is None or (a is not None and b is not None and abs(a - b) < 1e-5), True, (i, printed, of)
            yield len(rows[i]), len(found), i

    def ecg(self):
        """ECG: QRS 92 ms, QT 384 ms, of the first beat"""
        if not self.case.electrodes or not self.firsts:
            return
        table = np.genfromtxt("out/ecg.csv", delimiter=",", skip_header=1)
        again = [beats[1].time for beats in self.waves.beats if len(beats) > 1]
        later = [start for stimulus in self.case.stimuli for start in stimulus["starts"] if start > max(self.firsts)]
        found = waves.intervals(table[table[:, 0] <= min(again + later, default=math.inf)])
        for key, value in zip(("begin", "qrs", "qt", "t_peak"), found):
            printed = self.printed["ecg"][key]
            yield printed if printed is None else round(printed, 6), None if math.isnan(value) else round(value, 6), key

    def largest(self):
        """largest V"""
        peak = max(self.fields.v.max(), -math.inf)
        if "largest_v" in self.printed:
            yield self.printed["largest_v"]["value"] <= peak + 1e-9, True, (self.printed["largest_v"], peak)


OF_WAVES = ["trees", "reentry", "stopped"]  # where all activations are recorded
SENTENCES = OF_WAVES + ["recorded", "activated", "regions", "apd", "velocity", "probes", "ecg", "largest"]


def work(number):
    """(kind, {sentence: [(printed, found, where)]} of those that differ, {sentence: how many were compared})"""
    folder = os.path.join(scratch, str(number))
    os.makedirs(folder)
    os.chdir(folder)
    case = Case(number)
    done = subprocess.run([cardiac, "run", "a.yaml", "--json", "--device", "cpu", "--threads", "1"], capture_output=True, text=True)
    if done.returncode:
        return case.kind, {"run": [(done.returncode, 0, done.stderr)]}, {"run": 1}
    checks = Checks(case, json.loads(done.stdout.splitlines()[-1]), open("out/run.log").read(), waves.Fields("out/run.vtkhdf"))
    wrong, compared = {}, {}
    for name in SENTENCES[len(OF_WAVES) if checks.printed["not_recorded"] else 0:]:
        pairs = list(getattr(checks, name)())
        compared[name] = len(pairs)
        wrong[name] = [pair for pair in pairs if pair[0] != pair[1]]
    os.remove("out/run.vtkhdf")
    return case.kind, {name: pairs for name, pairs in wrong.items() if pairs}, compared


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        numbers = [int(x) for x in sys.argv[4:]] or range(count)
        compared, failed = collections.Counter(), collections.Counter()
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            for number, (kind, wrong, seen) in zip(numbers, pool.map(work, numbers)):
                compared.update(seen)
                for name, pairs in wrong.items():
                    failed[name] += len(pairs)
                    print("%d (%s): %s: printed %s, found %s: %s" % (number, kind, name, *pairs[0]))
    print("; ".join("%s %d of %d" % (name, compared[name] - failed[name], compared[name]) for name in compared))
    sys.exit(bool(failed))
