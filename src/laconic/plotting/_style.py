"""What all pictures share: axes to draw on, words that are safe to draw, ticks, titles and legends."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from laconic._optional import require
from laconic.plotting._colours import ink, paper


class Display(ABC):
    """A picture that knows what it shows; `_start` sets ``ax_`` and ``figure_``."""

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        Display
            Itself.
        """
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes, or on those that `_start` makes."""

    def _start(self, ax: Any, width: float, height: float) -> Any:
        """Take the axes to draw on, or make a figure of this size in inches."""
        if ax is None:
            require("matplotlib", "Drawing a picture")
            _, ax = require("matplotlib.pyplot", "Drawing a picture").subplots(
                figsize=(width, height), layout="constrained"
            )
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def escaped(text: Any) -> str:
    r"""Return words from the data in a form that matplotlib draws as they are: on one line, no dollar starts a formula.

    Examples
    --------
    >>> escaped("price\n in $, or $$")
    'price in \\$, or \\$\\$'
    """
    return _on_one_line(text).replace("$", r"\$")


def wrapped(text: Any, width: int = 44, most_lines: int = 3, tail: Any = "") -> str:
    r"""Break words from the data into a few lines, cut what is longer but never the tail, and escape the result.

    Examples
    --------
    >>> wrapped("one two three four five", width=10, most_lines=2)
    'one two\nthree …'
    >>> wrapped("one two three four five", width=10, most_lines=2, tail="→ six")
    'one two …\n→ six'
    >>> wrapped("$" * 8, width=5)
    '\\$\\$\\$\\$\\$\n\\$\\$\\$'
    """
    flat, tail, width = _on_one_line(text), _on_one_line(tail), letters(width)
    room = len(flat)
    lines = textwrap.wrap(f"{flat} {tail}", width)
    while len(lines) > most_lines and room > 1:
        room -= 1
        cut = flat[:room].rpartition(" ")[0] if " " in flat[:room].strip() else flat[:room]
        lines = textwrap.wrap(f"{cut} … {tail}", width)
    return "\n".join(escaped(line) for line in lines[:most_lines])


def letters(number: int) -> int:
    """Return how many letters take the room of so many at matplotlib's own size, if letters have another size now."""
    return max(1, round(number / _enlarged()))


def past_bars(share: float) -> float:
    """Return how far an axis reaches beyond its longest bar, where words behind bars take such a share of the axis."""
    return 1.0 / (1.0 - min(share * _enlarged(), 0.7))


def _enlarged() -> float:
    return float(require("matplotlib", "Drawing a picture").rcParams["font.size"]) / 10.0


def _on_one_line(text: Any) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())


def in_percent(axis: Any) -> None:
    """Write the ticks of an axis of shares as percentages."""
    ticker = require("matplotlib.ticker", "Drawing a picture")
    axis.set_major_formatter(ticker.PercentFormatter(xmax=1.0, symbol=" %"))


def in_whole_numbers(axis: Any) -> None:
    """Put the ticks of an axis of counts at whole numbers, even if there is one alone."""
    ticker = require("matplotlib.ticker", "Drawing a picture")
    axis.set_major_locator(ticker.MaxNLocator("auto", integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))


def name_bars(ax: Any, names: Sequence[str]) -> None:
    """Write the names of horizontal bars beside them, the first on top, without ticks and frame."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)


def legend_height(labels: Sequence[str]) -> float:
    """Return how many inches a legend takes: its lines, and half a line between one entry and the next."""
    size = require("matplotlib.font_manager", "Drawing a picture").FontProperties(size="small").get_size_in_points()
    n_lines = sum(label.count("\n") + 1 for label in labels)
    return float(size * (1.25 * n_lines + 0.5 * len(labels)) / 72)


def fitting(labels: Sequence[str], room: float) -> int:
    """Return how many of the first labels a legend can show within so many inches, at least one."""
    number = len(labels)
    while number > 1 and legend_height(labels[:number]) > room:
        number -= 1
    return number


def add_title(ax: Any, text: str) -> None:
    """Write a few lines above the axes, where they start; the text must be safe already."""
    ax.set_title(text, loc="left", fontsize="medium", color=ink(ax))


def add_legend(
    ax: Any,
    handles: Sequence[Any],
    labels: Sequence[str],
    title: str = "",
    *,
    outside: bool = False,
    below: bool = False,
) -> None:
    """Put a legend where it hides least: beside or below the axes if the figure makes room for it, else on them."""
    beside = (outside or below) and ax.figure.get_layout_engine() is not None
    place: dict[str, Any] = {"loc": "best"}
    if beside and below:  # in one line, at the end of the axis' own words
        shifted = require("matplotlib.transforms", "Drawing a picture").offset_copy
        under = shifted(ax.transAxes, fig=ax.figure, y=-18.0 * _enlarged(), units="points")
        place = {"loc": "upper right", "bbox_to_anchor": (1.0, 0.0), "bbox_transform": under, "ncols": len(labels)}
        place |= {"borderaxespad": 0.0}
    elif beside:
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    legend = ax.legend(
        handles,
        labels,
        title=title or None,
        fontsize="small",
        title_fontsize="small",
        alignment="left",
        labelcolor=ink(ax),
        facecolor=paper(ax),
        edgecolor="none" if beside else ink(ax),
        framealpha=0.0 if beside else 0.85,
        **place,
    )
    legend.get_title().set_color(ink(ax))
