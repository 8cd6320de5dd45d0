"""One loader per table with classes, and :func:`load`, which finds every loader by name."""

from __future__ import annotations

from typing import Any

from laconic.datasets import _regression_loaders
from laconic.datasets._bunch import AsFrame, load_table
from laconic.datasets._catalogue import describe


def load(name: str, **options: Any) -> Any:
    """Load a table by its name.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.
    **options
        What ``load_<name>`` takes, by keyword:

        return_X_y : bool, default=False
            Return ``(X, y)`` instead of a Bunch.
        as_frame : bool or "polars", default=False
            False for arrays, True for pandas, ``"polars"`` for polars. In frames, text columns are
            categorical (pandas ``category``, polars ``Enum``); a missing value is NaN in pandas and
            null in polars.
        paper : bool, default=False
            Prepare the rows as the set covering machine paper did: drop those with a missing value,
            then every row whose attributes equal those of a row with another label. In
            ``house_votes`` the vote ``?`` counts as missing here. ``heart`` and ``glass`` are tables of
            the PAC-Bayes paper; ``glass`` comes with two classes here, which are our guess.
            ``kr_vs_kp`` is a table of the neural decision list paper, which uses all of it. The tables
            with a numeric target are those of the minimal complexity paper: rows with a missing value
            go, equal rows with different targets stay, and ``auto_mpg`` predicts another column.

    Returns
    -------
    Bunch or (X, y)
        A Bunch with ``data``, ``target``, ``frame`` (all columns, or None), ``feature_names``,
        ``target_names``, ``categories`` (column name to its categories), ``DESCR``, ``filename`` and
        ``data_module``. As arrays, ``data`` is float64: a text column holds the positions 0, 1, ... of
        its sorted categories, and a missing value is NaN. ``target`` holds the labels of the file, or
        float64 where it is a number; ``target_names`` then holds the one name of that column.

    Raises
    ------
    ValueError
        If there is no such table, or `as_frame` is something else.
    ImportError
        If `as_frame` asks for a library that is not installed.

    Examples
    --------
    >>> X, y = load("haberman", return_X_y=True, paper=True)
    >>> X.shape
    (294, 3)
    """
    # The loaders are found by name, so that a new table needs no second register.
    return (vars(_regression_loaders) | globals())[f"load_{describe(name).name}"](**options)


def load_breast_cancer_wisconsin(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the original Wisconsin breast cancer table: 699 biopsies, 9 scores from 1 to 10.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps 683 rows.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_breast_cancer_wisconsin().data.shape
    (699, 9)
    """
    return load_table("breast_cancer_wisconsin", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_house_votes(
    *,
    return_X_y: bool = False,
    as_frame: AsFrame = False,
    paper: bool = False,
    physician_fee_freeze: bool = True,
) -> Any:
    """Load the votes of the US House of Representatives in 1984: 435 members, 16 votes.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. ``paper=True`` keeps 232 rows; the paper reports 52, which cannot be
        derived from the data.
    physician_fee_freeze : bool, default=True
        False leaves out the vote of that name, which alone almost tells the parties apart.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> votes = load_house_votes(physician_fee_freeze=False)
    >>> votes.data.shape
    (435, 15)
    >>> votes.categories["crime"]
    ('?', 'n', 'y')
    """
    drop = () if physician_fee_freeze else ("physician_fee_freeze",)
    return load_table("house_votes", return_X_y=return_X_y, as_frame=as_frame, paper=paper, drop=drop)


def load_pima(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the Pima diabetes table: 768 women, 8 measurements, zeros for some missing values.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> X, y = load_pima(return_X_y=True)
    >>> int((y == "positive").sum())
    268
    """
    return load_table("pima", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_haberman(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load Haberman's survival table: 306 patients, 3 attributes.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps 294 rows: six contradictory pairs go.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_haberman(paper=True).data.shape
    (294, 3)
    """
    return load_table("haberman", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_bupa(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the BUPA liver table: 345 men, 6 attributes; its target is no diagnosis (see ``DESCR``).

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_bupa().target_names
    array([1, 2])
    """
    return load_table("bupa", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_glass2(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the window glass table: 163 splinters, 9 attributes, float-processed or not.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_glass2().feature_names
    ['RI', 'Na', 'Mg', 'Al', 'Si', 'K', 'Ca', 'Ba', 'Fe']
    """
    return load_table("glass2", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_credit(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the credit approval table: 690 applications, 6 numeric and 9 categorical attributes.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps 653 rows.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> credit = load_credit()
    >>> credit.categories["A13"]
    ('g', 'p', 's')
    """
    return load_table("credit", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_heart(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the Cleveland heart disease table: 303 patients, 8 numeric and 5 categorical attributes.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps 297 rows.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> heart = load_heart(paper=True)
    >>> heart.data.shape
    (297, 13)
    >>> heart.categories["slope"]
    ('downsloping', 'flat', 'upsloping')
    """
    return load_table("heart", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_glass(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the glass table: 214 splinters, 9 attributes, six types.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. ``paper=True`` keeps all rows and merges the types into two classes:
        ``building_float`` for 1, ``other`` for the rest. The paper does not state its classes; these
        are our guess, the one of five that comes nearest to its figures.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_glass().target_names
    array([1, 2, 3, 5, 6, 7])
    >>> load_glass(paper=True).target_names.tolist()
    ['building_float', 'other']
    """
    return load_table("glass", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_kr_vs_kp(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the chess end-game table: 3196 positions, 36 categorical attributes, won by white or not.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`. As arrays there is one number per attribute: 0 and 1 for the 35 binary ones
        (``f`` and ``t``; ``g`` and ``l`` in ``dwipd``; ``n`` and ``t`` in ``wtoeg``) and 0, 1, 2 for ``b``, ``n``,
        ``w`` in ``katri``. A halfspace can tell apart what it could with -1 and 1. In frames all 36 columns are
        categorical and hold these letters; none is Boolean, so a rule reads ``bkblk is t`` and not ``bkblk``.

    Examples
    --------
    >>> chess = load_kr_vs_kp()
    >>> chess.data.shape
    (3196, 36)
    >>> chess.categories["bkblk"], chess.categories["katri"]
    (('f', 't'), ('b', 'n', 'w'))
    """
    return load_table("kr_vs_kp", return_X_y=return_X_y, as_frame=as_frame, paper=paper)
