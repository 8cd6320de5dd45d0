"""Slow and obvious twins of what rows are compared by: Python's own tuples, one for each row."""

from __future__ import annotations

import math


def key(row, label=()):
    """What a row is compared by: each value after whether it is missing, then the label."""
    missing = [value is None or (isinstance(value, float) and math.isnan(value)) for value in row]
    return (*((gone, 0 if gone else value) for value, gone in zip(row, missing, strict=True)), label)


def places(keys):
    return [sum(other < one for other in keys) for one in keys]


def order(keys):
    return sorted(range(len(keys)), key=lambda i: keys[i])


def distinct(keys):
    """The first of each kind, in order of value, and where each row's like stands among them."""
    kinds = sorted(set(keys))
    return [keys.index(kind) for kind in kinds], [kinds.index(one) for one in keys]


def contradictions(keys, labels):
    """The groups of equal rows whose labels differ, in order of value."""
    groups = [[i for i, one in enumerate(keys) if one == kind] for kind in sorted(set(keys))]
    return [group for group in groups if len({labels[i] for i in group}) > 1]


def first(keys, labels):
    return min(range(len(keys)), key=lambda i: (labels[i], keys[i]))
