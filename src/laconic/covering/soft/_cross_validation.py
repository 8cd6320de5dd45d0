"""Choosing form, penalty, margin and size of a soft machine: sorted distances serve every choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from laconic._learners import Learner, register
from laconic.covering._states import SoftlyCoveredByChoice
from laconic.covering.core._problem import Form
from laconic.covering.core._search import SearchingMachine, read_forms, read_numbers
from laconic.covering.soft._machine import MOST, SHARED_CONSTRAINTS, SoftMachine
from laconic.rules import SoftConjunction, SoftDisjunction


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
    centers, refine, center_term, max_radius, class_weight, delta
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
        **SHARED_CONSTRAINTS,
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
        refine: bool = True,
        center_term: Literal["definition", "paper"] = "definition",
        max_radius: float | None = None,
        class_weight: Any = None,
        delta: float = 0.05,
        n_jobs: int | None = None,
    ) -> None:
        self.forms = forms
        self.metric = metric
        self.penalties = penalties
        self.margins = margins
        self.max_rules = max_rules
        self.cv = cv
        self.centers = centers
        self.refine = refine
        self.center_term = center_term
        self.max_radius = max_radius
        self.class_weight = class_weight
        self.delta = delta
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
