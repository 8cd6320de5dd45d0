"""The comparison with peers: same folds for all, cells that are kept, peers that hang, words counted alike."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest
from benchmarks.peers import __main__ as running
from benchmarks.peers import scikit, summary, tables
from benchmarks.peers.learners import LEARNERS
from benchmarks.peers.preparing import Flags, Numbers
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

ROOT = Path(__file__).parents[1]
LEARNER = "tree, depth 3"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    (folder / "tables-data").mkdir()
    tables.write("iris", tables.catalogue()["iris"], folder / "tables-data")
    return folder


def test_the_catalogue_has_tables_enough_and_says_their_roles():
    entries = tables.catalogue().values()
    counts = {task: sum(entry["task"] == task for entry in entries) for task in ("two", "several", "number")}
    assert counts["two"] >= 25
    assert min(counts["several"], counts["number"]) >= 8
    assert {entry["role"] for entry in entries} == {"tuned", "measured"}


def test_folds_are_the_same_for_all_and_hold_every_row_once(home):
    data = tables.read("iris", home / "tables-data")
    folds = [data.parts[str(fold)] for fold in range(tables.N_FOLDS)]
    assert sorted(row for fold in folds for row in fold) == list(range(150))
    assert all(np.unique(data.y[fold], return_counts=True)[1].tolist() == [10, 10, 10] for fold in folds)
    assert data.parts == tables.parts(data.y, "several", "iris")
    assert data.parts != tables.parts(data.y, "several", "another table")
    splits = [rows for part, rows in data.parts.items() if part.startswith("split")]
    assert [len(rows) for rows in splits] == [30] * tables.N_SPLITS


def test_cells_are_run_once_and_again_where_the_version_is_another(home, tmp_path, monkeypatch):
    monkeypatch.setattr(summary, "catalogue", lambda: {"iris": tables.catalogue()["iris"]})

    def left():
        return list(running.missing(home, [LEARNER], ["iris"], "every", stale=False))

    assert [cell["part"] for cell in left()] == ["0", "1", "2", "3", "4"]
    running.run(left(), home, {"rules": Path(sys.executable)}, jobs=1, seconds=60)
    assert left() == []
    (line,) = summary.all_lines(home, tmp_path, stale=False)
    assert 0 <= line["error"] < 0.2
    assert 2 <= line["words"] <= 7
    summary.write_csv(tmp_path / "peers.csv", [line])
    path = home / "cells" / "tree--depth-3.jsonl"
    cells = [json.loads(text) for text in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(cell) + "\n" for cell in cells if cell["part"] != "3"))
    assert [cell["part"] for cell in left()] == ["3"]
    (written,) = summary.all_lines(home, tmp_path, stale=False)  # a fold is missing: what was written stays
    assert written["error"] == round(line["error"], 4)
    assert written["learner"] == LEARNER
    monkeypatch.setattr(type(LEARNERS[LEARNER]), "version", lambda self: "another")
    assert len(left()) == 5


def test_a_peer_that_hangs_or_breaks_is_ended_and_said():
    script = """
import json, time
from benchmarks.peers.limits import limited
found = [limited(lambda: time.sleep(60), 0.1), limited(lambda: 1 / 0, 5), limited(lambda: {"words": 3}, 5)]
print(json.dumps(found))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    hung, broken, well = json.loads(done.stdout)
    assert hung == {"failed": "more than 0.1 s"}
    assert broken["failed"].startswith("ZeroDivisionError")
    assert well == {"words": 3}


def test_words_are_inner_nodes_weights_and_flags():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert scikit.words(tree) == tree.get_n_leaves() - 1
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    assert scikit.words(forest) == sum(one.get_n_leaves() - 1 for one in forest.estimators_)
    assert scikit.words(LogisticRegression(max_iter=1000).fit(X[y < 2], y[y < 2])) == 4


def test_what_peers_read_has_neither_words_nor_missing_values():
    kinds = {"size": "number", "colour": "category", "flag": "category"}
    X = pandas.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 4.0],
            "colour": ["red", None, "red", "blue"],
            "flag": ["yes", "no", "yes", "yes"],
        }
    ).astype({"colour": object, "flag": object})
    numbers = Numbers(kinds).fit(X).transform(X)
    np.testing.assert_allclose(numbers[:, 0].mean(), 0, atol=1e-12)
    assert numbers[:, 1:].tolist() == [[1, 1], [1, 0], [1, 1], [0, 1]]
    flags = Flags(kinds, 2).fit(X).transform(X)
    assert flags.tolist() == [[1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]


def line(learner, table, error, certificate=None, hold_out=None):
    found = {"learner": learner, "table": table, "error": error, "task": "two", "role": "measured", "failed": 0}
    ratio = certificate / hold_out if certificate else None
    found["split_error"] = error if certificate else None
    return {**found, "words": 3.0, "seconds": 1.0, "certificate": certificate, "hold_out": hold_out, "ratio": ratio}


def test_a_peer_is_compared_on_the_tables_that_it_finished():
    lines = [
        line("LaconicClassifier", "a", 0.1, 0.2, 0.2),
        line("LaconicClassifier", "b", 0.3, 0.6, 0.4),
        line("GOSDT", "a", 0.25),
        line("GOSDT", "b", None),
    ]
    ours, peer = summary.learner_lines(lines)[:2]
    assert ours["learner"] == "LaconicClassifier"
    assert (peer["tables"], peer["error"], peer["default_there"]) == (1, 0.25, 0.1)
    assert (peer["default_wins"], peer["default_loses"]) == (1, 0)
    assert (ours["median_ratio"], ours["ratio_at_most_1.25"], ours["split_error"]) == (1.25, 0.5, 0.2)
    assert "| GOSDT | 1 | 25.0 % | – | 1 | 25.0 %, 10.0 % | 1 / 0 |" in summary.as_text([ours, peer], lines, {})


def test_what_the_default_lost_says_what_would_have_helped():
    lines = [
        line("LaconicClassifier", "sonar", 0.3),
        line("random forest", "sonar", 0.2),
        line("LaconicClassifier", "iris", 0.05),
        line("random forest", "iris", 0.04),
    ]
    assert [each["table"] for each in summary.lost(lines)] == ["sonar"]
    text = summary.as_text([], lines, {"sonar": {"as it is": "0.29", "more words": "0.285", "none set apart": "0.23"}})
    assert "| sonar | 30.0 | – | – | – | 20.0 | 3 | rows | 29 → 28 | 29 → 23 |" in text
    assert "iris" not in text
    assert "| not looked at |" in summary.as_text([], lines, {})


@pytest.mark.parametrize(
    ("words", "rows", "said"),
    [(0.25, 0.31, "words"), (0.29, 0.29, "words and rows"), (0.295, 0.31, "neither")],
)
def test_a_point_or_more_is_what_helps(words, rows, said):
    assert summary.why_text({"as it is": 0.3, "more words": words, "none set apart": rows}).split(" | ")[0] == said
