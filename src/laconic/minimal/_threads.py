"""Dense linear algebra in one thread.

Our systems are small, so that threads mostly wait for each other, badly so beside other work; and the last digits of a
product depend on their number, which neither a fit nor what is rebuilt from a few rows may.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()  # looking for them takes as long as a small fit


def in_one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function use one thread of the BLAS, whatever the number is outside."""

    @wraps(function)
    def limited(*given: P.args, **named: P.kwargs) -> R:
        with _libraries().limit(limits=1, user_api="blas"):
            return function(*given, **named)

    return limited
