"""Work in a child process that may use so many seconds of processor time, and five times as many by the clock."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 5  # seconds by the clock for each second of processor time: machines are shared


def limited(work: Callable[[], dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Do work in a child process; where it takes too long or breaks, say so."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _work_in_child(work, seconds, writer)
    os.close(writer)
    end, text = time.monotonic() + PATIENCE * seconds, b""
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
        piece = os.read(reader, 65536) if ready else b""
        text += piece
        if not piece:
            break
    if not ready:
        os.killpg(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        slow = not ready or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL))
        return {"failed": f"more than {seconds:g} s" if slow else f"ended with status {status}"}


def _work_in_child(work: Callable[[], dict[str, Any]], seconds: float, writer: int) -> None:
    os.setsid()
    whole = max(1, round(seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)  # results go through the parent's standard output
    try:
        result = work()
    except Exception as error:
        result = {"failed": f"{type(error).__name__}: {error}"[:200]}
    with os.fdopen(writer, "w") as file:
        file.write(json.dumps(result))
    os._exit(0)
