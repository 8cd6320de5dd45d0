"""Learners made to break a bound.

A well-behaved learner uses little of what a union bound pays for. These use all of it, so that the bound is nearly
reached, and anything left out of it shows.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from laconic import Certified
from laconic.certificates import Certificate, SampleCompression, binomial_tail_inversion, preferent_bound
from tests.simulation.harness import Count

DELTA = 0.05

# ---- sample compression: every set and message stands for a hypothesis of its own, drawn at random

N_ROWS = 12
MESSAGES = {"a": math.log(2), "b": math.log(4), "c": math.log(8), "d": math.log(8)}  # nats; a complete prefix code
SIZES = (0, 1, 2, 3)


class Searcher:
    """Searches all small sets and all messages for a hypothesis with few errors and a large true risk.

    All labels are 0. The hypothesis of a set T and a message s answers 1 on a share of all x that is its true risk,
    scattered over x by a hash of (T, s, x): the hypotheses are independent of each other. For each length of set and
    message the risk is a hair above what would be promised if it made no error, so that finding one without errors
    breaks the bound.
    """

    def __init__(self, certify=None, delta=DELTA):
        self.certify = certify or (
            lambda size, errors, nats: (
                Certificate.resting_on(
                    SampleCompression(N_ROWS, size, errors, nats), delta=delta, empirical_risk=errors / N_ROWS
                ).risk_bound
            )
        )
        self.risks = {
            (size, message): min(self.certify(size, 0, nats) * (1 + 1e-9), 1.0)  # it knows the bound it plays against
            for size in SIZES
            for message, nats in MESSAGES.items()
        }

    def violations(self, n_draws, rng):
        """Draw samples, search each, and count those in which a promise is broken by the worst that can be found."""
        x = rng.integers(0, 2**63, size=(n_draws, N_ROWS), dtype=np.uint64)
        broken = np.zeros(n_draws, dtype=bool)
        for size in SIZES:
            sets = list(itertools.combinations(range(N_ROWS), size))
            inside = np.array(sets, dtype=int).reshape(len(sets), size)
            outside = np.array([np.delete(np.arange(N_ROWS), chosen) for chosen in inside])
            key = mix(np.uint64(size), *(x[:, column] for column in inside.T))
            for i, (message, nats) in enumerate(MESSAGES.items()):
                risk = self.risks[size, message]
                place = mix(key[..., None], np.uint64(i), x[:, outside]).astype(np.float64) / 2.0**64
                errors = (place < risk).sum(axis=2)
                promised = np.array([self.certify(size, k, nats) for k in range(N_ROWS - size + 1)])
                broken |= (promised[errors] < risk).any(axis=1)
        return int(broken.sum())


def mix(*parts):
    """Hash 64-bit numbers: one multiplication and shift after the other (splitmix64)."""
    with np.errstate(over="ignore"):
        state = np.uint64(0x9E3779B97F4A7C15)
        for part in parts:
            state = (state ^ part) + np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state = state ^ (state >> np.uint64(31))
    return state


# ---- Pick-to-Learn: nested regions, each a hair larger than what would be promised inside it

N_PICKED_FROM = 25


class Nested(RegressorMixin, BaseEstimator):
    """After j picks it is wrong on x < risks[j], and on nothing else: the risk that would be promised, and a hair."""

    def __init__(self, risks=(), uncounted=0):
        self.risks = risks
        self.uncounted = uncounted

    def fit(self, X, y):
        self.n_picks_ = len(X) - self.uncounted
        return self

    def predict(self, X):
        risk = self.risks[self.n_picks_] if self.n_picks_ < len(self.risks) else 1.0
        return (np.asarray(X)[:, 0] < risk).astype(float)


def nested(delta, n_rows=N_PICKED_FROM, n_seed=0, select="last", **parameters):
    """Make the adversary of `Certified`: it knows the bound that each number of picks has if no other row is wrong."""
    m = n_rows - n_seed

    def promised(j):
        if select == "last":
            return preferent_bound(m, j, delta)
        share = delta / ((j + 1) * (j + 2))
        return preferent_bound(m, j, share) if j else binomial_tail_inversion(0, m, share)

    risks = tuple(min(promised(j) * (1 + 1e-9), 1.0) for j in range(m))
    learner = Nested(risks, n_seed)
    initial = Nested(risks).fit(np.empty((0, 1)), [])
    start = {"seed_size": n_seed} if n_seed else {"initial": initial}
    return Certified(learner, tolerance=0.5, delta=delta, select=select, **start, **parameters), risks


def picked_too_few(model, risks, rng, n_rows=N_PICKED_FROM):
    """Draw a sample, fit, and say whether the true risk is above the bound."""
    X = rng.random((n_rows, 1))
    model.fit(X, np.zeros(n_rows))
    n_picks = len(model.picks_)
    risk = risks[n_picks] if n_picks < len(risks) else 1.0
    return risk > model.certificate_.risk_bound


PICKERS = {
    "preferent": {},
    "preferent, stopped early": {"max_size": 2},
    "preferent, rows set apart": {"n_seed": 3},
    "preferent, the bound chooses": {"select": "bound"},
}


def duel(kind, n_draws, delta=DELTA):
    """Count the violations of one adversary."""
    rng = np.random.default_rng(7)
    if kind == "compression":
        searcher = Searcher(delta=delta)
        violations = sum(searcher.violations(100, rng) for _ in range(n_draws // 100))
        typical = searcher.risks[1, "a"]
    else:
        model, risks = nested(delta, **PICKERS[kind])
        violations = sum(picked_too_few(model, risks, rng) for _ in range(n_draws))
        typical = risks[1]
    return Count(f"adversary: {kind}", delta, n_draws, int(violations), typical, typical)
