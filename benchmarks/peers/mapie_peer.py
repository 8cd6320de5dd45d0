"""Runs in MAPIE's environment: the smallest cost that its controller guarantees, from probabilities and labels.

Reads a list of JSON objects from standard input (``chances`` of the second class, ``labels``, ``costs`` of a false
alarm and of a miss, ``delta``, ``levels``, ``splits``) and writes for each the smallest level that is controlled.
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
from mapie.risk_control import BinaryClassificationController, BinaryRisk

THRESHOLDS = np.linspace(0.0, 0.95, 20)  # the first of them answers the second class always


def rate(actual: int) -> BinaryRisk:
    """Count rows of a class with the other answer, among all rows."""
    return BinaryRisk(
        lambda truth, answer: (truth == actual) & (answer != actual),
        lambda truth, answer: np.ones(len(truth), dtype=bool),
        higher_is_better=False,
    )


def smallest_level(asked: dict[str, list[float]]) -> float | None:
    """Go down the levels of cost as long as some threshold is controlled.

    A cost is the sum of two rates times their prices, so that both are controlled, each at its part of the level. For
    every threshold its tests are nested in the level, and Bonferroni shares delta among the thresholds, so that going
    on costs nothing. Which part each rate has would have to be said beforehand; here the best of several counts.
    """
    chances = np.array(asked["chances"])
    labels = np.array(asked["labels"])
    alarm, miss = asked["costs"]
    best = None
    for part in asked["splits"]:
        for level in sorted(asked["levels"], reverse=True):
            targets = [part * level / alarm, (1 - part) * level / miss]
            if not all(0 < target < 1 for target in targets):
                continue
            controller = BinaryClassificationController(
                lambda rows: rows,
                [rate(0), rate(1)],
                target_level=targets,
                confidence_level=1 - asked["delta"],
                list_predict_params=THRESHOLDS,
                fwer_method="bonferroni",
            )
            controller.calibrate(np.column_stack([1 - chances, chances]), labels)
            if not len(controller.valid_predict_params):
                break
            best = level if best is None else min(best, level)
    return best


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump([smallest_level(one) for one in json.load(sys.stdin)], sys.stdout)
