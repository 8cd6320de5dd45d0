"""A report on a table whose names and values try to break out of the page."""

import numpy as np
import pandas as pd

from laconic import SetCoveringClassifier

HOSTILE = [
    "</style><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "`a` | b **c** [d](javascript:alert(3)) \n# e",
    "{{ 7 * 7 }}{% raw %}$x$ &amp; ]]>",
]


def hostile_report():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)).round(2), columns=HOSTILE[:3])
    X[HOSTILE[3]] = rng.choice([HOSTILE[0], HOSTILE[1], "é\u202e\x07"], size=80)
    y = np.where((X[HOSTILE[0]] > 0.3) | (X[HOSTILE[3]] == HOSTILE[0]), HOSTILE[1], HOSTILE[2]).astype(object)
    y[:3] = HOSTILE[1]
    model = SetCoveringClassifier("disjunction", ["literals", "stumps"], penalty=1.0, max_rules=2).fit(X, y)
    model.about_ = {"target": HOSTILE[0], "notes": HOSTILE[1], "command": " ".join(HOSTILE)}
    return model.report(X, pd.Series(y, name=HOSTILE[2]), rows=True, notes=[HOSTILE[3]])
