"""cardiac from Python: simulations in this process, runs of the program, their results as arrays, figures and a report.

    import cardiac
    with cardiac.Simulation("configs/heart.yaml") as sim:           # in this process, step by step
        sim.advance(until=20)
        v = sim["V"]
    r = cardiac.run("configs/heart.yaml", {"time.end": "80 ms"})    # or cardiac.read("out/heart")
    r.V[3], r.at(40), r.activation, r.beats

Units are those of the files: ms, mm, mV (docs/user/reading-results.md).
"""

from .batch import batch, drug, run
from .igb import Igb
from .mesh import mesh
from .program import Error, InputError, RunError
from .result import Field, Frame, Result, read
from .simulation import Simulation, State

__version__ = "0.2.0"  # tests/tree/versions.sh compares it

__all__ = [
    "Error",
    "Field",
    "Frame",
    "Igb",
    "InputError",
    "Result",
    "RunError",
    "Simulation",
    "State",
    "batch",
    "drug",
    "mesh",
    "read",
    "run",
]
