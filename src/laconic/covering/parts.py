"""What other rooms build their own machines from: problems, families, the cover's parts and its cross-validation."""

from laconic.covering.core._family import known_families
from laconic.covering.core._folds import take_rows
from laconic.covering.core._greedy import Solution, cover, truncate
from laconic.covering.core._grid import Grid
from laconic.covering.core._machine import CoveringMachine, StreamedTraining, columns_of
from laconic.covering.core._naming import may_need_examples, name_values
from laconic.covering.core._problem import Form, Problem, Sample, make_problem, refuse_contradictions
from laconic.covering.core._reading_rows import added_up, class_factors, part_of, streamed
from laconic.covering.core._scheme import read_off_nats, seal
from laconic.covering.core._search import extended, first_smallest, fold_errors, staged_errors
from laconic.covering.core._search_estimators import PENALTIES
from laconic.covering.core._tasks import Part
from laconic.covering.core._templates import CombinationTemplate, LiteralTemplate, StumpTemplate, Template
from laconic.covering.packed._codes import code_of, text_of
from laconic.covering.packed._format import Words, add_to_digests, words_for
from laconic.covering.packed._search import StoredBlock, StoredSearch, Winner, searched_by
from laconic.covering.packed._store import Store
from laconic.covering.packed._table import PackedTable
from laconic.covering.packed._writer import PackedWriter, check_folder_place

__all__ = [
    "PENALTIES",
    "CombinationTemplate",
    "CoveringMachine",
    "Form",
    "Grid",
    "LiteralTemplate",
    "PackedTable",
    "PackedWriter",
    "Part",
    "Problem",
    "Sample",
    "Solution",
    "Store",
    "StoredBlock",
    "StoredSearch",
    "StreamedTraining",
    "StumpTemplate",
    "Template",
    "Winner",
    "Words",
    "add_to_digests",
    "added_up",
    "check_folder_place",
    "class_factors",
    "code_of",
    "columns_of",
    "cover",
    "extended",
    "first_smallest",
    "fold_errors",
    "known_families",
    "make_problem",
    "may_need_examples",
    "name_values",
    "part_of",
    "read_off_nats",
    "refuse_contradictions",
    "seal",
    "searched_by",
    "staged_errors",
    "streamed",
    "take_rows",
    "text_of",
    "truncate",
    "words_for",
]
