"""Many runs of one config, as a table."""
from __future__ import annotations

import hashlib
import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .program import Error, PathLike, RunError, run, value


def _place(output: Path, config: bytes, overrides: Mapping[str, Any]) -> Path:
    """A directory for each text of the config and set of overrides, the same one in the next batch."""
    text = json.dumps({key: value(item) for key, item in overrides.items()}, sort_keys=True)
    return output / hashlib.sha256(config + b"\0" + text.encode()).hexdigest()[:12]


def batch(config: PathLike, grid: Mapping[str, Sequence[Any]], *, output: PathLike, jobs: int = 1,
          program: Optional[PathLike] = None) -> Any:
    """A run for every combination of the values of each key: a pandas.DataFrame with a row each.

    A run that is finished in the directory `output` is read, one that is not goes on from its checkpoint, so that a
    batch that was ended goes on when it is called again; once the config's text has changed it begins anew. Columns: the keys, what --json tells at the end, `error`:
    what the program said of a run that failed. jobs run side by side, each with one thread of the CPU where there
    are several."""
    import pandas
    names, text = list(grid), Path(config).read_bytes()
    cases = [dict(zip(names, values)) for values in itertools.product(*grid.values())]

    def one(case: Dict[str, Any]) -> Dict[str, Any]:
        place = _place(Path(output), text, case)
        done = place / "summary.json"
        row: Dict[str, Any] = {name: value(item) if isinstance(item, (dict, list)) else item for name, item in case.items()}
        try:
            if not done.exists():
                threads = {"threads": 1} if jobs > 1 and "threads" not in case else {}
                place.mkdir(parents=True, exist_ok=True)
                started = (place / "run.vtkhdf").exists()
                ended = run(config, {**threads, **case}, output=place, resume=started, progress=False, program=program)
                done.write_text(json.dumps(ended.summary))
            return {**row, **json.loads(done.read_text()), "error": None}
        except Error as error:
            return {**row, "status": error.status, "error": error.text}

    pool = ThreadPoolExecutor(jobs)
    try:
        rows: List[Dict[str, Any]] = list(pool.map(one, cases))
    finally:
        pool.shutdown(cancel_futures=True)  # who interrupts a batch wants no further run of it
    return pandas.DataFrame(rows)
