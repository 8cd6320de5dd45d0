"""How a fitted model is shown: a card of few lines for people, with the certificate under it."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from laconic._optional import require
from laconic.certificates import Certificate

MOST_LINES = 30  # of rules on a card; nobody reads more, and `get_rules` has them all
_LEAST_LINES = 3  # of each of several lists or sums that share a card

_STYLE = """
<style>
.laconic-card {color-scheme: light dark; --ink: #1c2733; --soft: #5b6b7a; --line: #d5dde5; --paper: #fbfcfd;
 --mark: #0b6e99; font-family: system-ui, sans-serif; color: var(--ink); background: var(--paper);
 border: 1px solid var(--line); border-radius: 6px; padding: .8em 1em; display: inline-block; max-width: 46em;
 line-height: 1.45}
@media (prefers-color-scheme: dark) {.laconic-card {--ink: #e4eaf0; --soft: #9fb0c0; --line: #3a4754; --paper: #161d24;
 --mark: #6cc5ea}}
.laconic-card table {border-collapse: collapse; margin: .5em 0; color: var(--ink); background: none}
.laconic-card td, .laconic-card th {padding: 2px 20px 2px 0; text-align: right; border: 0; background: none;
 font-variant-numeric: tabular-nums}
.laconic-card td:first-child, .laconic-card th:first-child {text-align: left}
.laconic-card th {color: var(--soft); font-weight: normal; font-size: .9em}
.laconic-card th:first-child {color: var(--ink); font-weight: 600; font-size: 1em}
.laconic-card code {color: var(--mark); background: none; font-size: 1em; padding-left: 1em}
.laconic-card p {margin: .6em 0 0}
.laconic-card small {color: var(--soft)}
.laconic-card td + td, .laconic-card th + th {white-space: nowrap; vertical-align: top}
.laconic-card td small {display: block; margin-left: 1.2em}
</style>
"""


def beside(text: str, width: int, figures: str) -> list[str]:
    """Wrap a text, and put figures beside its first line."""
    first, *rest = textwrap.wrap(text, width, subsequent_indent=" " * 7)
    return [f"{first:<{width}}{figures}", *rest]


def shortened(entries: Iterable[Sequence[str]], most: int = MOST_LINES, line: str = "  {}") -> list[str]:
    """Give the lines of as many entries as fit, at least of one, and say in another line how many more there are.

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
    """Say how many lines each of several lists or sums on one card may have."""
    return max(MOST_LINES // max(among, 1), _LEAST_LINES)


def with_certificate(rules: str, certificate: Certificate) -> str:
    """Write the certificate under the rules, in lines of 80 columns."""
    promise = [textwrap.fill(text, 80) for text in (str(certificate), certificate.summary())]
    return "\n".join([rules, "", *promise])


def shortened_html(rows: Iterable[str], most: int = MOST_LINES) -> str:
    """Give as many rows of a table as fit, as HTML, and say in another row how many more there are."""
    return "".join(shortened(([row] for row in rows), most, "<tr><td><small>{}</small></td></tr>"))


def card_html(heading: Sequence[str], rows: str, certificate: Certificate) -> str:
    """Give the card that notebooks show: words above columns, rows as HTML, and the certificate under them."""
    above = "".join(f"<th>{html.escape(word)}</th>" for word in heading)
    table = f"<table><tr>{above}</tr>{rows}</table>"
    return f'{_STYLE}<div class="laconic-card">{table}{certificate._repr_html_()}</div>'


def listed(lines: list[dict[str, Any]], as_frame: bool) -> Any:
    """Give lines as they are, or as a pandas data frame."""
    return require("pandas", "as_frame=True").DataFrame(lines) if as_frame else lines
