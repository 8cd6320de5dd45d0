"""The papers' own figures and tables, run again and judged. A paper's module lists what it reproduces; so does this."""

from reproductions import (
    halfspaces,
    halfspaces_slab,
    halfspaces_tables,
    minimal,
    pac,
    pac_bayes,
    scm,
    scm_peers,
    scm_tables,
)
from reproductions.record import Panel, Point, Report, Reproduction, Results, Task
from reproductions.rows import Row
from reproductions.runner import Interrupted, figures, reproduce
from reproductions.summary import summarise, write_summary

_MODULES = (scm, scm_peers, scm_tables, pac, pac_bayes, minimal, halfspaces, halfspaces_slab, halfspaces_tables)

REPRODUCTIONS: dict[str, Reproduction] = {each.name: each for module in _MODULES for each in module.REPRODUCTIONS}

__all__ = [
    "REPRODUCTIONS",
    "Interrupted",
    "Panel",
    "Point",
    "Report",
    "Reproduction",
    "Results",
    "Row",
    "Task",
    "figures",
    "reproduce",
    "summarise",
    "write_summary",
]
