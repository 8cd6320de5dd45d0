"""Write the golden model files: ``python -m tests.golden.write_models``. Existing ones are never touched.

They show that a file of version 1 opens in every later version and predicts as it did. A new learner or a new version
of the format adds files; those that are there stay as they are, whatever laconic would write today.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from laconic import Promises
from laconic.model_file import VERSION
from tests.model_files.catalogue import NAMES, fitted

FOLDER = Path(__file__).parent / "models"
MOST_ROWS = 12
LISTS = (
    "score_card_list",
    "decision_list",
    "decision_list_terms",
    "rule_list",
    "rule_list_bound",
    "neural_list",
    "neural_list_many",
    "dichotomies",
    "auto",
    "auto_mixed",
    "auto_many",
    "votes",
    "votes_many",
    "promised_list",
    "promised_auto",
)


def as_plain(rows):
    """Return rows by column, or as a list."""
    if isinstance(rows, pd.DataFrame):
        return {name: [None if value != value else value for value in rows[name].tolist()] for name in rows}
    return np.asarray(rows).tolist()


def as_rows(plain):
    """Make a table again."""
    return pd.DataFrame(plain, dtype=object) if isinstance(plain, dict) else np.array(plain)


def promised(model, rows):
    """Return what the lines that decide rows promise, where they promise something."""
    declared = getattr(model, "promises", None)
    if declared is None or "rules" not in Promises.of(declared).kinds:
        return {}
    return {"limits": model.predict_proba_interval(rows).tolist(), "chances": model.predict_proba(rows).tolist()}


def main():
    FOLDER.mkdir(exist_ok=True)
    for name in NAMES:
        place = FOLDER / f"{name}.v{VERSION}.json"
        if place.exists():
            continue
        model, rows = fitted(name)
        rows = (rows.toarray() if sparse.issparse(rows) else rows)[:MOST_ROWS]
        model.save(place)
        scores = getattr(model, "decision_function", model.predict)(rows) if name not in LISTS else []
        expected = {
            "rows": as_plain(rows),
            "predictions": model.predict(rows).tolist(),
            **promised(model, rows),
            "scores": np.asarray(scores).tolist(),
        }
        recorded = json.dumps(expected, indent=None, ensure_ascii=False)
        (FOLDER / f"{name}.v{VERSION}.expected").write_text(recorded + "\n", encoding="utf-8")
        print(f"{place.name}: {place.stat().st_size} bytes")


if __name__ == "__main__":
    main()
