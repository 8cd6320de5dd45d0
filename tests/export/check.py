"""Checks of exports that take long or need other environments: ``python -m tests.export.check million`` and others."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.peers.environments import prepare, surroundings
from tests.export.agreement import ENGINES, NAMES, disagreements, golden, trial

from laconic.export import to_pmml

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".peers"
MILLION = 1_000_000
PIECE = 50_000  # rows at a time, so that a model of hundreds of kernels stays in memory
PMML_ROWS = 20_000


def million(names):
    """Ask every engine about a million rows of every model, piece by piece."""
    wrong = 0
    for name in names or NAMES:
        model = golden(name)
        try:
            model.reading().answer()
        except ValueError as error:
            print(f"{name}: refused: {error}", flush=True)
            continue
        start, found = time.time(), dict.fromkeys(ENGINES, 0)
        n_refused = n_open = 0
        for seed in range(MILLION // PIECE):
            tried = trial(model, PIECE, seed)
            n_refused, n_open = n_refused + int(tried.refused.sum()), n_open + int(tried.open.sum())
            for engine, ask in list(found.items()):
                if not isinstance(ask, int):
                    continue
                try:
                    found[engine] += len(disagreements(tried, ENGINES[engine](tried)))
                except ValueError as error:
                    found[engine] = f"refused ({str(error)[:60]}...)"
        wrong += sum(count for count in found.values() if isinstance(count, int))
        said = ", ".join(f"{engine} {count}" for engine, count in found.items())
        print(
            f"{name}: {MILLION} rows ({n_refused} refused, {n_open} hang on rounding), disagreements: {said} "
            f"[{time.time() - start:.0f} s]",
            flush=True,
        )
    return wrong


def pmml(names):
    """Let jpmml-evaluator answer, on whatever Java there is."""
    python = prepare("pmml", HOME)
    if python is None:
        return 1
    wrong, tries = 0, {}
    with tempfile.TemporaryDirectory() as work:
        for name in names or NAMES:
            model = golden(name)
            try:
                text = to_pmml(model)
            except ValueError as error:
                print(f"{name}: refused: {error}")
                continue
            tried, folder = trial(model, PMML_ROWS), Path(work) / name
            folder.mkdir()
            (folder / "model.pmml").write_text(text, encoding="utf-8")
            columns = {tried.names[place]: tried.columns[place] for place in tried.answer.used}
            columns = columns or {"nothing": [0.0] * tried.n_rows}
            missing = {key: [None if v is None or v != v else v for v in values] for key, values in columns.items()}
            (folder / "rows.json").write_text(json.dumps(missing), encoding="utf-8")
            tries[name] = tried
        command = [str(python), str(Path(__file__).with_name("pmml_worker.py")), *(f"{work}/{name}" for name in tries)]
        subprocess.run(command, check=True)
        for name, tried in tries.items():
            said = json.loads((Path(work) / name / "answers.json").read_text(encoding="utf-8"))
            rows = disagreements(tried, said)
            wrong += len(rows)
            print(f"{name}: {len(rows)} of {tried.n_rows} rows differ, {int(tried.refused.sum())} were refused")
            for row in rows[:3]:
                print("   ", [column[row] for column in tried.columns], said[row], tried.expected[row])
    return wrong


def with_orbital(names):
    """Let orbital translate pipelines that end in a laconic model."""
    del names
    python = prepare("orbital", HOME)
    if python is None:
        return 1
    return subprocess.run(
        [str(python), str(Path(__file__).with_name("orbital_worker.py"))], env=surroundings(ROOT)
    ).returncode


if __name__ == "__main__":
    check = {"million": million, "pmml": pmml, "orbital": with_orbital}[sys.argv[1]]
    n_wrong = check(sys.argv[2:])
    print(f"{n_wrong} disagreements")
    sys.exit(1 if n_wrong else 0)
