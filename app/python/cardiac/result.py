"""A result as numpy arrays, read on demand, so that a result may be larger than the memory."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import re
import time
from contextlib import ExitStack
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)

import numpy as np
from numpy.typing import NDArray

from .own_file import writing
from .target import misfits
from .text import escape, time_text

if TYPE_CHECKING:
    import h5py

Array = NDArray[Any]
Place = Union[int, Sequence[float]]
T = TypeVar("T")

CORNERS = {3: 2, 5: 3, 10: 4}  # of VTK's types: lines, triangles, tetrahedra
KINDS = {2: "lines", 3: "triangles", 4: "tetrahedra"}  # by corners
AXES = ("fiber", "sheet")


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def split_units(head: Sequence[str]) -> Tuple[List[str], Dict[str, str]]:
    """The names of columns such as "V (mV)", and the units of those that have one."""
    names = [name.split(" (")[0] for name in head]
    return names, {
        name: full[len(name) + 2 : -1] for name, full in zip(names, head) if full != name
    }


def title(result: Result) -> str:
    """As the resolved config has it: plain, or in quotes with what JSON escapes, and \\xNN."""
    found = re.search(r"^title: (.*)$", result.config, re.M)
    text = found.group(1) if found else result.path.parent.name
    if not text.startswith('"'):
        return text
    return str(
        json.loads(re.sub(r"\\(?:x(..)|.)", lambda m: "\\u00" + m[1] if m[1] else m[0], text))
    )


def _mark(path: Path) -> bytes:
    """The last writer of a file, and the number of its last commit (app/io/store/journal_record.h)."""
    with open(path, "rb") as file:
        mark = file.read(40)
    return mark if mark.startswith(b"cardiac result") else b""


class Field:
    """A field in time: field[k] is frame k, field[2:5] several of them (frames, nodes), field.at(400) that of 400 ms.

    Attributes
    ----------
    result : Result
    name, unit : str

    Examples
    --------
    >>> v = cardiac.read("out/heart").V
    >>> v
    V in mV: 21 frames of 165 nodes
    >>> v[0].shape, v[2:5].shape, len(v)
    ((165,), (3, 165), 21)
    """

    def __init__(self, result: Result, name: str, unit: str) -> None:
        self.result, self.name, self.unit = result, name, unit

    @property
    def times(self) -> Array:
        """ms, of every frame.

        Examples
        --------
        >>> cardiac.read("out/heart").V.times[:3]
        array([ 0.,  5., 10.])
        """
        return self.result.times

    def __len__(self) -> int:
        return len(self.result.times)

    @property
    def shape(self) -> Tuple[int, int]:
        """(frames, nodes)

        Examples
        --------
        >>> cardiac.read("out/heart").V.shape
        (21, 165)
        """
        return len(self), self.result.nodes

    def __getitem__(self, index: Union[int, slice]) -> Array:
        frames = range(len(self))[index]

        def get(file: h5py.File) -> Array:
            flat, offset = (
                file["VTKHDF/PointData/" + self.name],
                file["VTKHDF/Steps/PointDataOffsets/" + self.name],
            )
            rows = [flat[o : o + self.result.nodes] for o in offset[:][k]]
            return np.array(rows) if rows else np.empty((0, self.result.nodes))

        k = [frames] if isinstance(frames, int) else list(frames)
        values = self.result._open(get)
        return values[0] if isinstance(frames, int) else values

    def at(self, ms: float) -> Array:
        """The frame (nodes) at a stored time; ValueError where there is none.

        Parameters
        ----------
        ms : float

        Examples
        --------
        >>> print(cardiac.read("out/heart").V.at(5).max().round())
        13.0
        """
        return self[self.result.frame(ms)]

    def trace(self, place: Place) -> Array:
        """The values (frames) at a node.

        Parameters
        ----------
        place : int or (3) sequence of float
            The node, or a point, mm, whose nearest node is taken.

        Examples
        --------
        >>> cardiac.read("out/heart").V.trace([3, 0, 0])[:3].round().tolist()
        [-80.0, -78.0, 13.0]
        """
        node = self.result.node(place)

        def get(file: h5py.File) -> Array:
            flat = file["VTKHDF/PointData/" + self.name]
            return np.array(
                [
                    flat[o + node]
                    for o in file["VTKHDF/Steps/PointDataOffsets/" + self.name][: len(self)]
                ]
            )

        return self.result._open(get)

    def to_igb(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write all frames in openCARP's format: 14 lines of header in 1024 bytes, then each frame as little-endian float32.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        ValueError
            Where the frames are not at equal intervals.

        Examples
        --------
        >>> cardiac.read("out/heart").V.to_igb("vm.igb")
        >>> print(cardiac.Igb("vm.igb").times[-1])
        100.0
        """
        times = self.times
        span = float(times[-1] - times[0]) if len(times) else 0.0
        step = span / max(len(times) - 1, 1) or 1.0
        if not len(times) or abs(np.diff(times) - step).max(initial=0) > 1e-6 * step:
            raise ValueError(
                "%s: IGB requires frames at equal intervals; choose an output.every that divides time.end"
                % self.result.path
            )
        head = [
            "x:%d y:1 z:1 t:%d type:float systeme:little_endian" % (self.result.nodes, len(times)),
            "org_t:%.10g dim_t:%.10g inc_t:%.10g" % (times[0], span, step),
            "unites_t:ms unites:%s" % self.unit.replace(" ", "_"),
        ]
        with writing(os.fspath(path), b"x:") as out:
            out.write(
                "".join("%-70s\r\n" % line for line in (head + 14 * [""])[:14]).encode()
                + b"%13s\r\n\f" % b""
            )
            for k in range(len(self)):
                out.write(self[k].astype("<f4").tobytes())

    def __repr__(self) -> str:
        return "%s in %s: %d frames of %d nodes" % (
            self.name,
            self.unit,
            len(self),
            self.result.nodes,
        )


class Frame(Mapping[str, Array]):
    """All fields at one time: frame["V"] or frame.V, (nodes).

    Attributes
    ----------
    time : float
        ms
    index : int
        The number of the frame.

    Examples
    --------
    >>> frame = cardiac.read("out/heart").at(5)
    >>> list(frame), frame.V.shape, frame.time
    (['V'], (165,), 5.0)
    """

    def __init__(self, result: Result, index: int) -> None:
        self.result, self.index, self.time = result, index, float(result.times[index])

    def __getitem__(self, name: str) -> Array:
        return self.result.fields[name][self.index]

    def __getattr__(self, name: str) -> Array:
        if name == "result" or name.startswith("_"):
            raise AttributeError(name)
        return self.result._field(name)[self.index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.result.fields)

    def __len__(self) -> int:
        return len(self.result.fields)


class Maps(Mapping[str, Array]):
    """Maps over the run by name: (nodes), or (nodes, beats) if several beats are stored; NaN where there is none.

    Attributes
    ----------
    units : dict
        By name

    Examples
    --------
    >>> maps = cardiac.read("out/heart").maps
    >>> maps["apd90"].shape, maps.units
    ((165,), {'activation_time': 'ms', 'apd90': 'ms'})
    """

    def __init__(self, result: Result, units: Dict[str, str]) -> None:
        self.result, self.units = result, units

    def __getitem__(self, name: str) -> Array:
        if name not in self.units:
            raise KeyError(
                "%s: no map %s; there are %s"
                % (self.result.path, name, ", ".join(self.units) or "none")
            )
        return self.result._open(lambda file: file["VTKHDF/PointData/" + name][:])

    def __iter__(self) -> Iterator[str]:
        return iter(self.units)

    def __len__(self) -> int:
        return len(self.units)


class Result:
    """The result of a run. Times, mesh and names are those at the time of reading; :func:`read` it again for newer frames.

    Parameters
    ----------
    path : str or path
        As of :func:`read`.

    Attributes
    ----------
    nodes : int
    times : (frames) ms
    points : (nodes, 3) mm
    cells : (cells, corners)
        Nodes of lines, triangles or tetrahedra; the last one of lower cells is repeated.
    fields : dict of Field
        Also as attributes: ``r.V``
    maps : Maps
    cell_data : dict
        "region" (cells), "fiber" and "sheet" (cells, 3)
    config, log : str
        With all values; what the run logged, without the lines of progress.
    info : dict
        program, libraries, device, mesh_sha256
    numbers : dict
        Time spent, s, and work done.
    summary : dict
        What the run reports at its end, as the last line of --json; {}: it has not ended.

    Examples
    --------
    >>> r = cardiac.read("out/heart")
    >>> r
    out/heart/run.vtkhdf: 165 nodes, 480 cells, 21 frames, 0 to 100 ms of V; maps: activation_time, apd90
    >>> r.nodes, r.V[3].shape, r.summary["activated"]
    (165, (165,), 165)
    """

    times: Array  # ms, of every frame
    points: Array  # (nodes, 3) mm
    cells: Array  # (cells, corners): nodes of lines, triangles or tetrahedra; the last one of lower cells is repeated
    fields: Dict[str, Field]
    maps: Maps
    cell_data: Dict[str, Array]  # region, fiber, sheet
    config: str  # the resolved config
    log: str  # what the run that wrote it last has logged, without the lines of progress
    info: Dict[str, str]  # program, libraries, device, mesh_sha256
    numbers: Dict[str, float]  # time spent and work done
    summary: Dict[
        str, Any
    ]  # what the run reports at its end, as the last line of --json; {}: it has not ended

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path, self.summary = Path(path), {}
        self._surface: Optional[Array] = None
        self._seen: Dict[Any, Any] = {}  # what plot makes once of its surface
        self._surveys: Dict[str, Array] = {}  # and of its fields
        if self.path.is_dir():
            self.path = self.path / "run.vtkhdf"
        self._journal = Path("%s.journal" % self.path)
        if not self.path.exists():
            raise FileNotFoundError("%s: no result there" % self.path)
        self._open(self._describe)

    def _open(self, get: Callable[[h5py.File], T]) -> T:
        """get(file), while nothing in the file is replaced: during an update it retries for two seconds."""
        import h5py  # when a result is opened: it takes as long as all else of `import cardiac`

        until, locking = time.monotonic() + 2, {"locking": False}
        while True:
            before = _mark(self.path)
            try:
                with ExitStack() as held:
                    self._hold(held, before)
                    found = get(held.enter_context(h5py.File(self.path, "r", **locking)))
                if _mark(self.path) == before:
                    return found
                raise OSError("%s: it changes while it is read" % self.path)
            except (OSError, KeyError, RuntimeError) as error:
                if locking and "file locking flag values don't match" in str(error):
                    locking = (
                        {}
                    )  # it is open in this process by a reader that locks, such as xarray
                    continue
                if time.monotonic() > until or (
                    _mark(self.path) == before and not self._journal.exists()
                ):
                    if (
                        isinstance(error, OSError)
                        and str(self.path) not in str(error)
                        and not error.filename
                    ):
                        said = re.sub(
                            r"^Unable .*? file \((.*)\)$", r"cannot be read as HDF5: \1", str(error)
                        )
                        raise OSError("%s: %s" % (self.path, said)) from None
                    raise
            time.sleep(0.05)

    def _hold(self, held: ExitStack, mark: bytes) -> None:
        """A run replaces nothing in the file while a reader has its journal."""
        try:
            journal = held.enter_context(open(self._journal, "rb"))
        except FileNotFoundError:
            return
        try:
            fcntl.flock(journal, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise
            # a file system without locks, where the mark tells
        base = journal.read(80)[40:]
        if mark and len(base) == 40 and base != mark:
            raise OSError(
                "%s: a run was ended in an update of it, which `cardiac run --resume` completes"
                % self.path
            )

    def _describe(self, file: h5py.File) -> None:
        root = file["VTKHDF"]
        kinds = root["Types"][:]
        kind = int(max(np.unique(kinds), key=lambda k: CORNERS[int(k)]))
        self.points = np.asarray(root["Points"][:], float)
        self.nodes = len(self.points)
        if (kinds == kind).all():
            self.cells = root["Connectivity"][:].reshape(-1, CORNERS[kind])
        else:  # the last node of a cell of a lower dimension is repeated
            first, flat = root["Offsets"][:], root["Connectivity"][:]
            self.cells = flat[
                first[:-1, None] + np.minimum(np.arange(CORNERS[kind]), np.diff(first)[:, None] - 1)
            ]
        self.cell_types = kinds
        names = (
            list(root["Steps/PointDataOffsets"]) if "Steps" in root else []
        )  # a mesh alone has none
        times = "frames/times" if "frames/times" in file else "VTKHDF/Steps/Values"
        self.times = file[times][:] if times in file else np.empty(0)
        units = {
            name: _text(root["PointData/" + name].attrs.get("unit", b""))
            for name in root.get("PointData", ())
        }
        self.fields = {}
        for name in names:
            variable = _text(root["PointData/" + name].attrs.get("variable", name))
            self.fields[variable] = Field(self, name, units[name])
        self.maps = Maps(
            self, {name: unit for name, unit in units.items() if name not in (*names, *AXES)}
        )
        self.cell_data = {name: root["CellData/" + name][:] for name in root.get("CellData", ())}
        self.config = _text(file["run/config"][()]) if "run/config" in file else ""
        self.log = _text(file["run/log"][()]) if "run/log" in file else ""
        self.info = {k: _text(v) for k, v in file["run"].attrs.items()} if "run" in file else {}
        summary = _text(file["run/summary"][()]) if "run/summary" in file else ""
        self.summary = json.loads(summary) if summary else {}
        self.numbers = (
            {k: float(v) for k, v in file["run/numbers"].attrs.items()}
            if "run/numbers" in file
            else {}
        )

    def _field(self, name: str) -> Field:
        for variable, field in self.fields.items():
            if name in (variable, field.name):
                return field
        raise AttributeError(
            "%s: no field %s; there are %s" % (self.path, name, ", ".join(self.fields))
        )

    def __getattr__(self, name: str) -> Field:
        if name.startswith("_") or "fields" not in self.__dict__:
            raise AttributeError(name)
        return self._field(name)

    def frame(self, ms: float) -> int:
        """The number of the frame at a time.

        Parameters
        ----------
        ms : float

        Raises
        ------
        ValueError
            Where there is none.

        Examples
        --------
        >>> cardiac.read("out/heart").frame(10)
        2
        """
        if not len(self.times):
            raise ValueError("%s has no frame" % self.path)
        k = int(np.argmin(abs(self.times - ms)))
        if abs(self.times[k] - ms) > 1e-9 * max(1, abs(ms)):
            raise ValueError(
                "%s has no frame at %g ms; the nearest is at %g ms" % (self.path, ms, self.times[k])
            )
        return k

    def at(self, ms: float) -> Frame:
        """All fields at a stored time; ValueError where there is none.

        Parameters
        ----------
        ms : float

        Examples
        --------
        >>> cardiac.read("out/heart").at(10)["V"].shape
        (165,)
        """
        return Frame(self, self.frame(ms))

    def node(self, place: Place) -> int:
        """A node by its number, or the nearest to a point.

        Parameters
        ----------
        place : int or (3) sequence of float
            The node, -1 being the last, or mm.

        Raises
        ------
        IndexError
            Where there is no node of this number.

        Examples
        --------
        >>> r = cardiac.read("out/heart")
        >>> r.points[r.node([2.9, 0.1, 0])]
        array([3., 0., 0.])
        """
        if isinstance(place, (int, np.integer)):
            return range(self.nodes)[place]
        return int(np.argmin(((self.points - np.asarray(place, float)) ** 2).sum(1)))

    @property
    def activation(self) -> Array:
        """The map of activation times: (nodes) or (nodes, beats), ms; NaN: never.

        Examples
        --------
        >>> print(cardiac.read("out/heart").activation.min().round(2))
        0.72
        """
        return self.maps["activation_time"]

    @property
    def tags(self) -> Array:
        """The region (cells) of each element.

        Examples
        --------
        >>> np.unique(cardiac.read("out/heart").tags).tolist()
        [0]
        """
        return self.cell_data["region"]

    @property
    def misfits(self) -> Dict[str, Any]:
        """Differences of leads and activation times from those measured, in `ecg.target` and `activation.target` of the config:
        ecg_rms (mV), ecg_r, leads (of each rms, r and lag, ms) and lat_rms (ms).

        Examples
        --------
        >>> cardiac.read("out/heart").misfits       # of a config without targets
        {}
        """
        return misfits(self)

    @property
    def probes(self) -> Any:
        """A pandas.DataFrame over time, ms: a column for each probe and field; units in ``.attrs["units"]``. KeyError without probes.

        Examples
        --------
        >>> print(cardiac.read("out/heart").probes["far"].max().round())  # needs pandas
        13.0
        """
        return self._table("probes")

    @property
    def ecg(self) -> Any:
        """A pandas.DataFrame over time, ms: a column for each lead, mV. KeyError without an ECG.

        Examples
        --------
        >>> list(cardiac.read("out/heart").ecg)  # needs pandas
        ['I', 'II', 'III', 'aVR', 'aVL', 'aVF']
        """
        return self._table("ecg")

    @property
    def beats(self) -> Any:
        """A pandas.DataFrame of beats.csv: a row for each beat of each probe; units in ``.attrs["units"]``.

        Examples
        --------
        >>> cardiac.read("out/heart").beats["apd90"].round(1).tolist()  # needs pandas
        [57.4, 52.5]
        """
        import pandas

        path = self.path.with_name("beats.csv")
        with open(path, newline="") as file:
            names, units = split_units(next(csv.reader(file)))
        table = pandas.read_csv(path, header=0, names=names)
        table.attrs["units"] = units
        return table

    def has(self, table: str) -> bool:
        """Whether the result has a table.

        Parameters
        ----------
        table : str
            "probes", "ecg" or "beats"

        Examples
        --------
        >>> cardiac.read("out/heart").has("ecg")
        True
        """
        if table == "beats":
            return self.path.with_name("beats.csv").exists()
        return self._open(lambda file: table in file)

    def table(self, name: str) -> Any:
        """times (rows), names, units, values (rows, columns) of a table, without pandas.

        Parameters
        ----------
        name : str
            "probes" or "ecg"

        Raises
        ------
        KeyError
            Where the result has none.

        Examples
        --------
        >>> times, names, units, values = cardiac.read("out/heart").table("ecg")
        >>> names, units[0], values.shape
        (['I', 'II', 'III', 'aVR', 'aVL', 'aVF'], 'mV', (101, 6))
        """

        def get(file: h5py.File) -> Any:
            group = file[name]
            times, values = group["times"][:], group["values"]
            rows = min(len(times), len(values))
            return (
                times[:rows],
                [_text(n) for n in group["names"]],
                [_text(u) for u in group["units"]],
                values[:rows],
            )

        if not self.has(name):
            raise KeyError("%s has no %s" % (self.path, name))
        return self._open(get)

    def _table(self, name: str) -> Any:
        import pandas

        times, names, units, values = self.table(name)
        table = pandas.DataFrame(values, index=pandas.Index(times, name="time"), columns=names)
        table.attrs["units"] = dict(zip(names, units))
        return table

    def grid(self, ms: float) -> Any:
        """A pyvista.UnstructuredGrid with all fields at a stored time, the maps and the data on cells.

        Parameters
        ----------
        ms : float

        Examples
        --------
        >>> cardiac.read("out/heart").grid(5).n_points  # needs pyvista
        165
        """
        import pyvista

        frame = self.at(ms)
        width = np.array([CORNERS[int(kind)] for kind in self.cell_types])
        own = np.arange(-1, self.cells.shape[1]) < width[:, None]
        cells = np.column_stack((width, self.cells))[own]
        grid = pyvista.UnstructuredGrid(cells, self.cell_types, self.points)
        for name, values in [*frame.items(), *self.maps.items()]:
            grid.point_data[name] = values
        for name, values in self.cell_data.items():
            grid.cell_data[name] = values
        return grid

    def to_xarray(self) -> Any:
        """An xarray.Dataset: fields over time and node, maps over node.

        Examples
        --------
        >>> cardiac.read("out/heart").to_xarray()["V"].shape  # needs h5netcdf
        (21, 165)
        """
        import xarray

        return xarray.open_dataset(
            self.path, engine="h5netcdf", group="fields", driver_kwds={"locking": False}
        )

    def __repr__(self) -> str:
        span = (
            "%d frames, %g to %g ms" % (len(self.times), self.times[0], self.times[-1])
            if len(self.times)
            else "no frame"
        )
        return "%s: %d nodes, %d cells, %s of %s; maps: %s" % (
            self.path,
            self.nodes,
            len(self.cells),
            span,
            ", ".join(self.fields),
            ", ".join(self.maps) or "none",
        )

    def _repr_html_(self) -> str:
        """For notebooks: a table of the result's contents and of what the tissue did."""
        times, done = self.times, self.summary
        rows = [
            ("nodes", "%d" % self.nodes),
            ("elements", "%d %s" % (len(self.cells), KINDS[self.cells.shape[1]])),
            (
                "time",
                (
                    "%d frames, %g to %g ms" % (len(times), times[0], times[-1])
                    if len(times)
                    else "no frame"
                ),
            ),
            (
                "fields",
                ", ".join("%s (%s)" % (name, field.unit) for name, field in self.fields.items())
                or "none",
            ),
            ("maps", ", ".join("%s (%s)" % item for item in self.maps.units.items()) or "none"),
        ]
        if done.get("activated") is not None:
            rows.append(("activated", "%d of %d nodes" % (done["activated"], done["excitable"])))
        if done.get("total_activation_time") is not None:
            rows.append(("total activation", time_text(done["total_activation_time"]) + " ms"))
        rows += [("warning", text) for text in done.get("warnings", ())]
        body = "".join(
            "<tr><th>%s</th><td>%s</td></tr>" % (name, escape(text)) for name, text in rows
        )
        return "<table><caption>%s</caption>%s</table>" % (escape(title(self)), body)


def read(path: Union[str, "os.PathLike[str]"]) -> Result:
    """Read the result of a run, also while it goes on, or a mesh in a .vtkhdf, which has no frames and whose arrays at nodes are maps.

    Parameters
    ----------
    path : str or path
        The run's directory, or a .vtkhdf.

    Raises
    ------
    OSError
        FileNotFoundError where there is none; others where it cannot be read.

    Examples
    --------
    >>> r = cardiac.read("out/heart")
    >>> len(r.times), list(r.fields), list(r.maps)
    (21, ['V'], ['activation_time', 'apd90'])
    """
    return Result(path)


def column(names: List[str], name: str) -> int:
    """The column of a table with this name."""
    if name not in names:
        raise KeyError("no column %s; there are %s" % (name, ", ".join(names)))
    return names.index(name)
