"""``laconic fit``: from a table to rules and a certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from laconic._words import counted
from laconic.cli._card import json_of, show
from laconic.cli._console import WrongCall, check_output, out, say, say_lines, visible, waiting, writing
from laconic.cli._options import (
    AsJson,
    Decimal,
    Drop,
    Encoding,
    Force,
    Ids,
    MaxBytes,
    Missing,
    Only,
    OutModel,
    Reading,
    Sep,
    Target,
    typed_again,
)

# of all learners
NAMES = "auto, scm, pac-bayes, normal-form, decision-list, rule-list, halfspaces, ndl, perceptron, pocket, score-card"
NAMES += ", card-list, score-table, mcm, votes"
_WORDS = {"inf": float("inf"), "True": True, "False": False, "None": None}  # as Python spells them; JSON has its own


Table = Annotated[
    str,
    typer.Argument(
        help="A CSV, TSV or Parquet file (.gz too), - for standard input, or a shipped data set; or packed bits."
    ),
]
LearnerName = Annotated[str, typer.Option("--learner", "-l", help=f"One of: {NAMES}.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter of the learner, as name=value; may be repeated.")
]
Folds = Annotated[
    int | None,
    typer.Option("--cv", min=2, help="Choose parameters by so many folds (scm, pac-bayes); say their error."),
]
Select = Annotated[str | None, typer.Option("--select", help="'bound': the certificate chooses (auto, scm).")]
Wanted = Annotated[
    list[str] | None,
    typer.Option(
        "--promise",
        help="What else to promise: classes, rules, costs, or name=value (groups=COLUMN, abstain=0.9, "
        'ceilings={"ill": 0.02}, costs={"ill": {"healthy": 5}}); may be repeated.',
    ),
]
PriorFile = Annotated[
    str | None,
    typer.Option(
        "--prior", help="A file with columns and weights, fixed before the data, for rules about columns (scm)."
    ),
]
Labels = Annotated[
    str | None,
    typer.Option("--labels", help="For packed bits: a table with the target, a row for each of theirs in their order."),
]
MaxMemory = Annotated[
    str | None,
    typer.Option("--max-memory", help="Leave Parquet, Arrow files or packed bits on disk, and hold at most so much."),
]
Cluster = Annotated[
    str | None, typer.Option("--dask", help="Let the Dask cluster with this scheduler fit a Parquet file.")
]


def run(
    context: typer.Context,
    table: Table,
    target: Target = None,
    learner: LearnerName = "auto",
    settings: Settings = None,
    cv: Folds = None,
    select: Select = None,
    promises: Wanted = None,
    prior: PriorFile = None,
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    na: Missing = None,
    max_bytes: MaxBytes = None,
    drop: Drop = None,
    only: Only = None,
    ids: Ids = None,
    labels: Labels = None,
    max_memory: MaxMemory = None,
    cluster: Cluster = None,
    file: OutModel = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fit rules to a table and certify them.

    Columns of dates, and of texts of which more than half are different, are left out; rows are counted from 1 below
    the header.

    Example: laconic fit breast_cancer_wisconsin --set form=disjunction --set max_rules=3 --out model.json

    Packed bits: laconic fit flags.bits --labels labels.csv --target ill --out model.json
    """
    check_output(file, table, *(each for each in (labels, prior) if each), force=force)
    reading = Reading.of(sep, decimal, encoding, na, drop, only, ids, max_bytes=max_bytes)
    given = parse_settings(settings or [])
    if prior is not None:
        from laconic.cli._known import with_prior

        given = with_prior(given, prior, learner, listed=cv is not None or select is not None)
    wanted = parse_promises(promises or [])
    from laconic._sources import is_packed

    packed = is_packed(table)
    if labels is not None and not packed:
        raise WrongCall(f"--labels goes with packed bits, which have no target; {table!r} are none.")
    columns = {"--drop": drop, "--only": only, "--id": ids}
    if packed:
        _refuse_some(columns, "is for columns of a table: leave out columns when you pack it (laconic pack --drop).")
        _refuse_some({"--dask": cluster}, "takes Parquet files; packed bits are fitted here.")
        how = learner, given, cv, select, wanted, max_memory
        model, heading, notes = _fit_packed(table, labels, target, reading, *how)
    elif max_memory is not None or cluster is not None:
        reason = "needs the rows in memory: it does not go with --max-memory or --dask."
        _refuse_some({"--promise": wanted, **columns}, reason)
        if cluster is not None:
            _refuse_some({"--cv": cv, "--select": select}, "does not go with --dask.")
        model, heading, notes = _fit_elsewhere(table, target, learner, given, cv, select, max_memory, cluster)
    else:
        model, heading, notes = _fit_here(table, target, reading, learner, given, cv, select, wanted)
    model.about_ |= {"command": typed_again(context, leave_out={"file", "force", "as_json"})}
    _keep_and_show(model, heading, notes, file, force, as_json)


def _refuse_some(options: Mapping[str, Any], reason: str) -> None:
    """Refuse the first of some options that was given."""
    if said := [option for option, value in options.items() if value]:
        raise WrongCall(f"{said[0]} {reason}")


def _fit_here(table: str, target: str | None, reading: Reading, learner: str, *how: Any) -> tuple[Any, str, list[str]]:
    """Read a table and fit it; give the model, a heading, and what is to be said of both."""
    from laconic.cli._fitting import fit_table
    from laconic.cli._tables import read_target

    task = read_target(table, target, reading)
    with waiting(f"Fitting {learner} to {counted(len(task.y), 'row')}"):
        model, ready, more = fit_table(task, learner, *how)
    refusal = model.certificate_.refusal.strip()  # what cannot be promised comes first
    notes = [*([refusal] if refusal else []), *task.notes, *ready.notes, *more]
    model.about_ = {"target": task.target, **({"notes": "\n".join(notes)} if notes else {})} | reading.about
    return model, _heading(table, len(ready.y), ready.X.shape[1], task.target), notes


def _fit_elsewhere(table: str, target: str | None, *how: Any) -> tuple[Any, str, list[str]]:
    """Do the same for a table whose rows stay where they are."""
    from laconic.cli._disk import fit_elsewhere

    with waiting(f"Fitting scm to {table}"):
        model, notes = fit_elsewhere(table, target, *how)
    model.about_ = {"target": target, **({"notes": "\n".join(notes)} if notes else {})}
    return model, _heading(table, model.certificate_.n_samples, model.n_features_in_, target), notes


def _fit_packed(table: str, *how: Any) -> tuple[Any, str, list[str]]:
    """Do the same for packed bits."""
    from laconic.cli._disk import fit_packed

    with waiting(f"Fitting {table}"):
        model, target, notes = fit_packed(table, *how)
    model.about_ = {"target": target, **({"notes": "\n".join(notes)} if notes else {})}
    return model, _heading(table, model.certificate_.n_samples, model.n_features_in_, target), notes


def _heading(table: str, n_rows: int, n_columns: int, target: str | None) -> str:
    return f"{table}: {counted(n_rows, 'row')}, {counted(n_columns, 'column')}, predicting {target}"


def _keep_and_show(model: Any, heading: str, notes: list[str], file: str | None, force: bool, as_json: bool) -> None:
    try:
        if file is not None:
            from laconic.model_file import save

            with writing("The model", file):
                save(model, file, force=force)
    finally:  # what was fitted is shown even where it cannot be kept
        if as_json:
            say_lines(json_of(model, notes=notes))
        else:
            _print(model, heading, notes)
    if file is not None and not as_json:
        say("")
        say(f"The model is in {file}; 'laconic show {file}' shows it again.")


def _print(model: Any, heading: str, notes: list[str]) -> None:
    say(heading)
    for note in notes:
        out().print(visible(f"- {note}", lines=False))
    show(model, out())


def parse_settings(settings: list[str]) -> dict[str, Any]:
    r"""Read name=value pairs; a value is JSON, ``inf``, ``True``, ``False``, ``None``, or else text.

    Examples
    --------
    >>> parse_settings(["penalty=1.5", "form=auto", "max_rules=null", "features=[\"stumps\"]"])
    {'penalty': 1.5, 'form': 'auto', 'max_rules': None, 'features': ['stumps']}
    """
    return dict(_named_value(setting, "--set") for setting in settings)


def parse_promises(promises: list[str]) -> dict[str, Any]:
    """Read what is to be promised: names, or name=value with values as in `parse_settings`.

    Examples
    --------
    >>> parse_promises(["classes", "groups=sex", "abstain=0.9"])
    {'classes': True, 'groups': 'sex', 'abstain': 0.9}
    """
    return dict((one, True) if "=" not in one else _named_value(one, "--promise") for one in promises)


def _named_value(text: str, option: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise WrongCall(f"{option} takes name=value, got {text!r}.")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, _WORDS.get(value, value)
