"""The runs by which the error of a config is estimated, with the meshes and node lists that they name.

Each run differs from another one in one thing alone: tolerance, precision and step from the config, the mesh from the
run with half the step. So the differences of step and mesh add up to that of a run with half of both.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from ..program import InputError, argument, failure, find
from ..text import visible
from .paced import number_of

KINDS = ("mesh", "step", "tolerance", "rounding")  # those of interest first
MAPS = ("activation_time", "conduction_velocity", "apd90")  # compared in any case
MOVES = "; a result (.vtkhdf) that holds all states can be moved there"
BOUND = ": on a finer mesh there is nothing like it; --fixed-mesh leaves the mesh as it is"
ARRAYS = ("tags", "fibers", "sheets", "scale")  # keys of mesh, and options of `cardiac mesh`
_NOTES = dict(
    line.split(" = ")
    for line in """\
outline = Split elements keep the outline of the coarse mesh: the error of its shape is not in these differences.
velocity = `velocity` is met on each mesh anew, with other conductivities: it hides the error of the mesh in the velocities.
list = Stimulus %s: the nodes of its list, and those in the middle of edges between two of them.
places = Stimulus %s: at the same places, where a node of the finer mesh holds less tissue.
conductor = ecg.conductor keeps its mesh: the error of that is not in these differences.
initial = initial.file: each node of the finer mesh takes the state of the nearest node.""".splitlines()
)


def program(*words: str) -> str:
    """The output of a command of the program; its errors are raised."""
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    done = subprocess.run([find(), *words], errors="surrogateescape", **pipes)
    if done.returncode:
        raise failure(done.returncode, done.stderr)
    return str(done.stdout)


def describe(config: str, sets: Sequence[str]) -> Dict[str, Any]:
    """What `cardiac check --json` says of a config, without its mesh."""
    keys = ["--set=" + key for key in sets]
    facts: Dict[str, Any] = json.loads(
        program("check", "--syntax", "--json", argument(config), *keys)
    )
    return facts


def halved(value: str, times: int) -> str:
    """A length or time halved so many times, as the shortest decimal that reads back as that number.

    >>> halved("0.2 mm", 1)
    '0.1 mm'
    """
    unit = value.split()[1]
    return re.sub(r"\.0$", "", repr(math.ldexp(number_of(value), -times))) + " " + unit


def quoted(text: str) -> str:
    """In YAML's single quotes.

    >>> quoted("where's")
    "'where''s'"
    """
    return "'%s'" % text.replace("'", "''")


class Run(NamedTuple):
    """A run, with the number of times its edge and step are halved."""

    kind: str  # of KINDS; "" is the config itself
    edge: int = 0
    step: int = 0


class Plan:
    """The runs, and what their configs differ in.

    Parameters
    ----------
    config : str
    sets : sequence of str
        Those of --set.
    levels : int
        2: half the edge and step; 3: a quarter as well.
    finer : bool
        Whether the mesh is refined.

    Attributes
    ----------
    runs : list of Run
    config : dict
        The resolved config, with the outputs that runs need; sets: with these.
    folder : str
        Where the finer meshes are written, an absolute path; to be set.
    """

    def __init__(self, config: str, sets: Sequence[str], levels: int, finer: bool) -> None:
        facts = describe(config, sets)
        if facts["several_runs"]:
            raise InputError(facts["several_runs"], 2)
        if finer and facts["bound_to_mesh"]:
            lines = [line + BOUND for line in facts["bound_to_mesh"].split("\n")]
            lines = [line + MOVES * (" initial.file: " in line) for line in lines]
            raise InputError("\n".join(lines), 2)
        maps, end = facts["config"]["output"].get("maps", []), facts["config"]["time"]["end"]
        maps += [name for name in MAPS if name not in maps]
        self.sets = [*sets, "output.maps=[%s]" % ", ".join(maps), "output.every=" + end]
        if facts["config"]["output"].get("probes"):
            self.sets.append("output.probes_every=" + end)
        facts = describe(config, self.sets)
        self.path, self.levels, self.finer, self.folder = config, levels, finer, ""
        self.config: Dict[str, Any] = facts["config"]
        self.ids: Dict[str, str] = facts["ids"]
        self.order_in_time: int = facts["order_in_time"]
        mesh, list_keys = self.config["mesh"], ("nodes", "delays")
        self.kind = next(k for k in ("slab", "sheet", "cable", "ellipsoid", "file") if k in mesh)
        listed = self.lists() or any(key in s for s in self.config["stimuli"] for key in list_keys)
        self.by_file = bool(listed) or self.kind in ("ellipsoid", "file")
        self._rounding, self._tighter = self._find_rounding(), {}
        self._method = self._find_method()
        if (self._method or self.config["solver"]["method"]) != "rkl2":
            tolerance = number_of(self.config["solver"]["tolerance"]) * 0.1
            self._tighter = {"solver.tolerance": halved("%r mV" % tolerance, 0)}
        self.runs = [Run("")] + [Run("tolerance")] * len(self._tighter)
        self.runs += [Run("rounding")] * bool(self._rounding)
        self.runs += [Run("step", 0, k) for k in range(1, levels)]
        self.runs += [Run("mesh", k, 1) for k in range(1, levels) if finer]

    def _find_method(self) -> str:
        """What auto chooses where it may choose rkl2, whose steps have other errors than those of sweeps."""
        solver = self.config["solver"]
        if solver["method"] != "auto" or solver["mass_lumping"] != 1:
            return ""
        keys = ["--set=" + key for key in self.sets]
        dry = ("--dry-run", "--verbose", "--device=cpu")
        said = program("run", argument(self.path), *keys, *dry)
        return str(re.findall(r"^method: (\w+)", said, re.MULTILINE)[0])

    def _find_rounding(self) -> Dict[str, str]:
        changes, ionic = {}, self.config["ionic"]
        if self.config["solver"]["precision"] == "mixed":  # the default budget warns of nothing
            changes = {"solver.precision": "double", "solver.precision_budget": "1e-05 mV"}
        if ionic["state"] == "mixed":
            changes["ionic.state"] = "double"
        return {**changes, "ionic.tables": "off"} if ionic["tables"] == "on" else changes

    def _steps(self, times: int) -> Dict[str, str]:
        of, ionic = self.config["time"], self.config["ionic"]["step"]
        changes = {
            "time." + key: halved(of[key], times) for key in ("step", "longest") if key in of
        }
        if number_of(of["step"]) > 1.5 * number_of(ionic):
            changes["ionic.step"] = halved(ionic, times)
        return changes

    def _mesh(self, edge: int) -> Dict[str, str]:
        mesh = self.config["mesh"]
        if not self.by_file:
            spacing = halved(mesh[self.kind]["spacing"], edge)
            return {"mesh.%s.spacing" % self.kind: spacing}
        lists, inner = self.lists(), []
        for name, of in mesh.get("surfaces", {}).items():
            text = self.name_file(name, edge) if name in lists else of
            inner.append("%s: %s" % (name, of if isinstance(of, int) else quoted(text)))
        surfaces = ", surfaces: {%s}" % ", ".join(inner) if inner else ""
        path = quoted(self.name_file("mesh", edge))
        fields = ", laplace: " + json.dumps(mesh["laplace"]) if "laplace" in mesh else ""
        changes = {"mesh": "{file: %s%s%s}" % (path, surfaces, fields)}
        own = [name for name in lists if name.startswith("stimulus-")]
        keys = ["stimuli[%s].nodes" % name.partition("-")[2] for name in own]
        return {**changes, **{k: quoted(self.name_file(n, edge)) for k, n in zip(keys, own)}}

    def _changes(self, run: Run) -> Dict[str, str]:
        changes = self._steps(run.step) if run.step else {}
        if self._method:  # jacobi may diverge on finer meshes
            diverges = self._method == "jacobi" and run.edge > 0
            changes["solver.method"] = "chebyshev" if diverges else self._method
        changes.update(self._tighter if run.kind == "tolerance" else {})
        changes.update(self._rounding if run.kind == "rounding" else {})
        return {**changes, **(self._mesh(run.edge) if run.edge else {})}

    def rows(self) -> List[List[str]]:
        """The table of the runs, as `cardiac sweep` reads it: the names, then a row a run."""
        names = [*self._steps(1), *self._tighter, *self._rounding]
        names += ["solver.method"] * bool(self._method)
        names += self._mesh(1) if self.finer else ()
        changes = map(self._changes, self.runs)
        return [names, *([change.get(name, "") for name in names] for change in changes)]

    def lists(self) -> Dict[str, str]:
        """The lists of nodes that the config names: {"stimulus-0": path, "epi": path}."""
        found = {"stimulus-%d" % k: s.get("nodes") for k, s in enumerate(self.config["stimuli"])}
        found.update(
            self.config["mesh"].get("surfaces", {})
        )  # marks, names without a slash, or paths
        return {name: of for name, of in found.items() if isinstance(of, str) and "/" in of}

    def name_file(self, what: str, edge: int) -> str:
        """The path of a finer mesh, or of a list of its nodes."""
        level = "half" if edge == 1 else "quarter"
        end = (self.ids["mesh"], ".vtkhdf") if what == "mesh" else (self.ids["results"], ".txt")
        return os.path.join(self.folder, "%s-%s-%s%s" % (what, level, *end))

    def reference(self, k: int) -> int:
        """The run that run k refines."""
        of = self.runs[k]
        for r in range(k - 1, 0, -1):
            other = self.runs[r]
            if of.kind == other.kind == "step" and other.step + 1 == of.step:
                return r
            coarser = other.step == of.step and other.edge + 1 == of.edge
            if of.kind == "mesh" and coarser and other.kind in ("mesh", "step"):
                return r
        return 0

    def run_of(self, kind: str, level: int) -> Optional[int]:
        found = [k for k, run in enumerate(self.runs) if run.kind == kind]
        return found[level] if level < len(found) else None

    def kinds(self) -> List[str]:
        return [kind for kind in KINDS if self.run_of(kind, 0) is not None]

    def write_meshes(self) -> None:
        """Writes the missing finer meshes and lists. Existing files of these names are never replaced."""
        lists = self.lists()
        for edge in range(1, self.levels) if self.finer and self.by_file else ():
            names = {"fine.vtkhdf": self.name_file("mesh", edge)}
            names.update({"fine_%s.txt" % name: self.name_file(name, edge) for name in lists})
            if all(map(os.path.lexists, names.values())):
                continue
            with TemporaryDirectory(dir=self.folder, prefix="new-") as new:
                links = {os.path.join(new, name + ".txt"): path for name, path in lists.items()}
                for link, path in links.items():
                    os.symlink(path, link)
                fine, options = os.path.join(new, "fine.vtkhdf"), [
                    "--lists=" + link for link in links
                ]
                coarse = self._coarse(os.path.join(new, "coarse.vtkhdf"))
                program("mesh", "refine", *coarse, fine, "--times=%d" % edge, *options)
                for name, path in names.items():
                    with suppress(FileExistsError):
                        os.link(os.path.join(new, name), path)

    def _coarse(self, path: str) -> List[str]:
        """The config's mesh as arguments of `cardiac mesh refine`; a generated one is written to `path`."""
        mesh = self.config["mesh"]
        if self.kind == "file":
            return [mesh["file"], *("--%s=%s" % (k, mesh[k]) for k in ARRAYS if k in mesh)]
        of = mesh[self.kind]
        size = of["length"] if self.kind == "cable" else ",".join(of["size"])
        edge = "edge" if self.kind == "ellipsoid" else "spacing"
        program("mesh", self.kind, path, "--size=" + size, "--%s=%s" % (edge, of[edge]))
        return [path]

    def notes(self) -> List[str]:
        """What moves to finer meshes in another way than by the config's own rules, a line each."""
        config = self.config
        velocities = [
            region.get("velocity", {"on": "fine"}) for region in config["tissue"]["regions"]
        ]
        lines = [_NOTES["outline"]] * self.by_file
        lines += [_NOTES["velocity"]] * any(v.get("on") != "fine" for v in velocities)
        for stimulus in config["stimuli"]:
            placed = "delays" in stimulus or "surface(" in stimulus.get("where", "")
            note = "list" if "nodes" in stimulus else "places" if placed else ""
            lines += [_NOTES[note] % visible(stimulus["name"])] if note else []
        lines += [_NOTES["conductor"]] * ("conductor" in config.get("ecg", {}))
        lines += [_NOTES["initial"]] * ("initial" in config)
        return lines if self.finer else []
