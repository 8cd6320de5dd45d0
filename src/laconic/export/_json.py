"""Rules as JSON: what `get_rules` says, and what the model is."""

from __future__ import annotations

import json
from typing import Any

from laconic.export._plan import about_of
from laconic.rules import column_name


def to_json_rules(model: Any, *, sha256: str | None = None) -> str:
    """Write the rules or terms of a fitted model as a JSON object, for programs that have their own idea of a rule.

    Parameters
    ----------
    model : estimator
        A fitted learner of laconic.
    sha256 : str or None, default=None
        The digest of the model's file; None to compute it.

    Returns
    -------
    str
        An object with ``about``, ``heading``, ``columns``, ``needed`` (columns that count by their amount, so that no
        row may lack them), ``classes`` (null where numbers are predicted) and ``rules``, as ``get_rules()`` gives
        them; where lines are promised something also ``certified``: for each rule, and last for the rest, the limits of
        the chance of each class.

    Examples
    --------
    >>> from laconic import SetCoveringClassifier
    >>> model = SetCoveringClassifier(features="stumps").fit([[0.2], [0.4], [1.5], [1.7]], ["a", "a", "b", "b"])
    >>> json.loads(to_json_rules(model))["rules"][0]["value"]
    0.4
    """
    reading = model.reading()
    classes = getattr(model, "classes_", None)
    content = {
        "format": "laconic rules",
        "about": about_of(model, sha256).facts(),
        "heading": reading.heading,
        "columns": [
            {"name": None if reading.names is None else reading.names[place], "kind": kind}
            for place, kind in enumerate(reading.kinds)
        ],
        "needed": [column_name(place, reading.names) for place in sorted(model.columns_counted())],
        "classes": None if classes is None else classes.tolist(),
        "rules": model.get_rules(),
    }
    promised = model.certificate_.promised if hasattr(model, "certificate_") else None
    if promised is not None and promised.lines:
        lines = [model.certificate_.for_rule(number) for number in (*range(1, len(promised.lines)), None)]
        content["certified"] = [[[chance.low, chance.high] for chance in line.chances] for line in lines]
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
