"""Words for classes: each binary digit splits the classes in two, along the principal components of their rows."""

from __future__ import annotations

import numpy as np

from laconic._table import Floats, Integers


def class_words(X: Floats, codes: Integers, n_classes: int) -> tuple[tuple[int, ...], ...]:
    """Return every class a word of ⌈log2 Q⌉ binary digits.

    All classes are split in two halves by the means of their rows along the first principal component of these rows,
    then each half by that of its own, and so on; what is split at the same time shares a digit.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    codes : ndarray of int64
        The class of each.
    n_classes : int
        The number Q of classes.

    Returns
    -------
    tuple of tuples of int
        For each class its digits, all different.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> class_words(X, np.array([0, 1, 2, 3]), 4)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    n_digits = max(int(n_classes - 1).bit_length(), 1)
    words = np.zeros((n_classes, n_digits), dtype=np.int64)
    groups = [np.arange(n_classes)]
    for digit in range(n_digits):
        halves = []
        for group in groups:
            order = _along_component(X, codes, group)
            n_first = min((len(order) + 1) // 2, 2 ** (n_digits - digit - 1))
            words[order[n_first:], digit] = 1
            halves += [half for half in (order[:n_first], order[n_first:]) if len(half)]
        groups = halves
    return tuple(tuple(word) for word in words.tolist())


def _along_component(X: Floats, codes: Integers, group: Integers) -> Integers:
    """Order some classes by the means of their rows along the first principal component of these rows."""
    X = np.ldexp(X, -max(int(np.frexp(np.abs(X).max(initial=0.0))[1]) - 500, 0))  # so that no square overflows
    rows = np.isin(codes, group)
    center = X[rows].mean(axis=0)
    component = np.linalg.svd(X[rows] - center, full_matrices=False)[2][0]
    component *= (
        np.sign(component[np.argmax(np.abs(component))]) or 1.0
    )  # its sign means nothing: the largest is positive
    means = [float((X[codes == one].mean(axis=0) - center) @ component) for one in group]
    return group[np.argsort(means, kind="stable")]
