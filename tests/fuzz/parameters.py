"""Random parameters within their declared ranges, for every learner: what is drawn follows from what is declared."""

from numbers import Integral

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils._param_validation import Interval, StrOptions

from laconic import Certified, SetCoveringClassifier
from laconic._learners import Learner, State, registered
from laconic.certificates import Promises
from laconic.covering import Balls, Clauses, Literals, Stumps

NUMBERS = (0.0, 5e-324, 1e-300, 1e-12, 1e-3, 0.1, 0.3, 0.5, 0.9, 1 - 1e-16, 1.0, 2.0, 10.0, 1e3, 1e12, 1e300, 1.7e308)
NUMBERS = (*NUMBERS, -1.0, -1e300, np.inf)
WHOLE = (0, 1, 2, 3, 5, 20, 1000, 2**31, 2**62)
METRICS = ("euclidean", "manhattan", "chebyshev", "cosine", "canberra")
CHANGED = 0.4  # the share of parameters that are not left as they are
CERTIFIED = {
    "Certified": Learner(Certified, State, (), several=True),
    "Certified (numbers)": Learner(Certified, State, (), predicts="number"),
}


def learners():
    """Return every learner by its name: what is registered, and the certificate for any model."""
    return registered() | CERTIFIED


def one_of(*values):
    return lambda rng, classes: values[rng.integers(len(values))]


def several_of(*values):
    return lambda rng, classes: [values[i] for i in rng.choice(len(values), int(rng.integers(1, 3)), replace=False)]


def family(rng, classes):
    """Draw a family of features, or one by its name."""
    made = [
        "balls",
        "stumps",
        "literals",
        Balls(
            one_of(*METRICS, "precomputed")(rng, classes),
            one_of("both", "positive", "negative")(rng, classes),
            one_of("reach", "tight")(rng, classes),
            one_of(None, "dyadic")(rng, classes),
            one_of(None, 1, 5, 2**40)(rng, classes),
        ),
        Stumps(bins=one_of(None, 2, 9, 255)(rng, classes)),
        Literals(bool(rng.integers(2)), binarize=one_of(None, 0.0, 0.5, 1e300)(rng, classes)),
        Clauses(int(rng.integers(1, 4)), bool(rng.integers(2)), binarize=one_of(None, 0.0, -1e-300)(rng, classes)),
    ]
    return made[rng.integers(len(made))]


def features(rng, classes):
    return family(rng, classes) if rng.random() < 0.7 else [family(rng, classes), family(rng, classes)]


def some_weights(rng, classes):
    drawn = rng.choice([0.0, 1e-200, 0.5, 1.0, 3.0, 1e200], len(classes))
    return one_of("balanced", None, dict(zip(classes.tolist(), drawn.tolist(), strict=True)))(rng, classes)


def wanted(rng, classes):
    """Draw what is promised beside the error; a group is the first column."""
    drawn = rng.choice([0.0, 0.5, 1.0, 1e300], (len(classes), len(classes)))
    costs = one_of(False, True, (drawn * (1 - np.eye(len(classes)))).tolist())(rng, classes)
    return one_of(
        "classes",
        ("rules", "costs"),
        Promises(classes=True, rules=True, groups=0, costs=costs),
        Promises(abstain=one_of(0.0, 0.5, 1.0)(rng, classes), ceilings={classes.tolist()[0]: 1.0}),
    )(rng, classes)


# parameters whose declaration does not say which values make sense, or where one is a request for endless work
DRAWN = {
    "features": features,
    "forms": several_of("conjunction", "disjunction"),
    "penalties": several_of(0.0, 1e-300, 0.5, 1.0, 1e12, 1e300),
    "margins": several_of(0.0, 1e-300, 1e-3, 0.1, 1.0, 2.0),
    "cv": one_of(2, 3),
    "metric": one_of(*METRICS, "precomputed"),
    "kernel": one_of("linear", "rbf", "rbf", "poly", "sigmoid", "precomputed"),
    "k": one_of(1, 2, 3, 2**40),
    "degree": one_of(1, 2, 3, 7, 1000),
    "class_weight": some_weights,
    "max_epochs": one_of(1, 2, 10, 100),
    "rules": lambda rng, classes: one_of(None, *classes.tolist())(rng, classes),
    "random_state": lambda rng, classes: int(rng.integers(1000)),
    "batch": one_of(1, 2, 20, 2**40),
    "protected": lambda rng, classes: one_of(None, *classes.tolist())(rng, classes),
    "max_words": one_of(1, 3, 12),
    "max_conditions": one_of(1, 2, 3),
    "n_lists": one_of(1, 2, 9),
    "max_terms": one_of(1, 3, 8),
    "max_points": one_of(1, 3, 10),
    "promises": wanted,
    "max_memory": one_of(None),
    "initial": one_of(None),
    "n_jobs": one_of(None),
    "verbose": one_of(False),
}
CV_FEATURES = several_of("balls", "stumps", ["stumps", "literals"], Balls("manhattan", scale="dyadic"), Stumps(bins=4))
CLASSIFIERS = (
    DecisionTreeClassifier(max_depth=3),
    KNeighborsClassifier(1),
    GaussianNB(),
    SetCoveringClassifier("conjunction", "stumps", max_rules=2, penalty=1.0),
)


def declared(constraints, rng):
    """Draw a value from what a parameter may be, as it is declared."""
    constraint = constraints[rng.integers(len(constraints))]
    if isinstance(constraint, Interval):
        values = [v for v in (WHOLE if constraint.type is Integral else NUMBERS) if v in constraint]
        return values[rng.integers(len(values))]
    if isinstance(constraint, StrOptions):
        return sorted(constraint.options)[rng.integers(len(constraint.options))]
    if constraint == "boolean":
        return bool(rng.integers(2))
    if constraint is None:
        return None
    raise NotImplementedError(f"nobody has said how to draw {constraint}: add the parameter to DRAWN")


def draw_estimator(rng, learner, classes):
    """Draw a learner with parameters: its defaults, or some of them changed, up to the ends of their ranges."""
    cls = learner.estimator
    values = {}
    if cls is Certified:
        values["estimator"] = (
            DecisionTreeRegressor() if learner.predicts == "number" else one_of(*CLASSIFIERS)(rng, classes)
        )
        values |= {"tolerance": float(rng.choice([0.0, 1e-300, 0.5, 1e300]))} if learner.predicts == "number" else {}
    changed = 0.0 if rng.random() < 0.15 else CHANGED
    for name, constraints in cls._parameter_constraints.items():
        if name in ("estimator", "tolerance") or (rng.random() > changed and name != "random_state"):
            continue
        if name == "features" and learner.tunes:
            values[name] = CV_FEATURES(rng, classes)
        elif name in DRAWN:
            values[name] = DRAWN[name](rng, classes)
        else:
            values[name] = declared(constraints, rng)
    return cls(**values)
