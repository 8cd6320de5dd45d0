"""``laconic fit --prior``: what was known of columns before the data, from a file."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.test_walk import here

from laconic.covering import pack


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ward")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 12)).round(2), columns=[f"gene {j}" for j in range(12)])
    frame["ill"] = np.where(frame["gene 7"] > 0, "yes", "no")
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_parquet(folder / "table.parquet")
    (folder / "right.txt").write_text("# from the literature\ngene 7\t3\ngene 2, 1\n")
    (folder / "wrong.txt").write_text("gene 2 1\n")
    return folder, frame


def fitted(place, *words):
    done = here("fit", str(place), "--target", "ill", "--learner", "scm", "--json", *map(str, words))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["certificate"]["risk_bound"]


@pytest.mark.parametrize(
    ("how", "plainly"),
    [
        ("", "--set features=conditions"),
        ("--cv 2", '--cv 2 --set features=["conditions"]'),
        ("--select bound", '--select bound --set features=["conditions"]'),
        ('--set features=["stumps","conditions"]', '--set features=["stumps","conditions"]'),
        ("--cv 2 --set features=stumps", '--cv 2 --set features=["stumps"]'),
    ],
)
def test_knowledge_tightens_the_bound_and_the_model_verifies(ward, tmp_path, how, plainly):
    folder, _ = ward
    plain = fitted(folder / "table.csv", *plainly.split())
    right = fitted(folder / "table.csv", "--prior", folder / "right.txt", "--out", tmp_path / "m.json", *how.split())
    wrong = fitted(folder / "table.csv", "--prior", folder / "wrong.txt", *how.split())
    assert right < plain < wrong
    verified = here("verify", str(tmp_path / "m.json"), str(folder / "table.csv"))
    assert (verified.returncode, verified.stdout[:3]) == (0, "Yes")


def test_rows_and_columns_on_disk(ward, tmp_path):
    folder, frame = ward
    plain, right = (
        fitted(folder / "table.parquet", "--max-memory", "2G", *words)
        for words in (("--set", "features=conditions"), ("--prior", folder / "right.txt"))
    )
    assert right < plain
    flags = frame.drop(columns="ill") > 0
    pack(flags, tmp_path / "flags.bits")
    frame[["ill"]].to_csv(tmp_path / "labels.csv", index=False)
    with_labels = (tmp_path / "flags.bits", "--labels", tmp_path / "labels.csv")
    literals = ("--set", "features=literals")
    assert fitted(*with_labels, *literals, "--prior", folder / "right.txt") < fitted(*with_labels, *literals)


@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        (("--learner", "auto"), "gene 1 1\n", "not for auto: add --learner scm"),
        (("--learner", "votes"), "gene 1 1\n", "not for votes: add --learner scm"),
        (("--learner", "scm", "--set", "features=balls"), "gene 1 1\n", "features=balls name no single ones"),
        (("--learner", "scm", "--set", "features=clauses"), "gene 1 1\n", "features=clauses name no single ones"),
        (("--learner", "scm"), "gene 1 -1\n", "prior.txt', line 1: expected a column or a k-mer, and a weight"),
        (("--learner", "scm"), "gene 1 1\nheight\n", "prior.txt', line 2: expected a column or a k-mer"),
        (("--learner", "scm"), "# nothing\n", "prior.txt' lists nothing"),
        (("--learner", "scm"), "height 1\n", "prior lists the column 'height', and there is none of that name"),
        (("--learner", "scm"), None, "prior.txt"),
    ],
)
def test_wrong_words_are_refused(ward, tmp_path, words, text, message):
    folder, _ = ward
    if text is not None:
        (tmp_path / "prior.txt").write_text(text)
    words = ("fit", str(folder / "table.csv"), "--target", "ill", "--prior", str(tmp_path / "prior.txt"), *words)
    done = here(*words, "--out", str(tmp_path / "model.json"))
    assert done.returncode in (1, 2)
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model.json").exists()
