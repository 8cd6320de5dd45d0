"""Halfspaces: the densest one, and what is built from them (papers 2 and 5)."""

from laconic.halfspaces.densest import find_large_subset, incremental_lp, multiple_incremental_lp
from laconic.halfspaces.pocket import Pocket, pocket
from laconic.halfspaces.search import Separated

__all__ = ["Pocket", "Separated", "find_large_subset", "incremental_lp", "multiple_incremental_lp", "pocket"]
