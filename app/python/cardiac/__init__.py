"""cardiac from Python: runs, their results as arrays, figures and a report. The program computes; this reads and draws.

    import cardiac
    r = cardiac.run("configs/heart.yaml", {"time.end": "80 ms"})    # or cardiac.read("out/heart")
    r.V[3], r.at(40), r.activation, r.beats

Units are those of the files: ms, mm, mV (docs/user/reading-results.md).
"""
from .batch import batch
from .mesh import mesh
from .program import Error, InputError, RunError, run
from .result import Field, Frame, Result, read

__all__ = ["Error", "Field", "Frame", "InputError", "Result", "RunError", "batch", "mesh", "read", "run"]
