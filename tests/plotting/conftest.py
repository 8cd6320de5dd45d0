"""Every test here draws without a screen and closes what it drew."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")
