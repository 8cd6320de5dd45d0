"""What a model file keeps of the classifier that chooses its machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from laconic._kept import SELDOM, Count, Index, Text
from laconic._learners import FittedModel, State, require
from laconic.auto._choosing import Candidate


@dataclass(frozen=True, eq=False)
class Chosen(State):
    """The machine that was chosen, whole, and what it was chosen from."""

    machine: FittedModel
    candidates: tuple[Candidate, ...]
    why: Text
    spare: Index
    chose: Annotated[tuple[Count, ...] | None, SELDOM] = None

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the machine and the table of candidates."""
        names = {"machine": "machine_", "candidates": "candidates_", "why": "why_", "spare": "_spare"}
        found = {part: getattr(model, name) for part, name in names.items()}
        found["candidates"] = tuple(each.untimed() for each in model.candidates_)
        return found if model._chose is None else found | {"chose": model._chose}

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the machine, its hypothesis, and the table of candidates."""
        del model
        found: dict[str, Any] = {"machine_": self.machine, "candidates_": self.candidates, "why_": self.why}
        return found | {"hypothesis_": self.machine.hypothesis_, "_spare": self.spare, "_chose": self.chose}

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that the spare class is one."""
        require(self.spare < n_classes, f"It answers with class {self.spare}, and there are {n_classes}.")
        require(self.machine.n_features_in_ == n_columns, "Its machine has other columns.")
        counts = n_classes if self.chose is None else len(self.chose)
        require(counts == n_classes, f"{counts} classes chose its machine, and there are {n_classes}.")

    @staticmethod
    def check_model(model: Any) -> None:
        """See that the machine answers with its classes, has its columns, and the same certificate."""
        machine = model.machine_
        require(set(machine.classes_.tolist()) <= set(model.classes_.tolist()), "Its machine has other classes.")
        own, others = machine.columns(), model.columns()
        require(own.kinds == others.kinds, "Its machine has columns of other kinds.")
        require(own.names == others.names, "Its machine has columns of other names.")
        require(machine.certificate_ == model.certificate_, "Its machine has another certificate.")
