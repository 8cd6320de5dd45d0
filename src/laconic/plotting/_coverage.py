"""What each rule decides on a table, and how often it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic._base import RuleClassifier
from laconic._reading import MOST_LINES, RuleList
from laconic._table import Integers, Table
from laconic._words import counted
from laconic.certificates import percent
from laconic.plotting._colours import BLUE, VERMILLION, ink, paper
from laconic.plotting._read import check_fitted, read_answers, read_table
from laconic.plotting._style import Display, add_legend, add_title, in_whole_numbers, name_bars, past_bars, wrapped


@dataclass(eq=False)
class CoverageDisplay(Display):
    """Bars of the rows that each rule decides, rightly and wrongly, and of the rest.

    Parameters
    ----------
    lines : tuple of str
        When each rule decides; last, what the rest is. With several lists (a class code), the lines of all.
    predictions : tuple of str
        The class that each line gives.
    n_right, n_wrong : ndarray of int
        How many rows each line decides rightly and wrongly. A row counts for the first rule that decides it.
    heading : str
        How the model reads as a whole.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        What was drawn on.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> from laconic.plotting import CoverageDisplay
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = SetCoveringClassifier("disjunction", "stumps", max_rules=2, penalty=1.0).fit(X, y)
    >>> shown = CoverageDisplay.compute(model, X, y)
    >>> for line, right, wrong in zip(shown.lines, shown.n_right, shown.n_wrong):
    ...     print(f"{line:<15} {right} right, {wrong} wrong")
    x1 > 3 holds    202 right, 11 wrong
    x5 > 5 holds    22 right, 2 wrong
    no rule holds   431 right, 15 wrong
    """

    lines: tuple[str, ...]
    predictions: tuple[str, ...]
    n_right: Integers
    n_wrong: Integers
    heading: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> CoverageDisplay:
        """Count what each rule decides, and draw it.

        Parameters
        ----------
        estimator : fitted classifier
            One made of rules.
        X, y : table and labels
            Any rows: those of ``fit`` or others.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        CoverageDisplay
            The picture.
        """
        return cls.compute(estimator, X, y).plot(ax)

    @classmethod
    def compute(cls, estimator: Any, X: Any, y: Any) -> CoverageDisplay:
        """Count and draw nothing; the parameters are those of `from_estimator`."""
        check_fitted(estimator, cls.__name__, "classifiers made of rules", isinstance(estimator, RuleClassifier))
        labels = read_answers(read_table(estimator, X), y)
        reading = estimator.reading()
        table = reading.read(X)
        truths = _truths(estimator, labels) if len(reading.lists) > 1 else [_codes(estimator.classes_, labels)]
        counts = [_counted(one, table, truth) for one, truth in zip(reading.lists, truths, strict=True)]
        return cls(
            lines=tuple(one.named(line.when) for one in reading.lists for line in one.lines),
            predictions=tuple(str(line.answer) for one in reading.lists for line in one.lines),
            n_right=np.concatenate([right for right, _ in counts]),
            n_wrong=np.concatenate([wrong for _, wrong in counts]),
            heading=reading.heading,
        )

    def _draw(self, ax: Any) -> None:
        """Draw the bars."""
        texts, n_right, n_wrong = self._bars()
        n_text_lines = sum(text.count("\n") + 1 for text in texts)
        ax = self._start(ax, 8.0, 1.4 + 0.25 * len(texts) + 0.17 * n_text_lines)
        places = np.arange(len(texts))
        style = {"height": 0.62, "edgecolor": paper(ax), "linewidth": 0}
        bars = [
            ax.barh(places, n_right, color=BLUE, **style),
            ax.barh(places, n_wrong, left=n_right, color=VERMILLION, hatch="////", **style),
        ]
        total = n_right + n_wrong
        for place, rows, right in zip(places, total.tolist(), n_right.tolist(), strict=True):
            share = f", {percent(round(right / rows, 3))} right" if rows else ""
            text = f"{counted(rows, 'row')}{share}"
            ax.annotate(
                text, (rows, place), (4, 0), textcoords="offset points", va="center", fontsize="small", color=ink(ax)
            )
        name_bars(ax, texts)
        ax.set_xlabel("rows decided", loc="left")
        ax.set_xlim(0, past_bars(0.33) * max(int(total.max()), 1))
        in_whole_numbers(ax.xaxis)
        if self.heading:
            add_title(ax, wrapped(self.heading, 70, 2))
        add_legend(ax, bars, ["right", "wrong"], below=True)

    def _bars(self) -> tuple[list[str], Integers, Integers]:
        """Return the words of each bar, and its rows; rules beyond those that a picture can hold share one."""
        texts = [wrapped(line, tail=f"→ {answer}") for line, answer in zip(self.lines, self.predictions, strict=True)]
        more = len(texts) - 1 - MOST_LINES
        if more <= 0:
            return texts, self.n_right, self.n_wrong
        n_right, n_wrong = (
            np.concatenate([counts[:MOST_LINES], [counts[MOST_LINES:-1].sum()], counts[-1:]])
            for counts in (self.n_right, self.n_wrong)
        )
        return [*texts[:MOST_LINES], f"{more} more", texts[-1]], n_right, n_wrong


def _truths(estimator: Any, labels: NDArray[Any]) -> Integers:
    """Return what each list of a class code should say of each row, as a position among its classes; -1 if unknown."""
    words = estimator.hypothesis_.codes
    return np.array([*words, [-1] * len(words[0])])[_codes(estimator.classes_, labels)].T


def _codes(classes: NDArray[Any], labels: NDArray[Any]) -> Integers:
    """Return the position of each label among the classes; -1 if it is none of them."""
    codes = np.full(len(labels), -1)
    for code, name in enumerate(classes):
        codes[labels == name] = code
    return codes


def _counted(one: RuleList, table: Table, truth: Integers) -> tuple[Integers, Integers]:
    """Count how many rows each line of a list decides rightly and wrongly."""
    decided = one.deciders(table)
    right = np.array([line.code for line in one.lines])[decided] == truth
    n_right, n_wrong = (np.bincount(decided[chosen], minlength=len(one.lines)) for chosen in (right, ~right))
    return n_right, n_wrong
