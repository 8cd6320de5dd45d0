"""Small sets of rows that every test of this room can ask for."""

import numpy as np
import pytest


@pytest.fixture(scope="package")
def apart():
    """Two classes with a gap between them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    heights = X @ [1, -2, 0.5] + 0.3
    X, heights = X[np.abs(heights) > 0.3], heights[np.abs(heights) > 0.3]
    return X, np.where(heights > 0, "yes", "no")


@pytest.fixture(scope="package")
def mixed():
    """Two classes that overlap."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70, 2))
    return X, (X[:, 0] ** 2 + X[:, 1] + rng.normal(scale=0.7, size=70) > 0.8).astype(int)


@pytest.fixture(scope="package")
def three():
    """Three classes that overlap."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    return X, np.array(["ant", "bee", "cat"])[np.digitize(X @ [1, 0.4] + rng.normal(scale=0.4, size=60), [-0.5, 0.5])]


@pytest.fixture(scope="package")
def slope():
    """A plane with noise that has edges."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 2))
    return X, X @ [1.5, -1.0] + 2 + rng.uniform(-0.5, 0.5, size=90)
