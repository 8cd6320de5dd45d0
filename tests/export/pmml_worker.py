"""Evaluate PMML documents with jpmml-evaluator: run by `tests.export.check` in an environment of its own.

Arguments are folders; each holds ``model.pmml`` and ``rows.json`` (columns by name), and gets ``answers.json``: null
where a row was refused.
"""

import json
import math
import sys
from pathlib import Path


def answered(folder):
    import pandas
    from jpmml_evaluator import make_evaluator  # not at the top: tests are collected where it is not installed

    columns = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    evaluator = make_evaluator(str(folder / "model.pmml"), backend="jpype").verify()
    target = next(field.getName() for field in evaluator.getTargetFields())
    frame = pandas.DataFrame({name: pandas.Series(values, dtype=object) for name, values in columns.items()})
    found = evaluator.evaluateAll(frame, error_col="refused", parallelism=1)
    said = found[target].tolist() if target in found else [None] * len(frame)
    refused = found["refused"].tolist() if "refused" in found else [None] * len(frame)
    return [
        None if isinstance(why, str) or answer is None or (isinstance(answer, float) and math.isnan(answer)) else answer
        for answer, why in zip(said, refused, strict=True)
    ]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        place = Path(name)
        (place / "answers.json").write_text(json.dumps(answered(place)), encoding="utf-8")
