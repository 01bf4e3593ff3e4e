"""side_by_side_row.py: what side_by_side_fenicsx.py and side_by_side_torchcor.py measure alike, each in the environment of its program."""
import json
from importlib.metadata import version

import numpy as np

CORNERS = ((0, 0, 0), (20, 7, 3))  # mm: P1, P8
COMPARED = 10  # ms


def nearest(points):
    """The indices of the points nearest to P1 and P8"""
    return [int(np.argmin(((points - corner) ** 2).sum(axis=1))) for corner in CORNERS]


def crossing(trace, step):
    """When a trace passes 0 mV, or None"""
    above = np.flatnonzero((trace[:-1] < 0) & (trace[1:] >= 0))
    return None if not len(above) else float(step * (above[0] + 1 - trace[above[0]] / (trace[above[0] + 1] - trace[above[0]])))


def print_row(program, nodes, wall, cpu, traces, step, v, exact):
    """One line of JSON; wall and cpu: seconds a step; traces: V of P1 and P8 after each; v, exact: after COMPARED"""
    first, last = (crossing(traces[:, k], step) for k in range(2))
    print(json.dumps({"version": version(program), "nodes": nodes, "ms": 1e3 * wall, "cpu_ms": 1e3 * cpu, "P1": first, "P8": last,
                      "error": float(np.abs(v - exact).max())}))
