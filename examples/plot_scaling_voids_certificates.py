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

import numpy as np
from sklearn.preprocessing import StandardScaler

from laconic import SetCoveringClassifier
from laconic.covering import Balls


def ball_through(X, center, border):
    """Return which rows lie in the ball around one row that reaches to another."""
    distances = np.linalg.norm(X - X[center], axis=1)
    return distances <= distances[border]


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [1.0, 30.0]
    y = np.hypot(X[:, 0], X[:, 1] / 30) < 1.1
    changed = X.copy()
    outsider, center, border = 7, 0, 1
    changed[outsider, 1] = 2000.0

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


if __name__ == "__main__":
    main()
