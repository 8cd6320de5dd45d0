"""What a monitor keeps between batches: JSON, typed and checked, without any row."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from laconic._kept import Count
from laconic._layouts import Layouts
from laconic.monitor._evidence import ODDS, Evidence
from laconic.monitor._lines import LineEvidence

_FORMAT, _VERSION = "laconic watch", 1
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{32,64}$")]


@dataclass(frozen=True)
class Look:
    """How things stood after a batch.

    Parameters
    ----------
    n_rows, n_errors : int
        The rows with labels so far, and the errors among them.
    log_evidence : float
        ln of the wealth.
    low, high : float
        The ends of the interval for the mean risk so far.
    log_line_evidence : float or None
        ln of the mean wealth over lines; None where there are no intervals for them.
    """

    n_rows: Count
    n_errors: Count
    log_evidence: float
    low: float
    high: float
    log_line_evidence: float | None


@dataclass(frozen=True)
class WatchFile:
    """The state of a monitor; see `laconic.monitor.CertificateMonitor`."""

    alpha: Annotated[float, Meta(gt=0, lt=1)]
    model: Digest
    errors: Evidence
    lines: tuple[LineEvidence, ...]
    lines_largest: float
    seen: tuple[Digest, ...]
    history: tuple[Look, ...]


def _plain(value: Any, what: str) -> Any:
    del what
    if isinstance(value, float) and value - value != 0:  # JSON has no infinity
        return {"type": "float", "value": repr(value)}
    return value


_LAYOUT = Layouts(_plain).of(WatchFile)


def written_state(state: WatchFile) -> bytes:
    """Write a state down."""
    content = {"format": _FORMAT, "version": _VERSION, "state": _LAYOUT.write(state, "The state")}
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def read_state(path: str | os.PathLike[str]) -> WatchFile:
    """Read a state, checked."""
    refusal = f"{os.fspath(path)} is no state of a monitor, or was cut or altered"
    try:
        content = msgspec.json.decode(Path(path).read_bytes())
        if not isinstance(content, dict) or content.get("format") != _FORMAT or content.get("version") != _VERSION:
            raise ValueError(f"{refusal}: it has not the format {_FORMAT!r}, version {_VERSION}.")
        state: WatchFile = _LAYOUT.read(msgspec.convert(content.get("state"), _LAYOUT.shape))
    except msgspec.MsgspecError as error:
        raise ValueError(f"{refusal}: {error}.") from None
    every = [state.errors, *(each for line in state.lines for each in (line.more, line.fewer))]
    if any(len(each.wealth) != len(ODDS) for each in every):
        raise ValueError(f"{refusal}: its bets are others.")
    return state
