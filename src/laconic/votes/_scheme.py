"""How a vote is certified: on rows set apart or, where all rows train, by PAC-Bayes on those that a list did not see.

No set is sent: the message holds all rows that were not set apart, and how lists are grown, which the constructor says.
Nothing is paid for these rows, and nothing is counted on them but what lists that did not see them get wrong. Where the
type of a column does not say what it holds, all rows did, and that is paid for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic._table import Booleans, Integers, Table
from laconic.certificates import (
    Certificate,
    Encoding,
    Examples,
    VoteOfBags,
    certify_apart,
    kinds_nats,
    reading_nats,
)
from laconic.rules import Vote
from laconic.votes._growing import Manner, grow


@dataclass(frozen=True, eq=False)
class VoteMessage:
    """The rows that lists are grown from, in their order, and how.

    Parameters
    ----------
    table, codes
        The rows, and their classes.
    n_classes : int
        How many classes there are.
    manner : Manner
        How lists are grown.
    """

    table: Table
    codes: Integers
    n_classes: int
    manner: Manner


def encode(table: Table, codes: Integers, n_classes: int, apart: Booleans, manner: Manner) -> Encoding:
    """Write down the rows that are not set apart, and how lists are grown from them."""
    none = np.empty(0, dtype=np.int64)
    message = VoteMessage(table.take(~apart), codes[~apart], n_classes, manner)
    return Encoding(none, Examples.chosen(table, codes, none), message, 0.0)


def reconstruct(examples: Examples, message: VoteMessage) -> Vote:
    """Grow the lists, from the message alone."""
    del examples
    return grow(message.table, message.codes, message.n_classes, message.manner)


def certify(vote: Vote, table: Table, codes: Integers, apart: Booleans, manner: Manner, delta: float) -> Certificate:
    """Bound the risk of the vote; which way follows from whether any rows were to be set apart."""
    wrong = vote.evaluate(table) != codes
    if apart.any():
        return certify_apart(wrong, apart, delta, reading_nats(table, apart))
    shown = kinds_nats(len(table.undeclared)).called("of which kind the columns are, as values showed")
    statement = VoteOfBags(table.n_rows, *unseen(vote, table, codes, manner), shown)
    return Certificate.resting_on(statement, delta=delta, empirical_risk=float(wrong.mean()))


def unseen(vote: Vote, table: Table, codes: Integers, manner: Manner) -> tuple[int, float]:
    """Return how many rows each list did not see, and the mean share of errors of a list on these."""
    seen = manner.bags(table.n_rows)
    outside = [np.setdiff1d(np.arange(table.n_rows), bag) for bag in seen]
    n_outside = len(outside[0])
    if n_outside == 0:
        return 0, 1.0
    errors = [
        np.count_nonzero(one.evaluate(table.take(rows)) != codes[rows])
        for one, rows in zip(vote.lists, outside, strict=True)
    ]
    return n_outside, float(sum(errors) / (len(outside) * n_outside))
