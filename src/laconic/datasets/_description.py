"""What is known about one table, and how it reads as text."""

from __future__ import annotations

from dataclasses import dataclass, field

UCI = "CC BY 4.0 as far as we know (UCI repository), not confirmed for this table"


@dataclass(frozen=True, slots=True)
class NumericTarget:
    """Another column of numbers that a table can be asked to predict.

    Parameters
    ----------
    column : str
        Its name.
    measures : str
        What the number is, with its unit.
    file : str, default=""
        The file whose last column it is; empty where it is an attribute in the table's own file.
    sha256 : str, default=""
        The checksum of that file.
    """

    column: str
    measures: str
    file: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """The facts about one table.

    Parameters
    ----------
    name : str
        The name that :func:`load` takes; the loader is ``load_<name>``.
    file : str
        The file inside ``laconic.datasets.data``.
    sha256 : str
        The checksum of that file.
    title : str
        What the table holds, in one line.
    source : str
        Who collected it and how it reached us.
    licence : str
        The terms of the data, as far as they are known.
    target : str
        The name of the last column.
    classes : tuple of (label, meaning)
        The labels, sorted, and what each means; none where the target is a number.
    rows : int
        How many rows the file has.
    paper_rows : int
        How many of them ``paper=True`` keeps.
    notes : str
        Oddities.
    unknown : str or None
        A category that ``paper=True`` takes for a missing value.
    paper_classes : tuple of (label, labels)
        Where ``paper=True`` merges classes: the new labels, sorted, and the labels of the file that each replaces.
    measures : str
        What a numeric target is, with its unit; empty where the target is a class.
    paper_target : NumericTarget or None
        Where ``paper=True`` predicts another column of the file.
    other_targets : tuple of NumericTarget
        What the loader's parameter `target` can choose instead, each in a file of its own.

    Examples
    --------
    >>> from laconic.datasets import describe
    >>> describe("glass2").classes
    (('float', 'float-processed window glass'), ('non_float', 'window glass not float-processed'))
    """

    name: str
    file: str
    sha256: str
    title: str
    source: str
    licence: str = field(default=UCI, kw_only=True)
    target: str
    classes: tuple[tuple[str | int, str], ...] = field(default=(), kw_only=True)
    rows: int
    paper_rows: int
    notes: str
    unknown: str | None = None
    paper_classes: tuple[tuple[str, tuple[str | int, ...]], ...] = ()
    measures: str = ""
    paper_target: NumericTarget | None = None
    other_targets: tuple[NumericTarget, ...] = ()

    @property
    def numeric(self) -> bool:
        """Whether the target is a number, so that the task is regression."""
        return not self.classes

    def labels(self, *, paper: bool) -> tuple[str | int, ...]:
        """Return the labels that a loaded table can have, sorted; none where the target is a number."""
        if paper and self.paper_classes:
            return tuple(label for label, _ in self.paper_classes)
        return tuple(label for label, _ in self.classes)

    @property
    def text(self) -> str:
        """All of it as plain text: the ``DESCR`` of a loaded table."""
        lines = [f"{label}: {meaning}" for label, meaning in self.classes]
        if self.paper_classes:
            merged = ", ".join(f"{label} = {' or '.join(map(str, old))}" for label, old in self.paper_classes)
            lines.append(f"paper=True merges them: {merged}")
        if self.numeric:
            lines.append(f"a number: {self.measures}")
        lines += [f"or {other.column}, a number: {other.measures}" for other in self.other_targets]
        if self.paper_target:
            lines.append(f"paper=True predicts {self.paper_target.column}, a number: {self.paper_target.measures}")
        targets = "\n".join(f"    {line}" for line in lines)
        return (
            f"{self.title}\n\n"
            f"Rows: {self.rows}, of which paper=True keeps {self.paper_rows}\n"
            f"Target: {self.target}\n{targets}\n"
            f"Source: {self.source}\n"
            f"Licence: {self.licence}\n"
            f"Notes: {self.notes}\n"
        )
