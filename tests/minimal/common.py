"""What the tests of both machines share."""

import math

import numpy as np

from laconic import MinimalComplexityRegressor
from laconic._table import as_table
from laconic.rules import Highest, LinearModel


def gaussian(one, other):
    return math.exp(-0.5 * float(((one - other) ** 2).sum()))


def as_solved(*args, **parameters):
    """Make a regressor that is what its programme says: not rounded."""
    return MinimalComplexityRegressor(*args, code="rows", **parameters)


KERNELS = {
    "linear": {},
    "rbf": {"kernel": "rbf", "max_support": 8},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.3},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.0625, "coef0": -0.5, "max_support": 8},
    "callable": {"kernel": gaussian, "max_support": 6},
}


def signs_of(model, y):
    """The signs that each machine was asked for."""
    codes = np.searchsorted(model.classes_, y)
    positive = [codes == 1] if len(model.classes_) == 2 else [codes == code for code in range(len(model.classes_))]
    return [np.where(one, 1.0, -1.0) for one in positive]


def machines_of(model):
    return model.hypothesis_.models if isinstance(model.hypothesis_, Highest) else (model.hypothesis_,)


def features_of(machine, X):
    """The columns that a machine is a sum of."""
    return X if isinstance(machine, LinearModel) else machine.columns(as_table(X)).T


def reached(margins, C, weights=1.0):
    slack = np.maximum(1 - margins, 0)
    return max(1.0, margins.max()) + (C * float((weights * slack).sum()) if np.isfinite(C) else 0.0)


def tube_reached(model, X, y):
    """The regressor's objective, from its predictions alone; η and ε are in the target's units."""
    g, z = model.eta_ * (y - model.predict(X)), model.eta_ * model.epsilon * model.target_unit_
    slack = np.maximum(1 - z - g, 0) + np.maximum(1 - z + g, 0)
    return (np.abs(g) + z).max() + (model.C * slack.sum() if np.isfinite(model.C) else 0.0)
