"""V on a lit surface, still or moving, by pyvista without a display."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from . import plot
from .own_file import claim, writing
from .program import InputError
from .result import Array, Result, read
from .studies.study import Watch

__all__ = ["film"]

COLORS = "RdYlBu_r"
RATE = 25  # frames a second
MARGIN = 1.35  # of the picture's height over that of the surface: the clock and the bar are below and above it
SECONDS = 12.0  # a longer film leaves frames out


class Stage:
    """A surface, its light and its camera: set up once, coloured at each time."""

    def __init__(
        self,
        result: Result,
        limits: Tuple[float, float],
        view: plot.View,
        pixels: Tuple[int, int],
        bar: bool = False,
    ):
        import pyvista

        pyvista.vtk_verbosity("off")
        self.result = result
        surface = result.grid(float(result.times[0])).extract_surface(algorithm="dataset_surface")
        solid = result.cells.shape[1] > 3
        if solid:
            surface = surface.compute_normals(
                cell_normals=False, split_vertices=True, feature_angle=50
            )
        self.nodes = surface.point_data["vtkOriginalPointIds"]
        self.plotter = pyvista.Plotter(off_screen=True, window_size=pixels, lighting="three lights")
        actor = self.plotter.add_mesh(
            surface,
            scalars="V",
            clim=limits,
            cmap=COLORS,
            smooth_shading=solid,
            lighting=solid,
            specular=0.35,
            specular_power=20,
            show_scalar_bar=bar,
            scalar_bar_args={"title": "V (mV)", "color": "black"},
        )
        self.drawn = actor.mapper.dataset
        axes = plot._axes(view)
        seen = np.asarray(surface.points) @ axes.T
        low, high = seen.min(0), seen.max(0)
        middle = (low + high) / 2 @ axes
        self.plotter.camera_position = [middle + 4 * surface.length * axes[2], middle, axes[1]]
        self.plotter.enable_parallel_projection()
        across, up = (high - low)[:2]
        self.plotter.camera.parallel_scale = (
            MARGIN / 2 * max(up, across * pixels[1] / pixels[0])
        )  # half of the picture's height
        self.plotter.enable_anti_aliasing("ssaa")

    def at(self, ms: float) -> Array:
        """The picture of V at a time: rows of pixels of red, green and blue, on white"""
        self.drawn.point_data["V"][:] = self.result.V.at(ms)[self.nodes]
        self.plotter.render()
        image: Array = self.plotter.screenshot(return_img=True)
        return image


def film(
    result: Union[Result, str, Path],
    path: Union[str, Path],
    *,
    seconds: float = SECONDS,
    view: Optional[plot.View] = None,
) -> Path:
    """Write V in time as a film. It needs pyvista, and for .mp4 imageio with ffmpeg.

    Parameters
    ----------
    result : Result, str or path
    path : str or path
        .mp4 or .gif
    seconds : float
        How long it lasts at most; of more frames some are left out.
    view : (float, float), optional
        Azimuth and elevation of who looks, degrees.

    Returns
    -------
    Path
        `path`

    Raises
    ------
    InputError
        Where the name has another ending, or the result no frames of V on triangles or tetrahedra.

    Examples
    --------
    >>> from cardiac.film import film
    >>> film("out/heart", "heart.gif", seconds=0.1)  # needs pyvista
    PosixPath('heart.gif')
    """
    found, to = result if isinstance(result, Result) else read(result), Path(path)
    if to.suffix not in (".mp4", ".gif"):
        raise InputError("%s: a film ends in .mp4 or .gif" % to, 2)
    claim(str(to), None)
    if "V" not in found.fields or not len(found.times) or found.cells.shape[1] < 3:
        raise InputError("%s: a film needs frames of V on triangles or tetrahedra" % found.path, 2)
    chosen = np.unique(
        np.linspace(0, len(found.times) - 1, min(len(found.times), int(seconds * RATE))).astype(int)
    )
    view = view or ((-90, 90) if plot.is_flat(found) else plot.VIEWS[0])
    with Watch("drawing the film") as watch:
        stage = Stage(found, plot.spread(found), view, (960, 720), bar=True)
        clock: Any = stage.plotter.add_text("", position="upper_left", color="black", font_size=12)
        images: List[Array] = []
        for k in chosen:
            watch.doing = "frame %d of %d" % (len(images) + 1, len(chosen))
            clock.set_text("upper_left", "%g ms" % found.times[k])
            images.append(stage.at(float(found.times[k])))
        stage.plotter.close()
        if to.suffix == ".gif":
            from PIL import Image

            first, *rest = [Image.fromarray(image).quantize(128) for image in images]
            with writing(str(to), None) as out:
                first.save(
                    out, "gif", save_all=True, append_images=rest, duration=1000 // RATE, loop=0
                )
        else:
            import imageio

            with (
                writing(str(to), None) as out,
                TemporaryDirectory() as folder,
            ):  # ffmpeg writes a name
                named = Path(folder, to.name)
                with imageio.get_writer(named, fps=RATE, macro_block_size=8) as writer:
                    for image in images:
                        writer.append_data(image)
                out.write(named.read_bytes())
        return to
