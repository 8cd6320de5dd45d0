"""The pictures of the site, each made by code from what its page describes, in light and in dark.

``python docs/pictures.py FOLDER`` writes them; the site does so before it is built. One that is there already is left
alone, so that a second build is quick.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from charts import BLUE, CHARTS, ORANGE, VERMILLION, Chart, in_percent, legend_below, mark, name_rows
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

import laconic
from laconic import datasets
from laconic.certificates import compression_bound
from laconic.plotting import (
    CertificateDisplay,
    CoverageDisplay,
    EvidenceDisplay,
    IntervalDisplay,
    PathDisplay,
    RulesDisplay,
)

SIZE = 12  # of letters, in points: they can be read at half the size of a picture
LOOKS = {"light": "default", "dark": "dark_background"}


def plane(kind="ring", n_rows=300):
    """Draw rows of two columns whose classes a learner of some kind can tell apart, one row in twenty wrongly."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n_rows, 2)).round(2)
    first, second = X.T
    y = {
        "ring": np.hypot(first, second) < 1.2,
        "corner": (first > 0.4) & (second > -0.6),
        "line": first + 2 * second > 0.4,
        "triangle": (second > -1) & (first + second < 1.2) & (second - first < 1.2),
    }[kind]
    return X, np.where(rng.random(n_rows) < 0.05, ~y, y)


def bands():
    """Draw rows of three classes in bands."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(300, 2)).round(2)
    return X, np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, 1], [-1, 1])]


def rules_of(model, kind="ring"):
    """Draw the rules of a learner in the plane."""
    X, y = bands() if kind == "bands" else plane(kind)
    return RulesDisplay.compute(model.fit(X, y), X, y)


def thresholds():
    return rules_of(laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2), "corner")


def balls():
    return rules_of(laconic.SetCoveringClassifier("conjunction", "balls", penalty=1.0, max_rules=1))


def soft_balls():
    return rules_of(laconic.PACBayesSetCoveringClassifier("conjunction", max_rules=1, margin=0.2, refine=False))


def normal_forms():
    votes, party = datasets.load_house_votes(return_X_y=True, as_frame=True)
    model = laconic.NormalFormClassifier("cnf", penalty=3, max_rules=3).fit(votes, party)
    return CoverageDisplay.compute(model, votes, party)


def decision_lists():
    votes, party = datasets.load_house_votes(return_X_y=True, as_frame=True)
    model = laconic.DecisionListClassifier(penalty=3, max_rules=4).fit(votes, party)
    return CoverageDisplay.compute(model, votes, party)


def rule_lists():
    return rules_of(laconic.RuleListClassifier(max_words=4), "bands")


def perceptron():
    return rules_of(laconic.MarginPerceptronClassifier(max_epochs=20), "line")


def pocket():
    return rules_of(laconic.PocketClassifier(random_state=0), "line")


def score_cards():
    return rules_of(laconic.ScoreCardClassifier(max_terms=3, random_state=0), "corner")


def intersections():
    return rules_of(laconic.HalfspaceIntersectionClassifier(max_halfspaces=3), "triangle")


def neural_lists():
    return rules_of(laconic.NeuralDecisionListClassifier(max_halfspaces=3), "bands")


def minimal():
    return rules_of(laconic.MinimalComplexityClassifier(), "line")


def votes():
    return rules_of(laconic.RuleVoteClassifier(n_lists=25, random_state=0))


def bands_of_numbers():
    X, y = datasets.load_auto_mpg(return_X_y=True, as_frame=True)
    model = laconic.LaconicRegressor(random_state=0).fit(X[["weight"]], y)
    return IntervalDisplay.compute(model, X[["weight"]], y, feature="weight")


def certified():
    X, y = datasets.load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    rows = np.random.default_rng(0).permutation(len(y))
    model = laconic.Certified(LogisticRegression(max_iter=1000), max_size=20).fit(X[rows[:400]], y[rows[:400]])
    return CertificateDisplay.compute(model, X[rows[400:]], y[rows[400:]])


def path():
    X, y = datasets.load_breast_cancer_wisconsin(return_X_y=True, as_frame=True, paper=True)
    model = laconic.SetCoveringClassifier("disjunction", "stumps", max_rules=6, penalty=0.5).fit(X, y)
    return PathDisplay.compute(model, X, y, cv=5)


def evidence():
    """Watch a model on rows of which the last third have been drawn otherwise."""
    X, y = plane("corner", 1200)
    model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2).fit(X[:400], y[:400])
    monitor, rng = laconic.CertificateMonitor(model), np.random.default_rng(1)
    for first in range(400, 1200, 20):
        part = slice(first, first + 20)
        changed = rng.random(20) < (0.3 if first >= 900 else 0.0)
        monitor.update(X[part], np.where(changed, ~y[part], y[part]))
    return EvidenceDisplay.compute(monitor)


class Promised(Chart):
    """What is promised of one model at the same time: how often it errs, misses a class, and how often lines err."""

    def __init__(self):
        X, y = datasets.load_breast_cancer_wisconsin(return_X_y=True, paper=True)
        model = laconic.SetCoveringClassifier("disjunction", "stumps", max_rules=2, promises=("classes", "rules"))
        promised = model.fit(X, y).certificate_
        self.limits = [("all rows: wrong", promised.empirical_risk, 0.0, promised.risk_bound)]
        for label in model.classes_:
            own = promised.for_class(label)
            for words, limit in ((f"{label}: missed", own.missed), (f"called {label}: wrong", own.wrong_answers)):
                self.limits.append((words, limit.events / limit.rows, limit.low, limit.high))
        for number, words in (
            (1, "decided by rule 1: wrong"),
            (2, "decided by rule 2: wrong"),
            (None, "the rest: wrong"),
        ):
            line = promised.for_rule(number)
            right = line.right
            self.limits.append((words, 1 - right.events / right.rows, 1 - right.high, 1 - right.low))

    def plot(self):
        """Draw an interval for each promise, and what was seen."""
        ax = self.start(8.5, 0.42 * len(self.limits) + 1.5)
        for place, (_, seen, low, high) in enumerate(self.limits):
            ax.barh(place, high - low, left=low, height=0.5, color=BLUE, alpha=0.45)
            ax.plot(seen, place, "D", color=VERMILLION, markersize=7)
        name_rows(ax, [words for words, *_ in self.limits])
        ax.set(xlim=(0, 1), xlabel="share of rows")
        in_percent(ax.xaxis)
        entries = [
            mark(BLUE, "s", "what is promised", alpha=0.45, markersize=10),
            mark(VERMILLION, "D", "what was seen"),
        ]
        legend_below(self.figure_, entries, 2)
        return self


class Bounds:
    """What a bound is made of: rows, errors, and the length of what is sent."""

    def plot(self):
        """Draw three curves."""
        rows = np.array([50, 100, 200, 400, 800, 1600, 3200, 6400])
        self.figure_, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
        for size, share, style in ((1, 0.05, "o-"), (5, 0.05, "s--"), (20, 0.05, "^-.")):
            bounds = [compression_bound(int(m), size, round(share * (m - size)), 2.0 * size, 0.05) for m in rows]
            words = f"{size} row{'' if size == 1 else 's'} and {2 * size} nats"
            ax.plot(rows, bounds, style, label=f"rebuilt from {words}", linewidth=1.6)
        ax.axhline(0.05, color="0.5", linewidth=1, linestyle=":", label="errors seen: 5 %")
        ax.set(
            xscale="log", xticks=rows, xticklabels=rows, xlabel="training rows", ylabel="certified bound", ylim=(0, 1)
        )
        ax.minorticks_off()
        in_percent(ax.yaxis)
        ax.legend(frameon=False)
        return self


class Diagram:
    """Which learner: questions from top to bottom, answers to the right."""

    QUESTIONS = (
        ("Nothing to decide?", "LaconicClassifier(), LaconicRegressor()"),
        ("Is the target a number?", "LaconicRegressor, MinimalComplexityRegressor"),
        ("Is there a model already?", "Certified(estimator)"),
        ("More than two classes?", "ScoreTableClassifier, RuleListClassifier"),
        ("Accuracy before length?", "RuleVoteClassifier"),
        ("A card to add up by hand?", "ScoreCardClassifier, PocketClassifier"),
        ("Flags, and no error allowed?", "NormalFormClassifier, DecisionListClassifier"),
        ("A convex region?", "HalfspaceIntersectionClassifier"),
        ("A few rules?", "SetCoveringClassifier()"),
    )

    def plot(self):
        """Draw boxes and arrows."""
        n = len(self.QUESTIONS)
        self.figure_, ax = plt.subplots(figsize=(8.5, 0.72 * n), layout="constrained")
        ink = ax.xaxis.label.get_color()
        for place, (question, answer) in enumerate(self.QUESTIONS):
            box = {"boxstyle": "round,pad=0.45", "facecolor": "none"}
            ax.text(0.0, -place, question, va="center", bbox={**box, "edgecolor": BLUE}, color=ink)
            ax.text(5.0, -place, answer, va="center", bbox={**box, "edgecolor": ORANGE}, color=ink, family="monospace")
            ax.annotate("yes", (4.8, -place), (3.45, -place), va="center", color=ink, arrowprops=_arrow(ink))
            if place < n - 1:
                ax.annotate("", (1.2, -place - 0.64), (1.2, -place - 0.34), arrowprops=_arrow(ink))
                ax.text(1.35, -place - 0.5, "no", va="center", color=ink, fontsize="small")
        ax.set(xlim=(-0.3, 10.4), ylim=(-n + 0.4, 0.6))
        ax.axis("off")
        return self


def _arrow(ink):
    return {"arrowstyle": "->", "color": ink}


PICTURES = {
    "thresholds": thresholds,
    "balls": balls,
    "soft-balls": soft_balls,
    "normal-forms": normal_forms,
    "decision-lists": decision_lists,
    "rule-lists": rule_lists,
    "perceptron": perceptron,
    "pocket": pocket,
    "score-cards": score_cards,
    "intersections": intersections,
    "neural-lists": neural_lists,
    "minimal": minimal,
    "votes": votes,
    "bands": bands_of_numbers,
    "certified": certified,
    "path": path,
    "bounds": Bounds,
    "evidence": evidence,
    "promises": Promised,
    "diagram": Diagram,
} | CHARTS


def larger_letters(gallery, file):
    """Let the gallery draw with the letters of all other pictures."""
    del gallery, file
    plt.rcParams["font.size"] = SIZE


def write_pictures(folder: Path) -> None:
    """Write those that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PICTURES.items():
        places = {look: folder / f"{name}-{look}.svg" for look in LOOKS}
        if all(place.exists() for place in places.values()):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a picture may show a learner at its limits
            shown = make()
        for look, place in places.items():
            with plt.style.context(LOOKS[look]), plt.rc_context({"font.size": SIZE, "savefig.transparent": True}):
                figure = shown.plot().figure_
                figure.savefig(place, metadata={"Date": None})
                plt.close(figure)


if __name__ == "__main__":
    write_pictures(Path(sys.argv[1]))
