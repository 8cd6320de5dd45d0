"""
How many examples does a class of concepts need?
================================================

Theorem 1 of the PAC lecture: a learner that finds a consistent hypothesis of a class C has, with probability at least
1 − δ, an error of at most (ln|C| + ln(1/δ)) / m after m examples, whatever the distribution and the target. Here is how
the measured error falls for random targets of each class, and the curve that the theorem promises.

Ten Boolean columns, each 1 with its own chance, so that the true error is a sum over all 1024 rows. The last class is
learnt by a larger one: a DNF of two terms is a 2-CNF, so 2-CNF are searched and ln|2-CNF| is what counts.
"""

import importlib.util
import sys

import numpy as np

from laconic import DecisionListClassifier, NormalFormClassifier
from laconic.certificates import ln_conjunctions, ln_decision_lists, ln_normal_forms

N_COLUMNS = 10
DELTA = 0.05
SIZES = (25, 50, 100, 200, 400)
ROWS = (np.arange(2**N_COLUMNS)[:, None] >> np.arange(N_COLUMNS)) & 1


def literal(rng, rows, columns, monotone=False):
    column = rng.choice(columns)
    return rows[:, column] if monotone or rng.random() < 0.5 else 1 - rows[:, column]


def clauses(rng, rows, sizes, monotone=False):
    """An AND of ORs of literals of different columns."""
    columns = rng.permutation(N_COLUMNS)
    answer = np.ones(len(rows), dtype=bool)
    for size in sizes:
        chosen, columns = columns[:size], columns[size:]
        answer &= np.any([literal(rng, rows, [column], monotone) for column in chosen], axis=0)
    return answer


def decision_list(rng, rows):
    answer = np.full(len(rows), rng.random() < 0.5)
    for column in rng.permutation(N_COLUMNS)[:5]:
        answer = np.where(literal(rng, rows, [column]) == 1, rng.random() < 0.5, answer)
    return answer


def two_terms(rng, rows):
    return ~(clauses(rng, rows, (3,)) & clauses(rng, rows, (3,)))


CLASSES = {
    "monotone conjunctions": (
        lambda rng: clauses(rng, ROWS, (1, 1, 1), monotone=True),
        lambda: NormalFormClassifier(monotone=True),
        ln_conjunctions(N_COLUMNS, monotone=True),
    ),
    "conjunctions": (
        lambda rng: clauses(rng, ROWS, (1, 1, 1)),
        NormalFormClassifier,
        ln_conjunctions(N_COLUMNS),
    ),
    "decision lists": (
        lambda rng: decision_list(rng, ROWS),
        DecisionListClassifier,
        ln_decision_lists(N_COLUMNS),
    ),
    "2-CNF": (
        lambda rng: clauses(rng, ROWS, (2, 2, 1)),
        lambda: NormalFormClassifier(k=2),
        ln_normal_forms(N_COLUMNS, 2),
    ),
    "2-DNF": (
        lambda rng: ~clauses(rng, ROWS, (2, 2, 1)),
        lambda: NormalFormClassifier("dnf", k=2),
        ln_normal_forms(N_COLUMNS, 2),
    ),
    "2-term DNF by 2-CNF": (
        lambda rng: two_terms(rng, ROWS),
        lambda: NormalFormClassifier(k=2),
        ln_normal_forms(N_COLUMNS, 2),
    ),
}


def promised(ln_class, n_samples):
    """Theorem 1 solved for the error."""
    return min((ln_class + np.log(1 / DELTA)) / n_samples, 1.0)


def true_errors(target, learner, n_samples, n_runs, rng):
    """Draw a target, a distribution and a sample; fit; add up the chances of all rows that are wrong. Repeat."""
    errors = []
    while len(errors) < n_runs:
        concept = target(rng)
        chance = rng.uniform(0.2, 0.8, N_COLUMNS)
        weights = np.prod(np.where(ROWS, chance, 1 - chance), axis=1)
        sample = rng.choice(len(ROWS), size=n_samples, p=weights / weights.sum())
        y = concept[sample]
        # a sample of one class is answered by a constant, which agrees with it
        answers = np.full(len(ROWS), y[0]) if y.all() or not y.any() else learner().fit(ROWS[sample], y).predict(ROWS)
        errors.append(float(weights[answers != concept].sum()))
    return np.array(errors)


def main(n_runs=40, seed=0):
    rng = np.random.default_rng(seed)
    curves = {}
    print(f"{'class':<22} {'ln|C|':>6}  {'m':>4}  {'mean error':>10}  {'95 % of runs':>12}  {'theorem 1':>9}  under it")
    for name, (target, learner, ln_formulas) in CLASSES.items():
        ln_class = np.logaddexp(ln_formulas, np.log(2))  # the two constants
        for n_samples in SIZES:
            errors = true_errors(target, learner, n_samples, n_runs, rng)
            bound = promised(ln_class, n_samples)
            curves[name, n_samples] = errors, bound
            print(
                f"{name:<22} {ln_class:6.1f}  {n_samples:4}  {errors.mean():10.1%}  {np.quantile(errors, 0.95):12.1%}  "
                f"{bound:9.1%}  {(errors <= bound).sum()}/{n_runs}"
            )
    return curves


def draw(curves, path):
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(11, 6), sharex=True, sharey=True, layout="constrained")
    for axis, name in zip(axes.flat, CLASSES, strict=True):
        errors = [curves[name, n_samples][0] for n_samples in SIZES]
        axis.fill_between(SIZES, np.min(errors, axis=1), np.max(errors, axis=1), alpha=0.25, label="all runs")
        axis.plot(SIZES, np.mean(errors, axis=1), marker="o", label="mean error")
        axis.plot(SIZES, [curves[name, n_samples][1] for n_samples in SIZES], "k--", label="theorem 1")
        axis.set(title=name, xscale="log", ylim=(0, 1), xticks=SIZES, xticklabels=SIZES)
        axis.minorticks_off()
    axes[0, 0].legend(frameon=False)
    figure.supxlabel("examples")
    figure.supylabel("error")
    figure.savefig(path, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        draw(found, sys.argv[1] if len(sys.argv) > 1 else "pac_learning_curves.png")
