"""side_by_side_torchcor.py SLAB.pts STEP END [--device cuda] [--type float64] [--lumped] [--tolerance 1e-5]: the benchmark of Niederer et al.
by TorchCor on a mesh of `cardiac mesh slab`; started by side_by_side.py in an environment that has torchcor.

Prints one line of JSON: nodes, ms and CPU ms a step of its loop (set-up and output left out), when P1 and P8 pass 0 mV, and the largest
difference of V after 10 ms from the same run with a tolerance of 1e-10."""
import argparse
import sys
import time
from pathlib import Path
from unittest.mock import MagicMock

for name in ("pyvista", "wfdb", "seaborn", "sklearn", "pygmsh", "pynvml", "pandas"):  # none of them has a part in the loop
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = MagicMock()
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torchcor as tc  # noqa: E402
from torchcor.ionic import TenTusscherPanfilov  # noqa: E402
from torchcor.simulator import Monodomain  # noqa: E402
from side_by_side_row import COMPARED, nearest, print_row  # noqa: E402


def simulator(folder, box, step, end, kind, lumped):
    cells = TenTusscherPanfilov(cell_type="EPI", dt=step, dtype=kind)
    sim = Monodomain(ionic_models=[cells], T=end, dt=step, dtype=kind, mass_lumping=lumped)
    sim.load_mesh(path=folder)
    sim.add_conductivity(None, il=0.17, it=0.019, el=0.62, et=0.24)
    sim.add_stimulus(box, start=0.0, duration=2.0, intensity=50000 / 1400)
    sim.assemble()
    return sim


def run(sim, end, tolerance, probes):
    """V at the end, V of the probes after each step, and seconds of wall and CPU a step"""
    u = torch.zeros(sim.n_nodes, dtype=sim.dtype, device=sim.device)
    for cells in sim.ionic_models:
        u[cells.node_indices] = cells.initialize(cells.node_indices.shape[0]).clone()
    sim.cg.initialize(x=u, linear_guess=True)
    count = round(end / sim.dt)
    traces = torch.empty((count, len(probes)), dtype=sim.dtype, device=sim.device)
    where = torch.as_tensor(probes, device=sim.device)
    warm = min(20, count // 2)  # kernels are compiled in the first steps
    for n in range(count):
        if n == warm:
            if sim.device.type == "cuda":
                torch.cuda.synchronize()
            wall, cpu = time.perf_counter(), time.process_time()
        u = sim.step(u, (n + 1) * sim.dt, tolerance, tolerance, 1000)[0]
        traces[n] = u[where]
    if sim.device.type == "cuda":
        torch.cuda.synchronize()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return u.double().cpu().numpy(), traces.double().cpu().numpy(), wall / (count - warm), cpu / (count - warm)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mesh", type=Path)
    parser.add_argument("step", type=float)
    parser.add_argument("end", type=float)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--type", default="float32")
    parser.add_argument("--lumped", action="store_true")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    given = parser.parse_args()
    tc.set_device("cuda:0" if given.device == "cuda" else given.device, verbose=False)  # "cuda" alone is refused
    folder, kind = given.mesh.parent, getattr(torch, given.type)
    nodes = np.loadtxt(given.mesh, skiprows=1) / 1000
    elements = int(given.mesh.with_suffix(".elem").read_text().split(maxsplit=1)[0])
    given.mesh.with_suffix(".lon").write_text("1\n" + "1 0 0\n" * elements)
    inside = np.flatnonzero((nodes <= 1.5 + 1e-9).all(axis=1))
    box = folder / "S1.vtx"
    box.write_text("%d\nextra\n" % len(inside) + "".join("%d\n" % node for node in inside))
    probes = nearest(nodes)

    short = min(given.end, COMPARED)
    sim = simulator(folder, box, given.step, given.end, kind, given.lumped)
    ours, exact = (run(sim, short, tolerance, probes)[0] for tolerance in (given.tolerance, 1e-10))
    _, traces, wall, cpu = run(sim, given.end, given.tolerance, probes)
    print_row("torchcor", len(nodes), wall, cpu, traces, given.step, ours, exact)


main()
