"""
Five pictures of models
=======================

Every Display of `laconic.plotting` computes what it shows first, as plain arrays, and draws it second. Here are all
five on tables that come with the package: how errors and the bound change with the number of rules, what the rules look
like in two dimensions, what each of them decides, what the certificate promises beside the error on rows held out, and
a regression with its certified band.

Run it with the name of a folder to write the pictures there, in light and in dark.
"""

import importlib.util
import sys
from pathlib import Path

from sklearn.model_selection import train_test_split

from laconic import MinimalComplexityRegressor, SetCoveringClassifier
from laconic.datasets import load_auto_mpg, load_breast_cancer_wisconsin, load_haberman
from laconic.plotting import CertificateDisplay, CoverageDisplay, IntervalDisplay, PathDisplay, RulesDisplay


def classification():
    """One short model of thresholds, seen from three sides; two fifths of the rows are held out."""
    X, y = load_breast_cancer_wisconsin(return_X_y=True, as_frame=True, paper=True)
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=3, penalty=1.0).fit(X, y)
    return {
        "path": PathDisplay.compute(model, X, y, cv=5),
        "coverage": CoverageDisplay.compute(model, X_new, y_new),
        "certificate": CertificateDisplay.compute(model, X_new, y_new),
    }


def balls():
    """Balls around patients, in the plane of two columns."""
    X, y = load_haberman(return_X_y=True, as_frame=True, paper=True)
    plane = X[["age", "positive_nodes"]]
    return {
        "rules": RulesDisplay.compute(
            SetCoveringClassifier("conjunction", "balls", max_rules=4, penalty=1.0).fit(plane, y), plane, y
        )
    }


def regression():
    """Miles per gallon from weight alone, with the band in which at least 80 % of new cars are promised to lie."""
    X, y = load_auto_mpg(return_X_y=True, as_frame=True)
    model = MinimalComplexityRegressor(epsilon=0.5, coverage=0.8).fit(X[["weight"]], y)
    return {"interval": IntervalDisplay.compute(model, X[["weight"]], y, feature="weight")}


def main():
    shown = classification() | balls() | regression()
    path, interval = shown["path"], shown["interval"]
    print("rules  training  held out    bound")
    for size, *shares in zip(path.n_rules, path.training_error, path.cv_error, path.risk_bound, strict=True):
        print(f"{size:5}  " + "  ".join(f"{share:8.1%}" for share in shares))
    coverage = shown["coverage"]
    for line, answer, right, wrong in zip(
        coverage.lines, coverage.predictions, coverage.n_right, coverage.n_wrong, strict=True
    ):
        print(f"{line} → {answer}: {right} right, {wrong} wrong")
    print(shown["certificate"].certificate, f"On rows held out it is {shown['certificate'].holdout_error:.1%}.")
    print(
        f"{interval.outside.sum()} of {len(interval.outside)} cars outside; promised: {interval.risk_bound:.1%} at most"
    )
    return shown


def draw(shown, folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    for name, display in shown.items():
        for look, style in {"light": "default", "dark": "dark_background"}.items():
            with plt.style.context(style):
                display.plot()
            display.figure_.savefig(folder / f"{name}_{look}.png", dpi=110)
            plt.close(display.figure_)


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        if len(sys.argv) > 1:
            draw(found, Path(sys.argv[1]))
        else:
            for display in found.values():
                display.plot()
