"""One run and its result: `cardiac run`; many of one config, as a table: `cardiac sweep`."""

from __future__ import annotations

import csv
import io
import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from .arrays import as_files
from .own_file import claim, writing
from .program import (
    STDIN,
    InputError,
    PathLike,
    Progress,
    RunError,
    argument,
    lines,
    sets,
    text_of,
    value,
)
from .result import Result, read, split_units


def run(
    config: Union[PathLike, Mapping[str, Any]],
    overrides: Optional[Mapping[str, Any]] = None,
    *,
    output: Optional[PathLike] = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Optional[bool] = None,
    program: Optional[PathLike] = None,
) -> Result:
    """`cardiac run CONFIG --set KEY=VALUE ...`, and its result; result.summary is the last line of --json.

    Parameters
    ----------
    config : path or mapping
        Paths in a mapping are relative to the working directory. In a mapping numpy arrays may stand for a region's parameters,
        scale and where, a stimulus' where and nodes, and in mesh.arrays: files of them are written beside the result.
    overrides : mapping, optional
        ``{"time.end": "80 ms"}``; lists and mappings are written as a config would.
    output : path, optional
        The directory, over that of the config.
    resume, overwrite : bool
        Continue the run there; replace its files.
    progress : bool, optional
        A bar; by default in a terminal or a notebook.
    program : path, optional
        By default $CARDIAC, or `cardiac` on the PATH.

    Raises
    ------
    InputError, RunError
        With what the program said.

    Examples
    --------
    >>> r = cardiac.run("heart.yaml", {"time.end": "10 ms"}, output="out/short")
    >>> print(r.times[-1], r.summary["status"])
    10.0 0
    """
    text = ""
    if isinstance(config, Mapping):
        own = config["output"] if isinstance(config.get("output"), Mapping) else {}
        folder = (
            output or (overrides or {}).get("output.directory") or own.get("directory") or "out"
        )
        text = text_of(as_files(config, os.fspath(folder)))
    arguments = [
        "run",
        STDIN if isinstance(config, Mapping) else argument(config),
        "--json",
        *sets(overrides),
    ]
    if output is not None:
        arguments.append("--output=" + os.fspath(output))
    arguments += ["--resume"] * resume + ["--overwrite"] * overwrite
    bar, last = Progress(progress), {}
    try:
        for last in lines(arguments, program, text):
            if "end" in last:
                bar.show(last)
    finally:
        if last:
            bar.end()
    result = read(Path(last["result"]))
    result.summary = last
    return result


def _write(
    path: Path, names: Sequence[str], rows: Sequence[Sequence[Any]], overwrite: bool
) -> None:
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(names)
    table.writerows([["" if item is None else value(item) for item in row] for row in rows])
    new = text.getvalue().encode()
    claim(str(path), b"")
    if path.exists() and not overwrite:
        if path.read_bytes() != new:
            raise InputError(
                "%s: the table of another study; overwrite=True starts again, output= chooses another place"
                % path,
                2,
            )
        return
    with writing(str(path), b"") as out:
        out.write(new)


def _undo(folder: Path, before: Optional[bytes], new: bool) -> None:
    """runs.csv, and the folder if it is new, as before _write."""
    path = folder / "runs.csv"
    if path.exists() and before is None:
        path.unlink()
    elif before is not None and path.read_bytes() != before:
        with writing(str(path), b"") as out:
            out.write(before)
    if new and not any(folder.iterdir()):
        folder.rmdir()


def _table_of(runs: Any) -> Tuple[List[str], List[Sequence[Any]]]:
    """The keys and a row of values for each run."""
    if isinstance(runs, Mapping):
        for key, values in runs.items():
            if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
                raise InputError(
                    "runs: %s: expected a list of values, such as [%r], not %r"
                    % (key, values, values),
                    2,
                )
        return list(runs), list(itertools.product(*runs.values()))
    if not hasattr(runs, "columns"):
        raise InputError(
            'runs: expected {"key": [values]} or a pandas.DataFrame whose columns are keys, not %r'
            % (runs,),
            2,
        )
    return list(runs.columns), runs.astype(object).where(runs.notna(), None).values.tolist()


def _read(paths: Sequence[Path], keys: Sequence[str]) -> Any:
    """The tables of all parts as one; units in .attrs["units"]."""
    import pandas

    with open(paths[0], newline="", encoding="utf-8") as file:
        names, units = split_units(next(csv.reader(file)))
    text = {name: str for name in (*keys, "id", "message")}
    table = pandas.concat(
        [pandas.read_csv(path, header=0, names=names, dtype=text) for path in paths],
        ignore_index=True,
    )
    table.attrs["units"] = units
    return table


def batch(
    config: PathLike,
    runs: Any,
    *,
    output: PathLike,
    jobs: int = 1,
    results: bool = False,
    overwrite: bool = False,
    program: Optional[PathLike] = None,
) -> Any:
    """`cardiac sweep`: its table of results as a pandas.DataFrame, a row a run.

    A batch that was interrupted continues when it is called again with as many jobs. A run that fails is a row with its `status`
    and `message`.

    Parameters
    ----------
    config : path
    runs : mapping or pandas.DataFrame
        ``{"key": [values]}``, of which every combination is run, or a table whose columns are keys.
    output : path
        A directory for the table.
    jobs : int
        So many processes, each with one thread of the CPU and an equal part of the runs.
    results : bool
        Each run also writes its files, to the directory in the column `result`.
    overwrite : bool
        Start again.
    program : path, optional
        As of :func:`run`.

    Raises
    ------
    InputError
        Before the first step, where a key or a value is wrong; then the folder is as it was.

    Examples
    --------
    >>> keys = {"tissue.parameters.tau_in": ["x1", "x1.2"]}
    >>> table = cardiac.batch("heart.yaml", keys, output="out/many")  # needs pandas
    >>> table["total_activation"].round(1).tolist()
    [7.2, 8.1]
    """
    keys, rows = _table_of(runs)
    import_module("pandas")  # which reads the table: if it is missing, before the runs are made
    folder = Path(output)
    before, new = (
        (folder / "runs.csv").read_bytes() if (folder / "runs.csv").exists() else None
    ), not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    common = [
        "sweep",
        argument(config),
        "--table=" + str(folder / "runs.csv"),
        "--output=" + str(folder),
        "--json",
        *["--results"] * results,
        *["--overwrite"] * overwrite,
    ]
    parts: List[List[str]] = (
        [[]]
        if jobs == 1
        else [["--threads=1", "--part=%d/%d" % (part + 1, jobs)] for part in range(jobs)]
    )
    tables = [
        folder / ("table.csv" if jobs == 1 else "table-%d-of-%d.csv" % (part + 1, jobs))
        for part in range(jobs)
    ]

    def one(part: List[str]) -> Optional[RunError]:
        try:
            for _ in lines(common + part, program):
                pass
        except RunError as error:  # of runs, which the table has, or of the study
            return error
        return None

    pool = ThreadPoolExecutor(jobs)
    try:
        _write(folder / "runs.csv", keys, rows, overwrite)
        ended = list(pool.map(one, parts))
    except (InputError, OSError, TypeError):
        _undo(folder, before, new)
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    found = [path for path in tables if path.exists()]
    table: Any = _read(found, keys) if found else []
    if len(table) < len(rows):
        raise next(error for error in ended if error)
    if results:
        table["result"] = [str(folder / name) for name in table["id"]]
    return table


def drug(
    config: PathLike,
    ic50: Mapping[str, Any],
    concentrations: Sequence[float],
    *,
    output: PathLike,
    **more: Any,
) -> Any:
    """QT, APD and early afterdepolarisations against the concentration of a drug: the table of :func:`batch`, with a first column
    `concentration`.

    Parameters
    ----------
    config : path
    ic50 : mapping
        ``{"g_Kr": 0.05}``, the concentration that blocks half of the channels, by their parameter; or ``{"g_Kr": (0.05, 1.2)}``
        with Hill's coefficient h, 1 if left out: of the channels 1 / (1 + (C / IC50)^h) are left.
    concentrations : sequence of float
        In the unit of `ic50`; 0 for the tissue without the drug.
    output : path
    **more
        As of :func:`batch`.

    Raises
    ------
    InputError
        Where an IC50 is not above 0, a concentration is below 0, or the model has no such parameter.

    Examples
    --------
    >>> table = cardiac.drug("heart.yaml", {"tau_in": 0.5}, [0, 0.05], output="out/drug")  # needs pandas
    >>> table["concentration"].tolist(), len(table)
    ([0.0, 0.05], 2)
    """
    import pandas

    dose = [float(c) for c in concentrations]
    pairs = {
        name: half if isinstance(half, (tuple, list)) else (half, 1.0)
        for name, half in ic50.items()
    }
    if (
        not pairs
        or any(c < 0 for c in dose)
        or any(len(pair) != 2 or min(pair) <= 0 for pair in pairs.values())
    ):
        raise InputError(
            'drug: expected {"g_Kr": IC50 or (IC50, Hill\'s coefficient)} above 0 and concentrations of 0 or more',
            2,
        )
    left = {
        name: ["x%.9g" % (1 / (1 + (c / half) ** hill)) for c in dose]
        for name, (half, hill) in pairs.items()
    }
    table = batch(
        config,
        pandas.DataFrame({"tissue.parameters." + name: shares for name, shares in left.items()}),
        output=output,
        **more,
    )
    table.insert(0, "concentration", dose)
    return table
