"""
What the tube of a minimal complexity regressor does
====================================================

The machine separates the targets moved up by ε from the targets moved down by ε, with the largest margin as close to
the smallest as slack of price C allows. Four things can happen, and ε decides which. Let E be the smallest largest
residual that any function of the columns has, and W the number of rows.

**No regressor.** For ε ≤ E/(2CW − 1) the cheapest hyperplane ignores the target, and there is nothing to predict with:
`fit` refuses and names that ε.

**Minimax-like.** Just above it every row has slack, and all that the objective still sees is the largest residual: the
fit follows the row that is furthest off. One bad row is enough to spoil it.

**Insensitive.** Where ε is about the size of the residuals, rows outside the tube pay in proportion, as they do in a
support vector machine, which a bad row hardly moves. Here the two are alike; what differs is the other term, the
largest margin instead of the length of the weights, so that there is no shrinking towards zero.

**Hard.** For ε far above E no row needs slack, and the fit is the one with the smallest largest residual again.

A kernel of full rank adds a fifth: E = 0, and every target is interpolated. Cap `max_support`, or widen the kernel.

So a fair comparison with a support vector machine gives both the same tube and lets both choose it: at the libraries'
defaults (ε in units of the target's spread here, in the target's own units there) they answer different questions.
"""

import importlib.util

import numpy as np
from sklearn.svm import SVR

from laconic import MinimalComplexityRegressor

TUBES = {"minimax-like": 0.0045, "insensitive": 0.0625, "hard": 16.0}  # in the target's spread


def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(200, 1))
    truth = 3 * X[:, 0] - 1
    y = truth + rng.normal(scale=0.4, size=200)
    y[17] += 12  # one bad row
    return X, truth, y


def main():
    X, truth, y = rows()
    try:
        MinimalComplexityRegressor(epsilon=0.001).fit(X, y)
    except ValueError as refusal:
        print(f"no regressor: {refusal}")
    off = {}
    print(f"{'':14} tube   largest residual   off the truth: this machine   SVR, same tube")
    for regime, epsilon in TUBES.items():
        model = MinimalComplexityRegressor(epsilon=epsilon, code="rows").fit(X, y)
        peer = SVR(kernel="linear", C=100.0, epsilon=epsilon * model.target_unit_).fit(X, y)
        off[regime] = tuple(float(np.sqrt(np.mean((each.predict(X) - truth) ** 2))) for each in (model, peer))
        tube, largest = epsilon * model.target_unit_, np.abs(model.predict(X) - y).max()
        print(f"{regime:14} {tube:5.2g} {largest:17.2f} {off[regime][0]:29.2f} {off[regime][1]:17.2f}")
    return off


def draw():
    """Draw the fit of each tube, with the tube around it where it fits in the picture."""
    from matplotlib import pyplot as plt

    X, truth, y = rows()
    order = np.argsort(X[:, 0])
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained")
    for ax, (regime, epsilon) in zip(axes, TUBES.items(), strict=True):
        model = MinimalComplexityRegressor(epsilon=epsilon).fit(X, y)
        fitted, tube = model.predict(X)[order], epsilon * model.target_unit_
        ax.plot(X[:, 0], y, ".", color="0.6", markersize=4)
        ax.plot(X[order, 0], truth[order], "--", color="tab:orange", linewidth=2, label="the truth")
        ax.plot(X[order, 0], fitted, color="tab:blue", linewidth=2, label="the machine")
        ax.fill_between(X[order, 0], fitted - tube, fitted + tube, color="tab:blue", alpha=0.15, label="its tube")
        ax.set(title=f"{regime}, tube {tube:.2g}", xlabel="x", ylim=(-9, 13))
    axes[0].set_ylabel("y")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)


if __name__ == "__main__":
    main()
    if importlib.util.find_spec("matplotlib"):
        draw()
