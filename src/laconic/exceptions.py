"""The errors and warnings that laconic raises beyond Python's and scikit-learn's own."""

from __future__ import annotations

from collections.abc import Sequence


class NoConsistentConcept(ValueError):
    """No hypothesis of the class does what was asked: agree with every row or, for a regressor, come close to them.

    Parameters
    ----------
    message : str
        What is wrong, where, and what to do.
    rows : sequence of int
        The rows (as they were passed to ``fit``, counted from 0) that prove it, if some do.

    Examples
    --------
    >>> error = NoConsistentConcept("rows 3 and 7 are equal and differ in class", rows=(3, 7))
    >>> error.rows
    (3, 7)
    """

    def __init__(self, message: str, rows: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.rows = tuple(int(row) for row in rows)

    def __reduce__(self) -> tuple[type, tuple[str, tuple[int, ...]]]:
        return (type(self), (str(self), self.rows))


class SizeWarning(UserWarning):
    """A table is so large that less was tried than could be; the message says what, and how to have all of it.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", SizeWarning)
    """


class RepeatedRowsWarning(UserWarning):
    """More than 1 % of the rows repeat earlier ones: copies, or visits of the same patients, are no independent draws.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", RepeatedRowsWarning)  # rather no model than one of copies
    >>> warnings.simplefilter("default", RepeatedRowsWarning)
    """


class SuspiciousColumnWarning(UserWarning):
    """A column may not be what it seems: it names the rows, or tells the target alone, by its values or their absence.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", SuspiciousColumnWarning)
    """


class UnseenCategoryWarning(UserWarning):
    """Rows hold categories that no training row had, in columns that the model uses; the message counts them.

    A model remembers the categories of a column that it uses if there are at most 100, and at most half as many as rows
    have a value. Of other columns nothing is said.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", UnseenCategoryWarning)
    """


class WeakCertificateWarning(UserWarning):
    """A certificate that is about to be made can promise little at best; the message says what, and what to do instead.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("ignore", WeakCertificateWarning)
    """


class BadModelFile(ValueError):
    """A file is no model file, or one that was cut, altered or made up, or one of a newer laconic.

    Examples
    --------
    >>> raise BadModelFile("iris.json: not a laconic model file.")
    Traceback (most recent call last):
    laconic.exceptions.BadModelFile: iris.json: not a laconic model file.
    """


class CeilingNotMet(ValueError):
    """A ceiling was declared that no model at hand can be promised to keep; the message says what would be needed.

    Examples
    --------
    >>> raise CeilingNotMet("At most 2 % may be missed, and at most 8.1 % is what can be promised.")
    Traceback (most recent call last):
    laconic.exceptions.CeilingNotMet: At most 2 % may be missed, and at most 8.1 % is what can be promised.
    """


class DamagedFile(ValueError):
    """A file that laconic wrote beside models, such as packed bits or a journal, is cut, altered or not whole.

    Examples
    --------
    >>> raise DamagedFile("flags.bits is damaged: the checksum of block 3 is wrong.")
    Traceback (most recent call last):
    laconic.exceptions.DamagedFile: flags.bits is damaged: the checksum of block 3 is wrong.
    """


class RowsFedBefore(ValueError):
    """Rows that a monitor is fed were fed before, by this process or another; they are not counted again.

    Examples
    --------
    >>> raise RowsFedBefore("Of these 20 rows, some or all were fed before: rows count once.")
    Traceback (most recent call last):
    laconic.exceptions.RowsFedBefore: Of these 20 rows, some or all were fed before: rows count once.
    """
