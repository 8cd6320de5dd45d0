"""A k-mer model of every version of the format opens, and answers from sequence files as it did."""

import json
from pathlib import Path

import pytest

import laconic
from laconic.genomics import read_genomes
from laconic.model_file import VERSION, json_schema

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))


def test_there_is_one_of_this_version():
    assert f"kmers.v{VERSION}" in {place.stem for place in GOLDEN}


@pytest.mark.parametrize("place", GOLDEN, ids=lambda place: place.stem)
def test_golden_models_open_and_answer_as_recorded(place, tmp_path):
    expected = json.loads(place.with_suffix(".expected").read_text(encoding="utf-8"))
    model, files = laconic.load(place), {}
    for name, sequence in expected["sequences"].items():
        files[name] = tmp_path / f"{name}.fa"
        files[name].write_text(f">{name}\r\n{sequence[:150]}\r\n\r\n{sequence[150:]}\r\n", newline="")
    answers = model.explain(read_genomes(model, files))
    assert [int(each["prediction"]) for each in answers] == expected["predictions"]
    assert len(set(expected["predictions"])) == 2
    assert [each["reason"] for each in answers] == expected["reasons"]
    assert str(model.certificate_) == expected["certificate"]
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(json_schema()).validate(json.loads(place.read_text(encoding="utf-8")))
