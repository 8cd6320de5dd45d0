"""The command line's own code in worlds of known risk: it looks at the rows before a learner does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator

from laconic.cli._fitting import fit_table
from laconic.cli._tables import Task
from tests.simulation import worlds
from tests.simulation.harness import Cell


class Command(BaseEstimator):
    """What ``laconic fit`` does with a table, and ``laconic predict`` with the columns that it kept."""

    def __init__(self, learner, settings=None, delta=0.05):
        self.learner = learner
        self.settings = settings
        self.delta = delta

    def fit(self, X, y):
        given = {} if self.learner == "auto" else {"delta": self.delta, **(self.settings or {})}
        self.model_, _, _ = fit_table(Task(self._frame(X), y, "label"), self.learner, given)
        self.certificate_ = self.model_.certificate_
        return self

    def predict(self, X):
        return self.model_.predict(self._frame(X).select(list(self.model_.feature_names_in_)))

    @staticmethod
    def _frame(X):
        return (
            X
            if isinstance(X, pl.DataFrame)
            else pl.DataFrame(np.asarray(X), schema=[f"c{j}" for j in range(X.shape[1])])
        )


@dataclass(frozen=True)
class Spoilt:
    """Columns that equal the label, but for a few ones that became a two; and one flag that means nothing.

    In a small sample some columns have no two, and these are right on every row that was seen. Whoever keeps the
    columns that hold flags, and then pays for choosing among those that are left, promises too much.
    """

    n_columns: int
    share: float  # of the rows with a two, in each column

    def draw(self, n_samples, rng):
        y = rng.random(n_samples) < 0.5
        y[:2] = False, True
        twos = (rng.random((n_samples, self.n_columns)) < 2 * self.share) & y[:, None]
        spoilt = np.where(twos, 2.0, y[:, None])
        return np.column_stack([rng.random(n_samples) < 0.5, spoilt]).astype(float), y

    def risk(self, command):
        """Go through all that the columns of the rules may hold, for either label."""
        model = command.model_
        names = list(model.feature_names_in_)
        used = sorted(worlds.features_of(model))
        plain = np.array([names[column] == "c0" for column in used], dtype=bool)
        other = np.array(list(product((False, True), repeat=len(used))), dtype=bool)
        risk = 0.0
        for label in (False, True):
            share = 2 * self.share * label
            chance = np.prod(np.where(plain, 0.5, np.where(other, share, 1 - share)), axis=1)
            rows = np.zeros((len(other), len(names)))
            rows[:, used] = np.where(plain, other, np.where(other, 2.0, label))
            risk += 0.5 * float(np.sum(chance * (model.predict(pl.DataFrame(rows, names)) != label)))
        return risk


def command(name, world, n_samples, learner, **settings):
    def make(delta):
        return Command(learner, settings, delta)

    return Cell(name, world, n_samples, make, delta_matters=learner == "auto")


RARE_TWOS = Spoilt(500, 0.22)
CELLS = [
    command("decision-list, columns that happen to be flags", RARE_TWOS, 20, "decision-list", penalty=3.0, max_rules=2),
    command("normal-form, columns that happen to be flags", RARE_TWOS, 20, "normal-form", penalty=3.0, max_rules=2),
    command("scm, numbers", worlds.NUMBERS, 40, "scm", max_rules=3),
    command("rule-list, numbers", worlds.NUMBERS, 40, "rule-list", max_words=3, select=None),
    command("pocket, bits", worlds.NOISY_BITS, 40, "pocket", random_state=0, max_epochs=3),
]
COMMANDS = {f"laconic fit: {cell.name}": cell for cell in CELLS}
