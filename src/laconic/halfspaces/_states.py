"""What model files keep of a perceptron: where it stands, and how it came there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from laconic._base import Lines
from laconic._kept import LATER, SELDOM, Count
from laconic._learners import require
from laconic._table import Booleans, Floats, Integers, Table
from laconic.certificates import Certificate
from laconic.halfspaces.perceptron._walk import Lesson, Stream, Survivor, Tested, Walk, halfspace
from laconic.rules import Literal

MOST_MISTAKES = 2**20
_MOST_ROWS = Meta(max_length=MOST_MISTAKES)


@dataclass(frozen=True, eq=False)
class MistakenRows:
    """Rows on which the perceptron was mistaken, whether they are positive, and in which order they came."""

    rows: Annotated[tuple[Floats, ...], _MOST_ROWS]
    positive: Annotated[Booleans, _MOST_ROWS]
    order: Integers

    def lesson(self, n_columns: int, mistakes: Integers, n_passes: int) -> Lesson:
        """Return them as the perceptron holds them."""
        rows = np.array(self.rows).reshape(len(self.rows), n_columns)
        places = np.zeros(len(rows), dtype=np.int64)
        places[self.order] = mistakes
        counts = np.bincount(self.order, minlength=len(rows))
        return Lesson(Stream(Table.from_array(rows), self.positive), places, counts, n_passes)

    def check(self, n_columns: int) -> None:
        """See that rows, labels and order belong together."""
        numbers = all(len(row) == n_columns and np.isfinite(row).all() for row in self.rows)
        require(numbers, f"A row that was mistaken has other than {n_columns} finite numbers.")
        require(len(self.positive) == len(self.rows), "Rows that were mistaken have no label, or two.")
        require(max(self.order, default=-1) < len(self.rows), "A mistake was made on a row that is not there.")


@dataclass(frozen=True, eq=False)
class Walked(Lines):
    """A perceptron: its mistakes are kept, since ``partial_fit`` and ``hypotheses`` go on from them."""

    current: Survivor
    best: Survivor
    n_seen: Count
    mistakes: Integers
    passes: tuple[Count, ...]
    lessons: Annotated[tuple[MistakenRows, ...], _MOST_ROWS]
    margin: float | None
    online_certificate: Certificate
    tested: Annotated[Tested | None, LATER] = None
    flags: Annotated[tuple[Literal, ...], Meta(max_length=2**16), SELDOM] = ()
    reading_nats: Annotated[float, Meta(ge=0), SELDOM] = 0.0

    @classmethod
    def parts(cls, model: Any) -> dict[str, Any]:
        """Return the walk, too."""
        walk: Walk = model._walk
        if sum(walk.passes) > MOST_MISTAKES:
            raise ValueError(
                f"The perceptron made {sum(walk.passes):,} mistakes, and a file keeps at most {MOST_MISTAKES:,}, since "
                "partial_fit goes on from them. Fit with fewer passes (max_epochs), or use another learner where "
                "classes overlap, such as PocketClassifier."
            )
        own = {
            **vars(walk),
            "mistakes": walk.mistakes(),
            "lessons": tuple(
                MistakenRows(tuple(lesson.examples.rows), lesson.examples.positive, order)
                for lesson, order in zip(walk.lessons, walk.orders(), strict=True)
            ),
            "margin": getattr(model, "margin_", None),
            "online_certificate": model.online_certificate_,
            "tested": model._tested,
        }
        return super().parts(model) | own

    def attributes(self, model: Any) -> dict[str, Any]:
        """Return the walk, and what is read off it."""
        ends = np.cumsum([len(each.order) for each in self.lessons])
        n_passes = [len(self.passes), *(1 for _ in self.lessons)]  # after the first, each is a partial_fit
        lessons = tuple(
            each.lesson(model.n_features_in_ + len(self.flags), self.mistakes[end - len(each.order) : end], passes)
            for each, end, passes in zip(self.lessons, ends, n_passes, strict=False)
        )
        walk = Walk(self.current, self.best, self.n_seen, self.passes, lessons, self.flags, self.reading_nats)
        found = {
            "coef_": np.array([model.hypothesis_.weights]),
            "intercept_": np.array([model.hypothesis_.bias]),
            "n_mistakes_": sum(walk.passes),
            "n_iter_": len(walk.passes),
            "path_": walk.passes,
            "online_hypothesis_": halfspace((self.tested or walk.best).weights, self.flags),
            "online_certificate_": self.online_certificate,
            "_walk": walk,
            "_tested": self.tested,
        }
        margin = {} if self.margin is None else {"margin_": self.margin}
        return super().attributes(model) | found | margin

    def check(self, n_columns: int, n_classes: int) -> None:
        """See that the mistakes add up, and are on rows that there are."""
        super().check(n_columns, n_classes)
        tested = () if self.tested is None else (self.tested.weights,)
        there = all(flag.feature < n_columns for flag in self.flags)
        require(there, "It weighs a category of a column that is not there.")
        n_inputs = n_columns + len(self.flags)
        for n_weights in map(len, (self.current.weights, self.best.weights, *tested)):
            require(n_weights == n_inputs + 1, f"It has {n_weights} weights for {n_inputs + 1} inputs.")
        learnt = sum(len(each.order) for each in self.lessons)
        add_up = len(self.passes) > 0 and sum(self.passes) == len(self.mistakes) == learnt
        require(add_up, "Its mistakes do not add up.")
        for lesson in self.lessons:
            lesson.check(n_inputs)

    @classmethod
    def agrees(cls, model: Any) -> bool:
        """Return whether the walk ends at the hypothesis."""
        return model.rules_ == (model.hypothesis_,) == (halfspace(model._walk.current.weights, model._walk.flags),)
