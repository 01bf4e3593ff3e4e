#!/usr/bin/env pvpython
"""make_picture.py RESULT.xdmf PICTURE.png: V at four times, side by side, as ParaView shows it.

The picture in README.md: ./bootstrap.sh run, then
pvpython --force-offscreen-rendering docs/lab/make_picture.py out/quickstart/run.xdmf docs/user/quickstart.png
"""
import sys

from paraview.simple import (ColorBy, CreateLayout, CreateView, GetColorTransferFunction, GetScalarBar,
                             SaveScreenshot, Show, Text,
                             XDMFReader)

TIMES = [80, 180, 300, 640]  # ms: plane wave, second stimulus on its tail, the first turn, a spiral
WIDTH, HEIGHT = 330, 330

result, picture = sys.argv[1:3]
reader = XDMFReader(FileNames=[result])
reader.UpdatePipelineInformation()
available = list(reader.TimestepValues)

colors = GetColorTransferFunction("V")
colors.ApplyPreset("Inferno (matplotlib)", True)

layout = CreateLayout("picture")
views = []
for wanted in TIMES:
    time = min(available, key=lambda t: abs(t - wanted))
    view = CreateView("RenderView")
    view.ViewTime = time
    view.Background = [1, 1, 1]
    view.UseColorPaletteForBackground = 0
    view.OrientationAxesVisibility = 0
    view.InteractionMode = "2D"
    view.CenterAxesVisibility = 0
    display = Show(reader, view)
    ColorBy(display, ("POINTS", "V"))
    display.SetScalarBarVisibility(view, False)
    display.Ambient, display.Diffuse = 1, 0  # the colours themselves, without light and shade
    clock = Show(Text(Text=f" {time:.0f} ms"), view)
    clock.Color = [1, 1, 1]
    clock.FontSize = 16
    view.CameraPosition = [40, 40, 300]
    view.CameraFocalPoint = [40, 40, 0]
    view.CameraParallelProjection = 1
    view.CameraParallelScale = 41
    views.append(view)

colors.RescaleTransferFunction(-80, 20)
bar = GetScalarBar(colors, views[-1])
bar.Title, bar.ComponentTitle, bar.Visibility = "V (mV)", "", 1
bar.TitleColor = bar.LabelColor = [1, 1, 1]
bar.ScalarBarLength, bar.ScalarBarThickness = 0.4, 12
bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.0f", "%.0f"

# a row of four: split the layout in halves, and these again
layout.SplitHorizontal(0, 0.5)
layout.SplitHorizontal(1, 0.5)
layout.SplitHorizontal(2, 0.5)
for view, cell in zip(views, (3, 4, 5, 6)):
    layout.AssignView(cell, view)
layout.SetSize(WIDTH * len(TIMES), HEIGHT)
SaveScreenshot(picture, layout, ImageResolution=[WIDTH * len(TIMES), HEIGHT], CompressionLevel="9")
