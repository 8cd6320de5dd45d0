"""Look at reports in Chromium: ``make report-check``.

Reports on several learners, one of them with names that try to break out of the page, are opened in light, dark, phone
and print, and without scripts. A page fails if it says anything on the console, asks the network for anything, is wider
than its window, if axe-core finds a violation, or if the keyboard does not reach its links and tables. Pictures of all
are left for people to look at.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from laconic import (
    Certified,
    LaconicClassifier,
    LaconicRegressor,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringClassifier,
)
from laconic.datasets import load_boston_housing, load_breast_cancer_wisconsin, load_heart
from tests.report.hostile import hostile_report


def reports():
    """Make a report on each kind of model."""
    X, y = load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)
    yield "rules", SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X, y).report(X, y, rows=True)
    yield "others", RuleListClassifier(max_words=4).fit(X[:400], y[:400]).report(X[400:], y[400:], rows=True)
    yield "votes", RuleVoteClassifier(n_lists=10, random_state=0).fit(X, y).report(X, y, rows=True)
    X, y = load_heart(return_X_y=True, as_frame=True)
    model = LaconicClassifier(random_state=0).fit(X, y)
    yield "chosen", model.report(X, y, rows=True)
    yield "without-rows", model.report(X, y)
    X, y = load_boston_housing(return_X_y=True, as_frame=True)
    yield "number", LaconicRegressor(random_state=0).fit(X, y).report(X, y, rows=True)
    X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    yield "certified", Certified(LogisticRegression(max_iter=1000), max_size=20).fit(X, y).report(X, y, rows=True)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["first", "second"])
    y = np.array([f"class {code}" for code in np.digitize(X["first"] + X["second"], [-1.5, -0.5, 0.5, 1.5])])
    yield "classes", RuleListClassifier(max_words=8).fit(X, y).report(X, y, rows=True)
    yield "hostile", hostile_report()


def main():
    """Write the reports, and let the browser look at them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modules", type=Path, required=True, help="where npm put playwright-core and axe-core")
    parser.add_argument("--out", type=Path, required=True, help="where to put the pictures")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, report in reports():
            report.write_html(Path(folder, f"{name}.html"))
        script = Path(__file__).with_name("look.cjs")
        words = ["node", script, (given.modules / "node_modules").resolve(), folder, given.out.resolve()]
        sys.exit(subprocess.run(list(map(str, words)), check=False).returncode)


if __name__ == "__main__":
    main()
