"""Score cards the slow way: a decoder that pays choice by choice, and a look at every candidate."""

import math

import numpy as np


def integer(n):
    return math.log((n + 1) * (n + 2))


def signed(n):
    return integer(2 * n if n >= 0 else -2 * n - 1)


def surjections(n_slots, n_examples):
    """Count the ways to map slots onto examples, one by one."""
    if n_slots == 0:
        return int(n_examples == 0)
    if n_examples == 0:
        return 0
    return n_examples * (surjections(n_slots - 1, n_examples) + surjections(n_slots - 1, n_examples - 1))


def repeats(values):
    nats = 0.0
    for i, value in enumerate(values):
        before = sorted(values[:i])
        middle = before[(i - 1) // 2] if before else 0
        nats -= math.log((before.count(value) + 4 * math.exp(-signed(value - middle))) / (i + 4))
    return nats


def price(forms, points, units, is_column, bias, n_columns, n_slots, n_examples):
    """Add up what a card costs: ``forms`` has for each term how many forms its column has."""
    largest = max([abs(p) for p in points], default=1)
    total = integer(len(points) - n_examples) + integer(largest - 1)
    for place, n_forms in enumerate(forms):
        total += math.log(n_columns) + math.log(n_forms) + math.log(largest) - math.log(place + 1)
    total += math.log(surjections(n_slots, n_examples))
    total += math.log(2)
    if any(p < 0 for p, column in zip(points, is_column, strict=True) if not column):
        total += sum(not column for column in is_column) * math.log(2)
    if any(is_column):
        total += sum(is_column) * math.log(2) + repeats(units) + signed(bias)
    else:
        total += math.log(2 * max(sum(map(abs, points)), 1) + 2)
    return total


def table_price(forms, points, units, start, n_columns, n_slots, n_examples):
    """Add up what a table of points costs: ``points`` has for each term a number for each class."""
    n_classes = len(start)
    largest = max([abs(each) for row in points for each in row], default=1)
    total = integer(len(points) - n_examples) + integer(largest - 1) + repeats(units) + sum(map(integer, start))
    for place, (n_forms, row) in enumerate(zip(forms, points, strict=True)):
        total += math.log(n_columns) + math.log(n_forms) - math.log(place + 1)
        total += math.log(n_classes) + math.log(math.comb(n_classes, sum(each != 0 for each in row)))
        total += sum(math.log(2) + math.log(largest) for each in row if each)
    return total + math.log(surjections(n_slots, n_examples))


def class_losses(values, held, pairs, weights, constants, codes):
    """Return the logistic loss of all classes together, row by row, with half the squares of weights, held back."""
    lost = sum(held[term] * weight**2 for (term, _), weight in zip(pairs, weights, strict=True)) / 2
    for row, code in zip(values, codes, strict=True):
        sums = list(constants)
        for (term, one), weight in zip(pairs, weights, strict=True):
            sums[one] += weight * row[term]
        lost -= sums[code] - math.log(sum(math.exp(each) for each in sums))
    return lost


def logistic(values, y):
    """Minimise the logistic loss with half the squares of all weights but the constant's, by small steps downhill."""
    design = np.column_stack([np.ones(len(values)), values])
    weights = np.zeros(design.shape[1])
    rate = 4.0 / (np.linalg.norm(design, 2) ** 2 + 4.0)
    for _ in range(20_000):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (chance - y) + np.append(0.0, weights[1:])
        weights -= rate * slope
        if np.abs(slope).max() < 1e-10:
            break
    losses = np.log1p(np.exp(-np.where(y > 0, 1, -1) * (design @ weights)))
    return float(losses.sum() + (weights[1:] ** 2).sum() / 2), weights
