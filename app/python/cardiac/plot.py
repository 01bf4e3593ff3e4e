"""Single figures of a result, as the report uses them. Surfaces are drawn here, so that matplotlib is enough.

import cardiac, cardiac.plot as plot
r = cardiac.read("out/heart")
plot.map(r, "apd90").savefig("apd90.png")
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from matplotlib import colormaps, colors
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .mesh import surface
from .result import Array, Result
from .target import Leads
from .text import shown

__all__ = ["ecg", "frame", "map", "probes", "speed"]

View = Tuple[float, float]  # azimuth and elevation of who looks, degrees
VIEWS: Tuple[View, View] = ((-60, 25), (120, 25))
NOWHERE = np.array([209, 209, 209, 255])  # where there is no value
DPI = 150  # of a figure in a page
TIMES = 0.1  # ms, which colours of times span at least
SAMPLES = 1 << 19  # pixels of triangles looked at together
INK, GRID = "#222222", "#dddddd"
SPAN = (
    0.02  # of its largest value, which an axis shows at least: less is no difference that matters
)
WORDS = {
    "activation_time": "Activation",
    "repolarization_time": "Repolarization",
    "apd90": "APD90",
    "V": "V",
    "conduction_velocity": "Conduction velocity",
    "dvdt_max": "Steepest rise",
    "peak": "Peak",
    "rest": "Rest",
    "beats": "Beats",
    "last_turn": "Since the turn began",
    "cycle_length": "Cycle length",
    "diastolic_interval": "Diastolic interval",
}


def words(name: str) -> str:
    """The name of a map in a heading."""
    return WORDS.get(name, name.upper() if name.startswith("apd") else name)


def surface_of(result: Result) -> Array:
    """The boundary of a result's mesh, as of `mesh.surface`, made once."""
    if result._surface is None:
        result._surface = surface(result.cells)
    return result._surface


def _axes(view: View) -> Array:
    """Rows: right, up, towards the viewer."""
    a, e = np.radians(view)
    return np.array(
        [
            [-np.sin(a), np.cos(a), 0],
            [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)],
            [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)],
        ]
    )


def _unit(vectors: Array) -> Array:
    found: Array = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return found


def _face_normals(points: Array, faces: Array) -> Array:
    """Normals, twice as long as the areas"""
    p = points[faces]
    found: Array = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    return found


def node_normals(points: Array, faces: Array) -> Array:
    """Normals at nodes: the mean of their faces' normals."""
    own, mean = _face_normals(points, faces), np.zeros_like(points)
    for k in range(3):
        np.add.at(mean, faces[:, k], own)
    return _unit(mean)


def _normals(points: Array, faces: Array) -> Tuple[Array, Array]:
    """Of faces, and at each of their corners: the mean of the node's faces, or the face's own at a sharp edge."""
    own, mean = _unit(_face_normals(points, faces)), node_normals(points, faces)
    corner = mean[faces]
    sharp = (corner * own[:, None]).sum(2) < 0.8
    corner[sharp] = np.broadcast_to(own[:, None], corner.shape)[sharp]
    return own, corner


def is_flat(result: Result) -> bool:
    """Whether the mesh is a sheet in the plane z."""
    return result.cells.shape[1] == 3 and float(np.ptp(result.points[:, 2])) == 0


def at_least(low: float, high: float, least: float) -> Tuple[float, float]:
    """The same middle, and ends that are `least` apart or more."""
    more = max(0.0, (least - (high - low)) / 2)
    return low - more, high + more


def widen(ax: Any) -> None:
    """The y axis spans at least SPAN of its largest value."""
    low, high = ax.get_ylim()
    ax.set_ylim(at_least(low, high, SPAN * max(abs(low), abs(high))))


Extent = Tuple[float, float, float, float]  # left, right, bottom, top


def _raster(corners: Array, pixels: int) -> Tuple[Array, Array, Extent]:
    """The nearest triangle at each pixel of an image.

    Parameters
    ----------
    corners : (triangles, 3, 3)
        Of each corner: right, up, towards the viewer, mm.
    pixels : int
        The larger side of the image.

    Returns
    -------
    face : (rows, columns) of int
        The triangle, -1 where there is none.
    share : (3, rows, columns)
        Weights of its corners there.
    extent
        Of the image, mm.
    """
    low, high = corners[:, :, :2].min((0, 1)), corners[:, :, :2].max((0, 1))
    edge = float(max(high - low)) / max(pixels - 1, 1) or 1.0  # mm of a pixel
    columns, rows = (np.ceil((high - low) / edge - 1e-6).astype(int) + 1).tolist()
    at = (corners[:, :, :2] - low) / edge
    first = np.ceil(at.min(1) - 1e-6).astype(int)
    size = (np.floor(at.max(1) + 1e-6).astype(int) - first + 1).max(1)
    a, b, c = at[:, 0], at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]
    area = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    depth, nearest = np.full(rows * columns, -np.inf), np.full(rows * columns, -1)
    shares, width = np.zeros((3, rows * columns)), 1
    while width < 2 * int(size.max(initial=1)):  # triangles of like sizes at once
        alike = np.nonzero((size <= width) & (size > width // 2) & (area != 0))[0]
        most = max(1, SAMPLES // width**2)
        for k in range(0, len(alike), most):
            f = alike[k : k + most, None, None]
            x, y = (
                first[f, 0] + np.arange(width)[None, None, :],
                first[f, 1] + np.arange(width)[None, :, None],
            )
            dx, dy = x - a[f, 0], y - a[f, 1]
            second, third = (dx * c[f, 1] - dy * c[f, 0]) / area[f], (
                b[f, 0] * dy - b[f, 1] * dx
            ) / area[f]
            inside = (second >= -1e-6) & (third >= -1e-6) & (second + third <= 1 + 1e-6)
            inside &= (x < columns) & (y < rows)
            face, pixel = np.broadcast_to(f, inside.shape)[inside], (y * columns + x)[inside]
            share = np.stack([1 - second[inside] - third[inside], second[inside], third[inside]])
            height = (share * corners[face, :, 2].T).sum(0)
            order = np.argsort(height)  # of several at a place the last one, the nearest, stays
            order = order[height[order] >= depth[pixel[order]]]
            depth[pixel[order]], nearest[pixel[order]] = height[order], face[order]
            shares[:, pixel[order]] = share[:, order]
        width *= 2
    left, bottom = low - edge / 2
    extent = (float(left), float(left + columns * edge), float(bottom), float(bottom + rows * edge))
    return nearest.reshape(rows, columns), shares.reshape(3, rows, columns), extent


def _seen(result: Result, view: View, pixels: int) -> Tuple[Array, Array, Array, Array, Extent]:
    """The surface from there, made once: where it is (rows, columns), and at these pixels the nodes (n, 3) of their faces and the nodes'
    weights (3, n), how bright they are (n), and the image's extent."""
    if (view, pixels) not in result._seen:
        points, faces, flat = result.points.astype(float), surface_of(result), is_flat(result)
        axes = np.eye(3) if flat else _axes(view)
        own, normal = _normals(points, faces)
        if result.cells.shape[1] == 4:  # of a body only what faces us is seen
            ours = own @ axes[2] > 0
            faces, normal = faces[ours], normal[ours]
        face, share, extent = _raster(points[faces] @ axes.T, pixels)
        there = face >= 0
        face, share = face[there], share[:, there]
        light = np.abs((share * (normal @ axes[2])[face].T).sum(0))
        result._seen[view, pixels] = (
            there,
            faces[face],
            share,
            np.ones(len(face)) if flat else 0.62 + 0.38 * light,
            extent,
        )
    found: Tuple[Array, Array, Array, Array, Extent] = result._seen[view, pixels]
    return found


def _paint_faces(ax: Any, result: Result, values: Array, color: ScalarMappable, view: View) -> None:
    pixels = int(
        2 * DPI * ax.get_window_extent().width / ax.figure.dpi
    )  # two to a pixel of the figure: its edges are smooth
    there, nodes, share, light, extent = _seen(result, view, pixels)
    at = (values[nodes].T * share).sum(0)
    image = np.zeros((*there.shape, 4), np.uint8)
    paint = color.to_rgba(at, bytes=True)
    paint[np.isnan(at)] = NOWHERE
    paint[:, :3] = paint[:, :3] * light[:, None]
    image[there] = paint
    ax.imshow(
        image,
        extent=extent,
        origin="lower",
        interpolation="antialiased",
        interpolation_stage="rgba",
    )


def _paint_lines(ax: Any, result: Result, values: Array, color: ScalarMappable) -> None:
    """A cable is drawn as a curve: the value over its length."""
    x = result.points[:, 0]
    order = np.argsort(x)
    xy = np.stack([x, values], axis=1)[order]
    lines = LineCollection(
        list(np.stack([xy[:-1], xy[1:]], axis=1)),
        colors=color.to_rgba((xy[:-1, 1] + xy[1:, 1]) / 2),
        linewidths=2,
    )
    ax.add_collection(lines)
    ax.autoscale()
    ax.set_xlabel("x, mm")


def paint(
    ax: Any, result: Result, values: Array, color: ScalarMappable, view: View = VIEWS[0]
) -> None:
    """values (nodes) on the surface of the mesh, as seen from `view`; a sheet from above, a cable as a curve."""
    if result.cells.shape[1] == 2:
        _paint_lines(ax, result, values, color)
        return
    _paint_faces(ax, result, values, color, view)
    ax.set_aspect("equal")
    ax.axis("off")


def bands(values: Array, name: str) -> ScalarMappable:
    """Colours in bands between round numbers, open at an end beyond which values lie far outside: farther from the middle half of
    all than three times its width, as velocities where a stimulus activates many nodes at once. They span at least SPAN of the largest
    value, and of times, which count from the start of the run, TIMES."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    first, most = [
        [float(x) for x in np.percentile(known, at)] if known.size else [low, high]
        for at in ((25, 75), (1, 99))
    ]
    reach, margin = 3 * (first[1] - first[0]), 0.3 * (most[1] - most[0])
    if reach > 0:
        most, margin = [first[0] - reach, first[1] + reach], 0
    ends = (low < most[0] - margin, high > most[1] + margin)
    low, high = most[0] if ends[0] else low, most[1] if ends[1] else high
    of_time = name.startswith(("activation", "repol"))
    least = TIMES if of_time else SPAN * max(abs(low), abs(high)) or 1.0
    if high - low < least:
        (low, high), ends = at_least(low, high, least), (False, False)
    levels = MaxNLocator(10).tick_values(low, high)
    extend: Any = {
        (False, False): "neither",
        (True, False): "min",
        (False, True): "max",
        (True, True): "both",
    }[ends]
    palette = colormaps["viridis" if of_time else "plasma"]
    return ScalarMappable(colors.BoundaryNorm(levels, palette.N, extend=extend), palette)


def _bar(figure: Figure, ax: Any, color: ScalarMappable, label: str) -> None:
    bar = figure.colorbar(
        color, ax=ax, orientation="horizontal", fraction=0.06, pad=0.03, aspect=30, shrink=0.8
    )
    bar.set_label(label, color=INK)
    bar.ax.xaxis.set_major_locator(MaxNLocator(max(2, int(1.3 * figure.get_figwidth()))))
    bar.outline.set_visible(False)


def _shape(result: Result, view: View, width: float) -> Tuple[float, float]:
    """Inches of one view, whose height is that of the visible mesh."""
    if result.cells.shape[1] == 2:
        return width, 0.6 * width
    x = result.points if is_flat(result) else result.points @ _axes(view).T
    across, up = np.ptp(x[:, 0]), np.ptp(x[:, 1])
    return width, float(np.clip(width * up / max(across, 1e-300), 0.3 * width, 1.3 * width)) + 0.6


def views(result: Result) -> Sequence[View]:
    """Two of a body or a curved sheet; a flat sheet and a cable have one."""
    return VIEWS if result.cells.shape[1] > 2 and not is_flat(result) else VIEWS[:1]


def map(
    result: Result,
    name: Union[str, Array] = "activation_time",
    *,
    beat: int = 1,
    width: float = 5,
    values: Optional[Array] = None,
    color: Optional[ScalarMappable] = None,
    bar: bool = True,
) -> Figure:
    """A map over the run, on the surface of the mesh.

    Parameters
    ----------
    result : Result
    name : str or (nodes) array
        A map of the result, or values of no map.
    beat : int
        Of several stored beats, from 1.
    width : float
        Inches
    values : (nodes) array, optional
        In place of those of the map, of its kind and unit.
    color : matplotlib.cm.ScalarMappable, optional
        Colours; by default bands of the values.
    bar : bool
        Draw their legend.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    KeyError
        Where the result has no such map.
    ValueError
        Where there is not one value for each node.

    Examples
    --------
    >>> from cardiac import plot
    >>> plot.map(cardiac.read("out/heart"), "apd90").savefig("apd90.png")
    """
    if not isinstance(name, str):
        name, values, unit = "", np.asarray(name, float), ""
    else:
        unit = result.maps.units[name]
    if values is None:
        values = result.maps[name]
        values = values if values.ndim == 1 else values[:, beat - 1]
    if values.shape != (result.nodes,):
        raise ValueError(
            "%s values, the mesh has %d nodes"
            % (" x ".join("%d" % n for n in values.shape), result.nodes)
        )
    color, seen = color or bands(values, name), views(result)
    width = width if len(seen) > 1 else 0.7 * width
    figure = Figure(
        (width, _shape(result, seen[0], width / len(seen))[1] + 0.2), layout="constrained"
    )
    for ax, view in zip(figure.subplots(1, len(seen), squeeze=False)[0], seen):
        paint(ax, result, values, color, view)
    label = words(name) + (", " + unit if unit not in ("", "1") else "")
    if result.cells.shape[1] == 2:
        ax.set_ylabel(label)
        ax.grid(color=GRID)
    elif bar:
        _bar(figure, figure.axes, color, label)
    return figure


def survey(result: Result, name: str = "V") -> Array:
    """(frames, 4): of at most 40 frames of a field the time, least and largest value and standard deviation."""
    if name not in result._surveys:
        field = result.fields[name]
        chosen = np.unique(np.linspace(0, len(field) - 1, min(len(field), 40)).astype(int))
        frames = ((result.times[k], field[int(k)]) for k in chosen)
        result._surveys[name] = np.array(
            [(t, np.nanmin(v), np.nanmax(v), np.nanstd(v)) for t, v in frames], float
        )
    found: Array = result._surveys[name]
    return found


def spread(result: Result, name: str = "V") -> Tuple[float, float]:
    """The range of a field, for colours."""
    found = survey(result, name)
    low, high = float(found[:, 1].min()), float(found[:, 2].max())
    return low, high if high > low else low + 1


def frame(
    result: Result,
    ms: float,
    name: str = "V",
    *,
    limits: Optional[Tuple[float, float]] = None,
    view: View = VIEWS[0],
    width: float = 5,
    bar: bool = True,
) -> Figure:
    """A field at the time of a frame, on the surface of the mesh.

    Parameters
    ----------
    result : Result
    ms : float
        A stored time; ValueError where there is no frame.
    name : str
        Of the field.
    limits : (float, float), optional
        Of the colours, in its unit; by default its range over the run.
    view : (float, float)
        Azimuth and elevation of who looks, degrees.
    width : float
        Inches
    bar : bool
        Draw the legend of the colours.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from cardiac import plot
    >>> plot.frame(cardiac.read("out/heart"), 5, width=3).savefig("5ms.png")
    """
    field = result.fields[name]
    color = ScalarMappable(
        colors.Normalize(*(limits or spread(result, name))), colormaps["RdYlBu_r"]
    )
    figure = Figure(_shape(result, view, width), layout="constrained")
    ax = figure.subplots()
    paint(ax, result, field.at(ms), color, view)
    if result.cells.shape[1] == 2:
        ax.set_ylim(*(limits or spread(result, name)))
        ax.set_ylabel("%s, %s" % (name, field.unit))
        ax.grid(color=GRID)
    elif bar:
        _bar(figure, ax, color, "%s, %s" % (name, field.unit))
    return figure


def some_times(result: Result, count: int = 6) -> List[float]:
    """Frames to show: while the first beat's front runs and while V differs most afterwards, as in repolarization; or evenly."""
    last = float(result.times[-1])
    begin, end = 0.0, last
    if "activation_time" in result.maps:
        at = result.activation.reshape(result.nodes, -1)[:, 0]
        at = at[np.isfinite(at)]
        if at.size:
            begin, end = float(at.min()), min(last, float(at.max()))
            if end - begin > 0.6 * last:
                return frames_near(result, list(np.linspace(begin, end, count)))
            found = survey(result)
            later = found[found[:, 0] >= end + 0.1 * (last - end)]
            apart = later[later[:, 3] >= 0.5 * later[:, 3].max(), 0]
            return frames_near(
                result,
                [
                    a + (b - a) * k / 4
                    for a, b in ((begin, end), (apart[0], apart[-1]))
                    for k in (1, 2, 3)
                ],
            )
    return frames_near(result, list(np.linspace(begin, end, count + 1)[1:]))


def frames_near(result: Result, times: Sequence[float]) -> List[float]:
    """The stored times nearest to some, in order, each once."""
    return sorted({float(result.times[int(np.argmin(abs(result.times - t)))]) for t in times})


def plain(name: str) -> str:
    """A name as matplotlib shows it: '$' begins no formula, '_' hides no line of a legend, controls are no characters."""
    text = shown(name).replace("$", r"\$")
    return " " + text if text.startswith("_") else text


def _curves(
    times: Array, names: Sequence[str], columns: Sequence[Array], label: str, width: float
) -> Figure:
    figure = Figure((width, 0.5 * width), layout="constrained")
    ax = figure.subplots()
    palette = colormaps["tab10"]
    for k, (name, column) in enumerate(zip(names, columns)):
        ax.plot(
            times,
            column,
            label=plain(name),
            color=palette(k % 10),
            linewidth=1.2,
            linestyle=("-", "--", ":")[k // 10 % 3],
        )
    ax.set_xlabel("ms")
    ax.set_ylabel(label)
    widen(ax)
    ax.grid(color=GRID, linewidth=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if len(names) <= 12:
        ax.legend(frameon=False, fontsize=8, ncols=1 if len(names) < 6 else 2)
    return figure


def probes(result: Result, name: str = "V", *, width: float = 6) -> Figure:
    """A field at the probes in time.

    Parameters
    ----------
    result : Result
    name : str
        Of the field.
    width : float
        Inches

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    KeyError
        Where no probe has the field.

    Examples
    --------
    >>> from cardiac import plot
    >>> figure = plot.probes(cardiac.read("out/heart"))
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['near', 'far']
    """
    times, names, units, values = result.table("probes")
    ending = "" if name == "V" else "." + name
    chosen = [
        k
        for k, n in enumerate(names)
        if (n.endswith(ending) if ending else all(not n.endswith("." + f) for f in result.fields))
    ]
    if not chosen:
        raise KeyError("no probe has %s; there are %s" % (name, ", ".join(names)))
    short = [names[k][: len(names[k]) - len(ending)] for k in chosen]
    return _curves(
        times, short, [values[:, k] for k in chosen], "%s, %s" % (name, units[chosen[0]]), width
    )


# The usual layout: three rows of four; a long one has II again below
LEADS = (("I", "aVR", "V1", "V4"), ("II", "aVL", "V2", "V5"), ("III", "aVF", "V3", "V6"))
MARGIN, ROW, GAP = 6.0, 30.0, 3.0  # mm; GAP: between columns
SPEED, GAIN, MARK = 25.0, 10.0, 5.0  # mm/s, mm/mV; mm: width of the calibration mark
GAINS = tuple(
    x * 10.0**k for k in range(6, -6, -1) for x in (5, 2, 1)
)  # mm/mV of leads that do not fit
MEASURED = "#0b5ed7"
REST, AHEAD = "#8a8a8a", 100.0  # ms drawn as rest before a run begins
WIDEST, LARGEST = 210.0, 4.0  # mm of paper, how much larger it is drawn at most


def _layout(names: Sequence[str], long: bool) -> List[List[str]]:
    if all(lead in names for row in LEADS for lead in row):
        return [list(row) for row in LEADS] + ([["II"]] if long else [])
    columns = 1 if len(names) < 3 else 2 if len(names) < 9 else 3
    return [list(names[k : k + columns]) for k in range(0, len(names), columns)]


def _gains(heights: Sequence[float]) -> Tuple[float, List[float]]:
    """mm/mV of all leads: 10, or more where all of them would be flat lines; and of each: less where it would not fit."""
    room, most = ROW - 7, max([h for h in heights if np.isfinite(h)], default=0.0)
    common = next(g for g in GAINS if g * most <= room) if 0 < most * GAIN < 3 else GAIN
    return common, [
        common if not h * common > room else next(g for g in GAINS if g * h <= room)
        for h in heights
    ]


def _intervals(
    ax: Any, result: Result, left: float, height: float, start: float, length: float
) -> None:
    """Above a trace that begins at `left` and `start` ms: how long QRS and QT are."""
    found = result.summary.get("ecg") or {}
    for k, (name, key) in enumerate((("QRS", "qrs"), ("QT", "qt"))[bool(found.get("doubted")) :]):
        begin, ms = found.get("begin"), found.get(key)
        if begin is None or ms is None or begin < start or begin + ms > start + length:
            continue
        x = [left + (t - start) * SPEED / 1000 for t in (begin, begin + ms)]
        y = height - 2.5 * k
        ax.plot(
            [x[0], x[0], x[0], x[1], x[1], x[1]],
            [y - 0.6, y + 0.6, y, y, y - 0.6, y + 0.6],
            color="#1f5fa8",
            linewidth=0.8,
        )
        ax.text(x[1] + 0.6, y, "%s %.0f ms" % (name, ms), fontsize=7, color="#1f5fa8", va="center")


def ecg(result: Result, measured: Optional[Leads] = None, ahead: float = AHEAD) -> Figure:
    """The leads on millimetre paper, 25 mm/s and 10 mm/mV, drawn larger where they are short.

    A mark of 10 mm stands before each row; a lead that would not fit has its own gain beside its name. Measured leads are drawn
    behind them, as wide blue lines. A dotted line leads to each trace that begins with the run: it stands for the tissue at rest and is no data.

    Parameters
    ----------
    result : Result
    measured : Leads, optional
        As of ``cardiac.target.read_leads``.
    ahead : float
        ms of the dotted line.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    KeyError
        Where the result has no ECG.

    Examples
    --------
    >>> from cardiac import plot
    >>> plot.ecg(cardiac.read("out/heart")).savefig("ecg.png")
    """
    times, names, units, values = result.table("ecg")
    over = (
        {name: column for name, column in zip(measured.names, measured.values.T)}
        if measured
        else {}
    )
    whole = float(times[-1] - times[0]) if len(times) > 1 else 1.0
    each = min(
        whole, 2500.0
    )  # ms of a column; of a longer one, each column goes on where the one before it ends
    long = whole > each
    rows = _layout(names, long)
    columns = max(len(row) for row in rows)
    begin = max(float(times[0]), float(times[-1]) - columns * each) if long else float(times[0])
    lead_in = ahead * SPEED / 1000 if begin == times[0] else 0.0  # mm
    width, first, gap = (
        max(each * SPEED / 1000, 16.0),
        MARGIN + MARK + 4 + lead_in,
        GAP if long else GAP + lead_in,
    )
    drawn = [
        np.concatenate([values[:, k], over.get(name, values[:0, k])])
        for k, name in enumerate(names)
    ]
    common, gains = _gains(
        [float(np.ptp(column)) for column in drawn] if len(values) else [1.0] * len(names)
    )
    paper = np.array([first + columns * (width + gap) + MARGIN, len(rows) * ROW + 2 * MARGIN])
    figure = Figure(tuple(paper / 25.4 * np.clip(WIDEST / paper[0], 1, LARGEST)))
    ax = figure.add_axes((0, 0, 1, 1))
    _paper(ax, paper)
    marked = "II" if "II" in names else names[0]
    for r, row in enumerate(rows):
        top = paper[1] - MARGIN - ROW * r
        foot = top - ROW / 2 - 2 - 5
        ax.plot(
            MARGIN + np.array([0, 1, 1, MARK - 1, MARK - 1, MARK]),
            foot + np.array([0, 0, 10, 10, 0, 0]),
            color="#111111",
            linewidth=0.9,
        )
        if r == 0:
            ax.text(
                MARGIN,
                foot - 0.8,
                "%g %s" % (10 / common, units[0]),
                fontsize=7,
                color=INK,
                va="top",
            )
        for c, lead in enumerate(row):
            k, left = names.index(lead), first + c * (width + gap)
            column = values[:, k]
            start = begin + c * each * long
            length = each * (columns if long and len(row) < columns else 1)
            middle = (np.nanmax(drawn[k]) + np.nanmin(drawn[k])) / 2
            curves = [(times, column, INK, 0.9, 1.0)]
            if measured and lead in over:
                curves.insert(0, (measured.times, over[lead], MEASURED, 2.6, 0.45))
            for at, curve, color, thick, alpha in curves:
                kept = (at >= start) & (at <= start + length)
                ax.plot(
                    left + (at[kept] - start) * SPEED / 1000,
                    top - ROW / 2 - 2 + gains[k] * (curve[kept] - middle),
                    color=color,
                    linewidth=thick,
                    alpha=alpha,
                )
            if lead_in and start == times[0]:
                level = top - ROW / 2 - 2 + gains[k] * (column[0] - middle)
                ax.plot(
                    [left - lead_in, left], [level, level], color=REST, linewidth=0.9, linestyle=":"
                )
                ax.plot([left, left], [level - 1.5, level + 1.5], color=REST, linewidth=0.7)
                if lead == marked:
                    ax.text(
                        left, level - 1.8, "0 ms", fontsize=6, color=REST, ha="center", va="top"
                    )
            ax.text(
                left - (gap - GAP), top, plain(lead), va="top", fontsize=9, weight="bold", color=INK
            )
            if gains[k] != common:
                ax.text(
                    left - (gap - GAP) + 2 + 1.6 * len(lead),
                    top - 0.3,
                    "%g mm/%s" % (gains[k], units[0]),
                    va="top",
                    fontsize=7,
                    color="#b00020",
                )
            if lead == marked and len(row) * (1 + long) > long:
                _intervals(ax, result, left, top - 5, start, length)
    ax.text(MARGIN, 1.6, "%g mm/s, %g mm/%s" % (SPEED, common, units[0]), fontsize=8, color=INK)
    if over:
        ax.text(paper[0] - MARGIN, 1.6, "measured", fontsize=8, color=MEASURED, ha="right")
        ax.text(paper[0] - MARGIN, 4.6, "computed", fontsize=8, color=INK, ha="right")
    return figure


def _paper(ax: Any, size: Array) -> None:
    ax.set_xlim(0, size[0])
    ax.set_ylim(0, size[1])
    ax.axis("off")
    ax.figure.set_facecolor("#fffafa")
    for step, color, thick in ((1, "#f6d5d5", 0.35), (5, "#e9a9a9", 0.7)):
        lines = [[(x, 0), (x, size[1])] for x in np.arange(0, size[0], step)] + [
            [(0, y), (size[0], y)] for y in np.arange(0, size[1], step)
        ]
        ax.add_collection(LineCollection(lines, colors=color, linewidths=thick, zorder=0))


PARTS = {
    "ionic_seconds": "cells",
    "product_seconds": "K V",
    "sweep_seconds": "sweeps",
    "rest_seconds": "rest of the steps",
    "output_wait_seconds": "waiting for output",
    "mesh_seconds": "mesh",
    "assembly_seconds": "assembly",
    "ordering_seconds": "ordering",
    "packing_seconds": "packing",
}


def speed(result: Result, *, width: float = 6) -> Figure:
    """How the run's time was spent.

    Parameters
    ----------
    result : Result
    width : float
        Inches

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from cardiac import plot
    >>> plot.speed(cardiac.read("out/heart")).axes[0].get_xlabel()
    's'
    """
    parts: Dict[str, float] = {
        word: result.numbers[key] for key, word in PARTS.items() if result.numbers.get(key, 0) > 0
    }
    figure = Figure((width, 0.28 * len(parts) + 0.7), layout="constrained")
    ax = figure.subplots()
    ax.barh(list(parts), list(parts.values()), color="#4c72b0", height=0.7)
    ax.invert_yaxis()
    ax.set_xlabel("s")
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return figure
