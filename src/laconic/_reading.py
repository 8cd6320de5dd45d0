"""The reading of a fitted model, which is all that other rooms look at, and how it is written as text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laconic._answers import Answer
from laconic._optional import require
from laconic._table import Category, Integers, Kind, Table
from laconic.certificates import Certificate, percent
from laconic.rules import Rule, facts, plain

MOST_LINES = 30  # of rules on a card; nobody reads more, and `get_rules` has them all
_TEXT_WIDTH = 56  # of a rule: with what it decides, and the edges of a card, 80
_LEAST_LINES = 3  # of each of several lists or sums that share a card


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a fitted model: a rule, or what is left where none decides.

    Parameters
    ----------
    rule : Rule or None
        The rule; None for the rest.
    words, short : str or None
        The rule in full, and in few words; None for the rest.
    details : str
        What the few words left out, if anything.
    when : str
        When it decides.
    answer : class
        What it then says; in `classes_` at the position ``code``.
    code : int
        That position.
    support, right : int
        How many training rows it decides, those decided by earlier lines left out, and how many of them rightly.
    """

    rule: Rule | None
    words: str | None
    short: str | None
    details: str
    when: str
    answer: Any
    code: int
    support: int
    right: int

    @property
    def precision(self) -> float:
        """How often it is right; NaN where it decides nothing."""
        return self.right / self.support if self.support else float("nan")

    def facts(self, names: Sequence[str] | None) -> dict[str, Any]:
        """Return it as plain values: in words, what it says and did, and all that its rule is."""
        said = {"rule": self.words, "prediction": plain(self.answer)}
        did = {"support": self.support, "precision": plain(self.precision)}
        return said | did | (facts() if self.rule is None else self.rule.facts(names))


@dataclass(frozen=True, eq=False)
class RuleList:
    """Rules in order: the first that speaks decides.

    Parameters
    ----------
    above, below, verb : str
        What stands above the rules and below them, and what a rule does to the rows that it decides.
    lines : tuple of Line
        The rules and, last, the rest.
    deciders : callable
        Gives for each row of a `Table` the position of the line that decides it.
    is_list : bool
        Whether each rule says a class of its own: a decision list.
    name : str
        Which of several lists it is; empty for the only one.
    """

    above: str
    below: str
    verb: str
    lines: tuple[Line, ...]
    deciders: Callable[[Table], Integers]
    is_list: bool = False
    name: str = ""

    def named(self, text: str) -> str:
        """Write of which list a text is, if there are several."""
        return f"{self.name}: {text}" if self.name else text


@dataclass(frozen=True)
class Columns:
    """The columns that a model was fitted on.

    Parameters
    ----------
    kinds : tuple of {"number", "boolean", "category"}
        What each holds.
    names : tuple of str or None
        Their names, if they have any.
    categories : mapping of int to tuple
        The categories that training rows had in columns that the model uses, where they were few.
    """

    kinds: tuple[Kind, ...]
    names: tuple[str, ...] | None = None
    categories: Mapping[int, tuple[Category, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Reading:
    """What a fitted model says of itself: all that pictures, the command line and exports need to know.

    Parameters
    ----------
    heading : str
        How the model reads as a whole; empty if it has no rules.
    names : list of str or None
        The columns, if they have names.
    kinds : tuple of str
        What each column holds.
    read : callable
        Checks rows as ``predict`` does, and gives them as a `Table`.
    lists : tuple of RuleList
        One; several if each tells a digit of a class code; none where a sum decides.
    answer : callable
        Gives what the model computes as an `Answer`, a tree that exports write in other languages; it raises a
        ValueError where there is no such tree.
    """

    heading: str
    names: list[str] | None
    kinds: tuple[Kind, ...]
    read: Callable[[Any], Table]
    lists: tuple[RuleList, ...]
    answer: Callable[[], Answer]


# ---- as text


def card_text(lists: Sequence[RuleList]) -> str:
    """Write lists of rules one under the other; they share the lines of a card."""
    return "\n\n".join("\n".join(_card_lines(one, share_of_lines(len(lists)))) for one in lists)


def _card_lines(one: RuleList, most: int) -> list[str]:
    """Return the lines of a list: what is above, rules in so many lines at the most, and what is below."""
    *rules, rest = one.lines
    numbered = [f"  {number}. {shown(one, line)}" for number, line in enumerate(rules, start=1)]
    width = min(max(map(len, [one.above, one.below, *numbered])), _TEXT_WIDTH)
    entries = [
        beside(text, width, _figures(line))
        + textwrap.wrap(line.details, 76, initial_indent=" " * 5, subsequent_indent=" " * 5)
        for text, line in zip(numbered, rules, strict=True)
    ]
    heading = beside(one.above, width, f"  {one.verb:>10}  {'right':>6}") if rules else []
    return [*heading, *shortened(entries, most), *beside(one.below, width, _figures(rest))]


def shown(one: RuleList, line: Line) -> str:
    """Write a rule in few words, with what it answers where each has an answer of its own."""
    return f"{line.when} then {line.answer}" if one.is_list else str(line.short)


def _figures(line: Line) -> str:
    """Write how many rows a line decides, and how often rightly."""
    return f"  {line.support:>5} {'row ' if line.support == 1 else 'rows'}  {right_text(line):>6}"


def right_text(line: Line) -> str:
    """Write how often a line is right, if it decides anything at all."""
    return percent(round(line.precision, 3)) if line.support else "–"


def beside(text: str, width: int, figures: str) -> list[str]:
    """Wrap a text, and put figures beside its first line."""
    first, *rest = textwrap.wrap(text, width, subsequent_indent=" " * 7)
    return [f"{first:<{width}}{figures}", *rest]


def shortened(entries: Iterable[Sequence[str]], most: int = MOST_LINES, line: str = "  {}") -> list[str]:
    """Return the lines of as many entries as fit, at least of one, and say in another line how many more there are.

    Examples
    --------
    >>> shortened([["1. a"], ["2. b", "   more of b"], ["3. c"]], most=3)
    ['1. a', '2. b', '   more of b', '  … and 1 more; get_rules() lists all']
    """
    entries = list(entries)
    if sum(map(len, entries)) <= most:
        return [one for entry in entries for one in entry]
    shown: list[str] = []
    for number, entry in enumerate(entries):
        if number and len(shown) + len(entry) > most:
            return [*shown, line.format(f"… and {len(entries) - number} more; get_rules() lists all")]
        shown += entry if len(entry) <= most else [*entry[: most - 1], "     …"]
    return shown


def share_of_lines(among: int) -> int:
    """Return how many lines each of several lists or sums on one card may have."""
    return max(MOST_LINES // max(among, 1), _LEAST_LINES)


def with_certificate(rules: str, certificate: Certificate) -> str:
    """Write the certificate under the rules, in lines of 80 columns."""
    promise = [textwrap.fill(text, 80) for text in (str(certificate), certificate.summary())]
    parts = {"Promised at the same time:": certificate.promise_lines(), "Assumed:": certificate.declared}
    further = [
        text
        for heading, lines in parts.items()
        for text in ([heading] if lines else [])
        + [textwrap.fill(line, 80, initial_indent="- ", subsequent_indent="  ") for line in lines]
    ]
    return "\n".join([rules, "", *promise, *further])


def listed(lines: list[dict[str, Any]], as_frame: bool) -> Any:
    """Return lines as they are, or as a pandas data frame."""
    return require("pandas", "as_frame=True").DataFrame(lines) if as_frame else lines
