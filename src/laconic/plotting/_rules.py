"""Rules in two dimensions: what is inside, what is outside, and which class each place gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import get_tags

from laconic._base import Machine
from laconic._reading import Reading
from laconic._table import Floats, Integers
from laconic._words import counted
from laconic.plotting._borders import Border, crosses_zero, fields_of, rules_of
from laconic.plotting._colours import LINES, MARKERS, PALETTE, ink, paper, softness
from laconic.plotting._read import check_fitted, column_names, column_position, read_answers, read_table
from laconic.plotting._slices import dense, held_values, make_axis, rows_of_grid
from laconic.plotting._style import Display, add_legend, add_title, fitting, legend_height, wrapped
from laconic.rules import number_text

_LEAST_HEIGHT, _MOST_HEIGHT = 4.8, 9.0  # of the figure, in inches
_AROUND = 1.0  # inches above and below the axes: a title of two lines, ticks and a name


@dataclass(eq=False)
class RulesDisplay(Display):
    """The classes of the places in a plane, the borders of the rules, and the rows.

    Parameters
    ----------
    horizontal, vertical : ndarray of float
        The grid. Booleans and categories stand at 0, 1, 2 and so on.
    regions : ndarray of int of shape (n_vertical, n_horizontal)
        The position in `classes` of the class that each point of the grid gets.
    borders : tuple of Border
        For each rule its words and its ``fields``: arrays over the grid that are zero on the border.
    points : ndarray of shape (n_samples, 2)
        The rows, as seen in the plane; NaN where a value is missing.
    labels : ndarray of int
        The position in `classes` of their classes.
    classes : ndarray
        The classes.
    names : tuple of two str
        The two columns.
    ticks : tuple of two tuples of str
        The categories of a column that has any.
    held : dict of str to value
        The value at which every other column is held.
    heading : str
        How the model reads as a whole.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        What was drawn on.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_haberman
    >>> from laconic.plotting import RulesDisplay
    >>> X, y = load_haberman(return_X_y=True, paper=True)
    >>> model = SetCoveringClassifier("conjunction", "stumps", max_rules=2, penalty=1.0).fit(X, y)
    >>> shown = RulesDisplay.compute(model, X, y, features=(0, 2), resolution=50)
    >>> shown.regions.shape, [border.text for border in shown.borders], shown.held
    ((50, 50), ['x2 > 8', 'x0 > 37'], {'x1': 63.0})
    """

    horizontal: Floats
    vertical: Floats
    regions: Integers
    borders: tuple[Border, ...]
    points: Floats
    labels: Integers
    classes: NDArray[Any]
    names: tuple[str, str]
    ticks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    held: dict[str, Any] = field(default_factory=dict)
    heading: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[str | int] | None = None,
        held: Mapping[Any, Any] | None = None,
        resolution: int = 240,
        ax: Any = None,
    ) -> RulesDisplay:
        """Look at the model on a grid, and draw it.

        Parameters
        ----------
        estimator : fitted classifier
            Borders are drawn for balls, soft balls, thresholds, halfspaces and all other rules, and for machines that
            are one sum; of other classifiers the regions alone.
        X, y : table and labels
            The rows to draw, those of ``fit`` or others.
        features : two names or numbers of columns, or None, default=None
            The plane. None is for a table of two columns.
        held : dict of name or number to value, default=None
            The values of other columns. Those not named are held at the median of X (Booleans and categories: at the
            most frequent value). What is drawn is the plane through these values: a ball appears as large as its cut
            with it, and a rule whose border does not cross it is not drawn. Rows are drawn wherever they are, so those
            far from the plane may have another class than the region behind them.
        resolution : int, default=240
            How many points the grid has in each direction.
        ax : Axes or None, default=None
            Where to draw; None makes a figure. The legend is put beside the axes if the figure has a layout engine
            (``layout="constrained"``) that makes room for it, else on them.

        Returns
        -------
        RulesDisplay
            The picture.
        """
        return cls.compute(estimator, X, y, features=features, held=held, resolution=resolution).plot(ax)

    @classmethod
    def compute(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[str | int] | None = None,
        held: Mapping[Any, Any] | None = None,
        resolution: int = 240,
    ) -> RulesDisplay:
        """Look at the model on a grid, and draw nothing; the parameters are those of `from_estimator`."""
        check_fitted(estimator, cls.__name__, "classifiers", is_classifier(estimator))
        if get_tags(estimator).input_tags.pairwise:
            raise ValueError("The model was fitted on distances or kernels, which have no coordinates to draw.")
        X = dense(X)
        table = read_table(estimator, X)
        labels = _codes(estimator.classes_, read_answers(table, y))
        if resolution < 2:
            raise ValueError(f"resolution must be at least 2, got {resolution}.")
        shown, names = _two_columns(estimator, features), column_names(estimator)
        across, up = (make_axis(column, names[column], table.column(column), resolution) for column in shown)
        values = held_values(estimator, table, shown, held or {})
        reading = estimator.reading() if isinstance(estimator, Machine) else None
        rules = [] if reading is None else rules_of(estimator.hypothesis_, reading)
        codes = np.empty(resolution**2, dtype=np.int64)
        fields: list[list[Floats]] = [[] for _ in rules]
        for points, rows in rows_of_grid(X, table, across, up, values):
            codes[points] = np.searchsorted(estimator.classes_, estimator.predict(rows))
            looked_at = reading.read(rows) if reading is not None and rules else None
            for position, (rule, _, _) in enumerate(rules):
                fields[position].append(np.stack(fields_of(rule, looked_at)))  # type: ignore[arg-type]
        planes = [np.concatenate(pieces, axis=1).reshape(-1, resolution, resolution) for pieces in fields]
        return cls(
            horizontal=across.grid,
            vertical=up.grid,
            regions=codes.reshape(resolution, resolution),
            borders=tuple(
                Border(position, text, answer, tuple(plane) if any(map(crosses_zero, plane)) else ())
                for position, ((_, text, answer), plane) in enumerate(zip(rules, planes, strict=True))
            ),
            points=np.column_stack([across.places, up.places]),
            labels=labels,
            classes=estimator.classes_,
            names=(across.name, up.name),
            ticks=(across.ticks, up.ticks),
            held={names[column]: value for column, value in values.items()},
            heading=_heading(reading),
        )

    def _draw(self, ax: Any) -> None:
        """Draw regions, borders and rows."""
        heading, words = wrapped(self.heading, 48, 3), self._border_words()
        others = [heading, "", "", *map(str, self.classes)]  # what else the legend says
        height = min(max(legend_height([*others, *words]) + _AROUND, _LEAST_HEIGHT), _MOST_HEIGHT)
        room = height - _AROUND if ax is None else _legend_room(ax)
        ax = self._start(ax, 9.0, height)
        self._draw_regions(ax)
        points, counts = self._draw_points(ax)
        handles, words = self._draw_borders(ax, words[: fitting(words, room - legend_height(others))])
        ax.set(xlim=self.horizontal[[0, -1]], ylim=self.vertical[[0, -1]])
        for axis, name, width, ticks in zip((ax.xaxis, ax.yaxis), self.names, (60, 44), self.ticks, strict=True):
            axis.set_label_text(wrapped(name, width, 1))
            if ticks:
                axis.set_ticks(range(len(ticks)), [wrapped(tick, 16, 2) for tick in ticks])
        if self.held:
            add_title(ax, wrapped(self._held_text(), 72, 2))
        add_legend(ax, [*points, *handles], [*counts, *words], heading, outside=True)

    def _draw_regions(self, ax: Any) -> None:
        """Colour every place softly by its class."""
        colours = np.array([_rgb(PALETTE[code % len(PALETTE)]) for code in range(len(self.classes))])
        extent = (*_edges(self.horizontal), *_edges(self.vertical))
        look = {"origin": "lower", "aspect": "auto", "interpolation": "bilinear"}
        ax.imshow(colours[self.regions], extent=extent, alpha=softness(ax), **look)

    @property
    def _drawn(self) -> list[Border]:
        return [border for border in self.borders if border.fields]

    def _border_words(self) -> list[str]:
        """Return what each line that is drawn stands for."""
        tails = [f"then {one.prediction}" if one.prediction else "(soft)" if one.is_soft else "" for one in self._drawn]
        return [
            wrapped(f"{one.position + 1}. {one.text}", tail=tail) for one, tail in zip(self._drawn, tails, strict=True)
        ]

    def _draw_borders(self, ax: Any, named: list[str]) -> tuple[list[Any], list[str]]:
        """Draw the lines of every rule; number those that the legend names, and give what stands for them there."""
        handles, words = [], list(named)
        taken: list[Floats] = []
        for place, (border, pattern) in enumerate(zip(self._drawn, cycle(LINES), strict=False)):
            lines = self._draw_lines(ax, border, pattern)
            if place >= len(named):
                continue
            if segments := [segment for line in lines for segment in line.allsegs[0] if len(segment)]:
                at = self._free_place(max(segments, key=len), taken)
                taken.append(at)
                bubble = {"boxstyle": "circle,pad=0.2", "facecolor": paper(ax), "edgecolor": ink(ax), "linewidth": 0.8}
                style = {"ha": "center", "va": "center", "fontsize": "small", "color": ink(ax)}
                ax.annotate(str(border.position + 1), at, bbox=bubble, **style)
            handles.append(ax.plot([], [], color=ink(ax), linewidth=1.6, linestyle=pattern)[0])
        n_drawn = len(self._drawn)
        unnamed, elsewhere = n_drawn - len(named), len(self.borders) - n_drawn
        words += [f"{counted(unnamed, 'more rule')}, not numbered"] if unnamed else []
        words += [f"{counted(elsewhere, 'rule')} without a border in this plane"] if elsewhere else []
        handles += [ax.plot([], [], linestyle="none")[0] for _ in words[len(handles) :]]
        return handles, words

    def _draw_lines(self, ax: Any, border: Border, pattern: Any) -> list[Any]:
        """Draw the zero line of a rule's field; of a soft ball both, and the ring between them."""
        widths = (0.8, 1.6) if border.is_soft else (1.6,)
        if border.is_soft:
            ring = np.minimum(-border.fields[0], border.fields[1])
            if crosses_zero(ring):
                ax.contourf(self.horizontal, self.vertical, ring, levels=[0.0, np.inf], colors=[ink(ax)], alpha=0.08)
        return [
            ax.contour(
                self.horizontal,
                self.vertical,
                plane,
                levels=[0.0],
                linewidths=width,
                colors=[ink(ax)],
                linestyles=[pattern],
            )
            for plane, width in zip(border.fields, widths, strict=True)
            if crosses_zero(plane)
        ]

    def _free_place(self, line: Floats, taken: Sequence[Floats]) -> Floats:
        """Choose the point of a line that is furthest from the edges and from the places that are taken."""
        low = np.array([self.horizontal[0], self.vertical[0]])
        size = np.array([self.horizontal[-1], self.vertical[-1]]) - low
        points = line[:: max(len(line) // 60, 1)]
        shares = (points - low) / size
        room = np.minimum(shares, 1 - shares).min(axis=1)
        for place in taken:
            room = np.minimum(room, np.linalg.norm(shares - (place - low) / size, axis=1))
        return np.asarray(points[np.argmax(np.minimum(room, 0.15))])

    def _draw_points(self, ax: Any) -> tuple[list[Any], list[str]]:
        """Draw the rows of each class, equal ones as one larger mark and the largest first, so that none is hidden."""
        jitter = np.random.default_rng(0).uniform(-0.3, 0.3, self.points.shape) * [bool(ticks) for ticks in self.ticks]
        seen = ~np.isnan(self.points).any(axis=1)
        marks = [
            np.unique((self.points + jitter)[seen & (self.labels == code)], axis=0, return_counts=True)
            for code in range(len(self.classes))
        ]
        largest = max((int(counts.max(initial=0)) for _, counts in marks), default=0)
        size = float(np.clip(4000 / max(len(self.points), 1), 9, 30))
        looks = [
            {"color": colour, "marker": marker, "edgecolor": ink(ax), "linewidth": 0.4, "alpha": 0.9}
            for _, colour, marker in zip(self.classes, cycle(PALETTE), cycle(MARKERS), strict=False)
        ]
        for level in range(largest.bit_length(), 0, -1):
            for (places, counts), look in zip(marks, looks, strict=True):
                chosen = np.frexp(counts)[1] == level
                ax.scatter(*places[chosen].T, s=size * np.sqrt(counts[chosen]), **look)
        handles = [ax.scatter([], [], s=30, **look) for look in looks]
        totals = np.bincount(self.labels, minlength=len(self.classes)).tolist()
        words = [
            f"class {wrapped(name, 36, 1)} ({counted(total, 'row')})"
            for name, total in zip(self.classes, totals, strict=True)
        ]
        if largest > 1:
            handles.append(ax.plot([], [], linestyle="none")[0])
            words.append("larger marks: several rows at one place")
        return handles, words

    def _held_text(self) -> str:
        values = [f"{name} = {_value_text(value)}" for name, value in self.held.items()]
        return f"cut where {', '.join(values)}"


def _two_columns(estimator: Any, features: Sequence[str | int] | None) -> tuple[int, int]:
    n_columns = estimator.n_features_in_
    if features is None:
        if n_columns != 2:
            raise ValueError(
                f"The table has {counted(n_columns, 'column')}, and a picture has two directions: name two columns, "
                "for instance features=(0, 1)."
                if n_columns > 2
                else "The table has one column; a picture needs two."
            )
        return 0, 1
    if isinstance(features, str) or len(features) != 2:
        raise ValueError(f"features must name two columns, got {features!r}.")
    first, second = (column_position(estimator, feature) for feature in features)
    if first == second:
        raise ValueError(f"features must name two different columns, got {features!r}.")
    return first, second


def _codes(classes: NDArray[Any], labels: NDArray[Any]) -> Integers:
    known = np.isin(labels, classes)
    if not known.all():
        raise ValueError(
            f"y holds the label {labels[~known].tolist()[0]!r}, which is not among the classes of the model."
        )
    return np.searchsorted(classes, labels).astype(np.int64)


def _heading(reading: Reading | None) -> str:
    """Return how the model reads as a whole; of a list without rules, what it always says."""
    if reading is None:
        return ""
    return reading.heading or reading.lists[0].below


def _legend_room(ax: Any) -> float:
    """Return how many inches the legend may take: beside axes that were given their height, on them half of it."""
    height = float(ax.get_window_extent().height / ax.figure.dpi)
    return height if ax.figure.get_layout_engine() is not None else height / 2


def _value_text(value: Any) -> str:
    return number_text(value, 4) if isinstance(value, float) else str(value)


def _edges(grid: Floats) -> tuple[float, float]:
    half = (grid[1] - grid[0]) / 2
    return float(grid[0] - half), float(grid[-1] + half)


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
