"""What was known of columns before the data: weights of a file, for the features that a user asks for."""

from __future__ import annotations

from typing import Any

from laconic.cli._console import WrongCall
from laconic.covering import Conditions, Literals, Stumps, read_prior

_KNOWING = {"stumps": Stumps, "literals": Literals, "conditions": Conditions, "auto": Conditions}


def with_prior(given: dict[str, Any], path: str, learner: str, *, listed: bool) -> dict[str, Any]:
    """Return the parameters of a learner with the prior that a file holds.

    Parameters
    ----------
    given : dict
        The parameters that were given.
    path : str
        The file.
    learner : str
        The learner.
    listed : bool
        Whether it takes a list of features, of which it chooses one.
    """
    if learner != "scm":
        raise WrongCall(f"--prior is for rules about single columns, and not for {learner}: add --learner scm.")
    prior = read_prior(path)

    def knowing(features: Any) -> Any:
        if isinstance(features, list):
            return [knowing(each) for each in features]
        if features not in _KNOWING:
            raise WrongCall(
                f"--prior says which columns matter, and features={features} name no single ones; with it there are "
                "stumps, literals and conditions."
            )
        return _KNOWING[features](prior=prior)

    features = knowing(given.get("features", "auto"))
    return given | {"features": [features] if listed and not isinstance(features, list) else features}
