"""A certificate for a model that is there already: by a surrogate that has one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from laconic._words import counted
from laconic.certificates import CLASSIFIER_ASSUMPTIONS, BySurrogate, Certificate, SetApart

_MORE = (
    "The rows without labels are independent draws; they served neither to fit a model nor to choose the surrogate.",
    "Both models answer the same row in the same way, whenever they are asked.",
)


def certify_by_surrogate(fitted: Any, surrogate: Any, X_unlabelled: Any, delta: float | None = None) -> Certificate:
    r"""Bound the error of a classifier of any kind by that of a certified one, and by how often the two differ.

    .. math:: P(f(x) \ne y) \le P(s(x) \ne y) + P(f(x) \ne s(x))

    The surrogate s was certified on true labels (not on the other's answers), and both terms are bounded at δ/2 each:
    see `laconic.certificates.BySurrogate` for the proof. Rows without labels are often cheap: with many of them the
    second term is little more than the share on which the two differ.

    Parameters
    ----------
    fitted : estimator
        The model that is there already: anything with ``predict``.
    surrogate : estimator
        A fitted classifier of laconic, with a ``certificate_``.
    X_unlabelled : table
        Independent rows that both can read, which served neither model, nor the choice of the surrogate.
    delta : float or None, default=None
        The probability with which the promise may fail, chosen before the data was seen; by default that of the
        surrogate's certificate. Each of the two terms gets half of it.

    Returns
    -------
    Certificate
        The promise about `fitted`. Its ``empirical_risk`` is the surrogate's on its rows plus the share of rows on
        which the two differ: an estimate of the same sum.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from laconic import SetCoveringClassifier
    >>> from laconic.certified import certify_by_surrogate
    >>> from laconic.datasets import load_breast_cancer_wisconsin
    >>> X, y = load_breast_cancer_wisconsin(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[:200], y[:200])
    >>> rules = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2).fit(X[200:450], y[200:450])
    >>> print(certify_by_surrogate(forest, rules, X[450:]))
    With 95 % confidence over the draw of the data, the error on new data is at most 29.6 %.
    """
    check_is_fitted(surrogate)
    certificate = getattr(surrogate, "certificate_", None)
    if not isinstance(certificate, Certificate) or not hasattr(surrogate, "classes_"):
        raise ValueError(f"{type(surrogate).__name__} has no certificate of its error on classes: it is no surrogate.")
    if certificate.promised_delta is not None or not certificate.statements:
        raise ValueError("The surrogate's certificate was read in hindsight, or is void: nothing can be built on it.")
    if surrogate is fitted:
        raise ValueError("The surrogate is the model itself: its own certificate is the better one.")
    answers, own = np.asarray(fitted.predict(X_unlabelled)), np.asarray(surrogate.predict(X_unlabelled))
    if answers.shape != own.shape:
        raise ValueError(f"The model gives answers of shape {answers.shape}, and its surrogate of {own.shape}.")
    if len(own) == 0:
        raise ValueError("There are no rows on which the two could be compared.")
    if not np.array_equal(answers, np.asarray(fitted.predict(X_unlabelled))):
        raise ValueError("The model gave two different answers for the same rows, so nothing can be certified of it.")
    differ = int((answers != own).sum())
    share = certificate.error_delta / certificate.delta
    statement = BySurrogate(certificate.statements, share, SetApart(len(own), differ, certificate.n_samples))
    return Certificate.resting_on(
        statement,
        delta=certificate.delta if delta is None else delta,
        empirical_risk=min(certificate.empirical_risk + differ / len(own), 1.0),
        n_samples=certificate.n_samples,
        assumptions=(*CLASSIFIER_ASSUMPTIONS, *certificate.declared, *_MORE),
        notes=(f"It differs from its surrogate on {differ} of {counted(len(own), 'row')} without labels.",),
    )
