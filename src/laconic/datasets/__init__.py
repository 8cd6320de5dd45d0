"""The tables and synthetic problems of the papers, ready to load offline.

Examples
--------
>>> from laconic.datasets import load_breast_cancer_wisconsin
>>> X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
>>> X.shape
(683, 9)
"""

from laconic.datasets._catalogue import describe, list_datasets
from laconic.datasets._description import Description, NumericTarget
from laconic.datasets._generators import make_conjunction
from laconic.datasets._genomes import Population, make_genomes
from laconic.datasets._loaders import (
    load,
    load_auto_mpg,
    load_auto_price,
    load_baseball,
    load_boston_housing,
    load_breast_cancer_wisconsin,
    load_bupa,
    load_credit,
    load_energy,
    load_glass,
    load_glass2,
    load_haberman,
    load_heart,
    load_house_votes,
    load_kr_vs_kp,
    load_machine_cpu,
    load_pima,
    load_yacht,
)

__all__ = [
    "Description",
    "NumericTarget",
    "Population",
    "describe",
    "list_datasets",
    "load",
    "load_auto_mpg",
    "load_auto_price",
    "load_baseball",
    "load_boston_housing",
    "load_breast_cancer_wisconsin",
    "load_bupa",
    "load_credit",
    "load_energy",
    "load_glass",
    "load_glass2",
    "load_haberman",
    "load_heart",
    "load_house_votes",
    "load_kr_vs_kp",
    "load_machine_cpu",
    "load_pima",
    "load_yacht",
    "make_conjunction",
    "make_genomes",
]
