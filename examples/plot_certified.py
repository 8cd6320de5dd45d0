"""
A certificate for any scikit-learn model
========================================

Holding out a fifth of the rows gives a bound on the error of a model that never trained on them. `Certified` gives one
without a test set: it trains on a few rows that it picks, and what it did not need to pick is the test. Three models on
the Wisconsin breast cancer table, with the bound from holding out 20 % (the mean over ten splits) beside it.

Two settings are shown. Plain Pick-to-Learn starts from nothing and ends when no other row is wrong. With half of the
rows set apart as a first training set it often needs no picks at all, and the bound is allowed to say so.
"""

import importlib.util

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from laconic import Certified
from laconic.certificates import binomial_tail_inversion, percent_up
from laconic.datasets import load_breast_cancer_wisconsin

MODELS = {
    "decision tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "logistic regression": LogisticRegression(),
    "gradient boosting": GradientBoostingClassifier(n_estimators=15, random_state=0),
}


def hold_out_bound(model, X, y, delta=0.05):
    bounds = []
    for train, test in ShuffleSplit(10, test_size=0.2, random_state=0).split(X):
        errors = int((model.fit(X[train], y[train]).predict(X[test]) != y[test]).sum())
        bounds.append(binomial_tail_inversion(errors, len(test), delta))
    return float(np.mean(bounds))


def main():
    X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    print(f"{'model':<20}  {'20 % held out':>13}  {'Certified':>9}  {'picks':>5}  {'half set apart':>14}  {'picks':>5}")
    found = {}
    for name, model in MODELS.items():
        held_out = hold_out_bound(model, X, y)
        plain = Certified(model, batch=4).fit(X, y)
        started = Certified(model, seed_size=0.5, select="bound", batch=4).fit(X, y)
        bounds = [held_out, plain.certificate_.risk_bound, started.certificate_.risk_bound]
        shown = [percent_up(bound) for bound in bounds]
        counts = len(plain.picks_), len(started.picks_)
        print(f"{name:<20}  {shown[0]:>13}  {shown[1]:>9}  {counts[0]:>5}  {shown[2]:>14}  {counts[1]:>5}")
        found[name] = bounds
    print()
    print(plain.certificate_.explain())
    return found


def draw(found):
    """Draw the three bounds of each model."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import PercentFormatter

    figure, ax = plt.subplots(figsize=(8.5, 3.6), layout="constrained")
    kinds = ("20 % held out", "Certified, all rows", "Certified, half set apart")
    for shift, (kind, bounds) in enumerate(zip(kinds, zip(*found.values(), strict=True), strict=True)):
        ax.barh([place + 0.26 * (shift - 1) for place in range(len(found))], bounds, height=0.24, label=kind)
    ax.set(yticks=range(len(found)), yticklabels=list(found), xlabel="bound on the error, 95 % confidence")
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    figure.legend(loc="outside upper center", ncols=3, frameon=False)


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        draw(found)
