"""Arrays of numbers from the user, and those that stand in a config."""

from __future__ import annotations

import hashlib
import io
import os
import re
from typing import Any, Dict, Mapping, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .own_file import make_folder, writing
from .program import InputError, plain

Array = NDArray[np.float64]
EXACT = 2**53  # whole numbers up to it are float64
KEYS = (
    "fibers",
    "sheets",
    "where",
    "scale",
    "nodes",
    "field",
    "factor",
)  # whose values may be arrays, as those of `parameters`; elsewhere an array is a list


def read_numbers(values: ArrayLike, what: str) -> Array:
    """Numbers as float64; InputError, with `what` they are, where they are none, are masked, or change in float64.

    >>> read_numbers([1, 2], "scale")
    array([1., 2.])
    """
    try:
        array = np.asanyarray(values)
    except (TypeError, ValueError):
        raise InputError("%s: not an array of numbers" % what, 2) from None
    if array.dtype.kind not in "biuf":
        said = (
            "an array of complex numbers" if array.dtype.kind == "c" else "not an array of numbers"
        )
        raise InputError("%s: %s" % (what, said), 2)
    if np.ma.is_masked(array):
        raise InputError("%s: an array with masked values; fill them" % what, 2)
    if (
        array.dtype.kind in "iu"
        and array.size
        and (int(array.max()) > EXACT or int(array.min()) < -EXACT)
    ):
        raise InputError("%s: whole numbers beyond 2**53, which no float64 is" % what, 2)
    return np.asarray(array, dtype=np.float64, order="C")


def read_number(value: Any, what: str) -> float:
    """One number; InputError for anything else.

    >>> read_number(np.float32(0.1), "scale")
    0.1
    """
    number = read_numbers(plain(value), what)
    if number.ndim:
        raise InputError("%s: expected a number" % what, 2)
    return float(number)


def read_whole(values: ArrayLike, what: str) -> NDArray[np.int64]:
    """Whole numbers, of any type that has them."""
    numbers = read_numbers(values, what)
    if not np.all(np.isfinite(numbers) & (numbers == np.floor(numbers))):
        raise InputError("%s: expected whole numbers" % what, 2)
    return numbers.astype(np.int64)


class Arrays:
    """Arrays of a config: each becomes one of the library's, and its place in the config the name of that."""

    def __init__(self) -> None:
        self.named: Dict[str, Array] = {}
        self.initial: Dict[str, Any] = {}
        self.nodes: Dict[str, NDArray[np.int64]] = {}  # masks, once the number of nodes is known

    def name(self, values: Any, what: str, own: str = "") -> str:
        array, number = read_numbers(values, what), len(self.named) + len(self.nodes) + 1
        while "array_%d" % number in {**self.named, **self.nodes}:
            number += 1
        name = own or "array_%d" % number
        if name in self.named:
            raise InputError("%s: this name is taken; choose another one" % what, 2)
        if array.ndim != 1 and array.shape[1:] != (3,):
            raise InputError(
                "%s: an array of shape %s; expected (n) or, of directions, (n, 3)"
                % (what, array.shape),
                2,
            )
        self.named[name] = array
        return name

    def take(self, value: Any, path: Tuple[Any, ...] = ()) -> Any:
        """The value as a config would have it."""
        key = path[-1] if path else ""
        what = ".".join(map(str, path))
        if isinstance(value, Mapping):
            if (
                key == "initial"
                and len(path) == 1
                and any(np.ndim(item) for item in value.values())
            ):
                self.initial.update(value)
                return {}
            if path == ("mesh", "arrays"):  # under their own names
                own = [k for k, item in value.items() if isinstance(item, np.ndarray)]
                for k in own:
                    self.name(value[k], "%s.%s" % (what, k), str(k))
                return {k: item for k, item in value.items() if k not in own}
            taken = {str(k): self.take(item, (*path, k)) for k, item in value.items()}
            if path == ("mesh",) and not taken.get("arrays", True):
                del taken["arrays"]
            fibers = (
                taken.get("tissue", {}).get("fibers")
                if not path and isinstance(taken.get("tissue"), dict)
                else None
            )
            if isinstance(fibers, str) and fibers in self.named:
                taken["tissue"]["fibers"] = "from mesh"
                taken["mesh"] = {**taken.get("mesh", {}), "fibers": fibers}
            name = taken.get("nodes")
            if isinstance(name, str) and name in self.named:  # of a stimulus
                del taken["nodes"]
                self.nodes[name] = read_whole(self.named.pop(name), what + ".nodes")
                taken["where"] = "%s > 0.5" % name
            return taken
        of_parameters = len(path) > 1 and path[-2] == "parameters"
        may_be_array = of_parameters or key in KEYS or path == ("mesh", "tags")
        is_array = isinstance(value, np.ndarray) and value.ndim > 0
        of_tissue = key == "fibers" and is_array and value.shape == (3,)  # one direction
        nodes = key == "nodes" and isinstance(value, (list, tuple))
        if nodes or (may_be_array and is_array and not of_tissue):
            name = self.name(value, what)
            if key == "where":
                return "%s > 0.5" % name
            return {"field": name} if of_parameters else name
        if isinstance(value, (list, tuple)):
            return [self.take(item, (*path, k)) for k, item in enumerate(value)]
        return plain(value) if isinstance(value, (np.generic, np.ndarray, os.PathLike)) else value


def _file(values: NDArray[Any], name: str, folder: str) -> str:
    """The path of a file with a value a line. Its name has the digest of its bytes: it is never replaced, and a resumed run finds it."""
    text = io.BytesIO()
    np.savetxt(text, values, fmt="%d" if values.dtype.kind == "i" else "%.17g")
    path = os.path.join(
        folder,
        "%s-%s.dat" % (re.sub(r"\W", "_", name), hashlib.sha256(text.getvalue()).hexdigest()[:12]),
    )
    make_folder(folder)
    if not os.path.exists(path):
        with writing(path, None) as out:
            out.write(text.getvalue())
    return path


def as_files(config: Mapping[str, Any], folder: str) -> Mapping[str, Any]:
    """The config of a run, which reads files: those of its arrays are written to the folder."""
    arrays = Arrays()
    taken = arrays.take(config)
    if arrays.initial:
        raise InputError(
            "initial: arrays can be set in a cardiac.Simulation alone; for a run name a result by initial.file",
            2,
        )
    if any(values.ndim == 2 for values in arrays.named.values()):
        raise InputError(
            "tissue.fibers: a run takes directions from its mesh; cardiac.mesh(points, cells, fibers=) writes one",
            2,
        )
    for stimulus in taken["stimuli"] if isinstance(taken.get("stimuli"), list) else []:
        nodes = [
            name
            for name in arrays.nodes
            if isinstance(stimulus, dict) and stimulus.get("where") == "%s > 0.5" % name
        ]
        for name in nodes:
            del stimulus["where"]
            stimulus["nodes"] = _file(arrays.nodes[name], name, folder)
    mesh = taken.get("mesh")
    if (
        arrays.named and isinstance(mesh, dict) and isinstance(mesh.get("arrays", {}), dict)
    ):  # else the program refuses it
        if twice := mesh.get("arrays", {}).keys() & arrays.named.keys():
            raise InputError(
                "mesh.arrays.%s: an array of the mapping has this name; choose another one"
                % min(twice),
                2,
            )
        mesh["arrays"] = {
            **mesh.get("arrays", {}),
            **{name: _file(values, name, folder) for name, values in arrays.named.items()},
        }
    return dict(taken)
