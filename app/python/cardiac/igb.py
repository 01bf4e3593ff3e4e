"""openCARP's IGB files as fields: a header of 1024 bytes, then frames."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

import numpy as np

from .program import InputError
from .result import Array

HEAD = 1024
TYPES = {"byte": "u1", "short": "i2", "int": "i4", "float": "f4", "double": "f8"}


class Igb:
    """A field in openCARP's format: igb[k] is frame k, igb.at(400) the frame at 400 ms, of all nodes; read on demand.

    Parameters
    ----------
    path : str or path

    Attributes
    ----------
    times : (frames) array
        ms, or what the file counts in
    unit : str

    Raises
    ------
    InputError
        Where the file is no IGB file, or was cut.

    Examples
    --------
    >>> cardiac.read("out/heart").V.to_igb("vm.igb")
    >>> vm = cardiac.Igb("vm.igb")
    >>> len(vm), vm.unit, vm[0].shape
    (21, 'mV', (165,))
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = Path(path)
        with open(self.path, "rb") as file:
            words = file.read(HEAD).decode("latin-1").split()
        head = dict(word.split(":", 1) for word in words if ":" in word)
        try:
            order = ">" if head.get("systeme", "little_endian") == "big_endian" else "<"
            kind = np.dtype(order + TYPES[head["type"]])
            nodes, frames = (
                int(head["x"]) * int(head.get("y", 1)) * int(head.get("z", 1)),
                int(head["t"]),
            )
            start, step = float(head.get("org_t", 0)), (
                float(head["inc_t"])
                if "inc_t" in head
                else float(head.get("dim_t", 0)) / max(frames - 1, 1)
            )
            self.scale, self.zero = float(head.get("facteur", 1)), float(head.get("zero", 0))
        except (KeyError, ValueError) as wrong:
            raise InputError(
                "%s: no IGB file: its header lacks x, t or type, or has %s" % (self.path, wrong), 2
            ) from None
        there = (os.path.getsize(self.path) - HEAD) // (nodes * kind.itemsize)
        if there < frames:
            raise InputError(
                "%s: %d frames in the header, %d in the file; it was cut"
                % (self.path, frames, there),
                2,
            )
        self.unit = head.get("unites", "")
        self.times: Array = start + step * np.arange(frames)
        self._raw = np.memmap(self.path, kind, "r", HEAD, (frames, nodes))

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, frame: int) -> Array:
        return self.scale * np.asarray(self._raw[frame], float) + self.zero

    def at(self, ms: float) -> Array:
        """The frame (nodes) at a time.

        Parameters
        ----------
        ms : float

        Raises
        ------
        KeyError
            Where there is none.

        Examples
        --------
        >>> cardiac.read("out/heart").V.to_igb("vm.igb")
        >>> print(cardiac.Igb("vm.igb").at(5).max().round())
        13.0
        """
        k = int(np.argmin(np.abs(self.times - ms)))
        if abs(self.times[k] - ms) > 1e-6 * max(1.0, abs(ms)):
            raise KeyError(
                "%s: no frame at %g ms; the nearest is at %g ms" % (self.path, ms, self.times[k])
            )
        return self[k]
