"""Work in pieces: Ctrl-C is answered soon, in threads, too, and where work is cut changes no answer."""

import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

from laconic import _progress
from laconic._learners import registered
from laconic._progress import heed, pieces, progress, report, run_ahead, run_apart, thread_map
from tests import interrupts
from tests.model_files import catalogue

PATIENCE = 5.0  # seconds; two are promised, of a machine that does nothing else
QUICK = {"minimal, HiGHS", "balls, threads"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in interrupts.CASES]
)
def test_a_fit_answers_ctrl_c(name):
    seconds = 2 if name in QUICK else 4
    words = [sys.executable, "-m", "tests.interrupts", name, str(seconds)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=150, check=True)
    said = json.loads(done.stdout)
    assert said["interrupted"], f"the fit ended: {said}; take a larger table"
    assert said["waited"] < PATIENCE
    assert said["threads"] == 1, "something goes on behind"


def test_every_learner_is_interrupted():
    tried = {type(learner).__name__ for learner, *_ in interrupts.CASES.values()}
    assert tried >= registered().keys()


@pytest.mark.parametrize("name", catalogue.CASES)
def test_pieces_change_no_answer(name, monkeypatch):
    learner, table, labels, _ = catalogue.CASES[name]
    whole, _ = catalogue.fitted(name)
    monkeypatch.setattr(_progress, "AT_ONCE", 100)
    cut = catalogue.quiet(clone(learner), table, labels)
    assert cut.to_text() == whole.to_text()
    assert cut.hypothesis_ == whole.hypothesis_
    assert cut.certificate_ == whole.certificate_


def test_pieces_hold_every_item_once():
    for n_items in (0, 1, 7, 100):
        for entries in (0, 1, 2**23, 2**40):
            found = [i for piece in pieces(n_items, entries) for i in range(n_items)[piece]]
            assert found == list(range(n_items))


def fail_after(began, error, task, items):
    with thread_map(2) as run:
        run(task, items)
        began.wait()
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_threads_end_with_the_call_that_they_work_for(error):
    began, ended = threading.Event(), []

    def endless(_):
        began.set()
        try:
            while True:
                heed()
                time.sleep(0.001)
        except BaseException as reason:
            ended.append(type(reason))
            raise

    with pytest.raises(error):
        fail_after(began, error, endless, range(5))
    assert 1 <= len(ended) <= 2, "what waited was dropped"
    assert set(ended) == {_progress.Ended}
    heed()  # this thread was never asked to end


def test_threads_of_threads_end_too():
    began, ended = threading.Event(), []

    def endless(_):
        began.set()
        try:
            while True:
                heed()
                time.sleep(0.001)
        finally:
            ended.append(threading.get_ident())

    def outer(_):
        with thread_map(2) as run:
            list(run(endless, range(2)))

    with pytest.raises(KeyboardInterrupt):
        fail_after(began, KeyboardInterrupt, outer, range(1))
    assert ended


def test_an_error_in_a_thread_reaches_who_waits():
    with pytest.raises(ZeroDivisionError), thread_map(2) as run:
        list(run(lambda number: 1 / number, [1, 0, 2]))
    with thread_map(2) as run:
        assert list(run(max, [1, 5], [2, 3])) == [2, 5]


def test_threads_take_few_items_in_advance():
    taken, done = [], []

    def items():
        for number in range(10):
            assert len(taken) - len(done) <= 3
            taken.append(number)
            yield number

    for place, answer in enumerate(run_ahead(3, lambda number: number**2, items())):
        assert answer == place**2
        done.append(place)
    assert done == taken == list(range(10))
    with pytest.raises(ZeroDivisionError):
        list(run_ahead(2, lambda number: 1 / number, [1, 2, 0, 3]))
    assert threading.active_count() < 5


def test_foreign_code_is_stopped_when_nobody_waits(monkeypatch):
    stopped = threading.Event()

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(_progress, "heed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_apart(stopped.wait, stop=stopped.set)
    assert stopped.is_set()


def test_foreign_code_gives_its_answer_or_its_error():
    assert run_apart(lambda: np.float64(2.5), stop=lambda: None) == 2.5
    with pytest.raises(ZeroDivisionError):
        run_apart(lambda: 1 / 0, stop=lambda: None)


LOOPS = {
    "scm_balls": {"centres", "rules"},
    "scm_cv": {"folds", "rules", "centres"},
    "pac_bayes_cv": {"folds", "rules", "centres"},
    "normal_form": {"rules"},
    "decision_list": {"rules"},
    "intersection": {"halfspaces", "rows tried"},
    "neural_list": {"halfspaces"},
    "perceptron": {"passes"},
    "pocket": {"rows drawn"},
    "score_card": {"folds", "terms"},
    "mcm": {"steps"},
    "mcm_poly": {"support rows", "steps"},
}


@pytest.mark.parametrize("name", LOOPS)
def test_fits_tell_how_far_they_have_come(name):
    learner, table, labels, _ = catalogue.CASES[name]
    told = []
    with progress(lambda *words: told.append(words), every=0):
        catalogue.quiet(clone(learner), table, labels)
    assert {what for what, _, _ in told} >= LOOPS[name]
    assert all(done >= 0 and (total is None or done <= total) for _, done, total in told)


def test_threads_tell_too():
    learner, table, labels, _ = catalogue.CASES["scm_cv"]
    told = []
    with progress(lambda *words: told.append((*words, threading.get_ident())), every=0):
        clone(learner).set_params(n_jobs=2).fit(table, labels)
    folds = [done for what, done, _, _ in told if what == "folds"]
    assert folds == list(range(1, len(folds) + 1))
    assert len({thread for what, _, _, thread in told if what == "rules"}) > 1


def test_nobody_is_told_too_often_or_after_the_end():
    told = []
    with progress(lambda *words: told.append(words), every=1e6):
        report("rules", 1)
        report("rules", 2)
        report("folds", 1, 3)
    report("rules", 4)
    assert told == [("rules", 1, None), ("folds", 1, 3)]


def test_what_a_listener_raises_ends_the_fit():
    def tell(*_):
        raise LookupError

    learner, table, labels, _ = catalogue.CASES["scm_stumps"]
    with pytest.raises(LookupError), progress(tell):
        clone(learner).fit(table, labels)
