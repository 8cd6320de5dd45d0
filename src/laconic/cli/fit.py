"""``laconic fit``: from a table to rules and a certificate."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.box import ROUNDED
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from laconic import (
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PocketClassifier,
    SetCoveringClassifier,
)
from laconic._table import Table
from laconic.cli._tables import read_frame, split_target

WIDTH = 80
LEARNERS = {
    "scm": SetCoveringClassifier,
    "pac-bayes": PACBayesSetCoveringClassifier,
    "normal-form": NormalFormClassifier,
    "decision-list": DecisionListClassifier,
    "halfspaces": HalfspaceIntersectionClassifier,
    "ndl": NeuralDecisionListClassifier,
    "perceptron": MarginPerceptronClassifier,
    "pocket": PocketClassifier,
    "mcm": MinimalComplexityClassifier,
}


def run(
    table: Annotated[str, typer.Argument(help="A CSV, TSV or Parquet file, or the name of a shipped data set.")],
    target: Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")] = None,
    learner: Annotated[str, typer.Option(help=f"One of: {', '.join(LEARNERS)}.")] = "scm",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A parameter of the learner, as name=value; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Fit rules to a table and certify them.

    Example: laconic fit breast_cancer_wisconsin --set form=disjunction --set max_rules=3
    """
    if learner not in LEARNERS:
        raise ValueError(f"Unknown learner {learner!r}; there is {', '.join(LEARNERS)}.")
    frame, own_target = read_frame(table)
    target = target or own_target
    if target is None:
        raise ValueError(f"Name the column to predict: --target COLUMN, one of {', '.join(frame.columns)}.")
    X, y, n_dropped = split_target(frame, target)
    estimator = LEARNERS[learner]
    chosen = {"features": default_features(X)} if "features" in estimator().get_params() else {}
    parameters = chosen | parse_settings(settings or [])
    if unknown := parameters.keys() - estimator().get_params().keys():
        known = ", ".join(sorted(estimator().get_params(deep=False)))
        raise ValueError(f"The learner {learner} has no parameter {sorted(unknown)[0]!r}; it has {known}.")
    model = estimator(**parameters).fit(X, y)
    console = Console(width=WIDTH, highlight=False, soft_wrap=True)
    if as_json:
        console.print(json.dumps(as_dict(model), indent=2, allow_nan=False), markup=False)
        return
    note = f" ({n_dropped} without a label left out)" if n_dropped else ""
    console.print(f"{table}: {len(y)} rows{note}, {X.shape[1]} columns, predicting {target}", markup=False)
    show(model, Console(width=WIDTH, highlight=False))


def show(model: Any, console: Console) -> None:
    """Print a model as a card, and under it what the certificate was made from and what it assumes."""
    certificate = model.certificate_
    card = Group(Text(model.rules_text()), Text(), Text(str(certificate), style="bold"))
    console.print(Panel(card, box=ROUNDED, width=max(WIDTH, 4 + max(map(len, model.rules_text().splitlines())))))
    console.print(Text(certificate.summary()))
    console.print(Text("\nThis holds if:"))
    for assumption in certificate.assumptions:
        console.print(Text(textwrap.fill(assumption, WIDTH, initial_indent="- ", subsequent_indent="  ")))


def default_features(X: Any) -> list[str]:
    """Choose families by the kinds of the columns: literals for flags and categories, thresholds for numbers.

    Literals come first: of a flag and "flag > 0", which are equal, the flag reads better.
    """
    kinds = set(Table.from_frame(X).kinds)
    return [name for name, needed in (("literals", {"boolean", "category"}), ("stumps", {"number"})) if kinds & needed]


def parse_settings(settings: list[str]) -> dict[str, Any]:
    r"""Read name=value pairs; a value is JSON, ``inf``, or else text.

    Examples
    --------
    >>> parse_settings(["penalty=1.5", "form=auto", "max_rules=null", "features=[\"stumps\"]"])
    {'penalty': 1.5, 'form': 'auto', 'max_rules': None, 'features': ['stumps']}
    """
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise ValueError(f"--set takes name=value, got {setting!r}.")
        try:
            parsed[name] = float(value) if value == "inf" else json.loads(value)
        except json.JSONDecodeError:
            parsed[name] = None if value == "None" else value
    return parsed


def as_dict(model: Any) -> dict[str, Any]:
    """Give everything that is printed as plain values."""
    return {
        "learner": type(model).__name__,
        "classes": model.classes_.tolist(),
        "hypothesis": model.hypothesis_.to_dict(),
        "rules": [
            {key: value.item() if hasattr(value, "item") else value for key, value in rule.items()}
            for rule in model.get_rules()
        ],
        "certificate": asdict(model.certificate_) | {"sentence": str(model.certificate_)},
    }
