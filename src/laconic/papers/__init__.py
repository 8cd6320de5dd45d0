"""The papers' own figures and tables, run again and judged. A paper's module lists what it reproduces; so does this."""

from laconic.papers import _halfspaces as halfspaces
from laconic.papers import _halfspaces_slab as halfspaces_slab
from laconic.papers import _halfspaces_tables as halfspaces_tables
from laconic.papers import _minimal as minimal
from laconic.papers import _pac as pac
from laconic.papers import _pac_bayes as pac_bayes
from laconic.papers import _scm as scm
from laconic.papers import _scm_peers as scm_peers
from laconic.papers import _scm_tables as scm_tables
from laconic.papers._record import Panel, Point, Report, Reproduction, Results, Task
from laconic.papers._rows import Row
from laconic.papers._runner import Interrupted, figures, reproduce
from laconic.papers._summary import summarise, write_summary

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
