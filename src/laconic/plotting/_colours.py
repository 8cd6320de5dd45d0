"""Colours that can be told apart without red and green, marks and lines; and the colours that axes have already."""

from __future__ import annotations

from typing import Any

BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
GREY = "#8C8C8C"
PALETTE = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", VERMILLION, "#F0E442")  # Okabe and Ito's, without black
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (7, 2)), (0, (4, 1, 1, 1, 1, 1)))


def ink(ax: Any) -> Any:
    """Return the colour in which the axes' own words are written."""
    return ax.xaxis.label.get_color()


def paper(ax: Any) -> Any:
    """Return the colour behind the picture."""
    return ax.get_facecolor()


def softness(ax: Any) -> float:
    """Return how opaque a soft colour is: more so on dark paper, where it would be lost."""
    return 0.28 if sum(paper(ax)[:3]) > 1.5 else 0.45
