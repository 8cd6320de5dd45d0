"""Every example runs on its own, and what it shows is so."""

import importlib.util
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import binomtest

from laconic.rules import from_dict
from reproductions import pac
from tests.test_pictures import troubles

EXAMPLES = Path(__file__).parents[1] / "examples"
TESTED = {"plot_boolean_tables", "plot_cluster", "plot_minimal_regimes", "plot_pac_learning_curves"}  # below


@pytest.fixture(autouse=True)
def _letters_of_the_site():
    with plt.rc_context({"font.size": 12}):
        yield
    plt.close("all")


def assert_readable():
    figure = plt.gcf()
    figure.draw_without_rendering()
    assert list(troubles(figure)) == []


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("plot_*.py") if path.stem not in TESTED))
def test_example_runs(name, capsys):
    example = load(name)
    found = example.main()
    assert capsys.readouterr().out
    if name != "plot_gallery":  # its pictures are tested with those of the library
        example.draw(*([found] if signature(example.draw).parameters else []))
        assert_readable()


@pytest.mark.cluster
def test_a_cluster_writes_the_file_of_one_process(capsys):
    example = load("plot_cluster")
    assert example.main()
    assert "of 2000 rows are wrong" in capsys.readouterr().out
    rules, work = example.measured()
    assert set(work) == {10, 100, 1000}
    assert all(set(by_workers) == set(work) for by_workers in rules.values())
    assert example.draw().axes[0].get_lines()


def test_a_family_of_ones_own_plugs_in(capsys):
    example = load("plot_own_family")
    model = example.main()
    capsys.readouterr()
    assert set(model.rules_) == {example.Larger(2, 5), example.Larger(0, 1)}
    assert model.certificate_.compression_size == 0
    assert model.certificate_.risk_bound < 0.1
    assert from_dict(model.hypothesis_.to_dict()) == model.hypothesis_
    assert model.get_params()["features"].candidates(3)[0] == example.Larger(0, 1)


def test_scaling_by_training_statistics_breaks_the_scheme(capsys):
    unscaled, standardised = load("plot_scaling_voids_certificates").main()
    capsys.readouterr()
    assert unscaled == 0 < standardised


def test_votes_and_chess_have_lists_of_pairs_but_no_shorter_concept(capsys):
    example = load("plot_boolean_tables")
    found, allowed = example.main()
    capsys.readouterr()
    example.draw(allowed)
    assert_readable()
    lists = [found.pop((table, "2-decision list")) for table in ("votes", "chess")]
    assert all(n_rules is not None and n_rules > 1 for n_rules in lists)
    assert set(found.values()) == {None}


def test_learning_curves_stay_under_theorem_1(capsys, tmp_path):
    example = load("plot_pac_learning_curves")
    curves = example.main(n_runs=25, seed=1)
    capsys.readouterr()
    assert len(curves) == len(pac.CLASSES) * len(pac.SIZES)
    for (name, n_samples), (errors, bound) in curves.items():
        over = int((errors > bound).sum())
        assert binomtest(over, len(errors), pac.DELTA, alternative="greater").pvalue > 1e-4, (name, n_samples)
    # the same count would notice a curve that forgets ln|C|
    over = int((curves["2-term DNF by 2-CNF", 25][0] > np.log(1 / pac.DELTA) / 25).sum())
    assert binomtest(over, 25, pac.DELTA, alternative="greater").pvalue < 1e-4
    example.draw(curves, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_the_tube_decides_whether_a_bad_row_matters(capsys):
    example = load("plot_minimal_regimes")
    off = example.main()
    example.draw()
    assert_readable()
    assert "epsilon must be larger than" in capsys.readouterr().out
    (minimax, _), (insensitive, machine), (hard, _) = off.values()
    assert min(minimax, hard) > 10 * insensitive
    assert insensitive < 1.5 * machine
