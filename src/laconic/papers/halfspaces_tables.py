"""Tables 1 to 3 of paper 5: halfspace intersections in many dimensions, mirror symmetry, and lists on real data.

The rule, stated before running: a mean is met within one standard deviation of the paper's, or within 0.5 where the
paper gives none. Training and test sets of tables 1 and 2 are half positive and half negative, and Gen averages the two
rates. In table 1, r and Opt-gen are chosen on the test set, as in the paper: they are no estimates.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from laconic._table import Floats
from laconic.datasets import load_glass2, load_house_votes, load_kr_vs_kp
from laconic.halfspaces import HalfspaceIntersectionClassifier
from laconic.halfspaces.densest import Order
from laconic.halfspaces.placement import Placement
from laconic.lists import NeuralDecisionListClassifier
from laconic.papers._concepts import Intersection, Mirror, Row, balanced, balanced_score, in_parallel, make_row

ORDERS: tuple[Order, ...] = ("nearest", "random")

# n -> m, M, our runs (the paper: 10, 6, 5, 1 and 1); k, Gen and its deviation, r, Opt-gen and its deviation
TABLE1 = {
    10: (3000, 10_000, 10, (4.3, (99.4, 0.1), 3.6, (99.5, 0.2))),
    20: (4000, 20_000, 6, (5.0, (98.1, 1.0), 3.3, (98.8, 0.3))),
    30: (6000, 20_000, 5, (4.3, (98.6, 0.1), 3.6, (98.9, 0.1))),
    40: (10_000, 40_000, 5, (5.0, (98.2, 0.5), 4.0, (98.6, 0.5))),
    50: (14_000, 40_000, 10, (5.0, (98.8, 0.5), 4.0, (99.0, 0.5))),
}
# m -> Gen and its deviation
TABLE2 = {100: (69.7, 7.5), 200: (80.1, 3.5), 400: (90.8, 1.7), 600: (94.4, 0.9)}
# set -> default accuracy, C4 and its deviation, Gen and its deviation, k
TABLE3 = {
    "CH": (52.2, (99.2, 0.3), (95.2, 0.5), 4.0),
    "G2": (53.4, (74.3, 6.6), (76.4, 6.7), 4.7),
    "IR": (33.3, (93.8, 3.0), (95.1, 6.3), 3.4),
    "V0": (61.4, (95.6, 1.3), (92.0, 2.8), 2.0),
    "V1": (61.4, (89.4, 2.5), (87.3, 2.3), 3.4),
}
REASONS = {
    ("table 1", 50, "random"): (
        "the paper made one run; ten of ours give 96.1 to 99.4 %, two of them within its half point. A few negatives "
        "of the other side, accepted early, bar up to a fifth of the right ones, which take many small halfspaces"
    ),
    ("table 3", "G2", "random"): (
        "means over 20 splits go from 67.4 to 73.4, over 300 it is 70.4; exact programmes use the last digits of the "
        "refractive index: without it, or with scaled weights up to 100 only, 60 splits gain two points"
    ),
}


def table1(
    dimensions: Sequence[int] = tuple(TABLE1),
    orders: Sequence[Order] = ORDERS,
    n_runs: int | None = None,
    placement: Placement = "max_margin",
    seed: int = 0,
    n_jobs: int = 1,
) -> list[Row]:
    """Run table 1: two orthogonal halfspaces through the origin, in 10 to 50 dimensions.

    Parameters
    ----------
    dimensions : sequence of int
        The table's rows, by n.
    orders : sequence of str
        In which order negatives are tried.
    n_runs : int or None
        Runs for each; None: as many as the paper made, and 5 or 10 where it made one.
    placement : {"max_margin", "vertex"}
        Where halfspaces are put.
    seed : int
        Where the random numbers start.
    n_jobs : int
        Processes.

    Returns
    -------
    list of Row
        For each dimension and order k, Gen, r and Opt-gen; r and Opt-gen are chosen on the test set. A smaller k is
        better; the paper gives r for Opt-gen alone, and so is it here.

    Examples
    --------
    >>> [(row.what, row.verdict) for row in table1([10], ["nearest"], n_runs=1)][1]
    ('table 1, n = 10: Gen, %', 'met')
    """
    rows = []
    for n in dimensions:
        _, _, usual, (k, (gen, gen_spread), r, (best, best_spread)) = TABLE1[n]
        runs = range(n_runs or usual)
        for order in orders:
            results = in_parallel(_table1_run, [(n, order, placement, seed, run) for run in runs], n_jobs)
            ks, gens, rs, bests = zip(*results, strict=True)
            what, note = f"table 1, n = {n}:", REASONS.get(("table 1", n, order), "")
            rows += [
                make_row(f"{what} halfspaces k", order, k, ks, fewer_is_better=True, note=note),
                make_row(f"{what} Gen, %", order, gen, gens, gen_spread, note=note),
                make_row(f"{what} halfspaces r of Opt-gen", order, r, rs, fewer_is_better=True, note=note),
                make_row(f"{what} Opt-gen, %", order, best, bests, best_spread, note=note),
            ]
    return rows


def _table1_run(n: int, order: Order, placement: Placement, seed: int, run: int) -> tuple[int, float, int, float]:
    """Give k, Gen, r and Opt-gen of one run."""
    random = np.random.default_rng([seed, n, run])
    concept = Intersection.orthogonal(n, random)
    n_train, n_test, *_ = TABLE1[n]
    train, (X, y) = balanced(concept, n_train, random), balanced(concept, n_test, random)
    model = HalfspaceIntersectionClassifier(order=order, placement=placement, random_state=run).fit(*train)
    scores = [balanced_score(predicted, y) for predicted in model.staged_predict(X)]
    return len(scores), scores[-1], 1 + int(np.argmax(scores)), max(scores)


def table2(
    sizes: Sequence[int] = tuple(TABLE2),
    orders: Sequence[Order] = ORDERS,
    n_runs: int = 20,
    placement: Placement = "max_margin",
    seed: int = 0,
    n_jobs: int = 1,
) -> list[Row]:
    """Run table 2: mirror symmetry on the corners of a hypercube in 30 dimensions.

    Parameters
    ----------
    sizes : sequence of int
        How many training rows (m).
    orders, placement, seed, n_jobs
        As in `table1`.
    n_runs : int
        Instances of each size.

    Returns
    -------
    list of Row
        For each size and order Gen, and how many halfspaces there were: the text says two, always.

    Examples
    --------
    >>> {row.verdict for row in table2([600], n_runs=2)} <= {"met", "better"}
    True
    """
    rows = []
    for m in sizes:
        for order in orders:
            rows += _mirror_rows(f"table 2, m = {m}:", 30, m, 4000, order, placement, n_runs, seed, n_jobs, TABLE2[m])
    return rows


def mirror50(
    orders: Sequence[Order] = ORDERS,
    n_runs: int = 20,
    placement: Placement = "max_margin",
    seed: int = 0,
    n_jobs: int = 1,
) -> list[Row]:
    """Run mirror symmetry in 50 dimensions: the text has 97.5 % after 1600 examples.

    Parameters
    ----------
    orders, placement, seed, n_jobs
        As in `table1`.
    n_runs : int
        How many runs (the paper: 5).

    Returns
    -------
    list of Row
        Gen, and how many halfspaces there were.
    """
    rows = []
    for order in orders:
        what = "mirror symmetry, n = 50, m = 1600:"
        rows += _mirror_rows(what, 50, 1600, 20_000, order, placement, n_runs, seed, n_jobs, (97.5, 0.5))
    return rows


def _mirror_rows(
    what: str,
    n: int,
    m: int,
    n_test: int,
    order: Order,
    placement: Placement,
    n_runs: int,
    seed: int,
    n_jobs: int,
    paper: tuple[float, float],
) -> list[Row]:
    tasks = [(n, m, n_test, order, placement, seed, run) for run in range(n_runs)]
    gens, counts = zip(*in_parallel(_mirror_run, tasks, n_jobs), strict=True)
    gen, spread = paper
    return [
        make_row(f"{what} Gen, %", order, gen, gens, spread),
        make_row(f"{what} halfspaces", order, 2, counts, 0.0, fewer_is_better=True),
    ]


def _mirror_run(
    n: int, m: int, n_test: int, order: Order, placement: Placement, seed: int, run: int
) -> tuple[float, int]:
    random = np.random.default_rng([seed, n, m, run])
    train, (X, y) = balanced(Mirror(n), m, random), balanced(Mirror(n), n_test, random)
    model = HalfspaceIntersectionClassifier(order=order, placement=placement, random_state=run).fit(*train)
    return balanced_score(model.predict(X), y), len(model.rules_)


def paper_rows(name: str) -> tuple[Floats, Any]:
    """Load a table with one number for each attribute: t and f are ±1, y, ? and n are 1, 0 and −1, katri is ternary.

    Examples
    --------
    >>> X, y = paper_rows("V1")
    >>> X.shape, sorted(set(X.ravel().tolist()))
    ((435, 15), [-1.0, 0.0, 1.0])
    """
    if name == "CH":
        table = load_kr_vs_kp()
        ternary = np.array([len(categories) == 3 for categories in table.categories.values()])
        return np.where(ternary, table.data - 1.0, 2.0 * table.data - 1.0), table.target
    if name == "G2":
        return load_glass2(return_X_y=True)
    if name == "IR":
        return load_iris(return_X_y=True)
    codes, y = load_house_votes(return_X_y=True, physician_fee_freeze=name == "V0")
    return np.array([0.0, -1.0, 1.0])[codes.astype(int)], y  # unknown, no, yes


def table3(
    names: Sequence[str] = tuple(TABLE3),
    orders: Sequence[Order] = ORDERS,
    n_trials: int = 100,
    placement: Placement = "max_margin",
    seed: int = 0,
    n_jobs: int = 1,
) -> list[Row]:
    """Run table 3: neural decision lists on two thirds of real tables, tested on the rest.

    Parameters
    ----------
    names : sequence of str
        The tables, by the paper's names.
    orders, placement, seed, n_jobs
        As in `table1`.
    n_trials : int
        How many random splits (the paper: 20; on G2 means over 20 splits still differ by up to six points).

    Returns
    -------
    list of Row
        For each table and order Gen and the number of nodes k; then the default accuracy, and a decision tree ("tree"),
        which stands in for C4 and says nothing about our lists. k does not count the constant node: with it the
        paper's 2.0 on V0 would be one halfspace each time, and one separates only a twelfth of our training sets.

    Examples
    --------
    >>> [row.order for row in table3(["IR"], n_trials=2)]
    ['nearest', 'nearest', 'random', 'random', 'default', 'tree']
    """
    rows = []
    for name in names:
        default, (peer, peer_spread), (gen, gen_spread), k = TABLE3[name]
        what = f"table 3, {name}:"
        for order in orders:
            tasks = [(name, order, placement, seed, trial) for trial in range(n_trials)]
            gens, counts = zip(*in_parallel(_list_trial, tasks, n_jobs), strict=True)
            note = REASONS.get(("table 3", name, order), "")
            rows += [
                make_row(f"{what} Gen, %", order, gen, gens, gen_spread, note=note),
                make_row(f"{what} nodes k, without the constant", order, k, counts, fewer_is_better=True, note=note),
            ]
        _, y = paper_rows(name)
        share = 100 * float(np.unique(y, return_counts=True)[1].max()) / len(y)
        trees = in_parallel(_tree_trial, [(name, seed, trial) for trial in range(n_trials)], n_jobs)
        rows += [
            make_row(f"{what} default accuracy, %", "default", default, [share]),
            make_row(
                f"{what} C4 (stand-in: a decision tree), %", "tree", peer, trees, peer_spread, note="not C4 itself"
            ),
        ]
    return rows


def _split(name: str, seed: int, trial: int) -> tuple[Floats, Any, Floats, Any]:
    X, y = paper_rows(name)
    order = np.random.default_rng([seed, trial]).permutation(len(y))
    train, test = order[: round(2 * len(y) / 3)], order[round(2 * len(y) / 3) :]
    return X[train], y[train], X[test], y[test]


def _list_trial(name: str, order: Order, placement: Placement, seed: int, trial: int) -> tuple[float, int]:
    X, y, X_test, y_test = _split(name, seed, trial)
    model = NeuralDecisionListClassifier(order, placement=placement, random_state=trial)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some votes are equal and their parties are not
        model.fit(X, y)
    return 100 * float(model.score(X_test, y_test)), len(model.rules_)


def _tree_trial(name: str, seed: int, trial: int) -> float:
    """Like C4 this builds entropy trees with two rows or more in a leaf and prunes them; how much, five folds say."""
    X, y, X_test, y_test = _split(name, seed, trial)
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=trial)
    search = GridSearchCV(tree, {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03]})
    return 100 * float(search.fit(X, y).score(X_test, y_test))
