"""What a covering machine asks of a family of features, and which families there are.

A family is a scikit-learn estimator without ``fit``: its parameters can be cloned, searched and nested. To write your
own, extend `FiniteFamily` if the rules can be listed before the data is seen, else `Family`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from sklearn.base import BaseEstimator

from laconic._table import Booleans, Table
from laconic._words import some_of
from laconic.certificates import Encoding, Examples
from laconic.covering.core._greedy import Block, Solution
from laconic.covering.core._problem import Problem, Sample
from laconic.covering.core._templates import Template
from laconic.rules import Combination, Rule, column_name


class Paired(Protocol):
    """The plain way to send a machine: every slot of its rules is paired with an example."""

    def __call__(self, usable: Booleans | None = None) -> Encoding:
        """Write the message; with ``usable``, only these rows may be examples."""


class Family(BaseEstimator):  # type: ignore[misc]
    """What a covering machine asks of a family of features.

    A subclass says which columns it can use (`complaint`), which candidates there are (`blocks`), and how a rule is
    sent (`template`, `template_nats`, `slots`). The other answers suit most families. The ranges of its parameters
    stand in ``_parameter_constraints``, as those of an estimator.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    name: ClassVar[str | None] = None  # what a parameter may call it, if its defaults are meant
    makes: ClassVar[tuple[type, ...]] = (Rule,)  # the types of its rules
    accepts_sparse = False
    accepts_missing = False
    missing_advice: ClassVar[str] = ""  # what to say of missing values where they are not accepted, and what to do
    pairwise = False  # whether X holds distances between rows
    streams: ClassVar[bool] = False  # whether its blocks can search rows that stay where they are
    held_of_row: ClassVar[int] = 0  # bytes beside a row in memory, if it streams so slowly that rows are read that fit
    reads_kmers: ClassVar[bool] = False  # whether it makes rules of columns of k-mers, and of no others
    doubts: ClassVar[tuple[str, ...]] = ()  # what every certificate on such columns mentions, whatever rules there are
    max_slots = 0  # the largest number of examples that one rule of the family takes
    kinds_are_paid: ClassVar[bool] = True  # whether it is paid for that values showed of which kind a column is
    noted: ClassVar[bool] = False  # whether its rules are built around a training row, which `note_on` finds

    def declared(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Write sentences that a certificate assumes because the family, or its parameters, declare something."""
        given = self.get_params(deep=False)
        listed = {text: given[name] for name, text in _DECLARED.items() if given.get(name)}
        named = {
            text: sorted(key if isinstance(key, str) else column_name(key, names) for key in keys)
            for text, keys in listed.items()
        }
        sentences = [text.format(some_of(columns)) for text, columns in named.items()]
        own = f"The rules that {type(self).__name__} offers were fixed before the data was seen."
        return tuple(sentences if type(self).__module__.startswith("laconic.") else [own, *sentences])

    @abstractmethod
    def complaint(self, table: Table, column: int, names: Sequence[str] | None) -> str | None:
        """Return why the family cannot use a column and what to do about it, or None if it can."""

    @abstractmethod
    def blocks(self, sample: Sample, columns: Sequence[int], n_blocks: int) -> Sequence[Block]:
        """Return the candidates over some columns, in at most about ``n_blocks`` blocks."""

    @abstractmethod
    def template(self, rule: Any) -> Template:
        """Return a rule without what examples supply."""

    @abstractmethod
    def template_nats(self, template: Any, n_columns: int) -> float:
        """Return what naming the template costs: exp(−nats) sums to at most one over all templates."""

    def sent(self, rule: Any, examples: Examples, places: Sequence[int]) -> Template:
        """Return what is sent of a rule whose slots are filled by the examples at these places: its template.

        Of a family whose templates say something of the example, such as where in it to look, this is where it is said.
        """
        del examples, places
        return self.template(rule)

    def by_position(self, names: Sequence[str] | None) -> Family:
        """Return the same family with columns that parameters call by name called by their positions."""
        del names
        return self

    def shared_nats(self, templates: Sequence[Any]) -> float:
        """Return what all rules of the family share and the data chose costs, once."""
        del templates
        return 0.0

    def slots(self, rule: Any, problem: Problem) -> list[Booleans]:
        """Tell, for each slot of the rule's template, which rows could fill it."""
        del rule, problem
        return []

    def encode_alone(
        self, solution: Solution, problem: Problem, wrong: Booleans, paired: Paired, strict: bool
    ) -> Encoding:
        """Send a machine in which no other family takes part: by pairs, unless the family knows a shorter way.

        Parameters
        ----------
        solution : Solution
            The greedy cover.
        problem : Problem
            What it covers.
        wrong : ndarray of bool
            The rows that the machine gets wrong.
        paired : callable
            What writes the plain message.
        strict : bool
            Whether no error on P is ever allowed, by the constructor's parameters.
        """
        del solution, problem, wrong, strict
        return paired()

    def certificate_notes(
        self, hypothesis: Combination, problem: Problem, encoding: Encoding, delta: float, fixed: bool
    ) -> tuple[str, ...]:
        """Return what a certificate should mention about a machine whose first rule is of this family.

        Parameters
        ----------
        hypothesis : Combination
            The machine.
        problem : Problem
            What it covers.
        encoding : Encoding
            What it was rebuilt from.
        delta : float
            The probability with which the certificate may fail.
        fixed : bool
            Whether the constructor allowed no error on P, and left no choice of form and features to the data.
        """
        del hypothesis, problem, encoding, delta, fixed
        return ()

    def note_on(self, rule: Any, sample: Sample, names: Sequence[str] | None) -> tuple[int, str]:
        """Return the training row that a rule is built around, and what to say about the rule in detail."""
        raise NotImplementedError

    def by_row(self, rule: Any, row: int) -> str:
        """Describe a rule in few words by the training row that it is built around."""
        raise NotImplementedError


_DECLARED = {
    "prior": "The prior, which favours {}, was fixed before the data was seen.",
    "categories": "The categories of {} were listed before the data was seen.",
}
_KNOWN: dict[str, type[Family]] = {}  # by the names of their classes
_NAMED: dict[str, type[Family]] = {}  # by what a parameter may call them
F = TypeVar("F", bound=type[Family])


def register(family: F) -> F:
    """Let model files know a family, and parameters its name; one of your own needs neither."""
    _KNOWN[family.__name__] = family
    if family.name is not None:
        _NAMED[family.name] = family
    return family


def known_families() -> dict[str, type[Family]]:
    """Return the families of the house by the names of their classes, in the order of the alphabet."""
    return dict(sorted(_KNOWN.items()))


def family_named(name: str) -> type[Family]:
    """Return the family that a parameter may call by a name."""
    return _NAMED[name]


def make_families(features: Any) -> tuple[Family, ...]:
    """Turn the ``features`` parameter into families.

    Parameters
    ----------
    features : str, Family, or a list of these
        The name of a family, an instance, or several that compete in one machine.

    Examples
    --------
    >>> from laconic.covering import Literals
    >>> make_families(["stumps", Literals(negated=False)])
    (Stumps(), Literals(negated=False))
    """
    listed = list(features) if isinstance(features, list | tuple) else [features]
    if not listed:
        raise ValueError("features is an empty list; name at least one family of features.")
    return tuple(map(_make_family, listed))


def _make_family(entry: Any) -> Family:
    if isinstance(entry, Family):
        return entry
    if isinstance(entry, str) and entry in _NAMED:
        return _NAMED[entry]()
    raise ValueError(
        f"features must be one of {', '.join(map(repr, sorted(_NAMED)))}, a family such as Stumps(bins=255), "
        f"or a list of these; got {entry!r}."
    )
