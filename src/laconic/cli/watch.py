"""``laconic watch``: whether what a model promised still holds on new rows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

import laconic
from laconic._words import counted
from laconic.cli._console import WrongCall, check_output, remark, say_lines
from laconic.cli._options import Decimal, Encoding, Ids, MaxBytes, Missing, ModelFile, Reading, Sep
from laconic.exceptions import RowsFedBefore

if TYPE_CHECKING:
    from laconic.monitor import CertificateMonitor

EXIT_REFUSED, EXIT_ALARM = 1, 4


def run(
    model: ModelFile,
    table: Annotated[str, typer.Argument(help="New rows: a file, - for standard input, or a data set.")],
    state: Annotated[str, typer.Option("--state", help="The journal of what was seen; made if there is none.")],
    target: Annotated[
        str | None, typer.Option("--target", help="The column with the true classes; without it, lines are watched.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="How likely a false alarm may be; settled by the first call, 0.05 unless said.")
    ] = None,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    max_bytes: MaxBytes = None,
    ids: Ids = None,
) -> None:
    """Feed new rows to the watch over a model, and say whether its promise can still be believed.

    Look as often as you like, after batches of any size: the probability that an alarm is ever raised while the risk is
    what was promised is at most alpha. Rows without a class are left out, which is fine if that has nothing to do with
    whether the model is right. Several calls may feed one state at once; rows that were fed before do not count again.
    Exit codes: 0 no alarm, 4 alarm, 1 the rows were refused, and nothing is counted.

    Example: laconic watch model.json new.csv --target class --state watch.jsonl
    """
    check_output(state, model, table, force=False)
    from laconic.cli._predicting import known_columns
    from laconic.cli._reporting import known_target
    from laconic.cli._sources import named_columns, read_source

    fitted = laconic.load(model)
    monitor = _opened(state, fitted, alpha)
    reading = Reading.of(sep, decimal, encoding, na, ids=ids, max_bytes=max_bytes).as_remembered(
        getattr(fitted, "about_", {})
    )
    source = read_source(table, reading)
    X = known_columns(source, fitted, everything=True)
    names = source.frame.select(named_columns(reading.ids, source.frame.columns, "--id"))
    labels = None
    if target is not None:
        y = known_target(source, fitted, target)
        known = y.is_not_null()
        X, labels = X.filter(known), y.filter(known).to_numpy()
        names = names.filter(known) if names.width else names
        if left := int((~known).sum()):
            remark(f"{counted(left, 'row')} without {target} left out.")
    rows = X if hasattr(fitted, "feature_names_in_") else X.to_numpy()
    code = 0
    try:
        monitor.update(rows, labels, names.rows() if names.width else None)
    except RowsFedBefore as error:  # an alarm is told all the same
        remark(str(error))
        code = EXIT_REFUSED
    say_lines(monitor.summary())
    raise typer.Exit(EXIT_ALARM if monitor.alarm_ or monitor.line_alarm_ else code)


def _opened(state: str, fitted: Any, alpha: float | None) -> CertificateMonitor:
    from laconic.monitor import CertificateMonitor

    monitor = CertificateMonitor.open(state, fitted, None if os.path.exists(state) else alpha)
    if alpha is not None and alpha != monitor.alpha:
        raise WrongCall(f"This watch has alpha {monitor.alpha:g}, settled by its first rows; leave --alpha out.")
    return monitor
