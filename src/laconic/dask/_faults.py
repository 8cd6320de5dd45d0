"""What may go wrong on a cluster, in words; and a wait for answers that ends where nobody is left to give them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

from laconic._optional import require

_LOOK_EVERY = 5.0  # seconds after which we look whether anybody works for us
_PATIENCE = "5 minutes"  # where nobody does, unless Dask was told another time
_ITS_NAME = "distributed.scheduler.no-workers-timeout"  # in Dask's configuration


def gathered(client: Any, futures: Sequence[Any]) -> list[Any]:
    """Wait for answers, as long as there is somebody who can give them.

    Dask itself waits without end where the last worker is gone, since another may come. So do we, but for five minutes,
    or as long as Dask's own ``distributed.scheduler.no-workers-timeout`` says.

    Parameters
    ----------
    client : distributed.Client
        Who speaks to the cluster.
    futures : sequence of Future
        What is waited for.

    Returns
    -------
    list
        The answers.
    """
    import dask
    from dask.utils import parse_timedelta

    patience = parse_timedelta(dask.config.get(_ITS_NAME, None) or _PATIENCE)
    answers: list[Any] = client.sync(_watched, client, futures, patience)
    return answers


async def _watched(client: Any, futures: Sequence[Any], patience: float) -> Any:
    """Gather answers, and look now and then whether the scheduler is there, and workers that run."""
    answers = asyncio.ensure_future(client.gather(futures, asynchronous=True))
    seen = monotonic()
    try:
        while not (await asyncio.wait([answers], timeout=min(_LOOK_EVERY, patience)))[0]:
            try:
                running = await asyncio.wait_for(client.scheduler.ncores_running(), patience)
            except TimeoutError as error:
                raise RuntimeError(
                    f"The scheduler of the cluster has said nothing for {patience:g} seconds. Nothing was fitted."
                ) from error
            except OSError:  # it cannot be reached; the client tries again for a while, and then ends the gathering
                running = {}
            if running:
                seen = monotonic()
            elif monotonic() - seen >= patience:
                raise RuntimeError(_no_worker(patience))
    except BaseException:
        answers.add_done_callback(lambda done: done.cancelled() or done.exception())  # which nobody waits for any more
        for future in futures:  # where all are released, the gathering ends by itself
            future.release()
        raise
    return answers.result()


def _no_worker(seconds: float) -> str:
    return (
        f"For {seconds:g} seconds the cluster has had no worker that runs: all are gone, or pause for want of memory. "
        f"Start some and fit again; where they need longer to start, set {_ITS_NAME} in Dask's configuration."
    )


@contextmanager
def clear_faults() -> Iterator[None]:
    """Say what happened where a cluster fails."""
    distributed = require("distributed", "Fitting on a cluster")
    from distributed.client import ClosedClientError, FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import NoWorkerError

    try:
        yield
    except distributed.KilledWorker as error:
        raise RuntimeError(
            "Workers of the cluster died again and again while they looked at the same partition, most often for want "
            "of memory. Make partitions smaller, or give workers more memory."
        ) from error
    except NoWorkerError as error:
        raise RuntimeError(_no_worker(error.timeout)) from error
    except (ClosedClientError, FutureCancelledError, CommClosedError) as error:
        raise RuntimeError(
            "The scheduler of the cluster was lost, or the client closed. Nothing was fitted; connect and fit again."
        ) from error


@contextmanager
def leaving_room() -> Iterator[None]:
    """Inside a task of a worker, leave its thread to other tasks: if all threads fitted, none could look at rows."""
    distributed = require("distributed", "Fitting on a cluster")
    try:
        distributed.get_worker()
    except ValueError:  # this is no task
        yield
        return
    with distributed.worker_client():
        yield
