"""Pictures as SVG that a page can hold: no files beside it, and in its own colours, light or dark."""

from __future__ import annotations

import io
import re
from typing import Any

from laconic._optional import require

# colours that stand for the page's own until the picture is drawn
_INK, _PAPER = "#010203", "#fdfcfb"
_STYLE = {
    "svg.fonttype": "none",  # texts stay texts; the font that widths are measured with is wider than most
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.facecolor": _PAPER,
    "figure.facecolor": _PAPER,
    "savefig.facecolor": _PAPER,
}


def svg_of(display: Any, name: str, words: str) -> str:
    """Draw a display as an element of HTML.

    Parameters
    ----------
    display : Display
        What to draw.
    name : str
        A word that no other picture of the page has: names inside the picture are made from it.
    words : str
        What the picture shows, for those who cannot see it.

    Returns
    -------
    str
        An ``svg`` element, whose words are escaped.
    """
    require("matplotlib", "Drawing a picture")
    pyplot = require("matplotlib.pyplot", "Drawing a picture")
    with pyplot.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = display.plot().figure_
        try:
            taken = io.StringIO()
            figure.savefig(taken, format="svg", metadata={"Date": None, "Creator": None})
        finally:
            pyplot.close(figure)
    drawn = taken.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", drawn)
    drawn = drawn.replace(_INK, "currentColor").replace(_PAPER, "var(--paper)")
    box = re.search(r'viewBox="[^"]*"', drawn)
    if box is None:
        raise ValueError("matplotlib drew an SVG without a viewBox.")
    label = require("markupsafe", "Drawing a picture").escape(words)
    opening = f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box[0]} role="img" aria-label="{label}">'
    return opening + drawn[drawn.index(">") + 1 :].strip()
