"""A model as people read it: rules and certificate on a card, and under it what it was made from and assumes."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.box import ROUNDED
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from laconic.cli._console import WIDTH, visible

if TYPE_CHECKING:
    from laconic.certificates import Certificate


def show(model: Any, console: Console) -> None:
    """Print a model as a card, and under it what the certificate was made from and what it assumes."""
    certificate, rules = getattr(model, "certificate_", None), model.rules_text()
    promise = "No certificate: the model was fitted to a stream." if certificate is None else str(certificate)
    card = Group(Text(visible(rules)), Text(), Text(promise, style="bold"), *_promised(certificate))
    console.print(Panel(card, box=ROUNDED, width=WIDTH))
    if certificate is None:
        return
    console.print(Text(textwrap.fill(certificate.summary(), WIDTH)))
    console.print(Text("\nThis holds if:"))
    for assumption in certificate.assumptions:
        console.print(Text(textwrap.fill(assumption, WIDTH, initial_indent="- ", subsequent_indent="  ")))


def _promised(certificate: Certificate | None) -> list[Text]:
    """Return what is promised beside the error, below its sentence."""
    lines = [] if certificate is None else certificate.promise_lines()
    too = [textwrap.fill(line, WIDTH - 4, initial_indent="- ", subsequent_indent="  ") for line in lines]
    return [Text("\nPromised at the same time:"), *map(Text, too)] if too else []


def json_of(model: Any, **more: Any) -> str:
    """Return everything that is printed, and more, as JSON."""
    text = json.dumps(_as_dict(model) | more, indent=2, allow_nan=False, default=asdict)  # rows of a set are named late
    return text.replace("\x7f", r"\u007f")


def _finite(value: Any) -> Any:
    """Replace numbers that JSON has not, such as the ends of a sum without limits, by text."""
    from laconic.rules import plain

    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else plain(value)


def _as_dict(model: Any) -> dict[str, Any]:
    classes, certificate = getattr(model, "classes_", None), getattr(model, "certificate_", None)
    return {
        "learner": type(model).__name__,
        "classes": None if classes is None else classes.tolist(),
        "hypothesis": _finite(model.hypothesis_.to_dict()),
        "rules": model.get_rules(),
        "certificate": None
        if certificate is None
        else asdict(certificate) | {"sentence": str(certificate), "promises": certificate.promise_lines()},
    }
