"""Hypotheses as frozen values: evaluate them on a table, say them in words, write them as plain dictionaries.

Every value compares by its fields, ``from_dict(rule.to_dict()) == rule``, and a missing value satisfies no condition.
A new kind of rule is a frozen dataclass that extends `Rule` and is decorated with `register`.
"""

from laconic.rules._answerable import answerable
from laconic.rules._atoms import Clause, Literal, Stump, Term
from laconic.rules._balls import Ball, SoftBall
from laconic.rules._base import Rule, Value, column_name, facts, from_dict, number_text, own, plain, register
from laconic.rules._combinations import (
    Combination,
    Conjunction,
    Disjunction,
    SoftCombination,
    SoftConjunction,
    SoftDisjunction,
)
from laconic.rules._halfspaces import Halfspace
from laconic.rules._highest import Highest
from laconic.rules._kinds import AnyRule, Rules
from laconic.rules._kmers import Kmer, canonical
from laconic.rules._lists import DecisionList, Dichotomies, first_to_speak, nearest_word
from laconic.rules._models import KernelExpansion, LinearModel, largest_first
from laconic.rules._sums import Bump, Hinge, Product, Shape, Slope, TermSum, values_of
from laconic.rules._votes import Vote

__all__ = [
    "AnyRule",
    "Ball",
    "Bump",
    "Clause",
    "Combination",
    "Conjunction",
    "DecisionList",
    "Dichotomies",
    "Disjunction",
    "Halfspace",
    "Highest",
    "Hinge",
    "KernelExpansion",
    "Kmer",
    "LinearModel",
    "Literal",
    "Product",
    "Rule",
    "Rules",
    "Shape",
    "Slope",
    "SoftBall",
    "SoftCombination",
    "SoftConjunction",
    "SoftDisjunction",
    "Stump",
    "Term",
    "TermSum",
    "Value",
    "Vote",
    "answerable",
    "canonical",
    "column_name",
    "facts",
    "first_to_speak",
    "from_dict",
    "largest_first",
    "nearest_word",
    "number_text",
    "own",
    "plain",
    "register",
    "values_of",
]
