"""One loader for each table, and :func:`load`, which finds them by name."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any, Literal, Protocol

from laconic.datasets._bunch import AsFrame, load_table
from laconic.datasets._catalogue import describe

_COMMON = """\
Parameters
----------
return_X_y, as_frame, paper
    As in :func:`load`.

Returns
-------
Bunch or (X, y)
    As in :func:`load`.

"""


class Loader(Protocol):
    """How a loader without options of its own is called."""

    def __call__(self, *, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any: ...


def _loader(described: Callable[[], None]) -> Loader:
    """Make the loader of the table that a function is named after, with the function's docstring."""
    name = described.__name__.removeprefix("load_")

    def loader(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
        return load_table(name, return_X_y=return_X_y, as_frame=as_frame, paper=paper)

    loader.__name__ = loader.__qualname__ = described.__name__
    loader.__doc__ = str(getdoc(described)).replace("Examples\n", f"{_COMMON}Examples\n")
    return loader


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
    return globals()[f"load_{describe(name).name}"](**options)


@_loader
def load_breast_cancer_wisconsin() -> None:
    """Load the original Wisconsin breast cancer table: 699 biopsies, 9 scores from 1 to 10.

    The paper keeps 683 rows.

    Examples
    --------
    >>> load_breast_cancer_wisconsin().data.shape
    (699, 9)
    """


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


@_loader
def load_pima() -> None:
    """Load the Pima diabetes table: 768 women, 8 measurements, zeros for some missing values.

    The paper keeps all rows.

    Examples
    --------
    >>> X, y = load_pima(return_X_y=True)
    >>> int((y == "positive").sum())
    268
    """


@_loader
def load_haberman() -> None:
    """Load Haberman's survival table: 306 patients, 3 attributes.

    The paper keeps 294 rows: six contradictory pairs go.

    Examples
    --------
    >>> load_haberman(paper=True).data.shape
    (294, 3)
    """


@_loader
def load_bupa() -> None:
    """Load the BUPA liver table: 345 men, 6 attributes; its target is no diagnosis (see ``DESCR``).

    The paper keeps all rows.

    Examples
    --------
    >>> load_bupa().target_names
    array([1, 2])
    """


@_loader
def load_glass2() -> None:
    """Load the window glass table: 163 splinters, 9 attributes, float-processed or not.

    The paper keeps all rows.

    Examples
    --------
    >>> load_glass2().feature_names
    ['RI', 'Na', 'Mg', 'Al', 'Si', 'K', 'Ca', 'Ba', 'Fe']
    """


@_loader
def load_credit() -> None:
    """Load the credit approval table: 690 applications, 6 numeric and 9 categorical attributes.

    The paper keeps 653 rows.

    Examples
    --------
    >>> credit = load_credit()
    >>> credit.categories["A13"]
    ('g', 'p', 's')
    """


@_loader
def load_heart() -> None:
    """Load the Cleveland heart disease table: 303 patients, 8 numeric and 5 categorical attributes.

    The paper keeps 297 rows.

    Examples
    --------
    >>> heart = load_heart(paper=True)
    >>> heart.data.shape
    (297, 13)
    >>> heart.categories["slope"]
    ('downsloping', 'flat', 'upsloping')
    """


@_loader
def load_glass() -> None:
    """Load the glass table: 214 splinters, 9 attributes, six types.

    ``paper=True`` keeps all rows and merges the types into two classes:
    ``building_float`` for 1, ``other`` for the rest. The paper does not state its classes; these
    are our guess, the one of five that comes nearest to its figures.

    Examples
    --------
    >>> load_glass().target_names
    array([1, 2, 3, 5, 6, 7])
    >>> load_glass(paper=True).target_names.tolist()
    ['building_float', 'other']
    """


@_loader
def load_kr_vs_kp() -> None:
    """Load the chess end-game table: 3196 positions, 36 categorical attributes, won by white or not.

    The paper keeps all rows, so `paper` changes nothing.
    As arrays there is one number per attribute: 0 and 1 for the 35 binary ones
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


@_loader
def load_auto_mpg() -> None:
    """Load the Auto MPG table: 398 cars, 7 attributes, miles per gallon.

    ``paper=True`` predicts ``origin``, as the paper's figures show that it did,
    with ``mpg`` as the last attribute, and keeps the 392 rows without a missing value. The paper counts
    398 and does not say what it did with the others.

    Examples
    --------
    >>> load_auto_mpg().data.shape
    (398, 7)
    >>> cars = load_auto_mpg(paper=True)
    >>> cars.data.shape, cars.feature_names[-1], cars.target_names.tolist()
    ((392, 7), 'mpg', ['origin'])
    """


@_loader
def load_yacht() -> None:
    """Load the yacht table: 308 runs of model hulls in a towing tank, 6 attributes, their drag.

    The paper keeps all rows, so `paper` changes nothing.

    Examples
    --------
    >>> load_yacht().data.shape
    (308, 6)
    """


@_loader
def load_auto_price() -> None:
    """Load the auto price table: 159 cars of 1985, 15 numeric attributes, their price in dollars.

    The paper keeps all rows, so `paper` changes nothing.

    Examples
    --------
    >>> X, y = load_auto_price(return_X_y=True)
    >>> X.shape, float(y.max())
    ((159, 15), 35056.0)
    """


@_loader
def load_machine_cpu() -> None:
    """Load the machine CPU table: 209 computers, 6 attributes, their published relative performance.

    The paper keeps all rows, so `paper` changes nothing.

    Examples
    --------
    >>> load_machine_cpu().feature_names
    ['MYCT', 'MMIN', 'MMAX', 'CACH', 'CHMIN', 'CHMAX']
    """


@_loader
def load_baseball() -> None:
    """Load the baseball table: 337 players, 16 attributes, their salary in thousands of dollars.

    The paper keeps all rows, so `paper` changes nothing.
    The four flags at the end are 0 and 1, numbers also in frames.

    Examples
    --------
    >>> load_baseball().data.shape
    (337, 16)
    """


@_loader
def load_boston_housing() -> None:
    """Load the Boston housing table, to compare published figures only: 506 tracts, 13 attributes.

    One of its columns, ``B``, is made from the share of Black residents by a formula that takes for granted how
    segregation moves prices. scikit-learn removed the table for that; ``DESCR`` says more.

    The paper keeps all rows, so `paper` changes nothing.

    Examples
    --------
    >>> load_boston_housing().data.shape
    (506, 13)
    """


def load_energy(
    *,
    return_X_y: bool = False,
    as_frame: AsFrame = False,
    paper: bool = False,
    target: Literal["heating", "cooling"] = "heating",
) -> Any:
    """Load the energy efficiency table: 768 simulated buildings, 8 attributes, their heating or cooling load.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.
    target : {"heating", "cooling"}, default="heating"
        Which load to predict. The other one is left out. The paper's figures are those of heating.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Raises
    ------
    ValueError
        If `target` is something else.

    Examples
    --------
    >>> load_energy().target_names.tolist()
    ['heating_load']
    >>> load_energy(target="cooling").target[:3]
    array([21.33, 21.33, 21.33])
    """
    if target not in ("heating", "cooling"):
        raise ValueError(f'target must be "heating" or "cooling", got {target!r}')
    return load_table("energy", return_X_y=return_X_y, as_frame=as_frame, paper=paper, column=f"{target}_load")
