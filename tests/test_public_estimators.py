"""What holds of every public estimator: equal fits are equal, whatever draws, and hold nothing that JSON cannot."""

import inspect

import narwhals
import narwhals.stable.v1
import narwhals.stable.v2
import numpy as np
import pytest

import laconic
from laconic.model_file._io import to_bytes
from tests.clients.trials import fitted, make, public_estimators, table, targets_of

NAMES = list(public_estimators())
DRAWING = [name for name in NAMES if "random_state" in inspect.signature(public_estimators()[name]).parameters]


def content(model):
    """Return all that a fit found, as bytes; of what has no file its picks and its certificate."""
    if isinstance(model, laconic.Certified):
        return repr((model.picks_, model.seed_, model.certificate_)).encode()
    return to_bytes(model)


def quick(name):
    """Return an estimator that is fitted fast, and draws where it can."""
    further = {
        "Certified": {"seed_size": 5},
        "SetCoveringClassifierCV": {"features": ["stumps"], "select": "bound", "apart": 0.5},
        "NeuralDecisionListClassifier": {"prune": 0.3},
        "HalfspaceIntersectionClassifier": {"order": "random"},
    }
    return make(name).set_params(**further.get(name, {}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_equal_fits_are_equal_to_the_byte(name):
    target = targets_of(name)[0]
    assert content(fitted(name, target).model) == content(make(name).fit(*table(target)))


@pytest.mark.parametrize("name", DRAWING)
def test_the_default_draws_the_same_every_time(name):
    assert inspect.signature(public_estimators()[name]).parameters["random_state"].default == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DRAWING)
@pytest.mark.parametrize("given", [np.random.RandomState(3), None, np.int64(7)], ids=["RandomState", "None", "7"])
def test_a_fitted_model_holds_the_number_that_drew(name, given, tmp_path):
    X, y = table(targets_of(name)[0])
    model = quick(name).set_params(random_state=given).fit(X, y)
    seed = model.random_state_
    assert type(seed) is int
    assert seed == 7 or not isinstance(given, np.int64)
    again = quick(name).set_params(random_state=seed).fit(X, y)
    assert content(model) == content(again)
    if name == "Certified":
        return
    rows = again.apart_.tolist()
    model.save(tmp_path / "model.json")
    opened = laconic.load(tmp_path / "model.json")
    assert opened.random_state == opened.random_state_ == seed
    model.set_params(random_state=seed + 1)  # which concerns the next fit alone
    for each in (model, opened):
        assert to_bytes(each) == to_bytes(again)
        assert each.apart_.tolist() == rows


def test_a_generator_goes_on_from_fit_to_fit():
    model = quick("PocketClassifier").set_params(random_state=np.random.RandomState(3))
    assert len({model.fit(*table("two")).random_state_ for _ in range(3)}) == 3


@pytest.mark.parametrize("name", DRAWING)
def test_other_generators_are_refused_as_in_scikit_learn(name):
    for wrong in (np.random.default_rng(0), -1, 2**32, "0"):
        with pytest.raises(ValueError, match="'random_state' parameter"):
            quick(name).set_params(random_state=wrong).fit(*table(targets_of(name)[0]))


@pytest.mark.parametrize("name", ["LaconicClassifier", "LaconicRegressor"])
def test_the_rows_that_a_fit_will_draw_are_not_known_before(name):
    model = make(name).set_params(random_state=None)
    with pytest.raises(ValueError, match="Call fit first"):
        model.set_apart(50)


@pytest.mark.parametrize("library", [narwhals, narwhals.stable.v1, narwhals.stable.v2], ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_frames_of_narwhals_are_the_frames_in_them(name, library):  # a warning would be an error
    known = fitted(name, targets_of(name)[0])
    frame = library.from_native(known.X)
    assert list(known.model.predict(frame)) == list(known.model.predict(known.X))
    if name in ("Certified", "LaconicRegressor", "SetCoveringClassifier"):
        again = make(name).fit(frame, known.y)
        assert again.feature_names_in_.tolist() == list(known.X)
        assert content(again) == content(known.model)


def keys_in(value, seen):
    """Yield the keys of all dictionaries that a fitted model holds."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    parts = value if isinstance(value, list | tuple) else getattr(value, "__dict__", {})
    for part in parts.values() if isinstance(parts, dict) else parts:
        yield from keys_in(part, seen)


@pytest.mark.parametrize(
    "model",
    [
        laconic.SetCoveringClassifier(features="balls", penalty=1.0),
        laconic.PACBayesSetCoveringClassifier(),
        laconic.SetCoveringClassifier(features=["balls", "stumps"], penalty=1.0),
    ],
    ids=repr,
)
def test_no_dictionary_of_a_model_has_keys_that_json_lacks(model):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model.fit(X, (X**2).sum(axis=1) < 1)
    assert model.rules_
    assert all(isinstance(key, str | int | float | bool | None) for key in keys_in(vars(model), {}))
