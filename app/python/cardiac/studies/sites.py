"""The sites at which `cardiac induce` stimulates: a list, the nodes of a condition, or the segments of the left ventricle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List

import numpy as np
from numpy.typing import NDArray

from ..program import InputError
from ..simulation import Simulation
from .paced import Paced, Stimulus, number_of

MOST, BATCH = 10000, 100  # sites; those that are looked up at once
AROUND = ("anterior", "anteroseptal", "inferoseptal", "inferior", "inferolateral", "anterolateral")
SEGMENTS = ["basal " + side for side in AROUND] + ["mid " + side for side in AROUND]
SEGMENTS += ["apical " + side for side in ("anterior", "septal", "inferior", "lateral")] + ["apex"]
Points = NDArray[np.float64]


@dataclass
class Site:
    """A place at which the tissue is stimulated: its name, point (mm), S1 there, and the nodes that are stimulated."""

    name: str
    point: Points
    s1: Stimulus
    nodes: NDArray[np.int64]


def _space(sim: Simulation, where: str, spacing: float) -> Dict[str, Points]:
    """The nodes of a condition, in their order, that are no closer than `spacing` to those before."""
    points, found = sim.points, np.empty((0, 3))
    sites: Dict[str, Points] = {}
    for node in np.flatnonzero(sim["where/" + where]):
        if (((points[node] - found) ** 2).sum(axis=1) >= spacing * spacing).all():
            if len(sites) == MOST:
                text = "induction.spacing: more than %d sites; use a larger one"
                raise InputError(text % MOST, 2)
            sites["node %d" % node] = points[node]
            found = np.array(list(sites.values()))
    if not sites:
        raise InputError("induction.spacing: it selects no node of the mesh", 2)
    return sites


def find_segments(path: str, sim: Simulation) -> Dict[str, Points]:
    """One place in each segment of the left ventricle: the node of its endocardium nearest to its centre. That of the apex, which has
    no endocardium, is the nearest of all."""
    sites: Dict[str, Points] = {}
    try:
        segments = [sim["where/aha(%d)" % k] == 1 for k in range(1, len(SEGMENTS) + 1)]
        points, endocardium = sim.points, sim["where/surface(lv)"] == 1
    except InputError as error:
        raise InputError("%s: induction.sites: %s" % (path, error.text), 2) from None
    for k, (name, segment) in enumerate(zip(SEGMENTS, segments), 1):
        if not segment.any():
            text = "%s: induction.sites: no node is in segment %d, %s"
            raise InputError(text % (path, k, name), 2)
        centre = np.add.accumulate(points[segment] / segment.sum())[-1]
        nodes = np.flatnonzero(
            segment & endocardium if (segment & endocardium).any() else endocardium
        )
        nearest = nodes[np.argmin(((points[nodes] - centre) ** 2).sum(axis=1))]
        sites["%d %s" % (k, name)] = points[nearest]
    return sites


def find_sites(paced: Paced, sim: Simulation) -> List[Site]:
    """The config's sites: its list, points within its condition, the condition, or the site of S1. Nodes are looked up in batches."""
    induction = paced.config["induction"]
    where, listed = induction.get("where"), induction.get("sites", {})
    if listed == "aha17":
        positions = find_segments(paced.path, sim)
    else:
        positions = {
            name: np.array(list(map(number_of, position))) for name, position in listed.items()
        }
    if "spacing" in induction:
        positions = _space(sim, where, number_of(induction["spacing"]))
    shapes: Dict[str, Any] = {"where": {"where": where}} if where else {paced.name: {}}
    if positions:
        radius, centres = induction["radius"], {
            k: ["%.17g mm" % x for x in p] for k, p in positions.items()
        }
        shapes = {
            k: {"sphere": {"centre": centre, "radius": radius}} for k, centre in centres.items()
        }
    sites: List[Site] = []
    while len(sites) < len(shapes):
        names = list(shapes)[len(sites) : len(sites) + BATCH]
        stimuli = [paced.s1(**shapes[name]) for name in names]
        try:
            sim.reopen({"stimuli": [{**s1, "name": "site %d" % k} for k, s1 in enumerate(stimuli)]})
        except InputError as error:
            found = re.match(
                r"(?s).*?stimuli\[(\d+)\].*?: (.*?)(?: \(\d+ characters into it\))?$", error.text
            )
            if not found or not (where or positions):
                raise
            name = names[int(found[1])]
            key, text = "sites: " + name if positions else "where", found[2]
            raise InputError("%s: induction.%s: %s" % (paced.path, key, text), 2) from None
        for k, name in enumerate(names):
            share = sim["stimulus/site %d" % k]
            nodes = np.flatnonzero(share >= min(share.max(), 0.5))
            mean = np.add.accumulate(sim.points[nodes] / len(nodes))[-1]
            sites.append(Site(name, positions.get(name, mean), stimuli[k], nodes))
    return sites
