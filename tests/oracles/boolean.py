"""Slow and obvious twins of the Boolean learners: normal forms and decision lists, in plain Python and exact numbers.

Rows are sequences of 0, 1, NaN or category names; a missing value satisfies nothing. Nothing here eliminates in order
to find out whether a concept exists: all formulas (or lists) are tried, told apart by what they say of the rows.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from laconic.rules import Clause, Literal, Term
from tests.oracles.covering import holds, is_missing

# ---- what a formula is made of, in the order in which ties are broken


def literals_of(X, monotone=False):
    """For each column the plain literals, then the negated ones; of a column of names one for each name."""
    made = []
    for column in range(len(X[0])):
        names = sorted({row[column] for row in X if isinstance(row[column], str)})
        for negated in (False,) if monotone else (False, True):
            made += [Literal(column, negated, name) for name in names or [None]]
    return made


def parts_of(literals, k, make):
    """All clauses or terms of 1 to k literals of different columns, the short ones first; plain literals for k = 1."""
    if k == 1:
        return list(literals)
    return [
        make(chosen)
        for size in range(1, k + 1)
        for chosen in combinations(literals, size)
        if len({literal.feature for literal in chosen}) == size
    ]


def formula_parts(X, form, k, monotone=False):
    return parts_of(literals_of(X, monotone), k, Clause if form == "cnf" else Term)


def list_tests(X, k):
    return parts_of(literals_of(X), k, Term)


# ---- what formulas and lists say


def formula_says(form, rules, row):
    """Whether all clauses hold, or any term does; without any, always and never."""
    return (all if form == "cnf" else any)(holds(rule, row) for rule in rules)


def list_says(nodes, default, row):
    """The class that goes with the first test that holds."""
    return next((answer for test, answer in nodes if holds(test, row)), default)


# ---- does a consistent one exist? All are tried


def formula_answers(X, form, parts):
    """What all formulas over these parts say of the rows, as a set of tuples: each with and without every part."""
    found = {tuple(form == "cnf" for _ in X)}
    for part in parts:
        held = [holds(part, row) for row in X]
        join = (lambda a, b: a and b) if form == "cnf" else (lambda a, b: a or b)
        found |= {tuple(map(join, answers, held)) for answers in found}
    return found


def some_formula_agrees(X, y, form, k, monotone=False):
    return tuple(map(bool, y)) in formula_answers(X, form, formula_parts(X, form, k, monotone))


def list_answers(X, n_classes, tests):
    """What all lists say of the rows, as a set of tuples: a list is a default, or a test with a list behind it."""
    answers = {tuple(holds(test, row) for row in X) for test in tests}
    found = new = {(answer,) * len(X) for answer in range(n_classes)}
    while new:
        longer = {
            tuple(answer if holds_here else rest for holds_here, rest in zip(held, behind, strict=True))
            for behind in new
            for held in answers
            for answer in range(n_classes)
        }
        new = longer - found
        found = found | new
    return found


def some_list_agrees(X, codes, k):
    return tuple(codes) in list_answers(X, max(codes) + 1, list_tests(X, k))


# ---- Valiant's elimination, and the shortest formula


def eliminate(X, y, form, k, monotone=False):
    """Go through the rows; throw out each clause that fails on a positive one (each term that holds on a negative)."""
    left = formula_parts(X, form, k, monotone)
    for row, label in zip(X, y, strict=True):
        if bool(label) == (form == "cnf"):
            left = [rule for rule in left if holds(rule, row) == (form == "cnf")]
    return left


def shortest_length(X, y, form, rules):
    """The least number of these rules that agree with all rows, by trying all sets; None where no set does."""
    for size in range(len(rules) + 1):
        for chosen in combinations(rules, size):
            if all(formula_says(form, chosen, row) == bool(label) for row, label in zip(X, y, strict=True)):
                return size
    return None


# ---- Rivest's algorithm


class Line(NamedTuple):
    """One line of a list: the test, its class, its exact value, and the class of the rest if the list ended here."""

    test: object
    answer: int
    value: Fraction
    n_right: int
    n_wrong: int
    default: int


class GreedyList(NamedTuple):
    """A list as it was grown: lines, default, who decided each row, and the rows at which the search ran dry."""

    lines: list
    default: int
    decided: list
    undecidable: list


def greedy_list(X, codes, tests, *, weights=None, penalty=math.inf, strategy="largest", max_rules=None):
    """Grow a list; ties go to the earlier test (they come short ones first), then the first class."""
    n_classes = max(codes) + 1
    exact = [Fraction(1 if weights is None else float(weights[i])) for i in range(len(X))]
    where = [[i for i, row in enumerate(X) if holds(test, row)] for test in tests]
    left = set(range(len(X)))
    decided = [None] * len(X)
    lines = []

    def heaviest(rows):
        totals = [sum((exact[i] for i in rows if codes[i] == c), Fraction(0)) for c in range(n_classes)]
        return totals.index(max(totals)) if any(totals) else None

    def value_of(place, answer):
        right = sum((exact[i] for i in where[place] if i in left and codes[i] == answer), Fraction(0))
        wrong = sum((exact[i] for i in where[place] if i in left and codes[i] != answer), Fraction(0))
        if math.isinf(penalty):
            return right if wrong == 0 else Fraction(-1)
        return right - Fraction(penalty) * wrong

    default = heaviest(left)
    ran_dry = False
    while len({codes[i] for i in left if exact[i] > 0}) > 1 and (max_rules is None or len(lines) < max_rules):
        offers = [
            (0 if strategy == "first" else -value_of(place, answer), place, answer)
            for place in range(len(tests))
            for answer in range(n_classes)
            if value_of(place, answer) > 0
        ]
        if not offers:
            ran_dry = True
            break
        _, place, answer = min(offers)
        value = value_of(place, answer)
        new = [i for i in where[place] if i in left]
        left -= set(new)
        rest = heaviest(left)
        default = answer if rest is None else rest
        n_right = sum(codes[i] == answer for i in new)
        for i in new:
            decided[i] = len(lines)
        lines.append(Line(tests[place], answer, value, n_right, len(new) - n_right, default))
    undecidable = sorted(i for i in left if exact[i] > 0) if ran_dry else []
    while lines and lines[-1].answer == default:  # a rule at the end that answers as the default does
        lines.pop()
    return GreedyList(lines, default, [len(lines) if d is None else min(d, len(lines)) for d in decided], undecidable)


# ---- are the rows of a refusal a proof?


def rows_key(row):
    return tuple(None if is_missing(value) else value for value in row)


def proves_no_formula(X, y, rows, form, k, monotone=False):
    """Whether some of the rows are equal and differ in class, or all are missed by whatever elimination leaves."""
    labels = {}
    for i in rows:
        labels.setdefault(rows_key(X[i]), set()).add(bool(y[i]))
    if any(len(different) > 1 for different in labels.values()):
        return True
    wrongly = form == "cnf"  # every clause left lets the row in; no term left does
    left = eliminate(X, y, form, k, monotone)
    return len(rows) > 0 and all(
        bool(y[i]) != wrongly and all(holds(rule, X[i]) == wrongly for rule in left) for i in rows
    )


def proves_no_list(X, codes, rows, k):
    """Whether the rows differ in class, and so do those among them on which any test holds."""
    among = [{codes[i] for i in rows if holds(test, X[i])} for test in list_tests([X[i] for i in rows], k)]
    return len({codes[i] for i in rows}) > 1 and all(len(classes) != 1 for classes in among)


# ---- scikit-learn's checks that fit on real-valued columns, which a strict Boolean learner refuses

CHECKS_WITH_REAL_COLUMNS = [
    "class_weight_classifiers", "classifier_data_not_an_array", "classifiers_classes",
    "classifiers_one_label_sample_weights", "classifiers_train", "dict_unchanged", "dont_overwrite_parameters",
    "dtype_object", "estimator_sparse_array", "estimator_sparse_matrix", "estimator_sparse_tag",
    "estimators_dtypes", "estimators_fit_returns_self", "estimators_overwrite_params", "estimators_pickle",
    "f_contiguous_array_estimator", "fit2d_1feature", "fit2d_predict1d", "fit_check_is_fitted", "fit_idempotent",
    "fit_score_takes_y", "methods_sample_order_invariance", "methods_subset_invariance", "n_features_in",
    "n_features_in_after_fitting", "pipeline_consistency", "positive_only_tag_during_fit", "readonly_memmap_input",
    "sample_weight_equivalence_on_dense_data", "sample_weight_equivalence_on_sparse_data", "sample_weights_list",
    "sample_weights_not_an_array", "sample_weights_not_overwritten", "sample_weights_pandas_series",
    "sample_weights_shape", "supervised_y_2d",
]  # fmt: skip


def strict_failures():
    """The checks that a learner of columns of 0 and 1 cannot pass, with the reason."""
    reason = "it fits on real-valued columns; without binarize only 0 and 1, Booleans and categories are read"
    return {f"check_{name}": reason for name in CHECKS_WITH_REAL_COLUMNS}


def run_check(estimator, check):
    """Run a check; a refusal of real columns is raised anew, for pytest takes long to print scikit-learn's frames."""
    try:
        check(estimator)
    except Exception as error:
        behind = error
        while behind is not None and "Literals need 0 and 1" not in str(behind):
            behind = behind.__cause__ or behind.__context__
        if behind is None:
            raise
        refusal = str(behind)
    else:
        return
    raise ValueError(refusal)
