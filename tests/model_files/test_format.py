"""The format: golden files of every version, the published schema, and values that must survive."""

import copy
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_regressor
from tests.golden.write_models import FOLDER, as_rows
from tests.model_files.catalogue import fitted
from tests.model_files.mutations import exercise, mutate

import laconic
from laconic._learners import registered
from laconic.covering import Balls, Stumps
from laconic.exceptions import BadModelFile
from laconic.model_file import _io, json_schema
from laconic.model_file._plain import parameter, plain, read_labels, written_labels

GOLDEN = sorted(FOLDER.glob("*.json"))
QUICK = settings(max_examples=60, deadline=None)
EVERY_FLOAT = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)


@pytest.mark.parametrize("place", GOLDEN, ids=lambda place: place.stem)
def test_golden_files_open_and_predict_as_recorded(place):
    expected = json.loads(place.with_suffix(".expected").read_text(encoding="utf-8"))
    model, rows = laconic.load(place), as_rows(expected["rows"])
    if (whole := filled(model, rows)) is not rows:  # the file was written when a value that is missing counted as 0
        with pytest.raises(ValueError, match="A value is missing in"):
            model.predict(rows)
        rows = whole
    if is_regressor(model):
        assert_same_sums(model.predict(rows), expected["predictions"], model, rows)
    else:
        assert model.predict(rows).tolist() == expected["predictions"]
    if "limits" in expected:
        assert model.predict_proba_interval(rows) == pytest.approx(np.array(expected["limits"]), abs=1e-9)
        assert model.predict_proba(rows) == pytest.approx(np.array(expected["chances"]))
    if expected["scores"]:
        scores = getattr(model, "decision_function", model.predict)(rows)
        assert_same_sums(scores, expected["scores"], model, rows)
    exercise(model)


def filled(model, rows):
    """Return the rows with 0 where a column is missing that the model counts by its amount; the same if none is."""
    columns = sorted(model.columns_counted())
    if not columns or not pd.DataFrame(rows).iloc[:, columns].isna().any(axis=None):
        return rows
    whole = pd.DataFrame(rows).copy()
    for column in columns:
        whole.isetitem(column, whole.iloc[:, column].astype(float).fillna(0.0))
    return whole if isinstance(rows, pd.DataFrame) else whole.to_numpy()


def assert_same_sums(found, expected, model, rows):
    """Compare with what another processor gave: exactly, but for kernels and bumps, whose last bits may differ."""
    rounding = getattr(model.hypothesis_, "rounding", lambda rows: 0.0)(rows)
    assert (np.abs(found - np.array(expected)) <= rounding).all()


def test_there_is_a_golden_file_of_every_learner():
    assert {json.loads(place.read_text(encoding="utf-8"))["learner"] for place in GOLDEN} == registered().keys()
    public = {name for name in laconic.__all__ if hasattr(getattr(laconic, name), "fit")}
    assert public ^ registered().keys() == {"Certified"}


def in_any_order(schema):
    """Sort alternatives: versions of msgspec write them in orders of their own."""
    if isinstance(schema, dict):
        parts = {name: in_any_order(part) for name, part in schema.items()}
        return parts | {"anyOf": sorted(parts["anyOf"], key=json.dumps)} if "anyOf" in parts else parts
    return [in_any_order(part) for part in schema] if isinstance(schema, list | tuple) else schema


def test_the_published_schema_is_the_one_of_the_types():
    published = Path(laconic.__file__).with_name("model.schema.json").read_text(encoding="utf-8")
    assert json.dumps(in_any_order(json.loads(published))) == json.dumps(in_any_order(json_schema()))


def test_golden_files_are_valid_under_the_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    one_of = {ref["$ref"].rpartition("/")[2]: ref for ref in schema["anyOf"]}
    for place in GOLDEN:
        content = json.loads(place.read_text(encoding="utf-8"))
        own = one_of[content["learner"]] | {"$defs": schema["$defs"]}  # of twelve, so that a failure says why
        jsonschema.Draft202012Validator(own).validate(content)
    wrong = content | {"version": "1"}
    assert not jsonschema.Draft202012Validator(schema).is_valid(wrong)


# ---- values


@QUICK
@given(st.lists(EVERY_FLOAT, min_size=3, max_size=3))
def test_every_float_survives(numbers):
    model = copy.copy(fitted("mcm")[0])
    model.hypothesis_ = replace(model.hypothesis_, weights=tuple(numbers[:2]), bias=numbers[2])
    loaded = _io.from_bytes(_io.to_bytes(model)).hypothesis_
    assert repr(loaded) == repr(model.hypothesis_)  # repr tells -0.0 from 0.0, and gives every digit


LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | EVERY_FLOAT | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES | st.builds(Stumps, st.none() | st.integers(2, 255)) | st.builds(Balls, st.sampled_from(["l1", "cosine"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers(-(2**63), 2**63 - 1) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@QUICK
@given(VALUES)
def test_every_parameter_survives(value):
    model = copy.copy(fitted("pocket")[0]).set_params(rules=value)  # a label of any type
    assert repr(_io.from_bytes(_io.to_bytes(model)).rules) == repr(value)
    assert repr(parameter(1.5)) == repr(plain(1.5, "it")) == "1.5"


@QUICK
@given(st.lists(st.text(max_size=5), min_size=2, max_size=2, unique=True), st.text())
def test_every_name_survives(names, note):
    model = copy.copy(fitted("scm_stumps")[0])
    model.feature_names_in_, model.about_ = np.array(names, dtype=object), {"target": note}
    loaded = _io.from_bytes(_io.to_bytes(model))
    assert loaded.feature_names_in_.tolist() == names
    assert loaded.about_ == model.about_


def test_half_characters_are_refused():
    model = copy.copy(fitted("scm_stumps")[0])
    model.about_ = {"target": "half \ud83d"}
    with pytest.raises(ValueError, match="half of a character"):
        _io.to_bytes(model)
    content = json.loads(_io.to_bytes(fitted("scm_stumps")[0])) | {"about": model.about_}
    with pytest.raises(BadModelFile, match="half of a character"):
        _io.from_bytes(json.dumps(content | {"sha256": _io._digest(content)}).encode())
    whole = content | {"about": {"target": "whole \U0001f600"}}
    assert _io.from_bytes(json.dumps(whole | {"sha256": _io._digest(whole)}).encode()).about_ == whole["about"]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([True, False]),
        np.array([-128, 127], dtype=np.int8),
        np.array([0, 2**32], dtype=np.uint64),
        np.array([0.1, math.pi], dtype=np.float32),
        np.array([-math.inf, 1.5]),
        np.array(["no", "yes", "größer"]),
        np.array(["no", 1, 2.5, True], dtype=object),
        np.array(["a", "b"], dtype="U9"),
    ],
)
def test_labels_keep_their_type(labels):
    import msgspec

    from laconic.model_file._plain import Labels

    read = read_labels(msgspec.convert(json.loads(json.dumps(written_labels(labels))), Labels))
    assert read.dtype.kind == labels.dtype.kind
    assert labels.dtype.kind == "U" or read.dtype == labels.dtype
    assert [repr(value) for value in read] == [repr(value) for value in labels]


def test_labels_of_other_types_are_refused():
    with pytest.raises(ValueError, match="classes are of type datetime64"):
        written_labels(np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"))
    with pytest.raises(ValueError, match="64 bits"):
        written_labels(np.array([0, 2**63], dtype=np.uint64))


# ---- spoilt files


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(GOLDEN), st.data())
def test_spoilt_bytes_are_refused(place, data):
    original = place.read_bytes()
    spoilt, position = bytearray(original), data.draw(st.integers(0, len(original) - 1))
    match data.draw(st.sampled_from(["cut", "flip", "drop", "insert"])):
        case "cut":
            del spoilt[position:]
        case "flip":
            spoilt[position] ^= 1 << data.draw(st.integers(0, 7))
        case "drop":
            del spoilt[position : position + data.draw(st.integers(1, 40))]
        case "insert":
            spoilt[position:position] = data.draw(st.binary(min_size=1, max_size=8))
    try:
        model = _io.from_bytes(bytes(spoilt))
    except BadModelFile:
        return
    unspoilt = _io.from_bytes(original)  # written again by this version, as the other one is
    assert _io.to_bytes(model) == _io.to_bytes(unspoilt)  # nothing but white space was touched


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(GOLDEN), st.data())
def test_hostile_files_are_refused_or_harmless(place, data):
    content = mutate(json.loads(place.read_bytes()), lambda n: data.draw(st.integers(0, n - 1)))
    if isinstance(content, dict):
        content["sha256"] = _io._digest(content)
    try:
        model = _io.from_bytes(json.dumps(content).encode())
    except BadModelFile:
        return
    exercise(model)
