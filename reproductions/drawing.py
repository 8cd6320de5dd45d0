"""From the points of a figure to its picture. The one place that imports matplotlib, and only when asked to draw."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from math import ceil, log
from typing import Any

from laconic._optional import require
from reproductions.record import Panel, Point

_MARKERS = "os^Dv<>P"


def draw(points: Sequence[Point], panels: Sequence[Panel], kinds: Sequence[str] = ("png",)) -> dict[str, bytes]:
    """Draw every panel with its curves, a bar of one standard deviation at each point.

    Parameters
    ----------
    points : sequence of Point
        What to draw.
    panels : sequence of Panel
        The frames, up to two in a line, so that words can be read at half the size.
    kinds : sequence of str
        File formats.

    Returns
    -------
    dict
        The file's content for each format; the same points give the same bytes.
    """
    require("matplotlib", "Drawing a figure")
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = {point.panel for point in points}
    panels = [panel for panel in panels if panel.name in drawn]
    columns = min(2, len(panels))
    lines = ceil(len(panels) / columns)
    with mpl.rc_context({"svg.hashsalt": "laconic", "svg.fonttype": "path", "font.size": 11.0}):
        figure = Figure(figsize=(4.6 * columns, 3.6 * lines), layout="constrained")
        FigureCanvasAgg(figure)
        for place, panel in enumerate(panels):
            axes = figure.add_subplot(lines, columns, place + 1)
            mine = [point for point in points if point.panel == panel.name]
            for marker, curve in enumerate(dict.fromkeys(point.curve for point in mine)):
                part = sorted((point for point in mine if point.curve == curve), key=lambda point: point.x)
                x, mean = [point.x for point in part], [point.mean for point in part]
                spread = [point.spread for point in part]
                style: dict[str, Any] = {"marker": _MARKERS[marker % len(_MARKERS)], "markersize": 4, "linewidth": 1.2}
                style |= {"capsize": 2, "elinewidth": 0.7}
                axes.errorbar(x, mean, spread if any(spread) else None, label=curve, **style)
            axes.set(title=panel.name, xlabel=panel.x, ylabel=panel.y)
            if panel.log_x:
                ticks = spaced({point.x for point in mine})
                axes.set_xscale("log")
                axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
                axes.minorticks_off()
            if panel.log_y:
                axes.set_yscale("log", nonpositive="clip")
            axes.legend(frameon=False, fontsize="small")
        pictures = {}
        for kind in kinds:
            file = io.BytesIO()
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(file, format=kind, dpi=120, metadata=metadata)
            pictures[kind] = file.getvalue()
    return pictures


def spaced(places: Iterable[float], most: int = 5) -> list[float]:
    """Choose places for the ticks of a logarithmic axis, the first among them, far enough apart for their labels.

    Examples
    --------
    >>> spaced([25, 50, 100, 200, 400])
    [25, 50, 100, 200, 400]
    >>> spaced(range(1000, 9000, 1000))
    [1000, 2000, 4000, 7000]
    """
    found: list[float] = []
    in_order = sorted(places)
    for place in in_order:
        if not found or most * log(place / found[-1]) >= log(in_order[-1] / in_order[0]):
            found.append(place)
    return found
