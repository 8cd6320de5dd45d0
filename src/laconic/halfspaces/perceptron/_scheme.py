"""How a perceptron is certified: by a preferent set, and by what its hypotheses meet after they were made.

Every example has a key, its place in an order drawn at random without a look at the examples; the key stays with it. So
examples with their keys are as good as independent draws from a distribution with keys, whatever order they came in.

*The set.* For a number of passes e, fixed, let κ(S) be the examples of S that were ever corrected in e passes from
zero in the order of the keys, and those that the last weights get wrong. *It is preferent*: let κ(S) ⊆ S' ⊆ S. An
example of S that was never corrected changed nothing, so passes over S without some of these meet the others with the
same weights, and make the same corrections; S' lacks no others. So the last weights are the same, and so are the
examples that they get wrong, all of which are in S'. *A new example z that the last weights w of S get wrong changes
it*: suppose κ(S + z) = κ(S), so that z is not in it (keys are all different). Then z was never corrected, passes over
S + z end with w, and z is in κ(S + z) for being wrong. ∎ So `laconic.certificates.preferent_bound` holds for each e,
and with the share δ/(e(e+1)) for all at once: passes may end when none errs, or when `max_epochs` says. A pass without
a mistake changes nothing and need not be counted. Neither averages nor the margin attained may choose the weights.

*Online.* In the first pass the i-th hypothesis is made by the examples up to its place, which ends there by what they
say alone. Given these, it is fixed, and the examples after it, as many as are left of m, are independent of it: its
errors on all of them are binomial, and the binomial tail inversion at δ/(i(i+1)) bounds its risk. These shares add up
to at most δ, so that all bounds hold at once, and the best may be chosen on the data. It needs m settled beforehand. A
stream that may end at any time, when its owner likes what he sees, has none: there, a hypothesis is only
promised what it survived up to its first mistake (`laconic.certificates.online_bound`), which holds for every end.
Nothing is assumed about the margin.

*Categories.* A row has an input for every category that there could ever be, of every column of categories: 1 for its
own, and 0 for all others. So its inputs depend on nothing but itself, and all of the above holds as it stands, for
inputs without end: weights are sums of rows that were corrected, so that only categories of these have a weight, and
the set shows all of them. Not one has to be named, or paid for, as it has where indicators are chosen by the rows. Only
which columns hold categories may have been read off the rows; for each answer to that there is such a scheme, and the
answer has its share of delta (`laconic._indicators.kinds_nats`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from laconic._indicators import kinds_nats
from laconic._table import Booleans, Integers, Table
from laconic.certificates import (
    CLASSIFIER_ASSUMPTIONS,
    Certificate,
    Encoding,
    FiniteClass,
    Nats,
    PreferentCompression,
    integer_nats,
    itemised,
)
from laconic.halfspaces.perceptron._walk import Stream, Survivor, Tested, halfspace, one_pass
from laconic.rules import Halfspace

_DRAWN = "The order of the rows was drawn by random_state, which was chosen before the data was seen."


@dataclass(frozen=True, eq=False)
class Keyed:
    """Examples with their keys.

    Parameters
    ----------
    table : Table
        The rows.
    labels : ndarray of bool
        Which of them are positive.
    keys : ndarray of int64
        The place of each in an order drawn at random.
    """

    table: Table
    labels: Booleans
    keys: Integers

    def __len__(self) -> int:
        return self.table.n_rows


def reconstruct(examples: Keyed, message: int) -> Halfspace:
    """Build the halfspace from the set and the number of passes, and nothing else.

    Parameters
    ----------
    examples : Keyed
        The set.
    message : int
        How many passes were made.

    Examples
    --------
    >>> examples = Keyed(Table.from_array([[0.0], [3.0]]), np.array([False, True]), np.array([7, 4]))
    >>> print(reconstruct(examples, 1))
    0.9486…*x0 - 0.6837… > 0
    """
    stream = Stream.of(examples.table, examples.labels).take(np.argsort(examples.keys))
    weights = np.zeros(stream.rows.shape[1] + 1)
    for _ in range(message):
        one_pass(stream, weights)
    return halfspace(weights, stream.flags)


def encode(stream: Stream, corrected: Integers, hypothesis: Halfspace, n_passes: int) -> Encoding:
    """Take the examples that were ever corrected, and those that the hypothesis gets wrong, as the set.

    Parameters
    ----------
    stream : Stream
        All examples, in the order of their keys.
    corrected : ndarray of int64
        Where in the stream they were corrected.
    hypothesis : Halfspace
        The last one.
    n_passes : int
        How many passes led to it, up to the last that made a mistake.
    """
    keys = np.union1d(corrected, np.flatnonzero(_wrong(hypothesis, stream)))
    keys = keys[np.argsort(stream.named(keys))]
    inside = stream.take(keys)
    examples = Keyed(inside.table, inside.positive, keys)
    return Encoding(stream.named(keys), examples, n_passes, _said_nats(stream, n_passes))


def _said_nats(stream: Stream, n_passes: int) -> Nats:
    return integer_nats(n_passes - 1).called("how many passes were made") + kinds_nats(stream.table)


def certify(hypothesis: Halfspace, stream: Stream, corrected: Integers, n_passes: int, delta: float) -> Certificate:
    """Bound the risk of the last hypothesis; the parameters are those of `encode`, and delta."""
    wrong = _wrong(hypothesis, stream)
    others = int(wrong.sum() - wrong[corrected].sum())
    statement = PreferentCompression(len(wrong), len(corrected) + others, others, _said_nats(stream, n_passes))
    return Certificate.resting_on(
        statement,
        delta=delta,
        empirical_risk=float(wrong.mean()),
        assumptions=(*CLASSIFIER_ASSUMPTIONS, _DRAWN),
    )


def certify_tested(tested: Tested, n_seen: int, delta: float, nats: float = 0.0) -> Certificate:
    """Bound the risk of a hypothesis of the first pass by its errors on the examples that came after it was made.

    Parameters
    ----------
    tested : Tested
        Any hypothesis of the first pass; the data may have chosen it.
    n_seen : int
        How many examples there were.
    delta : float
        The probability with which all these bounds together may fail.
    nats : float
        What saying which columns hold categories costs.
    """
    return Certificate.resting_on(
        _paid(tested.statement, nats),
        delta=delta,
        empirical_risk=tested.errors / tested.n_tested if tested.n_tested else 0.0,
        assumptions=(*CLASSIFIER_ASSUMPTIONS, _DRAWN),
        notes=(f"They are those that came after hypothesis {tested.number} was made, out of {n_seen} in all.",),
    )


def certify_survivor(survivor: Survivor, n_seen: int, delta: float, nats: float = 0.0) -> Certificate:
    """Bound the risk of a hypothesis of a stream by the fresh examples that it got right, up to its first mistake.

    Parameters
    ----------
    survivor : Survivor
        Any hypothesis of the sequence; the data may have chosen it.
    n_seen : int
        How many fresh examples there were.
    delta : float
        The probability with which all these bounds together may fail.
    nats : float
        What saying which columns hold categories costs.
    """
    order = "The rows came in the order in which they were drawn, or in random order, and each came once."
    return Certificate.resting_on(
        _paid(FiniteClass(survivor.survived, 0, _which(survivor.number)), nats),
        delta=delta,
        empirical_risk=0.0,
        assumptions=(*CLASSIFIER_ASSUMPTIONS, order),
        notes=(
            f"They are those that came after hypothesis {survivor.number} was made and before its first mistake, "
            f"out of {n_seen} in all.",
        ),
    )


def _which(number: int) -> Nats:
    return integer_nats(number - 1).called("which of the hypotheses it is")


def _paid(statement: FiniteClass, nats: float) -> FiniteClass:
    price = itemised(nats).called("which columns hold categories")
    return replace(statement, message_nats=statement.message_nats + price) if nats else statement


def _wrong(hypothesis: Halfspace, stream: Stream) -> Booleans:
    return hypothesis.evaluate(stream.table) != stream.positive
