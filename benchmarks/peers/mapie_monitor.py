"""MAPIE's risk monitor, run in its environment: streams of errors as JSON in, the row of each first alarm out."""

import json
import sys
import warnings

import numpy as np
from mapie.exchangeability_testing import RiskMonitoring


def first_alarm(errors, promised, alpha):
    """Look after every row; half of its level is for a reference set, which a given threshold does not need."""
    monitor = RiskMonitoring(risk="accuracy", test_level=2 * alpha, threshold=promised, warn=False)
    errors = np.asarray(errors)
    monitor.update(np.ones(len(errors), dtype=int), 1 - errors)
    beyond = monitor.online_risk_lower_bound_sequence_history > promised
    return int(np.argmax(beyond)) + 1 if beyond.any() else None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    json.dump([first_alarm(stream, asked["promised"], asked["alpha"]) for stream in asked["streams"]], sys.stdout)
