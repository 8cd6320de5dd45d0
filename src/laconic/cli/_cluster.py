"""A Dask cluster that the command line asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from laconic._optional import require
from laconic.cli._console import WrongCall


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Speak to the scheduler at an address while a ``with`` block runs."""
    distributed = require("distributed", "Asking a cluster")
    try:
        client = distributed.Client(address)
    except (OSError, ValueError) as error:
        raise WrongCall(f"There is no Dask scheduler at {address}: {error}") from error
    with client:
        yield client
