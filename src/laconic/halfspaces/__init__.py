"""Halfspaces: the densest one, and what is built from them (papers 2 and 5)."""

from laconic.halfspaces.densest import Separated, find_large_subset, incremental_lp, multiple_incremental_lp

__all__ = ["Separated", "find_large_subset", "incremental_lp", "multiple_incremental_lp"]
