"""A model that was saved and opened again is the same model, to the last bit."""

import copy

import numpy as np
import pytest
from sklearn.base import clone
from tests.model_files.catalogue import CASES, NAMES, fitted, quiet

import laconic

LEFT_OUT = {
    "_residuals",
    "_encoding",
    "_encodings",
    "_list",
    "_parameters",  # as they were at fit; a model that was opened has no others
}  # training rows that only fit and the tests of schemes look at


@pytest.fixture(scope="module")
def reopened(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("models"), {}

    def get(name):
        if name not in found:
            model, rows = fitted(name)
            model.save(folder / f"{name}.json")
            found[name] = model, laconic.load(folder / f"{name}.json"), rows
        return found[name]

    return get


def same(a, b):
    """Compare by value, exactly, down to types and the sign of zero."""
    if isinstance(a, np.ndarray):
        return a.dtype.kind == b.dtype.kind and a.shape == b.shape and same(a.tolist(), b.tolist())
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return repr(a) == repr(b)


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_the_same(reopened, name):
    model, loaded, rows = reopened(name)
    assert type(loaded) is type(model)
    assert same(loaded.predict(rows), model.predict(rows))
    for method in ("decision_function", "predict_proba", "predict_interval", "staged_predict", "explain"):
        if hasattr(model, method):
            answers, expected = (list(getattr(each, method)(rows)) for each in (loaded, model))
            assert same(answers, expected), method
    if hasattr(model, "predict_gibbs"):
        assert same(loaded.predict_gibbs(rows, random_state=0), model.predict_gibbs(rows, random_state=0))


@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_the_same(reopened, name):
    model, loaded, _ = reopened(name)
    assert loaded.to_text() == model.to_text()
    assert loaded.rules_text() == model.rules_text()
    assert loaded._repr_html_() == model._repr_html_()
    assert same(loaded.get_rules(), model.get_rules())
    assert str(loaded) == str(model) or "array" in str(model)  # a grid of numbers in an array comes back as a list


@pytest.mark.parametrize("name", NAMES)
def test_every_certificate_is_the_same(reopened, name):
    model, loaded, _ = reopened(name)
    for attribute in ("certificate_", "gibbs_certificate_", "online_certificate_"):
        assert hasattr(loaded, attribute) == hasattr(model, attribute)
        if hasattr(model, attribute):
            one, other = getattr(loaded, attribute), getattr(model, attribute)
            assert one == other
            assert one.explain() == other.explain()
            assert str(one.at(0.2)) == str(other.at(0.2))


@pytest.mark.parametrize("name", NAMES)
def test_every_fitted_attribute_is_there(reopened, name):
    model, loaded, _ = reopened(name)
    assert vars(model).keys() - vars(loaded).keys() <= LEFT_OUT
    assert not vars(loaded).keys() - vars(model).keys()
    for attribute in vars(loaded).keys() - {"_walk", "lists_", "penalties"}:
        assert same(getattr(loaded, attribute), getattr(model, attribute)), attribute


def test_numpy_arrays_among_parameters_become_lists(reopened):
    assert reopened("scm_cv")[1].penalties == [1.0, np.inf]


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("scm_cv")])
def test_it_can_be_cloned_and_fitted_again(reopened, name):
    model, loaded, _ = reopened(name)
    _, table, labels, _ = CASES[name]
    again = quiet(clone(loaded), table, labels)
    assert again.to_text() == model.to_text()


def test_saving_what_was_opened_gives_the_same_bytes(reopened, tmp_path):
    for name in NAMES:
        model, loaded, _ = reopened(name)
        model.save(tmp_path / "first.json")
        loaded.save(tmp_path / "second.json")
        assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes(), name


def test_an_opened_list_becomes_the_same_network(reopened):
    for name in ("neural_list", "dichotomies"):
        model, loaded, rows = reopened(name)
        ours, theirs = loaded.to_network(), model.to_network()
        assert same(ours.scales, theirs.scales)
        assert same(ours.predict(rows.to_numpy()), theirs.predict(rows.to_numpy()))


def test_an_opened_perceptron_remembers_and_goes_on(reopened):
    for name in ("stream", "perceptron"):
        model, loaded, _ = reopened(name)
        assert list(loaded.hypotheses()) == list(model.hypotheses())
    model, loaded, rows = reopened("stream")
    labels = rows[:, 0] > 0
    on, also = (copy.deepcopy(each).partial_fit(rows, labels) for each in (model, loaded))
    assert on.hypothesis_ == also.hypothesis_
    assert on.online_certificate_ == also.online_certificate_
    assert same(on.mistakes_, also.mistakes_)


def test_a_certificate_that_paid_for_a_choice_is_kept(tmp_path):
    model = copy.deepcopy(fitted("scm_stumps")[0])
    model.certificate_ = model.certificate_.one_of(4)
    model.save(tmp_path / "model.json")
    assert laconic.load(tmp_path / "model.json").certificate_ == model.certificate_
