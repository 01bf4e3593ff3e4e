"""A mesh from arrays to a file that the program and ParaView read, and its boundary."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Optional

import numpy as np

from .own_file import RENAME, claim, writing
from .program import InputError, PathLike
from .result import CORNERS, Array


def surface(cells: Array) -> Array:
    """The boundary faces of tetrahedra, their normals outwards; triangles unchanged.

    Parameters
    ----------
    cells : (cells, corners) array
        As of :class:`~cardiac.Result`; lines are left out.

    Returns
    -------
    (triangles, 3) array
        Nodes

    Examples
    --------
    >>> from cardiac.mesh import surface
    >>> surface(np.array([[0, 1, 2, 3]])).tolist()
    [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    """
    cells = cells[cells[:, -1] != cells[:, -2]]  # lines next to them are left out
    if cells.shape[1] < 4:
        return cells
    faces = cells[:, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]].reshape(-1, 3)
    low = np.sort(faces.astype(np.int64), axis=1)
    pair = low[:, 0] * (int(low.max()) + 1) + low[:, 1]
    order = np.lexsort((low[:, 2], pair))
    same = (np.diff(pair[order]) == 0) & (np.diff(low[order, 2]) == 0)
    alone = ~(np.append(same, False) | np.append(False, same))
    boundary: Array = faces[np.sort(order[alone])]
    return boundary


def _refuse(bad: Any, array: Any, text: str) -> None:
    """ValueError with the first bad value and its position in the array."""
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(text % (row, column, array[row, column]))


def _claim(path: Path) -> None:
    """InputError where something else than such a mesh stands at `path`."""
    claim(str(path), b"")
    if path.exists() and path.stat().st_size:
        with open(path, "rb") as file:
            start = file.read(4096)  # the first names follow the head
        if start[:4] != b"\x89HDF" or b"VTKHDF" not in start:
            raise InputError(
                "%s exists and holds something else than a mesh; %s" % (path, RENAME), 2
            )


def mesh(
    points: Any,
    cells: Any,
    tags: Any = None,
    fibers: Any = None,
    sheets: Any = None,
    arrays: Optional[Mapping[str, Any]] = None,
    *,
    path: PathLike = "mesh.vtkhdf",
) -> Path:
    """Write a mesh from arrays for `mesh: {file: mesh.vtkhdf}` in a config.

    Parameters
    ----------
    points : (nodes, 3) array_like
        mm
    cells : (cells, 2, 3 or 4) array_like of int
        Nodes of lines, triangles or tetrahedra, from 0.
    tags : (cells) array_like of int, optional
        The region of each cell.
    fibers, sheets : (cells or nodes, 3) array_like, optional
    arrays : mapping, optional
        More of either length, by name, as configs use them.
    path : path
        The file, .vtkhdf.

    Returns
    -------
    Path
        `path`

    Raises
    ------
    ValueError
        Where points are not finite, or a cell names no node; the shape of elements is checked by `cardiac mesh info mesh.vtkhdf`.
    InputError
        Where something else than a mesh stands at `path`.

    Examples
    --------
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> path = cardiac.mesh(points, [[0, 1, 2, 3]], tags=[7], path="one.vtkhdf")
    >>> cardiac.read(path).tags.tolist()
    [7]
    """
    path = Path(path)
    at, corners = np.array(points, np.float64, ndmin=2), np.asarray(cells)
    nodes, count = len(at), len(corners)
    if path.suffix != ".vtkhdf":
        raise ValueError("%s: the file is a .vtkhdf" % path)
    if at.shape != (nodes, 3):
        raise ValueError("points have shape %s, not (nodes, 3)" % (at.shape,))
    kinds = {width: kind for kind, width in CORNERS.items()}
    if (
        corners.ndim != 2
        or corners.shape[1] not in kinds
        or not np.issubdtype(corners.dtype, np.integer)
    ):
        raise ValueError(
            "cells are whole numbers of shape (cells, 2, 3 or 4), not %s of shape %s"
            % (corners.dtype, corners.shape)
        )
    width = corners.shape[1]
    _refuse(~np.isfinite(at), at, "points[%d, %d] is %s, not a finite number")
    _refuse(
        (corners < 0) | (corners >= nodes),
        corners,
        "cells[%%d, %%d] is %%s, not a node from 0 to %d" % (nodes - 1),
    )
    group = {
        count: "CellData",
        nodes: "PointData",
    }  # where both are the same it is of nodes, but for tags

    def put(
        name: str, values: Any, where: Mapping[int, str], columns: Optional[int] = None
    ) -> None:
        array = np.asarray(values)
        if (
            array.ndim not in (1, 2)
            or len(array) not in where
            or (columns and array.shape[1:] != (columns,))
        ):
            raise ValueError(
                "%s have shape %s; there are %d nodes and %d cells"
                % (name, array.shape, nodes, count)
            )
        if array.dtype.kind not in "biuf":
            raise ValueError("%s are no numbers but %s" % (name, array.dtype))
        root["%s/%s" % (where[len(array)], name)] = (
            array.astype(np.uint8) if array.dtype.kind == "b" else array
        )

    import h5py

    _claim(path)
    with writing(str(path), b"") as out, h5py.File(out, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0])
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")
        root["Points"] = at
        root["Connectivity"] = corners.ravel().astype(np.int64)
        root["Offsets"] = np.arange(0, width * (count + 1), width)
        root["Types"] = np.full(count, kinds[width], np.uint8)
        for name, number in (
            ("NumberOfPoints", nodes),
            ("NumberOfCells", count),
            ("NumberOfConnectivityIds", corners.size),
        ):
            root[name] = np.array([number])
        if tags is not None:
            whole = np.asarray(tags)
            if whole.ndim != 1 or not np.issubdtype(whole.dtype, np.integer):
                raise ValueError(
                    "tags are whole numbers, one for each cell, not %s of shape %s"
                    % (whole.dtype, whole.shape)
                )
            put("region", whole.astype(np.int32), {count: "CellData"})
        for name, directions in ("fiber", fibers), ("sheet", sheets):
            if directions is not None:
                put(name, np.asarray(directions, np.float64), group, 3)
        for name, values in (arrays or {}).items():
            put(name, values, group)
    return path
