"""Conjunctions, disjunctions, k-CNF and k-DNF that agree with every row (paper 2)."""
