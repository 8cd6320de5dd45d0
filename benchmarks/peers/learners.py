"""Which learners are compared: where each lives, what it can, and how it is fitted.

A learner's ``fit`` gets the training rows and gives a `Model`: how to predict, how long it is, what it promises.
Length is counted alike for all: a condition on a column or a ball is one word, a weight other than zero is one, inner
nodes of trees are conditions, a support vector is a ball, and lists, sets and sums have the words of their parts.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src" / "laconic"
NOT_LEARNING = ("cli", "export", "model_file", "plotting", "report", "dask", "datasets")


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model: ``predict`` reads frames; ``words`` says how long it is, and ``certificate`` what it promises."""

    predict: Callable[[Any], Any]
    words: int
    certificate: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Learner:
    """A learner of the comparison.

    Parameters
    ----------
    name : str
        As the results say it.
    environment : str
        Where it lives: "ours", or a file of ``requirements``.
    tasks : tuple of str
        What it can: "two", "several", "number".
    fit : str
        Module and function, ``fit(X, y, kinds, task, **settings)``.
    settings : dict
        Passed on to ``fit``.
    kind : {"ours", "rules", "linear", "black"}
        What it is: one of ours, a peer made of rules or trees, sums, or a box that nobody reads.
    splits : bool
        Whether it is fitted to random splits, too, where its error or its certificate is compared.
    revision : int
        Raised when the adapter changes, so that old results are not used.
    """

    name: str
    environment: str
    tasks: tuple[str, ...]
    fit: str
    settings: dict[str, Any] = field(default_factory=dict)
    kind: str = "rules"
    splits: bool = False
    revision: int = 0

    def load(self) -> Callable[..., Model]:
        """Import what is needed; raises where it cannot be had."""
        module, function = self.fit.split(":")
        imported = import_module(f"benchmarks.peers.{module}")
        if hasattr(imported, "check"):
            imported.check(**self.settings)
        return getattr(imported, function)

    def cells(self, task: str, parts: Sequence[str]) -> list[str]:
        """Return what is fitted for a table: folds; all rows where there is a promise; splits where it is compared."""
        if task not in self.tasks:
            return []
        folds = [part for part in parts if not part.startswith("split")]
        splits = [part for part in parts if part.startswith("split") and self.splits and task != "number"]
        return [*folds, *(["all"] if self.kind == "ours" else []), *splits]

    def version(self) -> str:
        """Return what results depend on: the code that one of ours is made of, or the pinned packages of a peer."""
        ours = self.environment == "ours"
        made_of = _code(self.settings["estimator"]) if ours else _packages(self.environment)
        text = f"{self.settings} {self.revision} {made_of}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _packages(environment: str) -> str:
    return _digest([HERE / "requirements" / f"{environment}.txt"])


@cache
def _code(estimator: str) -> str:
    """Digest all modules that the one with an estimator imports, and these, without those that learn nothing."""
    home = [path for path in SOURCE.rglob("*.py") if f"class {estimator}(" in path.read_text()]
    found: set[Path] = set()
    waiting = home[:1]
    while waiting:
        path = waiting.pop()
        if path in found or path.relative_to(SOURCE).parts[0] in NOT_LEARNING:
            continue
        found.add(path)
        waiting += [one for name in _imports(path) for one in _files(name)]
    return _digest(sorted(found))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("laconic."):
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _files(module: str) -> list[Path]:
    path = SOURCE.joinpath(*module.split(".")[1:])
    return [one for one in (path.with_suffix(".py"), path / "__init__.py") if one.exists()]


def slug(name: str) -> str:
    """Return a name that a file may have."""
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())


TWO, CLASSES, ALL = ("two",), ("two", "several"), ("two", "several", "number")


def _scikit(name: str, model: str, kind: str, splits: bool = False) -> Learner:
    return Learner(name, "rules", ALL, "scikit:fit", {"model": model}, kind, splits)


def _ours(name: str, estimator: str, tasks: tuple[str, ...], splits: bool = False, **settings: Any) -> Learner:
    return Learner(name, "ours", tasks, "ours:fit", {"estimator": estimator, **settings}, "ours", splits)


LEARNERS = {
    learner.name: learner
    for learner in (
        # lightest first: this is the order in which cells are run
        _scikit("constant", "constant", "rules"),
        _scikit("tree, depth 3", "tree", "rules"),
        _scikit("linear or logistic regression", "linear", "linear", splits=True),
        _scikit("RBF SVM", "svm", "black"),
        _scikit("random forest", "forest", "black"),
        Learner("FIGS, 10 rules", "rules", ("two", "number"), "imodels_peers:figs", {"max_rules": 10}),
        Learner("FIGS, default", "rules", ("two", "number"), "imodels_peers:figs", {"max_rules": 12}),
        Learner("greedy rule list", "rules", TWO, "imodels_peers:greedy_list"),
        _scikit("tuned tree", "tuned tree", "rules", splits=True),
        _scikit("tuned tree, 10 conditions", "short tree", "rules"),
        Learner("CORELS", "corels", TWO, "corels_peer:fit", {"n_iterations": 100_000}),
        Learner("RIPPER", "rules", TWO, "ripper_peer:fit"),
        Learner("GOSDT", "gosdt", CLASSES, "gosdt_peer:fit", {"regularization": 0.01, "seconds": 8}),
        Learner("Bayesian rule list", "rules", TWO, "imodels_peers:bayesian_list", {"max_iter": 10_000}),
        Learner("FasterRisk, 10 points", "fasterrisk", TWO, "fasterrisk_peer:fit", {"n_points": 10}, "linear"),
        Learner("EBM", "ebm", ALL, "ebm_peer:fit", {"outer_bags": 2}, "black"),
        _ours("LaconicClassifier", "LaconicClassifier", CLASSES, splits=True),
        _ours("LaconicRegressor", "LaconicRegressor", ("number",)),
        _ours("SetCoveringClassifier", "SetCoveringClassifier", TWO),
        _ours("ScoreCardClassifier", "ScoreCardClassifier", TWO),
        _ours("score cards in order", "ScoreCardListClassifier", ("several",)),
        _ours("score table", "ScoreTableClassifier", ("several",), random_state=0),
        _ours("rule list", "RuleListClassifier", CLASSES),
        _ours(
            "decision list, k = 2, at means",
            "DecisionListClassifier",
            TWO,
            prepare=True,
            k=2,
            binarize=0.0,
            penalty=1.0,
            max_rules=5,
        ),
        _ours("pocket", "PocketClassifier", TWO),
        _ours("minimal linear", "MinimalComplexityClassifier", CLASSES),
        _ours("minimal linear regressor", "MinimalComplexityRegressor", ("number",)),
        _ours("neural decision list", "NeuralDecisionListClassifier", CLASSES),
        _ours("votes", "RuleVoteClassifier", CLASSES),
        _ours("covering, CV by bound", "SetCoveringClassifierCV", TWO, splits=True, select="bound"),
    )
}


def held_out_error(model: Model, X: Any, y: np.ndarray, y_train: np.ndarray, task: str) -> float:
    """Return the share of errors, or the root mean squared error as a share of the constant's."""
    answers = np.asarray(model.predict(X))
    if task != "number":
        return float(np.mean(answers.astype(str) != y))
    constant = np.sqrt(np.mean((y - y_train.mean()) ** 2))
    return float(np.sqrt(np.mean((y - answers.astype(float)) ** 2)) / constant)
