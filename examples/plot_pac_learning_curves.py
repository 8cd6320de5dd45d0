"""
How many examples does a class of concepts need?
================================================

Theorem 1 of the PAC lecture: a learner that finds a consistent hypothesis of a class C has, with probability at least
1 − δ, an error of at most (ln|C| + ln(1/δ)) / m after m examples, whatever the distribution and the target. Here is how
the measured error falls for random targets of each class, and the curve that the theorem promises.

Ten Boolean columns, each 1 with its own chance, so that the true error is a sum over all 1024 rows. The last class is
learnt by a larger one: a DNF of two terms is a 2-CNF, so 2-CNF are searched and ln|2-CNF| is what counts.

The classes and their learners are in ``reproductions.pac``; from the repository,
``python -m reproductions pac/learning-curves`` judges them.
"""

import importlib.util
import sys

import numpy as np
from reproductions.pac import CLASSES, SIZES, true_errors


def main(n_runs=40, seed=0):
    curves = {}
    print(f"{'class':<22}  {'m':>4}  {'mean error':>10}  {'95 % of runs':>12}  {'theorem 1':>9}  under it")
    for name, concepts in CLASSES.items():
        for n_samples in SIZES:
            errors = np.array(true_errors(name, n_samples, n_runs, seed))
            bound = concepts.promised(n_samples)
            curves[name, n_samples] = errors, bound
            print(
                f"{name:<22}  {n_samples:4}  {errors.mean():10.1%}  {np.quantile(errors, 0.95):12.1%}  "
                f"{bound:9.1%}  {(errors <= bound).sum()}/{n_runs}"
            )
    return curves


def draw(curves, path=None):
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
    if path is not None:
        figure.savefig(path, dpi=120)
        plt.close(figure)


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        draw(found, sys.argv[1] if len(sys.argv) > 1 else None)
