"""``laconic show``: a model file as people read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import laconic
from laconic._words import counted
from laconic.cli._card import json_of, show
from laconic.cli._console import out, say, say_lines
from laconic.cli._options import AsJson


def run(
    model: Annotated[Path, typer.Argument(help="A model file, as 'laconic fit --out' writes it.")],
    explain: Annotated[bool, typer.Option("--explain", help="Explain the certificate to a sceptical reader.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the rules and the certificate of a model file.

    Example: laconic show model.json --explain
    """
    fitted = laconic.load(model)
    if as_json:
        say_lines(json_of(fitted))
        return
    target = getattr(fitted, "about_", {}).get("target")
    predicting = f", predicting {target}" if target else ""
    say(f"{model}: {type(fitted).__name__} of {counted(fitted.n_features_in_, 'column')}{predicting}")
    show(fitted, out())
    if explain and getattr(fitted, "certificate_", None) is not None:
        say_lines("\n" + fitted.certificate_.explain())
