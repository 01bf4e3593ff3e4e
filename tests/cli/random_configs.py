# random_configs.py CARDIAC SHUFFLED START COMM SOURCE COUNT SEED [studies]: configs drawn at random from the table of keys, each run on one thread and
# on two, on each instruction set, on two ranks, with another packing (SHUFFLED, tests/support/other_packing.c) and resumed in the middle:
# results, tables and checkpoints equal bit by bit, or the same error from all; and one of the studies, which ends with a documented
# status and no fault. A key that nobody has said how to draw fails the test. With `studies` each config goes through all studies instead, also
# one that a run refuses.
# With SHOW_REFUSED=1 in the environment it prints why configs are refused.
import collections
import concurrent.futures
import functools
import importlib.util
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

cardiac, shuffled, start, comm, source = (os.path.abspath(path) for path in sys.argv[1:6])
count, seed, only_studies = int(sys.argv[6]), int(sys.argv[7]), sys.argv[8:] == ["studies"]
scratch = tempfile.mkdtemp()
environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", LOCAL_RANKS_PATIENCE="60")
PATIENCE, HANGS = 900, 124  # s for a command, and the status of one that takes longer
models = ["mitchell-schaeffer", "tp06-epi", "tp06-m", "luo-rudy-1991", "courtemanche-ra", "bueno-orovio-m", "fenton-karma-gp", "aliev-panfilov-1996",
          "fitzhugh-nagumo", "ohara-endo", "passive"]
tabled = {"tp06-epi", "tp06-m", "luo-rudy-1991", "courtemanche-ra", "ohara-endo"}

# Keys that no config here has, and why
LEFT_OUT = {
    "device": "of the variants", "threads": "of the variants", "output.directory": "of the variants", "time.end": "of the variants",
    "version": "always 1", "tissue.regions[].model.file": "a compiler would take longer than all runs",
    "tissue.regions[].model.voltage.name": "of texts", "tissue.regions[].model.voltage.rest": "of texts",
    "tissue.regions[].model.voltage.amplitude": "of texts", "tissue.regions[].model.time_unit": "of texts",
    "tissue.regions[].model.variant": "of texts",
    **{"ecg.conductor.%s" % key: "a mesh of tetrahedra around another: tests/cli/torso.sh" for key in (
        "file", "scale", "regions", "regions[].tags", "regions[].conductivity")},
    "mesh.tags": "names an array of a file", "mesh.fibers": "names an array of a file", "mesh.sheets": "names an array of a file",
    "initial.file": "of the second run of some configs", "initial.time": "of results",
    **{"induction." + key: "of `cardiac induce`" for key in ("protocol", "sites", "where", "spacing", "radius", "from", "to", "by", "extra", "sustained", "lesions", "lesions[].name", "lesions[].where")},
    **{key: "of `cardiac fit`" for key in ("activation.target", "activation.noise", "activation.lag", "ecg.target", "ecg.noise", "ecg.lag", "ecg.gain", "fit.parameters", "fit.evaluations", "fit.seed")},
}


def fail(text):
    print("FAILED:", text)
    sys.exit(1)


def table():
    """{key: (what it takes, default)} as the program prints its keys"""
    rows = subprocess.run([cardiac, "check", "--keys"], capture_output=True, text=True, check=True).stdout.splitlines()
    keys = {}
    for row in rows:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            keys[cells[0].strip("`")] = (cells[1], cells[2].strip("`"))
    return keys


@functools.cache
def describe(model):
    return json.loads(subprocess.run([cardiac, "models", model, "--json"], capture_output=True, text=True, check=True).stdout)


class Drawing:
    """One config: `values` by key; those of lists are drawn for each item"""

    def __init__(self, keys, number):
        self.keys, self.number, self.random = keys, number, random.Random(seed * 1000003 + number)
        self.step = self.random.choice([0.01, 0.02, 0.05])
        self.steps = 2 * self.random.randint(10, 24)
        self.block = [1, 2, 1, 4, 1][number % 5]  # steps of time.longest
        self.steps += -self.steps % (2 * self.block)
        self.folder = os.path.join(scratch, str(number))
        os.makedirs(self.folder, exist_ok=True)
        self.chosen = [self.random.choice(models) for _ in range(self.random.choice([1, 1, 2, 3]))]
        self.other = random.Random(self.number)  # of networks: it leaves the draws of the others as they are
        self.wire = self.other.choice(["ends", "fused", "none", "", "", "", ""])

    def maybe(self, share):
        return self.random.random() < share

    def number_between(self, low, high):
        return float("%.4g" % self.random.uniform(low, high))

    def times(self, low, high):
        """so many steps, or up to whole ones of time.longest, as a time"""
        steps = self.random.randint(low, high)
        return "%.10g ms" % (self.step * (steps + -steps % self.block))

    def file(self, name, lines):
        """The name of a file with these lines; one that is there keeps its own, since a simulation may have read it"""
        text = "".join(line + "\n" for line in lines)
        stem, ending = os.path.splitext(name)
        for attempt in itertools.count(2):
            try:
                with open(os.path.join(self.folder, name), "x") as file:
                    file.write(text)
                return name
            except FileExistsError:
                with open(os.path.join(self.folder, name)) as file:
                    if file.read() == text:
                        return name
            name = "%s-%d%s" % (stem, attempt, ending)

    def point(self, beyond=0.0):
        return ["%.4g mm" % self.random.uniform(-beyond, size + beyond) for size in self.size]

    def draw_mesh(self):
        """with a wire that ends at the origin, in some"""
        mesh = self.draw_body()
        if self.wire:
            self.file("wire.pts", ["9", *("%g 50 50" % (200 * k - 1600) for k in range(9))])  # um
            self.file("wire.elem", ["8", *("Ln %d %d" % (k, k + 1) for k in range(8))])
            network = {"file": "wire.elem", "tag": 101, "junctions": self.wire, "radius": "5 mm" if self.kind == "ellipsoid" else "0.5 mm"}
            if self.wire == "ends":
                network["junction_tag"] = 102
            if self.kind == "file" or self.other.random() < 0.5:
                network["scale"] = "1 um"
            mesh["network"] = [network]
        return mesh

    def wire_regions(self, regions):
        """regions, with those of a wire before them, and the cross-sections that all need then"""
        if not self.wire:
            return regions
        section = {"sheet": {"thickness": "0.4 mm"}, "cable": {"radius": "0.13 mm"}}.get(self.kind, {})
        wire = {"tags": [101], "model": self.chosen[0], "conductivity": 0.3, "radius": self.other.choice(["0.1 mm", "0.08 mm"])}
        if self.other.random() < 0.5:
            wire["surface_to_volume"] = "500 1/cm"
        resistors = [{"tags": [102], "conductance": self.other.choice(["0 uS", "0.5 uS", "20 uS"])}] if self.wire == "ends" else []
        return [*resistors, wire, *({**region, **section} for region in regions)]

    def draw_body(self):
        self.field = self.array = None
        kind = self.kind = self.random.choice(["slab", "sheet", "cable", "ellipsoid", "file"])
        edge = self.random.choice([0.2, 0.25, 0.3])
        many = [self.random.randint(2, 7), self.random.randint(2, 5), self.random.randint(1, 3)]
        self.size = [edge * n for n in many]
        self.nodes = (many[0] + 1) * (many[1] + 1) * (many[2] + 1)
        length = ["%.10g mm" % size for size in self.size]
        if kind == "slab":
            return {"slab": {"size": length, "spacing": "%g mm" % edge}}
        if kind == "sheet":
            self.size[2], self.nodes = 0, (many[0] + 1) * (many[1] + 1)
            return {"sheet": {"size": length[:2], "spacing": "%g mm" % edge}}
        if kind == "cable":
            self.size, self.nodes = [20 * edge, 0, 0], 21
            return {"cable": {"length": "%.10g mm" % (20 * edge), "spacing": "%g mm" % edge}}
        if kind == "ellipsoid":
            self.size, self.nodes = [3, 3, -8], 30
            mesh = {"ellipsoid": {"size": ["4 mm", "9 mm", "2 mm"], "edge": "2 mm"}}
            if self.maybe(0.3):
                mesh["surfaces"] = {"base": "base", "epi": "epi", "lv": "lv"}
                mesh["laplace"] = {"wall": {"from": "lv", "to": "epi"}}
                self.field = "wall"
            return mesh
        self.size, self.nodes, self.kind = [2, 1, 1], 10, "file"
        mesh = {"file": os.path.join(source, "meshes", "slab_small.msh"), "scale": "1 mm"}
        if self.other.random() < 0.5:
            self.array = "grade"
            mesh["arrays"] = {"grade": "grade.dat"}
            with open(os.path.join(self.folder, "grade.dat"), "w") as file:
                file.writelines("%.3f\n" % self.other.uniform(0.8, 1.2) for _ in range(60))  # of its nodes
        return mesh

    def draw_fibers(self):
        uniform = [self.number_between(0.1, 1), self.number_between(0, 1), 0]
        if self.field and self.maybe(0.5):
            self.sheets = False
            return {"rule": "field", "field": self.field}
        self.sheets = True
        if self.kind == "ellipsoid" and self.maybe(0.6):
            return {"rule": "ldrb", "fiber": ["60 deg", "-60 deg"], "sheet": ["-65 deg", "25 deg"]}
        if self.kind == "slab" and self.maybe(0.5):
            return {"across": "z", "from": "60 deg", "to": "-50 deg"}
        self.sheets = False
        return uniform

    def conductivity(self):
        forms = [self.number_between(0.02, 0.4),
                 {"longitudinal": self.number_between(0.1, 0.4), "transverse": self.number_between(0.02, 0.1)},
                 {"intra": 0.2, "extra": self.number_between(0.2, 0.6)},
                 {"intra": {"longitudinal": 0.17, "transverse": 0.019}, "extra": {"longitudinal": 0.62, "transverse": 0.24}}]
        form = self.random.choice(forms)
        for sides in [form, *form.values()] if isinstance(form, dict) and self.sheets and self.maybe(0.5) else []:
            if isinstance(sides, dict) and "transverse" in sides:
                sides["normal"] = 0.6 * sides["transverse"]
        return form

    def region(self, k):
        model, last = self.chosen[k], k == len(self.chosen) - 1
        item = {"model": model}
        if not last:
            item["where"] = "x < %.3g mm" % (self.size[0] * (k + 1) / len(self.chosen))
        elif self.maybe(0.5):
            item["tags"] = "all"
        if self.maybe(0.08) and model in ("mitchell-schaeffer", "fitzhugh-nagumo"):
            velocity = {"longitudinal": 0.6, "transverse": 0.4, "normal": 0.3} if self.sheets else {"longitudinal": 0.6, "transverse": 0.4}
            item["velocity"] = self.random.choice([0.5, velocity, dict(velocity, on=self.random.choice(["mesh", "fine"]))])
        else:
            item["conductivity"] = self.conductivity()
        if self.maybe(0.4):
            item["scale"] = self.random.choice([0.8, "1 - y / 20 mm", "1 + x / 30 mm"])
            item["scale"] = self.array or item["scale"]
        parameters = [parameter["name"] for parameter in describe(model)["parameters"] if parameter["value"] != 0]
        if parameters and self.maybe(0.5):
            name = self.random.choice(parameters)
            item["parameters"] = {name: self.random.choice(["x0.98", "x1.01", {"factor": "1 + z / 100 mm"}, {"factor": "1 + x / 200 mm"}])}
        if self.maybe(0.3):
            item["initial"] = self.random.choice([{"V": -75}, {"pace": 1, "period": "20 ms"}])
        return item

    def stimulus(self, k):
        item = {"current": self.random.choice([50, 80, -20]), "duration": self.times(3, 20)}
        item["current"] = "%g uA/uF" % item["current"] if self.maybe(0.6) else "%g uA/cm^3" % (1400 * item["current"])
        shape = self.random.choice(["where", "box", "sphere", "tags", "nodes", "delays", "surface"])
        if shape == "surface" and self.kind == "ellipsoid":
            item["where"] = "surface(%s)" % self.random.choice(["base", "epi", "lv"])
        elif shape in ("where", "surface"):
            item["where"] = "x < %.3g mm" % (self.size[0] / 2)
        elif shape == "box":
            item["box"] = {"min": ["-9 mm", "-9 mm", "-9 mm"], "max": ["%.3g mm" % (self.size[0] / 2), "9 mm", "9 mm"]}
        elif shape == "sphere":
            item["sphere"] = {"centre": self.point(), "radius": "%.3g mm" % (3 if self.kind == "ellipsoid" else 1)}
        elif shape == "tags":
            item["tags"] = "all"
        elif shape == "nodes":
            item["nodes"] = self.file("nodes-%d.txt" % k, sorted({str(self.random.randrange(self.nodes)) for _ in range(5)}, key=int))
        else:
            chosen = sorted({self.random.randrange(self.nodes) for _ in range(6)})
            item["delays"] = self.file("delays-%d.txt" % k, ["%d %.10g" % (node, self.step * self.random.randrange(12)) for node in chosen])
        if self.maybe(0.3):
            item["name"] = "pulse-%d" % k
        if self.maybe(0.5):
            item["start"] = self.times(0, 10)
        if self.maybe(0.2):
            del item["duration"]
            item["pulse"] = self.file("pulse-%d.txt" % k, ["0 0", "%.10g 1" % (3 * self.step), "%.10g 0" % (7 * self.step)])
        train = self.random.choice(["once", "once", "count", "protocol"])
        if train == "count":
            item.update(count=self.random.choice([0, 2, 3]), period=self.times(21, 30))
        if train == "protocol":
            item["protocol"] = [{"count": 2, "period": self.times(21, 25)}, {"after": self.times(22, 30)}]
            if self.maybe(0.4):
                item["protocol"].append({"count": 2, "period": self.times(26, 30), "to": self.times(21, 25)})
        return item

    def fields(self):
        own = [value["name"] for kind in ("states", "currents") for value in describe(self.chosen[0])[kind]]
        return self.random.choice([["V"], ["V", self.random.choice(own)], [self.random.choice(own)], []])

    def maps(self):
        known = ["activation_time", "repolarization_time", "apd90", "apd50", "diastolic_interval", "cycle_length", "peak", "rest", "dvdt_max", "conduction_velocity", "beats"]
        return self.random.sample(known, self.random.randint(0, 4))

    def electrodes(self):
        return {name: self.point(20) for name in self.random.choice([["left"], ["RA", "LA", "LL", "V1"], ["a", "b"]])}

    def lead_fields(self):
        if self.wire or self.kind in ("ellipsoid", "file") or self.maybe(0.8):
            return None
        rows = ["%.6g %.6g" % (self.random.uniform(0, 1), self.random.uniform(0, 1)) for _ in range(self.nodes)]
        return self.file("leads.txt", ["a b", *rows])

    def draw_factors(self):
        names = [parameter["name"] for parameter in describe(self.chosen[0])["parameters"] if parameter["value"] != 0]
        alone = [name for name in names if "." in name or len(self.chosen) == 1]
        return {self.random.choice(alone): "x0.99"} if alone and self.maybe(0.3) else None

    # How each key is drawn that is no word, switch or number of a range with ends; None = left out this time
    DRAW = {
        "title": lambda self: self.random.choice([None, "a title"]),
        "stop_when": lambda self: self.random.choice([None, None, None, "activated", {"beats": 1}, {"quiescent": "0.1 ms"}]),
        "mesh": draw_mesh,
        "tissue.surface_to_volume": lambda self: "%d 1/cm" % self.random.choice([1400, 1000, 2000]),
        "tissue.capacitance": lambda self: self.random.choice([None, "1 uF/cm^2", "0.8 uF/cm^2"]),
        "tissue.fibers": draw_fibers,
        "tissue.parameters": draw_factors,
        "tissue.regions": lambda self: self.wire_regions([self.region(k) for k in range(len(self.chosen))]),
        "stimuli": lambda self: [self.stimulus(k) for k in range(self.random.choice([1, 1, 2, 3]))],
        "time.step": lambda self: "%g ms" % self.step,
        "time.longest": lambda self: "%g ms" % (self.step * self.block) if self.block > 1 else None,
        "solver.tolerance": lambda self: self.random.choice([None, None, 1e-3, 1e-6, 1e-8]),
        "solver.mass_lumping": lambda self: self.random.choice([None, None, 1, 0.8, 0.5, 0]),
        "solver.precision_budget": lambda self: self.random.choice([None, 1e-7, 1e-5, 1e-3, 1e-2]),
        "solver.voltage_limit": lambda self: self.random.choice([None, None, None, 300]),
        "ionic.tables": lambda self: self.random.choice([None, "on"]) if all(model in tabled for model in self.chosen) else None,
        "ionic.step": lambda self: self.random.choice([None, None, "%.10g ms" % (self.step / 4)]),
        "activation.threshold": lambda self: self.random.choice([None, -40, -70]),
        "activation.rearm": lambda self: self.random.choice([None, None, -75]),
        "activation.beats": lambda self: self.random.choice([None, 2, 3]),
        "output.every": lambda self: self.times(3, 12),
        "output.fields": fields,
        "output.maps": maps,
        "output.probes": lambda self: self.random.choice([None, {"near": ["0 mm", "0 mm", "0 mm"]} if self.kind != "ellipsoid" else None]),
        "output.probes_every": lambda self: self.random.choice([None, self.times(1, 5)]),
        "ecg.electrodes": lambda self: self.electrodes() if self.maybe(0.4) else None,
        "ecg.lead_fields": lead_fields,
        "ecg.conductivity": lambda self: self.random.choice([None, 0.3]),
        "ecg.every": lambda self: self.times(2, 9),
        "checkpoint.every": lambda self: "%.10g ms" % (self.step * self.steps / 2),
        "checkpoint.keep": lambda self: self.random.choice([None, 5]),
    }

    def draw_plain(self, key):
        """A word, a switch or a number, from what the table says of the key; None = not to be drawn so"""
        takes = self.keys[key][0]
        bounds = re.fullmatch(r"(?:(whole number)|number|[^,]+), (?:above )?(\S+) \.\. (\S+)", takes)
        if bounds:
            low, high = float(bounds[2]), float(bounds[3])
            value = self.random.randint(int(low), int(high)) if bounds[1] else float("%.3g" % self.random.uniform(low + 1e-3 * (high - low), high))
            return value
        words = [word.strip() for word in takes.split(",")]
        if len(words) > 1 and all(re.fullmatch(r"[a-z0-9-]+", word) for word in words):
            return self.random.choice(words)
        return None

    def config(self):
        config = {"version": 1, "time": {"end": "%.10g ms" % (self.step * self.steps)}, "device": "cpu"}
        for key in [key for key in self.DRAW if "[]" not in key] + sorted(key for key in self.keys if "[]" not in key):
            if key in LEFT_OUT or get(config, key) is not None:
                continue
            value = self.DRAW[key](self) if key in self.DRAW else self.draw_plain(key) if self.maybe(0.35) else None
            if value is not None:
                put(config, key, value)
        if any("cm^3" in stimulus["current"] for stimulus in config["stimuli"]):  # one chi
            for region in config["tissue"]["regions"]:
                region.pop("surface_to_volume", None)
        ecg = config["ecg"]
        if "lead_fields" in ecg:
            ecg.pop("electrodes", None)
            ecg.pop("conductivity", None)
        elif "electrodes" not in ecg:
            del config["ecg"]
        if self.block > 1 or config.get("solver", {}).get("method") == "rkl2":
            config.get("solver", {}).pop("mass_lumping", None)
        return config


def get(config, key):
    for name in key.split("."):
        config = config.get(name) if isinstance(config, dict) else None
    return config


def put(config, key, value):
    *above, last = key.split(".")
    for name in above:
        config = config.setdefault(name, {})
    config[last] = value


def names_of(config, above=""):
    """The keys that a config gives"""
    for name, value in config.items():
        key = above + name
        if isinstance(value, dict):
            yield from names_of(value, key + ".")
        if isinstance(value, list):
            for item in value:
                yield from names_of(item, key + "[].") if isinstance(item, dict) else []
        yield key


def check_known(keys):
    """Each key of the table is in some config, or stands among those that are in none, with a reason"""
    found = set()
    for number in range(500):
        found.update(names_of(Drawing(keys, -1 - number).config()))
    for key in keys:
        if key not in found and key not in LEFT_OUT:
            fail("no config has the key %s of the table app/config/keys.c: say in DRAW how it is drawn" % key)
    for key in LEFT_OUT:
        if key not in keys:
            fail("the table has no key %s any more" % key)


def run(program, drawing, output, *options, ranks=1, **variables):
    """How it ended: status, and what it said of an error"""
    launch = [start, str(ranks)] if ranks > 1 else []
    try:
        done = subprocess.run([*launch, program, "run", "config.yaml", "--quiet", "--output", output, *options], cwd=drawing.folder, timeout=PATIENCE,
                              env=dict(environment, **variables), capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return HANGS, "has not ended after %d s" % PATIENCE
    said = "\n".join(line for line in done.stderr.splitlines() if "warning:" not in line)
    return done.returncode, re.sub(r"\b%s/" % output, "OUT/", said)


BATCH = """import cardiac, sys
try:
    cardiac.batch("config.yaml", {"activation.threshold": ["-40 mV", "-30 mV"]}, output="batched")
except cardiac.Error as error:
    print("cardiac: %s" % error.text, file=sys.stderr)
    sys.exit(error.status)
"""
FIT = "fit={evaluations: 3, parameters: {'stimuli[0].start': {from: 0 ms, to: 0.4 ms}}}"
STUDIES = [
    ["restitution", "config.yaml", "--s2", "20:10:10", "--set", "output.probes={near: [0 mm, 0 mm, 0 mm]}"],
    ["induce", "config.yaml", "--output", "induced", "--set", "induction={from: 20 ms, to: 10 ms, by: 10 ms, extra: 1, sustained: 20 ms}", "--results"],
    ["sweep", "config.yaml", "--maps", "--output", "swept", "--set", "sweep={activation.threshold: [-40 mV, -30 mV]}"],
    ["report", "whole"],
    ["bundle", "whole", "bundled"],
    ["check", "config.yaml", "--json"],
    ["converge", "config.yaml", "--dry-run", "--output", "converged"],
    ["tips", "whole"],
    ["fit", "config.yaml", "--output", "fitted", "--set", FIT, "--set", "activation={target: lat.csv}"],
    *([["batch"]] if importlib.util.find_spec("pandas") else []),
]


def study(drawing):
    """What is wrong with how one of the studies ends, in turn"""
    return end_of(drawing, STUDIES[drawing.number % len(STUDIES)])[1]


def end_of(drawing, call):
    """The status of a study, and what is wrong with it"""
    drawing.file("lat.csv", ["node,activation (ms)", "0,0", "1,0.2", "2,0.4"])
    words, variables = [cardiac, *call], environment
    if call == ["batch"]:
        words, variables = [sys.executable, "-c", BATCH], dict(environment, CARDIAC=cardiac, PYTHONPATH=os.pathsep.join([os.path.join(source, "app", "python"), *sys.path[1:]]))
    try:
        done = subprocess.run(words, cwd=drawing.folder, timeout=PATIENCE, env=variables, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return HANGS, ["%s: has not ended after %d s" % (call[0], PATIENCE)]
    wrong = any(word in done.stderr for word in ("a fault", "Traceback", "Sanitizer")) or done.returncode not in (0, 2, 3)
    wrong = wrong or (done.returncode and not re.search("(?m)^cardiac: (?!warning: )", done.stderr))  # without a reason
    return done.returncode, ["%s: status %d: %s" % (call[0], done.returncode, done.stderr)] if wrong else []


def try_studies(keys, number):
    """{study: status}, and what is wrong with them, of a config that may be refused"""
    drawing, ends, wrong = Drawing(keys, number), {}, []
    config = drawing.config()
    with open(os.path.join(drawing.folder, "config.yaml"), "w") as file:
        json.dump(config, file, indent=1)
    ends["run"], said = run(cardiac, drawing, "whole", "--threads", "1")
    if ends["run"] not in (0, 2, 3):
        wrong.append("run: status %d: %s" % (ends["run"], said))
    for call in STUDIES:
        ends[call[0]], more = end_of(drawing, call)
        wrong += more
    if not wrong:
        shutil.rmtree(drawing.folder)
    return ends, wrong, config


def start_interpreter():
    """One of which the studies are forks (support/warm_python.py)"""
    client = environment["CARDIAC_PYTHON"] = os.path.join(scratch, "python3")
    warm = subprocess.Popen([sys.executable, os.path.join(source, "tests", "support", "warm_python.py"), client, "numpy", "h5py"])
    while not os.path.exists(client):
        if warm.poll() is not None:
            fail("no interpreter: status %d" % warm.returncode)
        time.sleep(0.01)


def main_of_studies(keys):
    ended, bad = collections.Counter(), 0
    start_interpreter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, (ends, wrong, config) in enumerate(pool.map(lambda n: try_studies(keys, n), range(count))):
            ended.update(ends.items())
            print("config %d: %s" % (number, ", ".join("%s %d" % end for end in ends.items())), flush=True)
            if wrong:
                bad += 1
                print("config %d of seed %d:\n  %s\n%s" % (number, seed, "\n  ".join(wrong), json.dumps(config)), flush=True)
    if ["batch"] not in STUDIES:
        print("batch: skipped, it needs pandas")
    for name in ["run", *(call[0] for call in STUDIES)]:
        print("%s: %s" % (name, ", ".join("%d ended with %d" % (ended[name, status], status) for status in range(5) if ended[name, status])))
        if not ended[name, 0] and count > 20:
            fail("%s: none succeeds" % name)
    if bad:
        fail("%d of %d configs" % (bad, count))
    shutil.rmtree(scratch)


def checkpoints(folder):
    return sorted((name for name in os.listdir(folder) if name.startswith("checkpoint-")), key=lambda name: int(re.sub(r"\D", "", name[:-3])))


def differences(drawing, output):
    """What of a run is not that of the first, bit by bit"""
    one, other = os.path.join(drawing.folder, "whole"), os.path.join(drawing.folder, output)
    found = []
    pairs = [("run.vtkhdf", "run.vtkhdf")]
    if checkpoints(one)[-1:] != checkpoints(other)[-1:]:
        found.append("its last checkpoint is %s, not %s" % (checkpoints(other)[-1:], checkpoints(one)[-1:]))
    else:
        pairs += [(name, name) for name in checkpoints(one)[-1:]]
    for name, same in pairs:
        done = subprocess.run([cardiac, "compare", os.path.join(one, name), os.path.join(other, same), "--tolerance", "0"], capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stdout.splitlines() if "max 0 " not in line] + done.stderr.splitlines()
            found.append("%s differs: %s" % (name, "; ".join(lines[:4])))
    for name in ("probes.csv", "ecg.csv", "beats.csv"):
        paths = [os.path.join(folder, name) for folder in (one, other)]
        texts = [open(path).read() if os.path.exists(path) else None for path in paths]
        if texts[0] != texts[1]:
            found.append("%s differs" % name)
    return found


def try_config(keys, number, sets):
    """None where the config is refused, else what is wrong"""
    drawing = Drawing(keys, number)
    config = drawing.config()
    path = os.path.join(drawing.folder, "config.yaml")
    with open(path, "w") as file:
        json.dump(config, file, indent=1)
    whole = run(cardiac, drawing, "whole", "--threads", "1")
    if whole[0] == 0 and drawing.maybe(0.25) and checkpoints(os.path.join(drawing.folder, "whole")):
        first = os.path.join(drawing.folder, "first")
        os.rename(os.path.join(drawing.folder, "whole"), first)
        config["initial"] = {"file": os.path.join("first", checkpoints(first)[-1])}
        with open(path, "w") as file:
            json.dump(config, file, indent=1)
        whole = run(cardiac, drawing, "whole", "--threads", "1")
    if whole[0] == 2:
        return None, whole[1]
    wrong = [] if whole[0] in (0, 3) else ["status %d: %s" % whole]
    variants = [("2 threads", cardiac, ["--threads", "2"], {}), ("2 ranks", "bin/cardiac", ["--threads", "1"], {"ranks": 2}),
                ("another packing", shuffled, ["--threads", "2"], {"PACKING_HEIGHT": drawing.random.choice(["8", "16", "64"])})]
    variants += [(device, cardiac, ["--device", device], {}) for device in sets]
    for name, program, options, more in variants:
        output = name.replace(" ", "-")
        if program == "bin/cardiac":
            program = os.path.join(scratch, program)
        ended = run(program, drawing, output, *options, **more)
        if ended != whole:
            wrong.append("%s: status %d, not %d: %s | %s" % (name, ended[0], whole[0], ended[1], whole[1]))
        elif whole[0] == 0:
            wrong += ["%s: %s" % (name, what) for what in differences(drawing, output)]
    if whole[0] == 0:
        half = "--set", "time.end=%.10g ms" % (drawing.step * drawing.steps / 2)
        ended = run(cardiac, drawing, "resumed", *half), run(cardiac, drawing, "resumed", "--resume")
        wrong += ["resumed: status %d: %s" % end for end in ended if end[0]] or ["resumed: %s" % what for what in differences(drawing, "resumed")]
        wrong += study(drawing)
    if not wrong:
        shutil.rmtree(drawing.folder)
    return (wrong, json.dumps(config) if wrong else ""), whole


def main():
    keys = table()
    if len(keys) < 80:
        fail("only %d keys are read from `cardiac check --keys`" % len(keys))
    if only_studies:
        return main_of_studies(keys)
    check_known(keys)
    os.mkdir(os.path.join(scratch, "bin"))
    shutil.copy(cardiac, os.path.join(scratch, "bin", "cardiac"))
    shutil.copy(comm, os.path.join(scratch, "bin", "libcardiac_comm.so"))
    here = subprocess.run([cardiac, "info"], capture_output=True, text=True).stdout
    sets = re.findall(r"cpu-[a-z0-9-]+", re.search("kernels (.*)", here)[1])
    refused, failed, tried, bad = 0, 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, (found, ended) in enumerate(pool.map(lambda n: try_config(keys, n, sets), range(count))):
            tried += 1
            if found is None:
                refused += 1
                if os.environ.get("SHOW_REFUSED"):
                    print("config %d refused: %s" % (number, ended))
                continue
            failed += ended[0] == 3
            if os.environ.get("SHOW_REFUSED") and ended[0]:
                print("config %d ends: %s" % (number, ended[1]))
            if found[0]:
                bad += 1
                print("config %d of seed %d:\n  %s\n%s" % (number, seed, "\n  ".join(found[0]), found[1]), flush=True)
    print("%d configs of seed %d, %d refused, %d ended by an error of the run; instruction sets: %s" % (tried, seed, refused, failed, ", ".join(sets)))
    if 2 * refused > tried:
        fail("more than half of the configs are refused")
    if bad:
        fail("%d configs" % bad)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
