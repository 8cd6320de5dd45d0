"""``laconic fit --promise``: declared in words, shown on the card, kept in the file."""

import json
import sys
from types import SimpleNamespace

import pytest

import laconic
from laconic.cli import main

SMALL = ["fit", "haberman", "-l", "scm", "--set", "features=stumps", "--set", "penalty=1"]


@pytest.fixture
def run(capsys, monkeypatch):
    def called(*words):
        monkeypatch.setattr(sys, "argv", ["laconic", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return SimpleNamespace(exit_code=left.value.code or 0, output=printed.out + printed.err)

    return called


def test_promises_are_shown_and_kept(tmp_path, run):
    place = tmp_path / "model.json"
    costs = '{"2": {"1": 5}, "1": {"2": 1}}'
    asked = ["--promise", "classes", "--promise", "rules", "--promise", f"costs={costs}"]
    fitted = run(*SMALL, *asked, "--out", str(place))
    assert fitted.exit_code == 0, fitted.output
    assert "Promised at the same time:" in fitted.output
    assert "a new row costs at most" in fitted.output
    assert "Promised at the same time:" in run("show", str(place)).output
    model = laconic.load(place)
    told = json.loads(run("show", str(place), "--json").output)["certificate"]
    assert told["promises"] == model.certificate_.promise_lines()
    assert told["promised"]["kinds"] == ["classes", "rules", "costs"]


def test_a_ceiling_that_cannot_be_met_ends_with_what_would_be_needed(run):
    refused = run(*SMALL, "--promise", 'ceilings={"2": 0.01}')
    assert refused.exit_code != 0
    assert "may be missed" in refused.output


@pytest.mark.parametrize("asked", ["everything", "groups=nothing", "abstain=2", "ceilings=0.1"])
def test_what_makes_no_sense_is_refused(asked, run):
    refused = run(*SMALL, "--promise", asked)
    assert refused.exit_code != 0
    assert "Traceback" not in refused.output
