"""Long work that answers Ctrl-C and says how far it has come.

Python looks for Ctrl-C in its main thread alone, between two of its own instructions: a kernel that runs for a minute
answers after a minute. So a driver hands its kernel pieces of about a tenth of a second. Other threads are never told
by Python that nobody waits for them any more; ours look themselves, before each piece.

Loops `report` what they have done; who wants to hear of it listens by `progress`, and if nobody does, it costs nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from math import inf
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, TypeAlias, TypeVar

R = TypeVar("R")
Tell: TypeAlias = Callable[[str, int, int | None], Any]

AT_ONCE = 2**25  # entries of a table that a kernel goes through in about a tenth of a second
_LOOK_EVERY = 0.1  # seconds
_ended: ContextVar[tuple[Event, ...]] = ContextVar("_ended", default=())
_listener: ContextVar[Tell | None] = ContextVar("_listener", default=None)


class Ended(BaseException):
    """Nobody waits for this work any more; it is raised in our threads alone, and seen by nobody."""


def heed() -> None:
    """End the work of this thread, if the call that it works for has ended."""
    for event in _ended.get():
        if event.is_set():
            raise Ended


@contextmanager
def progress(tell: Tell, *, every: float = 0.1) -> Iterator[None]:
    """Let every fit inside a ``with`` block tell how far it has come.

    A fit consists of loops, one inside the other: folds, the rules of a machine, the centres around which rows are
    sorted, passes, steps of a solver. Each tells of itself.

    Parameters
    ----------
    tell : callable
        Called as ``tell(what, done, total)``: what is counted, in a word or two, how many are done, and how many there
        are to be at most, None if nobody knows. It is called by one thread at a time, not always the same one, and
        what it raises ends the fit.
    every : float, default=0.1
        Of the same kind of thing it is told no sooner than so many seconds after the last time.

    Notes
    -----
    It reaches the threads of a fit (``n_jobs``), and no other processes, such as those of scikit-learn's searches.

    Examples
    --------
    >>> import laconic
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    >>> with laconic.progress(print, every=0):
    ...     model = laconic.SetCoveringClassifier(form="conjunction", features="stumps", penalty=1.0).fit(X, y)
    rules 0 10
    rules 1 10
    rules 2 10
    """
    lock, last = Lock(), dict[str, float]()

    def tell_seldom(what: str, done: int, total: int | None) -> None:
        with lock:
            now = monotonic()
            if now - last.get(what, -inf) >= every:
                last[what] = now
                tell(what, done, total)

    token = _listener.set(tell_seldom)
    try:
        yield
    finally:
        _listener.reset(token)


def report(what: str, done: int, total: int | None = None) -> None:
    """Say how far a loop has come, to who listens; end the work of this thread as `heed` does."""
    heed()
    tell = _listener.get()
    if tell is not None:
        tell(what, done, total)


def pieces(n_items: int, entries_each: int) -> Iterator[slice]:
    """Cut items, each of which costs a look at so many entries of a table, into pieces of about a tenth of a second.

    Examples
    --------
    >>> list(pieces(5, 2**24))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = share(entries_each)
    for start in range(0, n_items, size):
        heed()
        yield slice(start, min(start + size, n_items))


def share(entries_each: int) -> int:
    """Return how many items make a piece, at least one."""
    return max(1, AT_ONCE // max(1, entries_each))


@contextmanager
def ending() -> Iterator[Event]:
    """Let threads that are started inside a ``with`` block end, when they `heed`, once the block fails."""
    ended = Event()
    token = _ended.set((*_ended.get(), ended))
    try:
        yield ended
    except BaseException:
        ended.set()
        raise
    finally:
        _ended.reset(token)


@contextmanager
def thread_map(n_jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Return a map: a plain one, or one with threads (the kernels let go of the interpreter lock).

    Where the work fails or is interrupted, what waits is dropped, and what runs ends with its piece.

    Examples
    --------
    >>> with thread_map(2) as run:
    ...     list(run(abs, [-1, 2]))
    [1, 2]
    """
    if n_jobs == 1:
        yield map
        return
    with ThreadPoolExecutor(n_jobs) as pool:

        def run(task: Callable[..., Any], *items: Any) -> Iterator[Any]:
            tasks = [pool.submit(copy_context().run, task, *each) for each in zip(*items, strict=True)]
            return (each.result() for each in tasks)

        try:
            with ending():
                yield run
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_ahead(n_jobs: int, work: Callable[[Any], R], items: Iterable[Any]) -> Iterator[R]:
    """Do some work for each of some items with threads, and give the answers in the order of the items.

    Items are taken while the threads work, and at most one more than these are busy with is there at once.

    Parameters
    ----------
    n_jobs : int
        Threads; 1: no other than this one.
    work : callable
        From an item to an answer.
    items : iterable
        The items.

    Examples
    --------
    >>> list(run_ahead(2, abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    if n_jobs == 1:
        yield from map(work, items)
        return
    waiting = deque[Future[R]]()
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            with ending():
                for item in items:
                    waiting.append(pool.submit(copy_context().run, work, item))
                    if len(waiting) == n_jobs:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_apart(work: Callable[[], R], stop: Callable[[], None]) -> R:
    """Run foreign code that knows nothing of Ctrl-C in a thread of its own; when this one is interrupted, stop it.

    Parameters
    ----------
    work : callable
        What to run; it lets go of the interpreter lock.
    stop : callable
        What makes it return early.

    Returns
    -------
    object
        What it returned.

    Examples
    --------
    >>> run_apart(lambda: 3, stop=lambda: None)
    3
    """
    done, answer = Event(), Future[R]()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # it belongs to who waits
            answer.set_exception(error)
        finally:
            done.set()

    Thread(target=run, daemon=True).start()
    try:
        while not done.wait(_LOOK_EVERY):
            heed()
    except BaseException:
        stop()
        done.wait()
        raise
    return answer.result()
