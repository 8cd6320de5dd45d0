"""A few seeded cases of `fuzz_estimators`, three for each learner, and what the search itself must notice."""

import traceback

import numpy as np
import pytest
from tests.fuzz.fuzz_estimators import search
from tests.fuzz.invariants import draw_case, examine, is_refusal, place
from tests.fuzz.parameters import learners

from laconic import SetCoveringClassifier

SEED = 19
LEARNERS = learners()


@pytest.fixture(scope="module")
def tally():
    return search(SEED, range(3 * len(LEARNERS)))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_table_comes_to_an_end(tally, name):
    found = [line for learner, lines in tally.findings.values() if learner == name for line in lines]
    assert not found, "\n".join(found)


def test_the_same_numbers_give_the_same_case():
    one, other = draw_case(3, 40), draw_case(3, 40)
    assert one.words == other.words
    assert repr(one.estimator) == repr(other.estimator)
    assert all(map(np.array_equal, one.drawn.columns, other.drawn.columns))


def broken(monkeypatch, method, instead):
    """Examine cases of one learner with a method that is broken; give the kinds of what is found."""
    monkeypatch.setattr(SetCoveringClassifier, method, instead)
    mine = list(LEARNERS).index("SetCoveringClassifier")
    reports = [examine(5, mine + turn * len(LEARNERS)) for turn in range(6)]
    return {kind for report in reports for kind, _ in report.findings}


def test_what_is_broken_is_noticed(monkeypatch):
    right = SetCoveringClassifier.predict
    flipped = lambda model, X: model.classes_[(right(model, X) == model.classes_[0]) * 1]  # noqa: E731
    assert {"decision", "scheme", "certificate"} <= broken(monkeypatch, "predict", flipped)


def test_errors_that_are_not_ours_are_noticed(monkeypatch):
    assert "error" in broken(monkeypatch, "fit", lambda model, X, y, sample_weight=None: int(float("nan")))


def test_a_refusal_is_a_sentence_that_was_meant_for_users():
    with pytest.raises(ValueError, match="penalty") as ours:
        SetCoveringClassifier(penalty=-1.0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="Singular") as numpys:
        np.linalg.inv(np.zeros((2, 2)))
    assert is_refusal(ours.value)
    assert not is_refusal(numpys.value)


def test_the_folder_of_the_repository_may_be_called_as_the_package(tmp_path):
    library = tmp_path / "laconic" / ".venv" / "sklearn" / "library.py"
    library.parent.mkdir(parents=True)
    library.write_text("def fail():\n    raise ValueError('a number that the user did not write')\n", encoding="utf-8")
    names = {}
    exec(compile(library.read_text(encoding="utf-8"), library, "exec"), names)
    with pytest.raises(ValueError, match="a number") as error:
        names["fail"]()
    assert not is_refusal(error.value)
    assert place(traceback.extract_tb(error.value.__traceback__)) == "outside laconic"


def test_a_case_without_an_end_is_reported():
    (found,) = search(SEED, [0], limit=0).findings.values()
    assert "[hang]" in found[1][0]
