"""What a fit may take is said before it begins, where that is much."""

import re
import sys
import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from laconic import (
    HalfspaceIntersectionClassifier,
    MinimalComplexityClassifier,
    MinimalComplexityRegressor,
    NeuralDecisionListClassifier,
    PACBayesSetCoveringClassifier,
    SetCoveringClassifier,
    _estimates,
)
from laconic._estimates import announce, announce_halfspaces, announce_kernel, announce_pairs, free_memory
from laconic.exceptions import SizeWarning
from tests.model_files.catalogue import ABOVE, INSIDE, NUMBERS, TARGETS

GROWING = {
    "balls": (
        SetCoveringClassifier("conjunction", "balls", penalty=1.0),
        "Sorting 48 rows around 48 centres .* Set max_centers=12 or",
    ),
    "soft balls": (PACBayesSetCoveringClassifier(), r"Sorting 48 rows around \d+ centres .* Set max_centers="),
    "halfspaces": (HalfspaceIntersectionClassifier(max_rows=None), "halfspaces in all 48 rows, .* max_rows=1000"),
    "neural list": (NeuralDecisionListClassifier(max_rows=None), "halfspaces in all 48 rows, .* max_rows=1000"),
    "kernel": (MinimalComplexityClassifier(kernel="rbf", max_support=None), "up to 48 support rows .* max_support="),
    "kernel, numbers": (MinimalComplexityRegressor(kernel="rbf", max_support=None), "up to 48 support rows"),
}


@pytest.mark.parametrize("name", GROWING)
def test_long_work_is_announced(name, monkeypatch):
    model, message = GROWING[name]
    y = TARGETS if name.endswith("numbers") else INSIDE
    with warnings.catch_warnings():
        warnings.simplefilter("error", SizeWarning)  # nothing is said of a small table
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(NUMBERS, y)
        monkeypatch.setattr(_estimates, "_LONG", 0.0)
        with pytest.warns(SizeWarning, match=message) as told:
            model.fit(NUMBERS, y)
    assert {each.filename for each in told if each.category is SizeWarning} == {__file__}, "not the user's line"


@pytest.mark.parametrize(
    ("call", "small", "large", "message"),
    [
        (announce_halfspaces, (5_000,), (20_000,), "about 20 minutes"),
        (announce_kernel, (3_000,), (10_000,), "about 26 minutes"),
        (announce_pairs, (32_000, 32_000, 20, 2, ""), (32_000, 32_000, 100, 2, ""), "about 2 minutes"),
    ],
)
def test_estimates_are_of_the_size_that_was_measured(call, small, large, message, monkeypatch):
    monkeypatch.setattr(_estimates, "free_memory", lambda: 2**40)
    call(*small)
    with pytest.warns(SizeWarning, match=message):
        call(*large)


def test_memory_is_held_against_what_is_free(monkeypatch):
    monkeypatch.setattr(_estimates, "free_memory", lambda: 2**30)
    announce("Work", 1.0, 2**29, "")
    with pytest.warns(
        SizeWarning, match=re.escape("Work may take 0.6 GiB of memory, where 1.0 GiB are free. Do less.")
    ):
        announce("Work", 1.0, 0.6 * 2**30, "Do less.")
    with pytest.warns(SizeWarning, match="about 2 minutes and 1.0 GiB"):
        announce("Work", 100.0, 2**30, "")
    monkeypatch.setattr(_estimates, "free_memory", lambda: None)
    announce("Work", 1.0, 2**60, "")


def test_free_memory_is_a_number_of_bytes():
    found = free_memory()
    assert found is None or 2**20 < found < 2**50


@pytest.mark.filterwarnings("default::laconic.exceptions.SizeWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_command_line_says_it_in_one_line(tmp_path, monkeypatch, capsys):
    from laconic.cli import main

    table = tmp_path / "table.csv"
    table.write_text("\n".join(["a,b,y", *(f"{a},{b},{above}" for (a, b), above in zip(NUMBERS, ABOVE, strict=True))]))
    monkeypatch.setattr(_estimates, "_LONG", 0.0)
    monkeypatch.setattr(
        sys, "argv", ["laconic", "fit", str(table), "-t", "y", "-l", "halfspaces", "--set", "max_rows=null"]
    )
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert [line for line in said.splitlines() if "halfspaces in all 48 rows" in line] == said.splitlines()
    assert said.startswith("laconic: Searching halfspaces")
