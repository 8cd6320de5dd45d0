"""How a client is declared: a function that uses a fitted model as other software does."""

import importlib.util
import warnings
from dataclasses import dataclass

import numpy as np

DECLARED = []
CLASSES, NUMBERS = ("two", "three"), ("numbers",)


@dataclass(frozen=True)
class Client:
    """A use of a fitted model.

    Parameters
    ----------
    name : str
        Its row in the table.
    use : callable
        From a trial to nothing; raises where it does not work.
    needs : str
        The package that must be there; empty for none.
    slow : bool
        Whether `make test` leaves it to `make clients`.
    targets : tuple of str
        On which tables it makes sense.
    """

    name: str
    use: object
    needs: str = ""
    slow: bool = False
    targets: tuple = CLASSES + NUMBERS

    @property
    def is_here(self):
        return not self.needs or importlib.util.find_spec(self.needs) is not None


def client(name, **described):
    """Declare the function below as a client."""

    def add(use):
        DECLARED.append(Client(name, use, **described))
        return use

    return add


def same_answers(trial, answers):
    expected = trial.model.predict(trial.X)
    if trial.is_classifier:
        assert list(answers) == list(expected)
    else:
        np.testing.assert_allclose(np.asarray(answers, dtype=float), expected, rtol=1e-9)


def quiet(function, *given, **named):
    """Call something that fits; what is said of rows and convergence is not the client's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*given, **named)
