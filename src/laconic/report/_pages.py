"""A report as a page, as Markdown, as JSON, and as a model card."""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from laconic._files import write_whole
from laconic._optional import require
from laconic._words import are, counted
from laconic.certificates import confidence, percent, percent_up
from laconic.report._pictures import svg_of
from laconic.report._record import Record

_WORDS = {
    "plane": "The two columns that the model looks at, with its regions, the borders of its rules, and the rows",
    "band": "Predicted numbers with the certified band, and the targets",
    "path": "Errors and certified bound against the number of rules",
}


class Report:
    """What is to be said of a fitted model and a table, ready to be written.

    Parameters
    ----------
    record : Record
        All that the report says, as plain values.
    displays : dict of str to Display
        The larger pictures, not yet drawn.
    """

    def __init__(self, record: Record, displays: dict[str, Any]) -> None:
        self.record = record
        self._displays = displays

    def html(self) -> str:
        """Write one page that needs nothing else: no network, no script, no file beside it.

        Returns
        -------
        str
            HTML, with its style and its pictures inside; in light or dark as the reader's system is.
        """
        markup = require("markupsafe", "Writing a report").Markup
        pictures = {name: markup(svg_of(shown, name, _WORDS[name])) for name, shown in self._displays.items()}
        style = markup(_text("report.css"))
        card = markup(self.record.card.to_html(certificate=False))
        return str(_template("report.html.jinja").render(record=self.record, pictures=pictures, style=style, card=card))

    def markdown(self) -> str:
        """Write the report as Markdown, without pictures."""
        return str(_template("report.md.jinja").render(record=self.record))

    def json(self) -> str:
        """Write the record as one JSON object."""
        return json.dumps(asdict(self.record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def card(self) -> str:
        """Write a model card in Markdown, with what the EU AI Act's Annex IV asks for and what of it is missing.

        Returns
        -------
        str
            The usual headings. What the library cannot know is named as a gap, for you to fill.
        """
        annex = tomllib.loads(_text("annex_iv.toml"))
        return str(_template("card.md.jinja").render(record=self.record, annex=annex))

    def write_html(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where; an older file of that name is replaced.
        force : bool, default=False
            Replace a file that is read-only.
        """
        write_whole(path, self.html(), force=force)

    def __repr__(self) -> str:
        errors = self.record.errors
        return f"<report on a {self.record.learner} and {counted(errors.n_rows, 'row')}, {errors.n_wrong} wrong>"


@cache
def _template(name: str) -> Any:
    """Return a template; pages escape whatever is put into them, and Markdown has a filter for it."""
    jinja2 = require("jinja2", "Writing a report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=name.endswith(".html.jinja"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "percent_up": percent_up,
        "confidence": confidence,
        "md": in_markdown,
        "code": as_code,
        "n": counted,
    }
    environment.globals |= {"are": are}
    return environment.get_template(name)


def _text(name: str) -> str:
    return files("laconic.report").joinpath("templates", name).read_text(encoding="utf-8")


def in_markdown(words: Any) -> str:
    r"""Write words so that Markdown shows them as they are, on one line, in a table too.

    Examples
    --------
    >>> in_markdown("a|b *c* <d> [e]")
    'a\\|b \\*c\\* \\<d\\> \\[e\\]'
    >>> in_markdown("# 1")
    '\\# 1'
    """
    return re.sub(r"^[#+-]|[\\`*_{}\[\]<>|~&$]", r"\\\g<0>", " ".join(str(words).split()))


def as_code(words: Any) -> str:
    r"""Write words as code in Markdown, whatever backticks and bars there are.

    Examples
    --------
    >>> print(as_code("x > 3"), as_code("a ` b"))
    `x > 3` ``a ` b``
    """
    flat = " ".join(str(words).split()).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{edge}{flat}{edge}{fence}" if flat else ""
