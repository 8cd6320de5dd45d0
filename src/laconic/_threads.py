"""Small dense solves in one thread: threads cost more than they save there, and last digits depend on their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _controller() -> Any:
    """Find the linear algebra that this process has loaded, once: that takes milliseconds."""
    import scipy.linalg  # noqa: F401 - brings the library that is to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def in_one_thread(solve: Callable[P, R]) -> Callable[P, R]:
    """Let a function use one thread for linear algebra, whatever the number that is set outside.

    Examples
    --------
    >>> import numpy as np
    >>> @in_one_thread
    ... def solve(A, b):
    ...     return np.linalg.solve(A, b)
    >>> solve(np.eye(2), np.ones(2))
    array([1., 1.])
    """

    @wraps(solve)
    def alone(*given: P.args, **named: P.kwargs) -> R:
        with _controller().limit(limits=1, user_api="blas"):
            return solve(*given, **named)

    return alone
