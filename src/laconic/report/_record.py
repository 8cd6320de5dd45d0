"""What a report says, as frozen values of words and numbers: everything is known before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from laconic._card import Card


@dataclass(frozen=True)
class Promise:
    """The certificate.

    Parameters
    ----------
    sentence, summary, method, rests_on : str
        What is promised, what it was made from, by which theorem, and what was counted.
    risk_bound, delta, empirical_risk : float
        The bound, the chance that it fails, and the share of the training rows that is wrong.
    n_samples : int
        How many training rows there were.
    majority_error : float or None
        What always answering the most frequent class gets wrong of them.
    assumptions : tuple of str
        What must hold.
    paid, improvements : tuple of (str, float)
        What was paid for in nats; what would tighten the bound, and to what.
    together : float
        All that was paid, in nats.
    """

    sentence: str
    summary: str
    method: str
    rests_on: str
    risk_bound: float
    delta: float
    empirical_risk: float
    n_samples: int
    majority_error: float | None
    assumptions: tuple[str, ...]
    paid: tuple[tuple[str, float], ...]
    improvements: tuple[tuple[str, float], ...]
    together: float


@dataclass(frozen=True)
class Agreement:
    """Whether the rows of the report are those that the model was fitted on.

    Parameters
    ----------
    verdict : {"agrees", "differs", "unknown"}
        What can be said. That rows agree in every count that the model remembers is no proof.
    sentence : str
        The same in words, with what was compared.
    """

    verdict: Literal["agrees", "differs", "unknown"]
    sentence: str


@dataclass(frozen=True)
class Errors:
    """What is wrong on the rows of the report.

    Parameters
    ----------
    n_rows, n_wrong : int
        How many rows there are, and how many are wrong.
    share : float
        The share that is wrong.
    interval : tuple of two floats
        Where the true error lies by these rows alone (Clopper and Pearson), if they had no part in fitting.
    outcome : str
        What is meant by wrong: "misclassified", or "off by more than 0.5".
    remark : str
        Why their share is no estimate of the error on new rows; empty where it may be one.
    """

    n_rows: int
    n_wrong: int
    share: float
    interval: tuple[float, float]
    outcome: str
    remark: str = ""


@dataclass(frozen=True)
class Confusion:
    """How many rows of each class get each class.

    Parameters
    ----------
    truths, predictions : tuple of str
        The classes that rows have, and those that they get.
    counts : tuple of tuples of int
        A row for each of `truths`, a column for each of `predictions`.
    promises : tuple of str
        What is certified of single cells or classes, in sentences; empty where nothing is.
    """

    truths: tuple[str, ...]
    predictions: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    promises: tuple[str, ...] = ()

    @property
    def right(self) -> tuple[int, ...]:
        """How many rows of each of `truths` get their own class."""
        pairs = zip(self.truths, self.counts, strict=True)
        return tuple(row[self.predictions.index(name)] if name in self.predictions else 0 for name, row in pairs)


@dataclass(frozen=True)
class Decided:
    """What one line of the model decides of the rows of the report.

    Parameters
    ----------
    words, answer : str
        When it decides, and what it then says.
    n_right, n_wrong : int
        Of how many rows, rightly and wrongly.
    """

    words: str
    answer: str
    n_right: int
    n_wrong: int

    @property
    def n_rows(self) -> int:
        """How many rows it decides."""
        return self.n_right + self.n_wrong


@dataclass(frozen=True)
class WrongRow:
    """A row that is wrong, and why.

    Parameters
    ----------
    row : int
        Its place, counted from 1.
    truth, prediction, reason : str
        What it is, what the model says, and why.
    values : tuple of (str, str)
        The columns that the model looks at, and what the row has there.
    """

    row: int
    truth: str
    prediction: str
    reason: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: its name, where it stands, and how many rows of each class it has."""

    name: str
    low: float
    high: float
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many rows it has."""
        return sum(self.counts)


@dataclass(frozen=True)
class Mark:
    """A place in a column that the model names: how it reads, and where it is among the bars (0 to 1), if it is."""

    words: str
    place: float | None


@dataclass(frozen=True)
class ColumnFacts:
    """A column that the model looks at.

    Parameters
    ----------
    name, kind : str
        What it is called, and what it holds.
    n_missing : int
        In how many rows it has no value.
    marks : tuple of Mark
        Its thresholds, categories and centres in the model.
    bars : tuple of Bar
        How its values are spread, by class; empty where values of rows are left out.
    groups : tuple of str
        The classes that the counts of a bar are for; one without a name where the target is a number.
    n_more : int
        How many rarer categories have no bar.
    """

    name: str
    kind: str
    n_missing: int
    marks: tuple[Mark, ...]
    bars: tuple[Bar, ...] = ()
    groups: tuple[str, ...] = ()
    n_more: int = 0


@dataclass(frozen=True)
class Size:
    """A model of some size: what it is called, its error and bound where known, and whether it is this one."""

    name: str
    words: int | None
    error: float | None
    bound: float | None
    chosen: bool
    remark: str = ""


@dataclass(frozen=True)
class Path:
    """Errors and bounds against size.

    Parameters
    ----------
    about : str
        What the sizes are, and which rows their errors were counted on.
    sizes : tuple of Size
        The models.
    kind : {"stages", "candidates"}
        The same model with fewer rules, or all that were tried.
    """

    about: str
    sizes: tuple[Size, ...]
    kind: Literal["stages", "candidates"]

    @property
    def has_bounds(self) -> bool:
        """Whether any bound is known."""
        return any(size.bound is not None for size in self.sizes)


@dataclass(frozen=True)
class Reproduction:
    """How to make the model again.

    Parameters
    ----------
    imports, code : str
        What to import, and the learner with the parameters that it was fitted with.
    command : str
        The command line that fitted it; empty where none did, or where the model does not remember.
    versions : tuple of (str, str)
        Of the libraries that made this report.
    digest : str
        The SHA-256 of the rows of the report: the columns that the model looks at, as they were read, and the target.
    n_rows, n_columns : int
        The size of the table.
    """

    imports: str
    code: str
    command: str
    versions: tuple[tuple[str, str], ...]
    digest: str
    n_rows: int
    n_columns: int


@dataclass(frozen=True)
class Record:
    """All that a report says of a fitted model and a table.

    Parameters
    ----------
    learner : str
        The class of the model.
    predicts : {"class", "number"}
        What it predicts.
    target : str or None
        What the predicted column is called, if the model remembers.
    classes : tuple of str
        The classes; none where the target is a number.
    n_words : int or None
        How long the model is.
    card : Card
        The model, as a card shows it.
    promise : Promise or None
        The certificate; a model that learnt from a stream has none.
    agreement : Agreement
        Whether the rows are those of ``fit``.
    errors : Errors
        What is wrong on them.
    confusion : Confusion or None
        How many rows of each class get each class.
    decided : tuple of Decided
        What each line decides; empty where a sum or a vote decides.
    path : Path or None
        Errors and bounds against size, if known.
    wrong : tuple of WrongRow
        The first rows that are wrong; none where values of rows are left out.
    columns : tuple of ColumnFacts
        The columns that the model looks at; `n_more_columns` are not listed.
    n_more_columns : int
        How many are not listed.
    unused : tuple of str
        The columns of the table that the model does not look at.
    notes : tuple of str
        What else was left out of the table, or done to it, in sentences.
    reproduction : Reproduction
        How to make the model again.
    shows_rows : bool
        Whether values of rows are shown.
    """

    learner: str
    predicts: Literal["class", "number"]
    target: str | None
    classes: tuple[str, ...]
    n_words: int | None
    card: Card
    promise: Promise | None
    agreement: Agreement
    errors: Errors
    confusion: Confusion | None
    decided: tuple[Decided, ...]
    path: Path | None
    wrong: tuple[WrongRow, ...]
    columns: tuple[ColumnFacts, ...]
    n_more_columns: int
    unused: tuple[str, ...]
    notes: tuple[str, ...]
    reproduction: Reproduction
    shows_rows: bool
