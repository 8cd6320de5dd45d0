"""Table 1 of paper 3: support vector, set covering and PAC-Bayes set covering machines on halves of seven tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from laconic._table import Booleans, Floats, Table
from laconic.covering import Balls, PACBayesSetCoveringClassifierCV
from laconic.covering.parts import Form, Grid, Sample, first_smallest, fold_errors, staged_errors
from reproductions.real import Splits, all_votes, errors_and_size, folds, is_positive, two_classes
from reproductions.record import Report, Results, Scale, Task
from reproductions.rows import Row, claim, compare, show, standard_error, unjudged
from reproductions.texts import described, reason

# name -> our loader, rows for training and for testing
SETS = {
    "breastw": ("breast_cancer_wisconsin", 343, 340),
    "bupa": ("bupa", 170, 175),
    "credit": ("credit", 353, 300),
    "glass": ("glass", 107, 107),
    "heart": ("heart", 150, 147),
    "haberman": ("haberman", 144, 150),
    "USvotes": ("house_votes", 235, 200),
}

# C, σ², support vectors and errors of the SVM; balls and errors of the SCM; balls, margin and errors of the SCM-PB
PAPER = {
    "breastw": ((1, 5, 38, 15), (2, 12), (4, 0.08, 10)),
    "bupa": ((2, 0.17, 169, 66), (2, 62), (6, 0.1, 67)),
    "credit": ((100, 2, 282, 51), (12, 58), (11, 0.09, 55)),
    "glass": ((10, 0.17, 51, 29), (4, 22), (16, 0.04, 19)),
    "heart": ((1, 0.17, 64, 26), (1, 23), (1, 0.0, 28)),
    "haberman": ((2, 1, 81, 39), (2, 39), (1, 0.2, 38)),
    "USvotes": ((1, 25, 53, 13), (8, 27), (18, 0.14, 12)),
}
WORDS = {
    "errors": "errors",
    "size": "support vectors",
    "balls": "balls",
    "C": "C",
    "sigma2": "σ²",
    "margin": "margin",
    "draw": "errors of one draw",
}
VARIANTS = (("definition", False), ("definition", True), ("paper", False), ("paper", True))
JUDGED = VARIANTS[0]
PENALTIES = (0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)
MARGINS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
MAX_RULES = 20


def paper_rows(name: str) -> tuple[Floats, Booleans]:
    """Load a table as the paper seems to have used it: complete rows, categories as codes; votes as 1, 0 and −1."""
    if name != "USvotes":
        return two_classes(SETS[name][0])
    X, y = all_votes()
    return X, is_positive("house_votes", y)


def half_cells(data: str, half: int, scaling: str, variants: Sequence[Sequence[Any]], seed: int) -> dict[str, Any]:
    """Draw a half, choose every machine's parameters on it by the same five folds, and count errors on the rest.

    Columns are scaled by the half.

    Parameters
    ----------
    data : str
        A data set, by the paper's name.
    half : int
        Which random half.
    scaling : {"unit", "standard"}
        Columns of the half from 0 to 1, or of mean 0 and variance 1.
    variants : sequence of (str, bool)
        The centre's term and whether to refine, for the PAC-Bayes machine.
    seed : int
        Where the random numbers start.

    Returns
    -------
    dict
        For "svm", "scm" and each variant ("definition, refined" and so on) a dictionary of test errors, sizes and the
        parameters chosen; of a PAC-Bayes machine the errors of the vote, and the expected ones of one draw.

    Examples
    --------
    >>> cells = half_cells("haberman", 0, "unit", variants=[], seed=0)
    >>> list(cells), cells["svm"]["errors"] < 60
    (['svm', 'scm'], True)
    """
    X, positive = paper_rows(data)
    _, n_train, n_test = SETS[data]
    order = np.random.default_rng(seed + half).permutation(len(positive))
    train, test = order[:n_train], order[n_train : n_train + n_test]
    scaler = (MinMaxScaler() if scaling == "unit" else StandardScaler()).fit(X[train])
    inside, outside = scaler.transform(X[train]), scaler.transform(X[test])
    splits = folds(len(inside), seed + half, 5)
    cells: dict[str, Any] = {
        "svm": _support_vectors(inside, positive[train], splits, outside, positive[test]),
        "scm": _hard_machine(inside, positive[train], splits, outside, positive[test]),
    }
    for term, refine in variants:
        model = PACBayesSetCoveringClassifierCV(
            penalties=PENALTIES, margins=MARGINS, max_rules=MAX_RULES, cv=splits, refine=refine, center_term=term
        ).fit(inside, positive[train])
        cells[_variant(term, refine)] = {
            "balls": len(model.rules_),
            "margin": float(model.best_params_["margin"]),
            "errors": int((model.predict(outside) != positive[test]).sum()),
            "draw": float(np.abs(model.predict_proba(outside)[:, 1] - positive[test]).sum()),
        }
    return cells


def _variant(term: str, refine: bool) -> str:
    return f"{term}, {'refined' if refine else 'not refined'}"


def _support_vectors(X: Floats, positive: Booleans, splits: Splits, outside: Floats, labels: Any) -> dict[str, float]:
    """Choose C and gamma with the fewest errors over the folds, and among these the fewest support vectors."""
    grid = ParameterGrid({"C": [0.1, 1, 2, 10, 100, 1000], "gamma": [2.0**e for e in range(-8, 6)]})
    errors = [errors_and_size(SVC(**parameters), X, positive, splits)[0] for parameters in grid]
    tied = [parameters for parameters, count in zip(grid, errors, strict=True) if count == min(errors)]
    best = min((SVC(**parameters).fit(X, positive) for parameters in tied), key=lambda model: len(model.support_))
    return {
        "errors": int((best.predict(outside) != labels).sum()),
        "size": len(best.support_),
        "C": float(best.C),
        "sigma2": 0.5 / float(best.gamma),  # the kernel exp(-|x - x'|^2 / (2 sigma^2))
    }


def _hard_machine(X: Floats, positive: Booleans, splits: Splits, outside: Floats, labels: Any) -> dict[str, int]:
    """Choose form, penalty and size of the machine of paper 1 with N-centres, and give its balls and test errors."""
    sample = Sample(Table.from_array(X), positive, np.ones(len(positive)))
    forms: dict[Form, Any] = {"conjunction": "negative", "disjunction": "positive"}
    best: tuple[float, int, int] | None = None  # errors over the folds, balls, test errors
    for form, centers in forms.items():
        grid = Grid(((Balls(centers=centers),),), (form,), PENALTIES, MAX_RULES)
        errors = fold_errors(sample, grid, splits)
        _, _, j, n_rules = first_smallest(errors)
        if best is not None and (errors.min(), n_rules) >= best[:2]:
            continue
        chosen = Grid(grid.features, (form,), (PENALTIES[j],), max(n_rules, 1))
        ((_, _, problem, solution),) = chosen.paths(sample)
        staged = staged_errors(problem, solution, Sample(Table.from_array(outside), labels, np.ones(len(labels))))
        reached = min(n_rules, len(staged) - 1)
        best = float(errors.min()), reached, int(staged[reached])
    assert best is not None
    return {"balls": best[1], "errors": best[2]}


def _tasks(scale: Scale, seed: int) -> list[Task]:
    names, n_halves, readings = tuple(SETS), 20, {"unit": VARIANTS, "standard": [JUDGED]}
    if scale == "quick":
        names, n_halves, readings = ("haberman",), 1, {"unit": [JUDGED]}
    return [
        Task(
            half_cells,
            {"data": name, "half": half, "scaling": scaling, "variants": variants, "seed": seed},
            SETS[name][1] ** 2 / 1e4 * (1 + len(variants)),
        )
        for name in names
        for scaling, variants in readings.items()
        for half in range(n_halves)
    ]


def _judge(results: Results) -> Report:
    rows: list[Row] = []
    more: dict[str, dict[str, list[float]]] = {}  # errors by which SCM-PB has more than SCM, by scaling and set
    names = results.distinct(half_cells, "data")
    for name, scaling in results.distinct(half_cells, "data", "scaling"):
        halves = results.of(half_cells, data=name, scaling=scaling)
        found = _rows_of(name, halves)
        if scaling != "unit":
            found = [unjudged(replace(row, what=f"{row.what}, columns standardised")) for row in found]
        rows += found
        soft = _variant(*JUDGED)
        more.setdefault(scaling, {})[name] = [half[soft]["errors"] - half["scm"]["errors"] for half in halves]
    if len(names) == len(SETS):
        claimed = sum(soft[2] <= scm[1] for _, scm, soft in PAPER.values())
        what = "sets, of 7, where SCM-PB errs no more often than SCM"
        won = {scaling: sum(sum(each) <= 0 for each in by_set.values()) for scaling, by_set in more.items()}
        behind = ", ".join(
            f"{np.mean(each):.2g} ± {standard_error(each):.2g} ({name})"
            for name, each in more["unit"].items()
            if sum(each) > 0
        )
        why = f"on the others its mean is above by {behind}, with the standard errors of these differences"
        why += f"; with standardised columns it holds on {won['standard']}"
        rows.append(claim(what, claimed, won["unit"], won["unit"] >= claimed, len(names), why=why))
        rows.append(show(f"{what}, columns standardised", claimed, [won["standard"]]))
    return Report(rows)


def _rows_of(name: str, halves: Sequence[dict[str, Any]]) -> list[Row]:
    """Put every machine's figures on one data set beside the paper's."""
    (C, sigma2, vectors, svm), (scm_balls, scm), (soft_balls, margin, soft) = PAPER[name]
    main = _variant(*JUDGED)
    judged: dict[str, dict[str, float]] = {
        "svm": {"errors": svm, "size": vectors},
        "scm": {"errors": scm, "balls": scm_balls},
        main: {"errors": soft, "balls": soft_balls},
    }
    printed: dict[str, dict[str, float]] = {"svm": {"C": C, "sigma2": sigma2}, main: {"margin": margin}}
    rows = []
    for machine, cell in halves[0].items():
        title = {"svm": "SVM", "scm": "SCM", main: "SCM-PB"}.get(machine, f"SCM-PB ({machine})")
        for key in cell:
            what, values = f"{name}, {title}: {WORDS[key]}", [half[machine][key] for half in halves]
            if key in judged.get(machine, {}):
                why = reason("pac-bayes", what)
                rows.append(compare(what, judged[machine][key], values, fewer=True, single=True, why=why))
            else:
                rows.append(show(what, printed.get(machine, {}).get(key), values))
    return rows


REPRODUCTIONS = (described("pac-bayes/table1", _tasks, _judge),)
