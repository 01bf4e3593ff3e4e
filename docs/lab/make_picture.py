#!/usr/bin/env python3
"""make_picture.py RESULT PICTURE.png: maps of a result and its ECG side by side, as its page shows them.

The picture in README.md: ./bootstrap.sh run, then
python3 docs/lab/make_picture.py out/ventricle docs/user/ventricle.png
"""
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "app/python"))
import cardiac  # noqa: E402
from cardiac import plot  # noqa: E402

HEIGHT = 540  # pixels


def drawn(figure, size):
    """The figure as an image that fits into `size`"""
    out = BytesIO()
    figure.savefig(out, dpi=2 * plot.DPI, facecolor=None)
    image = Image.open(out).convert("RGB")
    image.thumbnail(size, Image.LANCZOS)
    return image


def main():
    result = cardiac.read(sys.argv[1])
    maps = [drawn(plot.map(result, name), (HEIGHT, HEIGHT // 2)) for name in ("activation_time", "apd90")]
    leads = drawn(plot.ecg(result), (2 * HEIGHT, HEIGHT))
    left = max(image.width for image in maps)
    picture = Image.new("RGB", (left + 16 + leads.width, HEIGHT), "white")
    for k, image in enumerate(maps):
        picture.paste(image, ((left - image.width) // 2, k * HEIGHT // 2))
    picture.paste(leads, (left + 16, 0))
    picture.quantize(256, method=1, dither=0).save(sys.argv[2], "png", optimize=True)


if __name__ == "__main__":
    main()
