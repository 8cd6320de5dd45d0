"""
A family of your own
====================

The set covering machine builds its rules from *families*. A family whose rules can be listed before the data is seen
takes one method: list them, and the search, the text and the certificate follow.

Here the rules compare two columns, ``a > b``: no threshold, so nothing has to be read off the data, and scaling all
columns of a row (a dilution, an exposure time) changes nothing. Naming one of n(n - 1) rules costs ln(n(n - 1)) nats.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from laconic import SetCoveringClassifier
from laconic.covering import FiniteFamily
from laconic.rules import Rule, column_name, register


# %%
# A rule is a frozen value with plain fields. It says where it holds and how it reads; `register` lets
# `laconic.rules.from_dict` make it again.
@register
@dataclass(frozen=True, slots=True)
class Larger(Rule):
    """One column is larger than another."""

    first: int
    second: int

    def holds(self, table):
        """Find on which rows it holds; a missing value makes it false."""
        return table.numbers(self.first) > table.numbers(self.second)

    def describe(self, names: Sequence[str] | None = None) -> str:
        """Describe it in words."""
        return f"{column_name(self.first, names)} > {column_name(self.second, names)}"


# %%
# The family lists them. Its order is the order in which ties are broken.
class Comparisons(FiniteFamily):
    """All comparisons of two columns."""

    accepts_missing = True

    def candidates(self, n_columns: int) -> list[Larger]:
        """List the rules."""
        return [Larger(i, j) for i, j in permutations(range(n_columns), 2)]


# %%
# Eight "genes" whose level varies ten thousandfold between samples; the disease turns two pairs of them around.
def samples() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    levels = rng.lognormal(size=(400, 8))
    X = levels * 10 ** rng.uniform(-2, 2, size=(400, 1))
    y = np.where((levels[:, 2] > levels[:, 5]) & (levels[:, 0] > levels[:, 1]), "ill", "healthy")
    flipped = rng.random(400) < 0.03
    y[flipped] = rng.permutation(y[flipped])
    return X, y


def main() -> SetCoveringClassifier:
    X, y = samples()
    by_comparison = SetCoveringClassifier("auto", features=Comparisons(), max_rules=3, penalty=1.0).fit(X, y)
    by_threshold = SetCoveringClassifier("auto", features="stumps", max_rules=3, penalty=1.0).fit(X, y)
    print(by_comparison.to_text())
    print()
    print("The same with thresholds:", by_threshold.certificate_)
    return by_comparison


# %%
# Both rules at once: each compares two columns, so that their ratio says on which side a sample lies.
def draw(model: SetCoveringClassifier) -> None:
    """Draw the samples by the two ratios that the rules look at, and the corner where both rules hold."""
    from matplotlib import pyplot as plt

    X, y = samples()
    across, up = (np.log10(X[:, rule.first] / X[:, rule.second]) for rule in model.rules_)
    figure, ax = plt.subplots(figsize=(6.5, 4.6), layout="constrained")
    for label, colour, shape in (("healthy", "tab:blue", "o"), ("ill", "tab:orange", "^")):
        ax.plot(across[y == label], up[y == label], shape, color=colour, markersize=5, label=label)
    ax.fill_between([0, across.max()], 0, up.max(), color="0.5", alpha=0.2, label="both rules hold: ill", linewidth=0)
    names = [f"log10 of {column_name(rule.first, None)} / {column_name(rule.second, None)}" for rule in model.rules_]
    ax.set(xlabel=names[0], ylabel=names[1])
    figure.legend(loc="outside upper center", ncols=3, frameon=False)


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        draw(found)
