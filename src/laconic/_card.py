"""The card of a fitted model as a record, and that record as HTML for notebooks and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal
from xml.etree.ElementTree import Element

from laconic._html import element, written
from laconic._reading import MOST_LINES, RuleList, right_text, shown


@dataclass(frozen=True)
class CardEntry:
    """A line of a card.

    Parameters
    ----------
    words : str
        What it says.
    figures : tuple of str
        What stands beside the words, one for each further column.
    details : str
        What the words left out, if anything.
    kind : {"rule", "rest", "title", "note"}
        A rule or a term; what holds where no rule does; the name of what follows; a remark, which has no figures.
    """

    words: str
    figures: tuple[str, ...] = ()
    details: str = ""
    kind: Literal["rule", "rest", "title", "note"] = "rule"


@dataclass(frozen=True)
class Card:
    """What the card of a fitted model says, in plain words.

    Parameters
    ----------
    heading : tuple of str
        What stands above the words, and above each further column.
    entries : tuple of CardEntry
        The lines.
    promise : str
        The sentence of the certificate, or that there is none.
    summary : str
        What the certificate was made from.
    """

    heading: tuple[str, ...]
    entries: tuple[CardEntry, ...]
    promise: str
    summary: str = ""

    def to_html(self, *, certificate: bool = True) -> str:
        """Write the card as HTML, in light or dark, with a style of its own.

        Parameters
        ----------
        certificate : bool, default=True
            Whether its sentence stands under the lines, with what it was made from.

        Returns
        -------
        str
            A part of a page.
        """
        style = files("laconic").joinpath("card.css").read_text(encoding="utf-8")
        return written(element("style", style), self._elements(certificate))

    def _elements(self, certificate: bool) -> Element:
        above = element("tr", *(element("th", word) for word in self.heading))
        table = element("table", above, *(_row(entry, len(self.heading)) for entry in self.entries))
        made_from = (element("br"), element("small", self.summary)) if self.summary else ()
        promise = [element("p", self.promise, *made_from)] if certificate else []
        return element("div", table, *promise, class_="laconic-card")


def _row(entry: CardEntry, width: int) -> Element:
    if entry.kind == "title":
        return element("tr", element("th", entry.words), *(element("th") for _ in range(width - 1)))
    if entry.kind == "note":
        return element("tr", element("td", element("small", entry.words), colspan=str(width)))
    words: list[str | Element] = [element("code", entry.words) if entry.kind == "rule" else entry.words]
    words += [element("small", entry.details)] if entry.details else []
    return element("tr", element("td", *words), *(element("td", figure) for figure in entry.figures))


def few(entries: Iterable[CardEntry], most: int = MOST_LINES) -> list[CardEntry]:
    """Return as many entries as fit, and say in another one how many more there are."""
    known = list(entries)
    more = (
        [CardEntry(f"… and {len(known) - most} more; get_rules() lists all", kind="note")] if len(known) > most else []
    )
    return known[:most] + more


def entries_of(one: RuleList, most: int = MOST_LINES) -> list[CardEntry]:
    """Return the lines of a list of rules: how many rows each decides, and how often it is right."""
    *rules, rest = one.lines
    said = (CardEntry(shown(one, line), (str(line.support), right_text(line)), line.details) for line in rules)
    return [*few(said, most), CardEntry(one.below, (str(rest.support), right_text(rest)), kind="rest")]


def heading_of(one: RuleList) -> Sequence[str]:
    """Return what stands above the columns of a list of rules."""
    return one.above, one.verb, "right"
