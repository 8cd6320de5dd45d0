"""Distributions whose risk is known exactly: independent columns of few values, and a noisy concept on some of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from laconic.rules import Ball, Clause, Term


@dataclass(frozen=True)
class World:
    """Independent columns: column j takes values[j] with chances[j]. The label is a concept, flipped with `noise`."""

    values: tuple
    chances: tuple
    concept: object  # from a tuple of the concept columns' values to a Boolean
    concept_columns: tuple
    noise: float
    as_frame: bool = False

    def draw(self, n_samples, rng):
        """Draw rows and labels of both classes."""
        while True:
            columns = [
                self.as_column(j)[rng.choice(len(chances), size=n_samples, p=chances)]
                for j, chances in enumerate(self.chances)
            ]
            y = self.clean(columns) ^ (rng.random(n_samples) < self.noise)
            if 0 < y.sum() < n_samples:
                return self.table(columns), y

    def table(self, columns):
        if self.as_frame:
            return pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)})
        return np.column_stack(columns).astype(float)

    def risk(self, hypothesis):
        """Add up the chances of all rows, over the columns that matter, on which the hypothesis is wrong."""
        used = sorted(set(self.concept_columns) | set(features_of(hypothesis)))
        shape = [len(self.values[j]) if j in used else 1 for j in range(len(self.values))]
        codes = [code.ravel() for code in np.indices([n for n in shape if n > 1])]
        places = dict(zip((j for j, n in enumerate(shape) if n > 1), codes, strict=True))
        nowhere = np.zeros(len(codes[0]), dtype=int)
        columns = [self.as_column(j)[places.get(j, nowhere)] for j in range(len(self.values))]
        chance = np.prod([np.array(self.chances[j])[places[j]] for j in places], axis=0)
        wrong = hypothesis.evaluate(self.table(columns)) != self.clean(columns)
        return float(np.sum(chance * np.where(wrong, 1 - self.noise, self.noise)))

    def as_column(self, j):
        return np.array(self.values[j], dtype=object if isinstance(self.values[j][0], str) else float)

    def clean(self, columns):
        rows = list(zip(*(columns[j].tolist() for j in self.concept_columns), strict=True))
        answers = {row: self.concept(row) for row in set(rows)}
        return np.array([answers[row] for row in rows])


def features_of(hypothesis):
    for rule in hypothesis.rules:
        if isinstance(rule, Ball):
            yield from range(len(rule.center))
        elif isinstance(rule, Clause | Term):
            yield from (literal.feature for literal in rule.literals)
        else:
            yield rule.feature


def uniform(*values):
    return tuple(values), (1 / len(values),) * len(values)


def world(columns, concept, concept_columns, noise, as_frame=False):
    values, chances = zip(*columns, strict=True)
    return World(values, chances, concept, concept_columns, noise, as_frame)


NUMBERS = world([uniform(*range(6))] * 4, lambda v: v[0] > 2 and v[1] <= 3, (0, 1), noise=0.15)
PURE_NOISE = world([uniform(*range(8))] * 40, lambda v: True, (0,), noise=0.5)
RARE = world([uniform(*range(10))] * 5, lambda v: v[0] > 8, (0,), noise=0.02)
FLAGS = world([((0, 1), (0.7, 0.3))] * 60, lambda v: bool(v[0]) or bool(v[1]), (0, 1), noise=0.1)
DISC = world([uniform(*range(7))] * 3, lambda v: (v[0] - 3) ** 2 + (v[1] - 3) ** 2 <= 5, (0, 1), noise=0.1)
UNEVEN = world(
    [uniform(*range(5)), uniform(*range(0, 5000, 1000)), uniform(0.0, 0.001, 0.003)],
    lambda v: v[0] > 2,
    (0,),
    noise=0.1,
)
EQUAL_BITS = world([uniform(0, 1)] * 8, lambda v: v[0] == v[1], (0, 1), noise=0.1)
MIXED = world(
    [
        (tuple("abcdefghij"), (0.3, 0.2, 0.1, 0.1, 0.1, 0.06, 0.05, 0.04, 0.03, 0.02)),
        uniform("x", "y", "z"),
        uniform(*range(5)),
        *[uniform(*"pqrstuvw")] * 6,
    ],
    lambda v: v[0] in "ab" and v[1] > 1,
    (0, 2),
    noise=0.2,
    as_frame=True,
)
