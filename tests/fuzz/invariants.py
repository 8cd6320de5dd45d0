"""What must hold for every learner, table and parameters: a fit that answers for itself, or a refusal in our words."""

import linecache
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter
from tests.fuzz.leaving import exported, is_listed
from tests.fuzz.parameters import draw_estimator, learners
from tests.fuzz.tables import Drawn, draw_codes, draw_labels, draw_square, draw_table, draw_targets, draw_weights
from tests.simulation.registered import REGISTERED

import laconic
from laconic._table import as_table

SLOWEST = 10  # seconds that a fit may take
# folders of the packages whose refusals are meant for users; the repository's own folder may be called laconic, too
OURS, THEIRS = (Path(package.__file__).parent for package in (laconic, sklearn))


@dataclass(frozen=True)
class Case:
    """A learner with parameters, a table, labels and weights: all of it follows from two numbers."""

    name: str
    estimator: object
    drawn: Drawn
    y: np.ndarray
    weights: dict
    words: str
    key: tuple  # the two numbers

    def fit(self, order=None):
        if order is None:
            return clone(self.estimator).fit(self.drawn.training(), self.y, **self.weights)
        weights = {name: values[order] for name, values in self.weights.items()}
        return clone(self.estimator).fit(self.drawn.training(order), self.y[order], **weights)


@np.errstate(all="ignore")
def draw_case(seed, number):
    """Draw a case; learners take turns."""
    rng = np.random.default_rng([seed, number])
    known = learners()
    name = list(known)[number % len(known)]
    learner = known[name]
    n_classes = int(rng.integers(2, 6)) if learner.several and rng.random() < 0.5 else 2
    drawn = draw_table(rng, n_classes, learner.reads)
    labels_of = draw_targets if learner.predicts == "number" else lambda *given: draw_classes(*given, n_classes)
    y, told = labels_of(rng, drawn.columns)
    estimator = draw_estimator(rng, learner, np.unique(y))
    if get_tags(estimator).input_tags.pairwise:
        drawn = draw_square(rng, n_classes, distances=not hasattr(estimator, "kernel"))
        y, told = labels_of(rng, drawn.columns)
        # a parameter that names a class must name one of these
        estimator.set_params(**{each: None for each in ("class_weight", "rules") if each in estimator.get_params()})
    weights, heavy = {}, "none"
    if has_fit_parameter(estimator, "sample_weight") and rng.random() < 0.4:
        values, heavy = draw_weights(rng, drawn.n_rows)
        weights = {"sample_weight": values}
    words = f"{drawn.words}; labels {told}; weights {heavy}"
    return Case(name, estimator, drawn, y, weights, words, (seed, number))


def draw_classes(rng, columns, n_classes):
    codes = draw_codes(rng, columns, n_classes)
    return draw_labels(rng, codes, n_classes)


# ---- what was found


@dataclass
class Report:
    """What came out of a case: whether it was fitted, or why not, and what was broken."""

    name: str
    outcome: str = "fitted"
    seconds: float = 0.0
    findings: list = field(default_factory=list)  # (kind, what)
    tracebacks: list = field(default_factory=list)

    def found(self, kind, what):
        if (kind, what) not in self.findings:
            self.findings.append((kind, what))

    def failed(self, error, step):
        """Write down an exception that should not have been."""
        text = " ".join(str(error).split())[:160]
        self.found(
            "error", f"{step}: {type(error).__name__}: {text} ({place(traceback.extract_tb(error.__traceback__))})"
        )
        self.tracebacks.append("".join(traceback.format_exception(error)))

    def warned(self, message, category, filename, lineno, file=None, line=None):
        """Write down a warning of a class that nobody has declared."""
        frames = traceback.extract_stack()[:-1]
        declared = issubclass(category, (ConvergenceWarning, FutureWarning)) or category.__module__.startswith(
            "laconic"
        )
        if not declared and not is_wrapped(frames) and "model_selection" not in filename:  # its own advice on folds
            text = " ".join(str(message).split())[:120]
            self.found("warning", f"{category.__name__}: {text} ({place(frames)})")

    @contextmanager
    def during(self, step):
        """Note exceptions and warnings of a step, and go on."""
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = self.warned
            try:
                yield
            except Exception as error:
                self.failed(error, step)


def comes_from(frame, folder):
    return Path(frame.filename).is_relative_to(folder)


def place(frames):
    """Return the innermost line of laconic."""
    ours = [frame for frame in frames if comes_from(frame, OURS)]
    return f"{Path(ours[-1].filename).relative_to(OURS)}:{ours[-1].lineno}" if ours else "outside laconic"


def is_wrapped(frames):
    """Return whether this comes from the estimator inside Certified, which has words of its own."""
    picks = OURS / "certified" / "_picks.py"
    inside = next((i for i, frame in enumerate(frames) if comes_from(frame, picks)), len(frames))
    return any(comes_from(frame, THEIRS) for frame in frames[inside:])


def is_refusal(error):
    """Return whether an error is a sentence for the user: a ValueError that laconic or scikit-learn raised itself."""
    frames = traceback.extract_tb(error.__traceback__)
    raised = linecache.getline(frames[-1].filename, frames[-1].lineno).lstrip().startswith("raise ")  # no bare int(nan)
    meant = comes_from(frames[-1], OURS) or comes_from(frames[-1], THEIRS)
    sparse = isinstance(error, TypeError) and "dense" in str(error)  # scikit-learn's convention
    return is_wrapped(frames) or (raised and meant and (isinstance(error, ValueError) or sparse))


def examine(seed, number):
    """Fit a case and check everything."""
    case = draw_case(seed, number)
    report = Report(case.name)
    with report.during("fit"):
        start = time.process_time()
        try:
            model = case.fit()
        except Exception as error:
            if not is_refusal(error):
                raise
            report.outcome = f"refused: {' '.join(str(error).split())}"
            return report
        finally:
            report.seconds = time.process_time() - start
    if report.tracebacks:
        report.outcome = "failed"
        return report
    for check in CHECKS:
        with report.during(check.__name__):
            check(case, model, report)
    return report


# ---- the invariants


def speed(case, model, report):
    if report.seconds > SLOWEST:  # again, since the first fit may have compiled
        start = time.process_time()
        case.fit()
        report.seconds = time.process_time() - start
        if report.seconds > SLOWEST:
            report.found("slow", f"a fit took {report.seconds:.0f} s")


def answered(case, model):
    """Find the training rows with an answer: held-out ones may lack a column that a score card counts by its amount."""
    counted = model.columns_counted() if hasattr(model, "columns_counted") else ()
    if not counted:
        return np.arange(len(case.y))
    rows = case.drawn.training()
    table = as_table(np.asarray(rows, dtype=float) if isinstance(rows, Sequence) else rows)
    return np.flatnonzero(~np.any([table.column(column).missing() for column in counted], axis=0))


def answers(case, model, report):
    """Predictions are classes or finite numbers, and decision values are finite and of their sign."""
    if case.name.startswith("Certified"):
        return  # they are those of the estimator inside
    for where, rows in (
        ("training rows", case.drawn.training(answered(case, model))),
        ("new rows", case.drawn.rows_to_predict()),
    ):
        try:
            predicted = model.predict(rows)
        except Exception as error:
            if where == "training rows" or not is_refusal(error):
                raise
            continue
        if not hasattr(model, "classes_"):
            if where == "training rows" and not np.isfinite(predicted).all():
                report.found("predict", f"numbers that are not finite on {where}")
            continue
        if not np.isin(predicted, model.classes_).all():
            report.found("predict", f"classes that there are not, on {where}")
        if hasattr(model, "decision_function"):
            for trouble in decision_troubles(model, model.decision_function(rows), predicted):
                report.found("decision", f"{trouble} on {where}")
        if hasattr(model, "predict_proba"):
            chances = model.predict_proba(rows)
            if not ((chances >= 0) & (chances <= 1)).all() or not np.allclose(chances.sum(axis=1), 1):
                report.found("predict_proba", f"no chances on {where}")


def decision_troubles(model, values, predicted):
    if not np.isfinite(values).all():
        yield "NaN" if np.isnan(values).any() else "infinity"
    known = np.isfinite(values) if values.ndim == 1 else np.isfinite(values).all(axis=1)
    said = model.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)]
    if (said != predicted)[known].any():
        yield f"it disagrees with predict ({int((said != predicted)[known].sum())} rows)"


def scheme(case, model, report):
    """The examples and the message give back what is stored, and that predicts as the model does."""
    if case.name == "LaconicClassifier":
        return  # the rows that chose are its message, and the simulation alone remembers them
    entry = REGISTERED[type(model)]
    stored, rows = entry.stored(model), case.drawn.training()
    for encoding in entry.encodings(model):
        rebuilt = entry.reconstruct(encoding.examples, encoding.message)
        if not entry.same(rebuilt, stored, rows):
            report.found("scheme", "reconstruct gives another hypothesis")
        if case.name.startswith("Certified"):
            continue
        for where, table in (("training rows", rows), ("new rows", case.drawn.rows_to_predict())):
            for which, hypothesis in (("what reconstruct gives", rebuilt), ("hypothesis_", stored)):
                if not same_answers(model, hypothesis, table):
                    report.found("scheme", f"{which} predicts otherwise on {where}")


def same_answers(model, hypothesis, table):
    try:
        predicted = model.predict(table)
    except Exception as error:
        if is_refusal(error):
            return True
        raise
    if isinstance(hypothesis, tuple):
        many = len(hypothesis) > 1
        hypothesis = replace(model.hypothesis_, models=hypothesis) if many else hypothesis[0]
    answered = hypothesis.evaluate(as_table(np.asarray(table) if isinstance(table, Sequence) else table))
    if hasattr(model, "classes_"):
        answered = answered > 0 if answered.dtype == float else answered
        return np.array_equal(model.classes_[answered.astype(int)], predicted)
    return np.array_equal(answered, predicted, equal_nan=True)


def certificate(case, model, report):
    """The bound is a probability, and the errors are those of predict."""
    promised = model.certificate_
    for number in (promised.risk_bound, promised.empirical_risk):
        if not 0 <= number <= 1:
            report.found("certificate", f"{number} is no probability")
    rows, wrong = answered(case, model), np.ones(len(case.y), dtype=bool)  # a row without an answer is an error
    predicted, y = model.predict(case.drawn.training(rows)), case.y[rows]
    tolerance = getattr(model, "tolerance_", getattr(model, "tolerance", None))
    with np.errstate(over="ignore"):
        wrong[rows] = predicted != y if tolerance is None else ~(np.abs(predicted - y) <= tolerance)
    if abs(promised.empirical_risk - wrong.mean()) > 1e-12:
        report.found("certificate", f"empirical risk {promised.empirical_risk:g}, but {wrong.mean():g} are wrong")
    if promised.n_samples > len(case.y):
        report.found("certificate", "more rows than there are")


def text(case, model, report):
    if not model.to_text().strip():
        report.found("text", "to_text() is empty")


def saved(case, model, report):
    """A file gives back a model that predicts and reads the same."""
    if not hasattr(model, "save"):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        try:
            model.save(path)
        except ValueError as error:
            if is_listed(case.name, "save", error):
                return
            raise
        opened = laconic.load(path)
    if opened.hypothesis_ != model.hypothesis_:
        report.found("saved", "the opened model has another hypothesis")
    if opened.to_text() != model.to_text():
        report.found("saved", "the opened model reads otherwise")
    rows = case.drawn.training(answered(case, model))
    if not np.array_equal(opened.predict(rows), model.predict(rows), equal_nan=not hasattr(model, "classes_")):
        report.found("saved", "the opened model predicts otherwise")


def again(case, model, report):
    """The same fit gives the same model; so do the rows in another order, where that is promised."""
    if difference(model, case.fit(), case):
        report.found("again", "the same fit gives another model")
    if promises_any_order(case.estimator):
        order = np.random.default_rng(len(case.y)).permutation(len(case.y))
        try:
            other = case.fit(order)
        except ValueError as error:
            if is_listed(case.name, "another order", error):
                return
            raise
        if difference(model, other, case):
            report.found("order", "the rows in another order give another model")


def promises_any_order(estimator):
    """Return whether the docstring says so: rows are not cut into folds, nor set apart, nor named by their place."""
    name = type(estimator).__name__
    promised = ("SetCoveringClassifier", "PACBayesSetCoveringClassifier", "Certified")
    by_place = (
        get_tags(estimator).input_tags.pairwise
        or getattr(estimator, "seed_size", 0)
        or getattr(estimator, "holdout", None)
    )
    return name in promised and not by_place


def difference(one, other, case):
    if one.certificate_ != other.certificate_:
        return True
    if hasattr(one, "hypothesis_"):
        return one.hypothesis_ != other.hypothesis_
    rows = case.drawn.training()
    return not np.array_equal(one.predict(rows), other.predict(rows))


CHECKS = (speed, answers, scheme, certificate, text, saved, again, exported)
