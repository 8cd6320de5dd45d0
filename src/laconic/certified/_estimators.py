"""The scikit-learn face of Pick-to-Learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import check_consistent_length, column_or_1d

from laconic._base import BY_SET, PROMISES, Judged, read_promises
from laconic._examining import examine
from laconic._rows import order_by_value
from laconic._sklearn_compat import HasMethods, Interval, StrOptions
from laconic._table import Booleans, Integers, as_table, is_frame, native
from laconic._unseen import unremarked
from laconic._validation import RandomStateLike, Training, check_labels, checked, drawn_seed, quiet_sums
from laconic.certificates import Certificate, Encoding, Promises, change_certificates, rows_apart
from laconic.certified._picked import PickedModel
from laconic.certified._picks import Fitted, Learner, Rows, Sent, pick, refit
from laconic.certified._promise import certify, compression_set, promised, smallest_stage, warn_if_weak, wrong_outside


class Certified(PickedModel):
    r"""Any scikit-learn classifier or regressor, trained so that its error is certified (Pick-to-Learn).

    Training starts from nothing (or from `initial`, or from a few rows set apart) and adds, again and again, the
    example that the model handles worst, until all other examples are handled: classified rightly, or predicted
    within `tolerance`. The fewer examples were needed, the smaller the bound: with d picks out of m it is
    `laconic.certificates.preferent_bound`,

    .. math:: 1 = \frac{\delta}{m}\sum_{i=d}^{m-1}\binom{i}{d}\binom{m}{d}^{-1}(1-\epsilon)^{-(m-i)}

    which is close to what a test set of m rows would promise, though every row could be used for training. Stopped
    before that, examples that are still handled wrongly count like picks.

    Parameters
    ----------
    estimator : classifier or regressor
        What to fit. It must be a fixed function of the rows that it is given; see Notes.
    tolerance : float or None, default=None
        For a regressor: the largest absolute error that counts as handled, in the units of the target. Choose it
        before you see the data. None for a classifier.
    max_size : int or None, default=None
        Stop after this many picks. Examples outside that are then still handled wrongly are counted among the d.
    holdout : float or None, default=None
        Hold out this share of the rows, drawn by `random_state` without a look at them, and pick nothing: the estimator
        is fitted once, to all the others, and the certificate is the binomial tail of its errors on the held-out rows.
        Better than picking where classes overlap, and it may be any estimator. Does not go with `max_size`, `initial`,
        `seed_size`, `select` or `batch`.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    initial : fitted estimator or None, default=None
        A model to start from; it must not have seen these rows. Wrap it in scikit-learn's ``FrozenEstimator`` where the
        whole is cloned, as in cross-validation, which would unfit it.
    seed_size : int or float, default=0
        How many rows (or which share of them) are set apart at random as a first training set. They are not among the m
        rows that the bound counts. Useful where the estimator cannot be fitted on two or three rows.
    select : {"last", "bound"}, default="last"
        Which model on the way is kept: the last one, or the one with the smallest bound (the most picks where several
        have it). The bound may prefer a model of two or three rows with some errors to one of fifty without. The choice
        is paid for: the t-th fit has the share 1/(t(t+1)) of delta, or 1/((t+1)(t+2)) where training starts from a
        model, which then has half of delta, and the binomial tail of its errors on all rows not set apart.
    batch : int, default=1
        How many examples are picked before the next fit: larger is faster, and needs more picks.
    random_state : int, RandomState instance or None, default=0
        Draws the rows set apart, and an integer that the estimator is given wherever its own ``random_state`` is None,
        since the same picks must always give the same model.
    promises : None, "classes" or Promises, default=None
        What else is to be promised of a classifier at the same time: how many rows of each class are missed, and the
        error by group; see `laconic.Promises`. The error then has half of delta. Choose it, too, before you look at the
        data.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    estimator_ : estimator
        The last model. While all picks are of one class it is a constant. Certificates of its own are void: the rows
        that it was fitted on were picked.
    certificate_ : Certificate
        The bound on the chance of a wrong answer, and what it rests on.
    picks_ : ndarray of int
        The rows picked, in order. The certificate's ``compression_size`` also counts others that are wrong.
    seed_ : ndarray of int
        The rows that training started from, which do not count; with `holdout`, all that are not held out.
    holdout_indices_ : ndarray of int
        The held-out rows; none without `holdout`.
    random_state_ : int
        The whole number that drew: `random_state` itself, or one drawn from it.
    classes_ : ndarray
        The classes, for a classifier.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    Notes
    -----
    Costs one fit and one prediction of all rows for every pick. With ``warm_start=True`` in the estimator each fit
    starts from the one before, and anew where a new class appears.

    How badly an example is handled is 1 minus the probability of its class, or the gap of decision values, or the
    absolute error; ties are settled by value, never by the order of the rows. Equal rows count as often as they come.
    Decision values that are equal up to rounding count as wrong; a tolerance is met exactly, and never widened.

    A frame is shown to the estimator as its picked rows alone would make it: without index and notes, and with the
    categories of these rows; other categories are missing at predict. The order of an ordered category is kept.

    *Why it holds.* The set of the picks and of the examples wrong though not picked is preferent: leaving out examples
    outside it changes neither the picks, each the worst of those left, nor which are wrong. And a new example that
    is wrong would have been picked, or be in the set for being wrong (the whole proof is in
    ``laconic/certified/_picks.py``). Which statement is made depends on parameters alone. Rows set apart are not among
    the m, and a pick that is still wrong counts once.

    What can be promised at best follows from the number of rows, delta and the least number of picks. With fewer than
    500 rows `laconic.exceptions.WeakCertificateWarning` says it before anything is fitted; and again as soon as so many
    are picked that nothing below 50 % can be promised any more. Choose `holdout` before that: rows that choose between
    two certificates pay for it, and each of the two may then fail with half of delta.

    The certificate is void if the estimator is not a function of the rows that it is given (a clock, threads whose sums
    differ, memory of other data). The last fit is repeated, and a different result is refused, but that cannot show
    everything. Choosing among several certified models costs: divide delta among them beforehand. Rows with
    contradictory labels are picked one after the other, so noisy data needs many picks.

    References
    ----------
    D. Paccagnan, M. Campi and S. Garatti, *The Pick-to-Learn Algorithm*, NeurIPS 2023.

    M. Campi and S. Garatti, *Compression, Generalization and Learning*, JMLR 2023.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from laconic import Certified
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = Certified(LogisticRegression()).fit(X, y)
    >>> len(model.picks_)
    41
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 9.1 %.

    A model of fewer rows with some errors is promised more, though the choice is paid for:

    >>> short = Certified(LogisticRegression(), select="bound").fit(X, y)
    >>> len(short.picks_), short.certificate_.compression_size
    (3, 21)
    >>> print(short.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 6.2 %.

    With held-out rows there is one fit, and their errors estimate the error, too:

    >>> held = Certified(LogisticRegression(), holdout=0.25).fit(X, y)
    >>> print(held.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 9.1 %.
    >>> held.certificate_.held_out_errors()
    (9, 170)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"])],
        "tolerance": [Interval(Real, 0, None, closed="left"), None],
        "max_size": [Interval(Integral, 1, None, closed="left"), None],
        "holdout": [Interval(Real, 0, 1, closed="neither"), None],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "initial": [HasMethods(["predict"]), None],
        "seed_size": [Interval(Integral, 0, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "select": [StrOptions({"last", "bound"})],
        "batch": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "promises": PROMISES,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any,
        tolerance: float | None = None,
        *,
        max_size: int | None = None,
        holdout: float | None = None,
        delta: float = 0.05,
        initial: Any = None,
        seed_size: float = 0,
        select: Literal["last", "bound"] = "last",
        batch: int = 1,
        random_state: RandomStateLike = 0,
        promises: Any = None,
        verbose: bool = False,
    ) -> None:
        self.estimator = estimator
        self.tolerance = tolerance
        self.max_size = max_size
        self.holdout = holdout
        self.delta = delta
        self.initial = initial
        self.seed_size = seed_size
        self.select = select
        self.batch = batch
        self.random_state = random_state
        self.promises = promises
        self.verbose = verbose

    @unremarked()
    def fit(self, X: Any, y: Any) -> Certified:
        """Pick, fit and certify; with `holdout`, fit once and count the errors on the held-out rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            The rows, as the estimator takes them.
        y : array of shape (n_samples,)
            Labels or targets.

        Returns
        -------
        self
            The fitted model.

        Warns
        -----
        WeakCertificateWarning
            If few rows are picked from, or so many were picked that the certificate will promise nothing of use.
        """
        self._validate_params()
        self._parameters = self.get_params(deep=False)
        self.random_state_ = drawn_seed(self.random_state)
        self._check_kind()
        rows = self._read(X, y)
        wanted = self._wanted(rows)
        assumed = examine(rows.table, self._names(), rows.codes, number=is_regressor(self.estimator))
        seed = self._draw_seed(len(rows))
        others = np.setdiff1d(np.arange(len(rows)), seed)
        # so that no order settles anything
        others = others[order_by_value(rows.table.take(others), rows.codes[others])]
        start = rows.take(seed) if len(seed) else None
        max_size = self.max_size if self.holdout is None else 0
        learner = Learner(self._seeded_estimator(), self.tolerance, start, self.initial, self.batch, max_size)
        outside = rows.take(others)
        at_stage = self.select == "bound" or learner.only_tested
        warn = None if at_stage else warn_if_weak(learner, len(outside), self.delta)
        with _progress(self.verbose, len(outside)) as told:
            picks = pick(learner, outside, told=[each for each in (warn, told) if each])
        last = len(picks.stages) - 1
        n_fits = last if self.select == "last" else smallest_stage(learner, picks, len(outside), self.delta)
        size, errors = picks.stages[n_fits]
        fitted = picks.model if learner.only_tested else refit(learner, outside, picks, n_fits)
        chosen = others[picks.rows[:size]]
        wrong, _ = learner.judge(fitted, rows)
        sent = Sent(learner, n_fits if at_stage else None)
        certificate = certify(sent, wrong, chosen, seed, self.delta)
        if not learner.only_tested and abs(len(wrong_outside(wrong, chosen, seed)) - errors) > picks.unsettled[n_fits]:
            raise ValueError(
                f"{self.estimator!r} gave two different models for the same rows, so nothing can be certified. "
                "Set its random_state, and n_jobs=1 if sums depend on threads."
            )
        certificate = certificate.assuming(*assumed)
        inside = compression_set(sent, wrong, chosen, seed)
        if wanted is not None:
            certificate = promised(certificate, wanted, self._judged(rows, fitted, wrong, inside, seed))
        self._encoding = Encoding(inside, rows.take(inside), sent, certificate.message_nats)
        assert fitted is not None  # while there is no model, every row is wrong and one is picked
        self.picks_, self.seed_ = chosen, seed
        self.holdout_indices_ = np.sort(others) if learner.only_tested else others[:0]
        return self._keep(rows, fitted, certificate)

    def _keep(self, rows: Rows, fitted: Fitted, certificate: Certificate) -> Certified:
        """Keep the model and its certificate; one of the estimator's own is void where its rows were picked."""
        # a certificate of its own would take the picks for independent draws
        if fitted.model is not self.initial and self.holdout is None:
            change_certificates(fitted.model, lambda own: own.void("The rows were picked: no independent draws."))
        self.estimator_, self._fitted, self.certificate_ = fitted.model, fitted, certificate
        if is_classifier(self.estimator):
            self.certificate_ = certificate.beside_majority(rows.y)
            self.classes_ = np.union1d(rows.y, getattr(self.estimator_, "classes_", rows.y[:0]))
        return self

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(map(str, names))

    def _wanted(self, rows: Rows) -> Promises | None:
        """Read what is to be promised beside the error, and refuse what cannot be."""
        if is_regressor(self.estimator) and Promises.of(self.promises) is not None:
            raise ValueError("promises are for classifiers: a regressor's error is that of its tolerance.")
        if self.promises is None:
            return None
        classes = np.unique(rows.y)
        if len(classes) < 2:
            raise ValueError(f"promises need at least two classes, and all rows are of {classes[0]!r}.")
        return read_promises(self.promises, rows.table, self._names(), classes, BY_SET)

    def _judged(self, rows: Rows, fitted: Any, wrong: Booleans, inside: Integers, seed: Integers) -> Judged:
        """Return the rows that count, with what the model says of them; an answer that is not sure is a wrong one."""
        classes, codes = np.unique(rows.y, return_inverse=True)
        training = Training(rows.table, codes, np.ones(len(rows)), classes)
        every = np.arange(len(rows))
        answers = np.asarray(fitted.ask("predict", rows.X))
        places = np.searchsorted(classes, np.where(np.isin(answers, classes), answers, classes[0]))
        other = wrong & (places == codes)  # a class that no row has, or not sure: another one
        predicted = np.where(other, (codes + 1) % len(classes), places)
        return Judged(training, self._names(), predicted, ~np.isin(every, seed), inside=np.isin(every, inside))

    def _check_kind(self) -> None:
        kind = "classifier" if is_classifier(self.estimator) else "regressor"
        if kind == "regressor" and not is_regressor(self.estimator):
            raise ValueError(f"estimator must be a classifier or a regressor, got {self.estimator!r}.")
        if kind == "regressor" and self.tolerance is None:
            raise ValueError(
                "A regressor needs a tolerance: the largest absolute error that counts as handled, in the units of y."
            )
        if kind == "classifier" and self.tolerance is not None:
            raise ValueError("tolerance is for regressors; a classifier handles a row if it predicts its class.")
        if self.initial is not None and self.seed_size:
            raise ValueError("Give either initial or seed_size: both say where training starts.")
        picking = {"max_size": None, "initial": None, "seed_size": 0, "select": "last", "batch": 1}
        given = [name for name, default in picking.items() if getattr(self, name) != default]
        if self.holdout is not None and given:
            raise ValueError(f"With holdout nothing is picked: leave out {', '.join(given)}, or holdout.")

    @quiet_sums
    def _read(self, X: Any, y: Any) -> Rows:
        """Check what was passed to ``fit``; frames go to the estimator as they are."""
        X = native(X)
        if is_frame(X):
            checked(self, X, y, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            assert_all_finite(y, input_name="y")
            check_consistent_length(X, y)
        else:
            numeric = is_regressor(self.estimator)
            X, y = checked(self, X, y, y_numeric=numeric, **self._array_options())
        if is_classifier(self.estimator):
            check_labels(y)
            return Rows(X, as_table(X), y, np.unique(y, return_inverse=True)[1])
        return Rows(X, as_table(X), y, y)

    def _draw_seed(self, n_rows: int) -> NDArray[np.int64]:
        """Return the rows that training starts from, which do not count: a draw that looks at their number alone."""
        if self.holdout is not None:
            if n_rows < 2:
                raise ValueError(f"Found {n_rows} sample(s); at least 2 are needed: some are held out.")
            return np.flatnonzero(~rows_apart(n_rows, self.holdout, self.random_state_))
        size = int(self.seed_size * n_rows) if 0 < self.seed_size < 1 else int(self.seed_size)
        if size >= n_rows:
            raise ValueError(f"seed_size={self.seed_size} leaves none of the {n_rows} rows to pick from.")
        return np.sort(check_random_state(self.random_state_).permutation(n_rows)[:size]).astype(np.int64)

    def _seeded_estimator(self) -> Any:
        """Copy the estimator, with an integer wherever it would draw from the clock."""
        estimator = clone(self.estimator)
        unset = {
            name: self.random_state_
            for name, value in estimator.get_params(deep=True).items()
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        return estimator.set_params(**unset)


@contextmanager
def _progress(verbose: bool, n_rows: int) -> Iterator[Callable[[int, int], None] | None]:
    """Show how many rows were picked and how many are still wrong."""
    if not verbose:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("picking", total=n_rows)

        def told(n_picked: int, n_wrong: int) -> None:
            done = n_rows if n_wrong == 0 else n_rows - n_wrong
            bar.update(task, completed=done, description=f"{n_picked} picked, {n_wrong} of the others wrong")

        yield told
