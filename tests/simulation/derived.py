"""Promises that no attribute carries: of a model that was there already, of a mean loss, and of the watch.

`DERIVED` has cells for everything public, outside `laconic.certificates`, that returns a promise or raises an alarm; a
test walks through the package and fails where an entry is missing.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

import laconic
from laconic import CertificateMonitor, LaconicRegressor, MinimalComplexityRegressor, SetCoveringClassifier
from laconic.certified import certify_by_surrogate
from tests.simulation import worlds
from tests.simulation.harness import Cell

PROMISES = {"Certificate", "LossPromise", "Promise", "ClassPromise", "LinePromise", "Answered"}
CAP, RANGE = 2.0, (-4.0, 20.0)


def promising_names() -> set[str]:
    """Find the public functions and methods that return a promise, and the public classes that raise an alarm.

    Those of certificates themselves are left out: they are what all others are made of.
    """
    found = set()
    for module in pkgutil.iter_modules(laconic.__path__, "laconic."):
        room = module.name.rpartition(".")[2]
        if module.name == "laconic.certificates" or room.startswith("_") or not module.ispkg or room == "dask":
            continue
        loaded = importlib.import_module(module.name)
        for name in getattr(loaded, "__all__", ()):
            found |= ways(getattr(loaded, name))
    return found


def ways(member: Any) -> set[str]:
    """Return under which names a public function or class gives promises."""
    if inspect.isfunction(member):
        return {member.__name__} if promises(member) else set()
    if not inspect.isclass(member):
        return set()
    methods = inspect.getmembers(member, inspect.isfunction)
    found = {method.__name__ for name, method in methods if not name.startswith("_") and promises(method)}
    return found | ({member.__name__} if hasattr(member, "alarm_") else set())


def promises(function: Any) -> bool:
    """Return whether a function says that it returns a promise."""
    said = function.__annotations__.get("return", "")
    return getattr(said, "__name__", str(said)).rpartition(".")[2] in PROMISES


# ---- a model that was there already


class ThereAlready(BaseEstimator):
    """A tree on some rows, certified by rules on others and by answers on yet others, whose labels nobody sees."""

    def __init__(self, depth=3, delta=0.05):
        self.depth, self.delta = depth, delta

    def fit(self, X, y):
        third = len(y) // 3
        self.tree_ = DecisionTreeClassifier(max_depth=self.depth, random_state=0).fit(X[:third], y[:third])
        rows = slice(third, 2 * third)
        rules = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2, delta=self.delta)
        self.certificate_ = certify_by_surrogate(self.tree_, rules.fit(X[rows], y[rows]), X[2 * third :])
        return self

    def predict(self, X):
        return self.tree_.predict(X)


class Opposite(ThereAlready):
    """Errs wherever its surrogate is right, on a part of the rows: errors and disagreements never overlap."""

    def fit(self, X, y):
        half = len(y) // 2
        rules = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=1, delta=self.delta)
        self.rules_fitted_ = rules.fit(X[:half], y[:half])
        self.certificate_ = certify_by_surrogate(self, rules, X[half:])
        return self

    def predict(self, X):
        return self.rules_fitted_.predict(X) ^ (np.asarray(X)[:, 2] == 0)


# ---- a mean loss


@dataclass(frozen=True)
class MeanLoss:
    """A world of numbers in which a view is judged by its mean loss."""

    world: Any

    def draw(self, n_samples, rng):
        return self.world.draw(n_samples, rng)

    def risk(self, view):
        world = self.world
        X = np.array(np.meshgrid(*[world.values] * world.columns)).reshape(world.columns, -1).T
        targets = world.function(X)[:, None] + np.array(world.noise)
        said = view.model.predict(world.shown(X))[:, None]
        if "target_range" in view.asked:
            said = np.clip(said, *view.asked["target_range"])
        error = np.minimum(np.abs(said - targets), view.asked.get("cap", np.inf))
        return float(np.mean(error ** (2 if view.asked.get("loss") == "squared" else 1)))


class LossView:
    """A fitted regressor, with what it promises of its mean loss."""

    def __init__(self, model, **asked):
        self.model, self.asked, self.certificate_ = model, asked, self
        promise = model.promise_loss(**asked)
        self.risk_bound, self.delta = promise.bound, promise.delta


def loss(name, world, n_samples, make, **asked):
    view = lambda model: LossView(model, **asked)  # noqa: E731
    return Cell(name, MeanLoss(world), n_samples, make, delta_matters=True, view=view)


# ---- the watch


@dataclass(frozen=True)
class Watched:
    """A world whose new rows are watched: what is judged is whether the monitor keeps what it says."""

    world: Any

    def draw(self, n_samples, rng):
        return self.world.draw(n_samples, rng)

    def risk(self, view):
        return float(view.wrong)


class WatchView:
    """A model whose promise is watched on new rows, in batches; it is wrong if there is a false alarm.

    Half of delta is the certificate's, and half the monitor's. With `tight` the promise is the true risk, and all of
    delta the monitor's. `part` says what is looked at: alarms, alarms of lines, or the interval of the mean risk.
    """

    risk_bound = 0.5

    def __init__(self, model, world, part, tight):
        self.certificate_, self.delta = self, 2 * model.certificate_.delta
        rng = np.random.default_rng(int(1e6 * model.certificate_.risk_bound) + len(model.rules_))
        risk = world.risk(model)
        if tight:
            model.certificate_ = replace(model.certificate_, risk_bound=risk)
        monitor = CertificateMonitor(model, alpha=self.delta if tight else self.delta / 2)
        self.wrong = False
        for size in (1, 3, 10, 30, 100, 1, 1, 5, 50, 200):
            X, y = world.draw(max(size, 2), rng)
            monitor.update(X[:size], None if part == "lines" else y[:size])
            low, high = monitor.risk_interval()
            broken = {"errors": monitor.alarm_, "lines": monitor.line_alarm_, "interval": not low <= risk <= high}
            self.wrong |= bool(broken[part])


def watch(name, world, n_samples, part="errors", tight=False):
    def make(delta):
        return SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2, delta=delta / 2)

    view = lambda model: WatchView(model, world, part, tight)  # noqa: E731
    return Cell(name, Watched(world), n_samples, make, delta_matters=True, view=view)


DERIVED = {
    "certify_by_surrogate": [
        Cell("a tree by rules", worlds.NUMBERS, 90, lambda delta: ThereAlready(delta=delta)),
        Cell("a deep tree by rules, useless columns", worlds.DUPLICATES, 60, lambda delta: ThereAlready(9, delta)),
        Cell("errs where its surrogate is right", worlds.NUMBERS, 80, lambda delta: Opposite(delta=delta)),
    ],
    "promise_loss": [
        loss("absolute, a range", worlds.SLOPE, 60, lambda d: MinimalComplexityRegressor(delta=d), target_range=RANGE),
        loss("squared, truncated", worlds.STAIRS, 60, lambda d: LaconicRegressor(2, delta=d), loss="squared", cap=CAP),
        loss(
            "absolute, truncated, sent in rows",
            worlds.STAIRS,
            50,
            lambda d: MinimalComplexityRegressor(10.0, kernel="rbf", max_support=3, delta=d),
            cap=CAP,
        ),
    ],
    "CertificateMonitor": [
        watch("false alarms", worlds.NUMBERS, 60),
        watch("false alarms at the true risk", worlds.NUMBERS, 60, tight=True),
        watch("false alarms of lines", worlds.DISC, 60, "lines"),
        watch("the mean of the risk", worlds.NUMBERS, 60, "interval", tight=True),
    ],
}
CELLS = {f"{name}: {cell.name}": cell for name, cells in DERIVED.items() for cell in cells}
