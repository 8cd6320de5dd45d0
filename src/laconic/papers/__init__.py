"""The papers' own figures and tables, run again: one module for each paper, one function for each figure or table."""

from laconic.papers.scm import LearningPoint, figure1

__all__ = ["LearningPoint", "figure1"]
