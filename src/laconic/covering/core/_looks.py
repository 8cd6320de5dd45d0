"""Looks at rows that stay where they are, shared: searches that run side by side wait for each other, and look at once.

Reading rows costs more than summing them up. So the paths of a grid, and those of all folds, run in threads of their
own, and when each of them waits for an answer about the rows, one look answers all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from functools import cached_property
from threading import Condition, Event
from typing import Any, NamedTuple

from laconic._progress import Ended, ending
from laconic.covering.core._tasks import Holder, Part, Rows, Task

_AT_ONCE = 64  # threads that one map starts


class Asked(NamedTuple):
    """A task that waits for its answer, about all rows (None) or some."""

    task: Task
    rows: Rows | None
    answer: Future[Any]


@dataclass(frozen=True, eq=False)
class Together:
    """Several tasks in one look.

    Parameters
    ----------
    groups : tuple of pairs of Rows or None and tuple of Task
        For all rows (None), or for some, what is asked about them.
    """

    groups: tuple[tuple[Rows | None, tuple[Task, ...]], ...]

    @cached_property
    def columns(self) -> frozenset[int]:
        """The columns that any of them looks at."""
        return frozenset[int]().union(*(task.columns for _, tasks in self.groups for task in tasks))

    def __call__(self, part: Part) -> list[Any]:
        """Look at one part, for each group at its own rows; where it has none of them, None stands for an answer."""
        answers: list[Any] = []
        for rows, tasks in self.groups:
            own = part if rows is None else part.only(rows.within(part))
            if len(tasks) > 1:
                own = own.shared()
            answers += [task(own) if len(own.sample.positive) else None for task in tasks]
        return answers

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All of them, in their order."""
        return tuple(task for _, tasks in self.groups for task in tasks)

    def add(self, one: list[Any], other: list[Any]) -> list[Any]:
        """Join two."""
        both = zip(self.tasks, one, other, strict=True)
        return [b if a is None else a if b is None else task.add(a, b) for task, a, b in both]


@dataclass
class Looks:
    """A holder of rows whose looks are shared by all that run in its `map`.

    Parameters
    ----------
    holder : Holder
        Who holds the rows.
    capacity : int
        How many values may be brought here by one look.
    """

    holder: Holder
    capacity: int
    _changed: Condition = field(default_factory=Condition, repr=False)
    _n_at_work: int = 0  # threads that do not wait
    _asked: list[Asked] = field(default_factory=list)
    _over: bool = False
    _failure: BaseException | None = None

    def total(self, task: Task, rows: Rows | None = None) -> Any:
        """Run a task on every part of all rows or some, and add up the answers; inside `map`, together with others."""
        asked = Asked(task, rows, Future())
        if _sharing.get() is not self:
            self._look([asked])
            return asked.answer.result()
        with self._changed:
            if self._over:
                raise Ended
            self._asked.append(asked)
            self._n_at_work -= 1
            self._changed.notify_all()
        return asked.answer.result()

    def map(self, work: Callable[..., Any], *items: Any) -> list[Any]:
        """Do some work for each of some items, side by side, and give the answers in the order of the items."""
        calls = list(zip(*items, strict=True))
        if len(calls) < 2:
            return [work(*call) for call in calls]
        found: list[Any] = []
        for start in range(0, len(calls), _AT_ONCE):
            found += self._side_by_side(work, calls[start : start + _AT_ONCE])
        return found

    def _side_by_side(self, work: Callable[..., Any], calls: Sequence[Any]) -> list[Any]:
        inside = _sharing.get() is self  # some map of ours waits for this one
        n_left = len(calls)

        def run(call: Any) -> Any:
            nonlocal n_left
            _sharing.set(self)
            try:
                return work(*call)
            except BaseException as error:
                self._failure = self._failure or error
                raise
            finally:
                with self._changed:
                    n_left -= 1
                    if n_left or not inside:  # the place of the last one is taken by who waits for all
                        self._n_at_work -= 1
                    self._changed.notify_all()

        with self._changed:
            self._n_at_work += len(calls) - inside
        with ThreadPoolExecutor(len(calls)) as pool, ending() as ended:
            answers = [pool.submit(copy_context().run, run, call) for call in calls]
            if not inside:
                self._answer_all(ended)
            return [each.result() for each in answers]

    def _answer_all(self, ended: Event) -> None:
        """Look for all that wait, again and again, until nobody does; where one fails, end the others."""
        try:
            while (waiting := self._wait()) and self._failure is None:
                self._look(waiting)
            if self._failure is not None:
                raise self._failure
        except BaseException:
            ended.set()
            with self._changed:
                self._over = True
                for asked in self._asked:
                    asked.answer.set_exception(Ended())
                self._n_at_work += len(self._asked)
                self._asked.clear()
                while self._n_at_work:
                    self._changed.wait()
                self._over, self._failure = False, None
            raise

    def _wait(self) -> list[Asked]:
        """Wait until everybody waits, and give those whose answers have room."""
        with self._changed:
            while self._n_at_work:
                self._changed.wait()
            n_values, n_taken = 0, 0
            for asked in self._asked:
                n_values += getattr(asked.task, "n_values", 0)
                if n_taken and n_values > self.capacity:
                    break
                n_taken += 1
            return self._asked[:n_taken]

    def _look(self, waiting: Sequence[Asked]) -> None:
        """Answer some tasks by one look."""
        groups: dict[int, list[Asked]] = {}
        for asked in waiting:
            groups.setdefault(id(asked.rows), []).append(asked)
        if len(waiting) == 1 and waiting[0].rows is None:
            found = [self.holder.total(waiting[0].task)]
        else:
            together = Together(tuple((own[0].rows, tuple(each.task for each in own)) for own in groups.values()))
            found = self.holder.total(together)
        if any(each is None for each in found):
            raise ValueError("A fold has no rows; choose other folds.")
        with self._changed:
            taken = {id(asked) for asked in waiting}
            n_before = len(self._asked)
            self._asked = [asked for asked in self._asked if id(asked) not in taken]
            self._n_at_work += n_before - len(self._asked)
            for asked, answer in zip((each for own in groups.values() for each in own), found, strict=True):
                asked.answer.set_result(answer)


_sharing: ContextVar[Looks | None] = ContextVar("_sharing", default=None)


@dataclass(frozen=True, eq=False)
class LooksAtSome:
    """A holder of some of the rows of another.

    Parameters
    ----------
    looks : Looks
        Who looks at all rows.
    rows : Rows
        Which of them.
    """

    looks: Looks
    rows: Rows

    def total(self, task: Task) -> Any:
        """Run a task on the rows of every part, and add up the answers."""
        return self.looks.total(task, self.rows)

    def map(self, work: Callable[..., Any], *items: Any) -> list[Any]:
        """Do some work for each of some items; see `Looks.map`."""
        return self.looks.map(work, *items)
