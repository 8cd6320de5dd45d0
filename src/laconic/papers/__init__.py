"""The papers' own figures and tables, run again: one module for each paper, one function for each figure or table."""

from laconic.papers.scm import LearningPoint, figure1
from laconic.papers.scm_tables import Cell, PeerCell, nested_errors, table1, table2

__all__ = ["Cell", "LearningPoint", "PeerCell", "figure1", "nested_errors", "table1", "table2"]
