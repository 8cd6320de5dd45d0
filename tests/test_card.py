"""The pictures of a card are of the model that the README fits, as it is."""

import importlib.util
import struct
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def make_card():
    spec = importlib.util.spec_from_file_location("make_card", DOCS / "make_card.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_the_picture_is_what_the_model_gives_today(make_card):
    assert make_card.PAGE.read_text(encoding="utf-8") == make_card.page(), "run `make card`"


def test_the_pictures_have_the_size_of_a_card(make_card):
    for card in make_card.CARDS:
        size = struct.unpack(">II", card.read_bytes()[16:24])
        assert size == (make_card.SHARPNESS * make_card.WIDTH, make_card.SHARPNESS * make_card.HEIGHT)


def test_the_card_is_of_a_model_that_the_readme_fits(make_card):
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    model = 'SetCoveringClassifier(form="disjunction", features="stumps", max_rules=2).fit(X, y)'
    promise = "the error on new data is at most 10.1 %."
    assert model in readme
    assert model in (DOCS / "make_card.py").read_text(encoding="utf-8")
    assert promise in readme
    assert make_card.page().count(promise) == 2  # in light and in dark
