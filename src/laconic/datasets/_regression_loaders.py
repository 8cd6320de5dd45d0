"""One loader per table with a number to predict."""

from __future__ import annotations

from typing import Any, Literal

from laconic.datasets._bunch import AsFrame, load_table


def load_auto_mpg(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the Auto MPG table: 398 cars, 7 attributes, miles per gallon.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. ``paper=True`` predicts ``origin``, as the paper's figures show that it did,
        with ``mpg`` as the last attribute, and keeps the 392 rows without a missing value. The paper counts
        398 and does not say what it did with the others.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_auto_mpg().data.shape
    (398, 7)
    >>> cars = load_auto_mpg(paper=True)
    >>> cars.data.shape, cars.feature_names[-1], cars.target_names.tolist()
    ((392, 7), 'mpg', ['origin'])
    """
    return load_table("auto_mpg", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_yacht(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the yacht table: 308 runs of model hulls in a towing tank, 6 attributes, their drag.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_yacht().data.shape
    (308, 6)
    """
    return load_table("yacht", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_auto_price(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the auto price table: 159 cars of 1985, 15 numeric attributes, their price in dollars.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> X, y = load_auto_price(return_X_y=True)
    >>> X.shape, float(y.max())
    ((159, 15), 35056.0)
    """
    return load_table("auto_price", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_machine_cpu(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the machine CPU table: 209 computers, 6 attributes, their published relative performance.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_machine_cpu().feature_names
    ['MYCT', 'MMIN', 'MMAX', 'CACH', 'CHMIN', 'CHMAX']
    """
    return load_table("machine_cpu", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_baseball(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the baseball table: 337 players, 16 attributes, their salary in thousands of dollars.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`. The four flags at the end are 0 and 1, numbers also in frames.

    Examples
    --------
    >>> load_baseball().data.shape
    (337, 16)
    """
    return load_table("baseball", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


def load_boston_housing(*, return_X_y: bool = False, as_frame: AsFrame = False, paper: bool = False) -> Any:
    """Load the Boston housing table, to compare published figures only: 506 tracts, 13 attributes.

    One of its columns, ``B``, is made from the share of Black residents by a formula that takes for granted how
    segregation moves prices. scikit-learn removed the table for that; ``DESCR`` says more.

    Parameters
    ----------
    return_X_y, as_frame, paper
        As in :func:`load`. The paper keeps all rows, so `paper` changes nothing.

    Returns
    -------
    Bunch or (X, y)
        As in :func:`load`.

    Examples
    --------
    >>> load_boston_housing().data.shape
    (506, 13)
    """
    return load_table("boston_housing", return_X_y=return_X_y, as_frame=as_frame, paper=paper)


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
