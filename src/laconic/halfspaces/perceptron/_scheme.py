"""How a perceptron is certified: by sending it as its mistakes, and by what its hypotheses survived.

The set holds the examples on which mistakes were made, each once; equal ones stand for each other. The message says how
often each was corrected. The weights are Σ count·y·x/‖x‖, over unit rows on a grid on which sums are exact: the order
in which the mistakes were made need not be sent.

The other certificate is the lecture's "guarantee in a distributional setting". The i-th hypothesis was fixed before the
examples that it then survived, so each has its own share δ/(i(i+1)) of delta, all bounds hold at once, and the best may
be chosen on the data. Nothing is assumed about the margin.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from laconic._rows import distinct_rows
from laconic._table import Integers
from laconic.certificates import (
    CLASSIFIER_ASSUMPTIONS,
    Certificate,
    Encoding,
    Examples,
    FiniteClass,
    integer_nats,
)
from laconic.halfspaces.perceptron._walk import Stream, Survivor, halfspace
from laconic.rules import Halfspace


@dataclass(frozen=True, slots=True)
class PerceptronMessage:
    """How often each example of the set was corrected."""

    counts: tuple[int, ...]


def reconstruct(examples: Examples, message: PerceptronMessage) -> Halfspace:
    """Build the halfspace from the examples and the message, and nothing else.

    Parameters
    ----------
    examples : Examples
        The set; its labels are True where the example is positive.
    message : PerceptronMessage
        The counts, in the order of the set.

    Examples
    --------
    >>> from laconic._table import Table
    >>> examples = Examples(Table.from_array([[0.0], [3.0]]), np.array([False, True]), (0, 1))
    >>> print(reconstruct(examples, PerceptronMessage((1, 2))))
    1.897…*x0 - 0.3675… > 0
    """
    return halfspace(Stream(examples.table, examples.labels).corrections(np.arange(len(examples)), message.counts))


def encode(counts: Integers, stream: Stream) -> Encoding:
    """Take the examples on which mistakes were made as the set.

    Parameters
    ----------
    counts : ndarray of int64
        On each row, how many.
    stream : Stream
        The examples.
    """
    rows = np.flatnonzero(counts)
    first, kinds = distinct_rows(stream.table, stream.positive, rows)
    message = PerceptronMessage(tuple(np.bincount(kinds, counts[rows]).astype(int).tolist()))
    nats = math.fsum(often * integer_nats(count - 1) for count, often in Counter(message.counts).items())
    return Encoding(first, Examples.chosen(stream.table, stream.positive, first), message, nats)


def certify_survivor(survivor: Survivor, n_seen: int, delta: float, *, in_pieces: bool) -> Certificate:
    """Bound the risk of a hypothesis by the fresh examples that it got right.

    Parameters
    ----------
    survivor : Survivor
        Any hypothesis of the sequence; the data may have chosen it.
    n_seen : int
        How many fresh examples there were.
    delta : float
        The probability with which all these bounds together may fail.
    in_pieces : bool
        Whether the examples came by several calls, which could repeat some.
    """
    order = "The rows came in the order in which they were drawn, or in random order"
    return Certificate.resting_on(
        FiniteClass(survivor.survived, 0, integer_nats(survivor.number - 1)),
        delta=delta,
        empirical_risk=0.0,
        assumptions=(*CLASSIFIER_ASSUMPTIONS, f"{order}{', and each came once' if in_pieces else ''}."),
        notes=(
            f"They are those that came after hypothesis {survivor.number} was made and before its first mistake, "
            f"out of {n_seen} in all.",
        ),
    )
