"""The scikit-learn faces of the PAC-Bayes set covering machine, with given parameters and with chosen ones."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Literal, get_args

from joblib import effective_n_jobs

from laconic._learners import Learner, register
from laconic._sklearn_compat import Interval, StrOptions
from laconic.covering._states import SoftlyCovered, SoftlyCoveredByChoice
from laconic.covering.core._problem import Form
from laconic.covering.core._search import SearchingMachine, read_forms, read_numbers
from laconic.covering.soft._machine import MOST, SOFT_CONSTRAINTS, SoftMachine
from laconic.rules import SoftConjunction, SoftDisjunction


class PACBayesSetCoveringClassifier(SoftMachine):
    r"""The PAC-Bayes set covering machine: balls with a margin, learnt softly, and a vote over their radii.

    The radius of each ball is drawn uniformly from an interval [a, b]. With G(x) the chance that no ball chosen so far
    turns x away and ζ(x) the chance that a new one does not, the greedy step takes the ball of the largest utility

    .. math:: U = \sum_{x \in N} (1 - \zeta(x))\,G(x) \;-\; p \sum_{x \in P} (1 - \zeta(x))\,G(x)

    first among all intervals of one width γ that start at an example's distance, then by moving both ends.

    Parameters
    ----------
    form : {"conjunction", "disjunction", "auto"}, default="conjunction"
        Whether a row is positive when all balls say so, or when any does. "auto" builds both and keeps the one with the
        smaller certified bound; the certificate pays ln 2 for the choice.
    metric : str or callable, default="euclidean"
        The distance; any that `Balls` takes, "precomputed" too.
    penalty : float, default=1.0
        What one row of P that is turned away costs, in rows of N (the paper's p); at most a million.
    margin : float, default=0.1
        The width γ of the intervals, as a share of the average distance between the two classes. 0, or less than a
        millionth, is the hard machine.
    max_rules : int or None, default=20
        Stop after this many balls.
    centers : {"covered", "spared", "both", "negative", "positive"}, default="covered"
        Which rows may be centres: those of N, which the balls should cover (negative rows for a conjunction, positive
        ones for a disjunction), those of P, which they should spare, or all. "negative" and "positive" name a class, as
        in `Balls`; they used to mean "covered" and "spared", and for a disjunction still do, with a warning.
    max_centers : int or None, default=None
        Take no more than this many centres, a sample drawn with a fixed seed, as in `Balls`; the average distance
        between the classes is then one over as many rows of the smaller class. The certificate is as sound as with all
        centres, since centres are sent as examples. Without it all rows around all centres are kept, 2 GiB at the most,
        which is enough for about 18,000 rows, half of them in N.
    refine : bool, default=True
        Whether, for the centre found, both ends move to the best gap between distances of examples. The best pair is
        always a single gap, since U(a, b) is the mean of the hard machine's value over the radii in [a, b].
    center_term : {"definition", "paper"}, default="definition"
        The paper's formula for the contribution of a ball contradicts its definition in the term of the centre itself.
        "definition" counts the centre like any row, (1 − ζ)·G; "paper" uses the printed 1 − ζ·G, under which a centre
        that was covered long ago is worth 1 again, with centres taken only from rows that are not totally covered.
    max_radius : float or None, default=None
        The largest radius possible (the paper's R). None takes the smallest power of two that is large enough, and the
        certificate pays for its exponent.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with ``sample_weight``.
    delta : float, default=0.05
        The certificate may fail with this probability. Choose it before you look at the data.
    promises : None, names or Promises, default=None
        What else is to be promised at the same time: "classes", "rules", "costs", or a `laconic.Promises`. The error
        then has half of delta. Choose it, too, before you look at the data.
    n_jobs : int or None, default=None
        Threads that search centres at the same time. The model does not depend on it.

    Attributes
    ----------
    rules_ : tuple of SoftBall
        The balls, in the order in which they were chosen.
    hypothesis_ : SoftConjunction or SoftDisjunction
        The same balls as a set; ``predict`` is its vote, ``predict_proba`` its G.
    certificate_ : Certificate
        The bound on the risk of the vote, the smaller of two with half of delta each: twice theorem 2's bound, and,
        where both ends of all intervals are distances of examples (``refine=True`` or ``margin=0``), that of sending
        the balls as examples. Without the second, the first has all of delta.
    gibbs_certificate_ : Certificate
        Theorem 2's bound on the risk of one draw of the radii (`predict_gibbs`), a promise of its own.
    path_ : tuple of laconic.covering.SoftStep
        How the model was found, step by step: for each rule what it gained.
    classes_, n_features_in_, feature_names_in_
        As in `SetCoveringClassifier`.

    Notes
    -----
    Sums are floating-point over rows in order of value: the order in which rows came does not matter (precomputed
    distances excepted). For c centres O(c·m log m) to sort and O(c·m) for each ball; 12 bytes for each pair of centre
    and row, 16 from 65,536 rows on. What would pass 2 GiB is refused at once.

    Refining makes intervals tiny, and theorem 2 pays ln(R/(b − a)) for each: the bound for the vote is then the
    compression bound as a rule. It also gives up the margin that was searched for: on twenty random halves of the seven
    tables of the paper, columns scaled to [0, 1], it had more errors on average on six.
    With ``margin=0`` and ``refine=False`` theorem 2 says nothing.

    References
    ----------
    F. Laviolette, M. Marchand and M. Shah, *A PAC-Bayes approach to the Set Covering Machine*, NIPS 2005.

    Examples
    --------
    >>> from laconic import PACBayesSetCoveringClassifier
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = PACBayesSetCoveringClassifier(penalty=2.0, max_rules=1).fit(X, y)
    >>> print(model.certificate_)
    With 95 % confidence over the draw of the data, the error on new data is at most 9.5 %.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "form": [StrOptions({"conjunction", "disjunction", "auto"})],
        "penalty": [Interval(Real, 0, MOST, closed="both")],
        "margin": [Interval(Real, 0, MOST, closed="both")],
        **SOFT_CONSTRAINTS,
    }

    def __init__(
        self,
        form: Literal["conjunction", "disjunction", "auto"] = "conjunction",
        metric: Any = "euclidean",
        *,
        penalty: float = 1.0,
        margin: float = 0.1,
        max_rules: int | None = 20,
        centers: Literal["covered", "spared", "both", "negative", "positive"] = "covered",
        max_centers: int | None = None,
        refine: bool = True,
        center_term: Literal["definition", "paper"] = "definition",
        max_radius: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.metric = metric
        self.penalty = penalty
        self.margin = margin
        self.max_rules = max_rules
        self.centers = centers
        self.max_centers = max_centers
        self.refine = refine
        self.center_term = center_term
        self.max_radius = max_radius
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PACBayesSetCoveringClassifier:
        """Choose the balls and certify them.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts in the choice of balls. The certificate does not use it.

        Returns
        -------
        self
            The fitted model.
        """
        sample, training = self._read_sample(X, y, sample_weight)
        forms: tuple[Form, ...] = get_args(Form) if self.form == "auto" else (self.form,)
        n_jobs = effective_n_jobs(self.n_jobs)
        grid = self._soft_grid(forms, (float(self.margin),), (float(self.penalty),), n_jobs)
        grid.refuse_too_many(sample)
        return self._finish_soft(training, *grid.smallest_bound(sample, self.delta))


register(
    Learner(
        PACBayesSetCoveringClassifier,
        SoftlyCovered,
        (SoftConjunction, SoftDisjunction),
        name="pac-bayes",
        reads="numbers",
    )
)


class PACBayesSetCoveringClassifierCV(SearchingMachine, SoftMachine):
    """The PAC-Bayes set covering machine with form, penalty, margin and size chosen by cross-validation.

    The rows around each centre are sorted once for each fold and form, and serve every margin and penalty; one greedy
    path gives the error of every stopping point. Ties go to fewer balls, then to the first form, margin and penalty.

    Parameters
    ----------
    forms : sequence of {"conjunction", "disjunction"}, default=("conjunction", "disjunction")
        The forms to try.
    metric : str or callable, default="euclidean"
        The distance.
    penalties : sequence of float, default=(0.5, 1, 2, 4)
        The penalties to try.
    margins : sequence of float, default=(0, 0.05, 0.1, 0.2)
        The margins to try.
    max_rules : int or None, default=20
        The longest path.
    cv : int, splitter or None, default=None
        The folds, as in scikit-learn; None is five.
    centers, max_centers, refine, center_term, max_radius, class_weight, delta, promises
        As in `PACBayesSetCoveringClassifier`.
    n_jobs : int or None, default=None
        Threads; each takes a form and a fold.

    Attributes
    ----------
    best_params_ : dict
        ``form``, ``margin``, ``penalty`` and ``max_rules`` of the machine that was chosen.
    best_score_ : float
        Its share of errors on held-out folds.
    cv_results_ : dict of lists
        ``form``, ``margin``, ``penalty``, ``n_rules`` and ``score`` of everything that was tried.
    rules_, hypothesis_, certificate_, gibbs_certificate_, path_, classes_, n_features_in_, feature_names_in_
        As in `PACBayesSetCoveringClassifier`, fitted on all rows.

    Notes
    -----
    The certificates pay the logarithm of the number of forms. Penalty, margin and size are free: what is sent, or drawn
    from, does not depend on them. Without refining, a margin of 0 leaves theorem 2 nothing to say.

    Examples
    --------
    >>> from laconic import PACBayesSetCoveringClassifierCV
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    >>> model = PACBayesSetCoveringClassifierCV(penalties=[1, 2], margins=[0.1], max_rules=5).fit(X, y)
    >>> model.best_params_["form"]
    'disjunction'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "forms": ["array-like"],
        "penalties": ["array-like"],
        "margins": ["array-like"],
        "cv": ["cv_object"],
        **SOFT_CONSTRAINTS,
    }

    def __init__(
        self,
        forms: Sequence[Form] = ("conjunction", "disjunction"),
        metric: Any = "euclidean",
        *,
        penalties: Sequence[float] = (0.5, 1.0, 2.0, 4.0),
        margins: Sequence[float] = (0.0, 0.05, 0.1, 0.2),
        max_rules: int | None = 20,
        cv: Any = None,
        centers: Literal["covered", "spared", "both", "negative", "positive"] = "covered",
        max_centers: int | None = None,
        refine: bool = True,
        center_term: Literal["definition", "paper"] = "definition",
        max_radius: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        promises: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.forms = forms
        self.metric = metric
        self.penalties = penalties
        self.margins = margins
        self.max_rules = max_rules
        self.cv = cv
        self.centers = centers
        self.max_centers = max_centers
        self.refine = refine
        self.center_term = center_term
        self.max_radius = max_radius
        self.class_weight = class_weight
        self.delta = delta
        self.promises = promises
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PACBayesSetCoveringClassifierCV:
        """Choose, and fit the choice on all rows.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The table of numbers.
        y : array of shape (n_samples,)
            Labels of two classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each row counts, in the choice of balls and in the errors on held-out folds.

        Returns
        -------
        self
            The fitted model.
        """
        sample, training = self._read_sample(X, y, sample_weight)
        forms = read_forms(self.forms)
        margins = read_numbers("margins", self.margins, MOST)
        penalties = read_numbers("penalties", self.penalties, MOST)
        grid = self._soft_grid(forms, margins, penalties)
        grid.refuse_too_many(sample)
        _, problem, solution = self._choose_by_folds(sample, grid, form=forms, margin=margins, penalty=penalties)
        return self._finish_soft(training, grid.seal(solution, problem, self.delta), solution)


register(
    Learner(
        PACBayesSetCoveringClassifierCV,
        SoftlyCoveredByChoice,
        (SoftConjunction, SoftDisjunction),
        tunes="pac-bayes",
        reads="numbers",
    )
)
