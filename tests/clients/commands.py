"""The command line, verb by verb, run in this process."""

import io
import json
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pandas as pd

from laconic._learners import registered
from tests.clients.declared import client, same_answers

ARITHMETIC_ONLY = 3  # what `laconic verify` says of models whose certificate rests on rows that drew nothing


class Refused(Exception):
    """A command was refused in words: the message must be listed."""


def command(*words, codes=(0,)):
    """Run a command, and give what it prints."""
    from laconic.cli import main

    out, err, before, code = io.StringIO(), io.StringIO(), sys.argv, 0
    with redirect_stdout(out), redirect_stderr(err):
        sys.argv = ["laconic", *map(str, words)]
        try:
            main()
        except SystemExit as left:
            code = left.code or 0
        finally:
            sys.argv = before
    if code not in codes:
        raise Refused(f"{code}: {err.getvalue()} {out.getvalue()}".strip())
    return out.getvalue()


def verb(name, **described):
    """Declare a verb that works on a saved model and a file of its rows."""

    def add(use):
        def run(t):
            with tempfile.TemporaryDirectory() as folder:
                model, rows = Path(folder) / "model.json", Path(folder) / "rows.csv"
                t.X.assign(target=t.y).to_csv(rows, index=False)
                use(t, model, rows)

        return client(f"laconic {name}", **{"needs": "polars"} | described)(run)

    return add


@verb("fit", slow=True)
def fitted(t, model, rows):
    entry = registered().get(t.name.removesuffix("CV"))
    if entry is None:
        raise Refused(f"no learner of the command line makes a {t.name}")
    folds = ["--cv", 2] if t.name.endswith("CV") else []
    command("fit", rows, "--target", "target", "--learner", entry.name, "--out", model, *folds)
    assert len(command("predict", model, rows).splitlines()) == len(t.X) + 1


@verb("predict")
def predicted(t, model, rows):
    t.model.save(model)
    same_answers(t, pd.read_csv(io.StringIO(command("predict", model, rows)))["prediction"])


@verb("show")
def shown(t, model, rows):
    t.model.save(model)
    assert t.model.to_text().splitlines()[0].split()[0] in command("show", model)
    assert json.loads(command("show", model, "--json"))


@verb("report", needs="matplotlib", slow=True)
def reported(t, model, rows):
    t.model.save(model)
    command("report", model, rows, "--target", "target", "--out", rows.with_suffix(".html"))
    assert "</html>" in rows.with_suffix(".html").read_text(encoding="utf-8")


@verb("export", needs="sqlglot")
def exported(t, model, rows):
    t.model.save(model)
    command("export", model, "--to", "sql", "--out", rows.with_suffix(".sql"))
    assert "SELECT" in rows.with_suffix(".sql").read_text(encoding="utf-8")


@verb("verify")
def verified(t, model, rows):
    t.model.save(model)
    command("verify", model, rows, "--target", "target", codes=(0, ARITHMETIC_ONLY))


@verb("watch")
def watched(t, model, rows):
    t.model.save(model)
    command("watch", model, rows, "--target", "target", "--state", rows.with_suffix(".jsonl"))


@verb("certify")
def certified(t, model, rows):
    promised = t.model.certificate_
    size = promised.compression_size
    errors = round(promised.empirical_risk * promised.n_samples)
    said = command("certify", "--rows", promised.n_samples + (size or 0), "--errors", errors, "--size", size or 0)
    assert "at most" in said
