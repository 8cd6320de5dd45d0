"""
Why scaling by training statistics voids a certificate
======================================================

A certificate by sample compression holds because the model can be rebuilt from a few examples and a short message. Put
a `StandardScaler` before a machine of balls and that is no longer so: its means and deviations are real numbers that
come from *all* rows, and nobody has paid for sending them. ``Balls(scale="dyadic")`` scales by powers of two and puts
the exponents into the message.

The demonstration: keep the rows that the machine is rebuilt from, replace one other row by a legal outlier, and look at
the ball around the same centre with the same border. Unscaled, it does not move. After standardising it does: what was
certified was not a function of the examples that were charged.
"""

import importlib.util

import numpy as np
from sklearn.preprocessing import StandardScaler

from laconic import SetCoveringClassifier
from laconic.covering import Balls


def ball_through(X, center, border):
    """Return which rows lie in the ball around one row that reaches to another."""
    distances = np.linalg.norm(X - X[center], axis=1)
    return distances <= distances[border]


OUTSIDER, CENTER, BORDER = 7, 0, 1


def rows():
    """Draw rows, and make a copy in which one of them is an outlier."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [1.0, 30.0]
    changed = X.copy()
    changed[OUTSIDER, 1] = 2000.0
    return X, changed


def main():
    X, changed = rows()
    y = np.hypot(X[:, 0], X[:, 1] / 30) < 1.1
    outsider, center, border = OUTSIDER, CENTER, BORDER
    raw, raw_after = ball_through(X, center, border), ball_through(changed, center, border)
    fitted, fitted_after = (ball_through(StandardScaler().fit_transform(rows), center, border) for rows in (X, changed))
    others = np.arange(200) != outsider
    print("rows that change sides when an outsider moves:")
    print("  unscaled     ", int((raw != raw_after)[others].sum()))
    print("  standardised ", int((fitted != fitted_after)[others].sum()))

    print("\nThe sound way to scale, with its price in the message:")
    for features in (Balls(), Balls(scale="dyadic")):
        model = SetCoveringClassifier("conjunction", features, max_rules=1, penalty=1.0).fit(X, y)
        certificate = model.certificate_
        print(f"  {features!s:24} {certificate.message_nats:5.1f} nats; {certificate}")
    return int((raw != raw_after)[others].sum()), int((fitted != fitted_after)[others].sum())


def draw():
    """Draw the ball before and after the outsider moves, where nothing is scaled and where all is."""
    from matplotlib import pyplot as plt

    X, changed = rows()
    left, up = np.meshgrid(np.linspace(-4, 4, 200), np.linspace(-110, 110, 200))
    grid = np.column_stack([left.ravel(), up.ravel()])
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 4), sharex=True, sharey=True, layout="constrained")
    for ax, title in zip(axes, ("unscaled", "standardised"), strict=True):
        ax.plot(*X.T, ".", color="0.6", markersize=4)
        for table, style, colour, when in ((X, "-", "tab:blue", "before"), (changed, "--", "tab:red", "after")):
            scale = table.std(axis=0) if title == "standardised" else np.ones(2)
            radius = np.linalg.norm((X[BORDER] - X[CENTER]) / scale)
            inside = np.linalg.norm((grid - X[CENTER]) / scale, axis=1) - radius
            ax.contour(left, up, inside.reshape(left.shape), [0.0], colors=colour, linestyles=style, linewidths=2)
            ax.plot([], [], style, color=colour, linewidth=2, label=f"the ball {when} an outsider moves")
        ax.plot(*X[CENTER], "P", color="black", markersize=10, label="its centre")
        ax.plot(*X[BORDER], "X", color="black", markersize=10, label="the row that it reaches to")
        ax.set(title=title, xlabel="first column")
    axes[0].set_ylabel("second column")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)


if __name__ == "__main__":
    main()
    if importlib.util.find_spec("matplotlib"):
        draw()
