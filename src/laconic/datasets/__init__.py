"""The tables and synthetic problems of the papers, ready to load offline.

Examples
--------
>>> from laconic.datasets import load_breast_cancer_wisconsin
>>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
>>> X.shape
(683, 9)
"""

from laconic.datasets._catalogue import Description, describe, list_datasets
from laconic.datasets._generators import make_conjunction
from laconic.datasets._loaders import (
    load,
    load_breast_cancer_wisconsin,
    load_bupa,
    load_credit,
    load_glass,
    load_glass2,
    load_haberman,
    load_heart,
    load_house_votes,
    load_kr_vs_kp,
    load_pima,
)

__all__ = [
    "Description",
    "describe",
    "list_datasets",
    "load",
    "load_breast_cancer_wisconsin",
    "load_bupa",
    "load_credit",
    "load_glass",
    "load_glass2",
    "load_haberman",
    "load_heart",
    "load_house_votes",
    "load_kr_vs_kp",
    "load_pima",
    "make_conjunction",
]
