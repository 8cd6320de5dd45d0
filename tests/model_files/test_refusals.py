"""What is not written, and what is not opened."""

import inspect
import json
import os

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from tests.model_files.catalogue import INSIDE, NUMBERS, fitted

import laconic
from laconic import _files, model_file
from laconic.certificates import PreferentCompression
from laconic.covering import Balls, FiniteFamily, Stumps
from laconic.exceptions import BadModelFile
from laconic.model_file import VERSION, _io
from laconic.rules import Stump


def content(name="scm_stumps"):
    return json.loads(_io.to_bytes(fitted(name)[0]))


def sealed(changed):
    """Write a changed content as somebody would who knows the digest."""
    changed["sha256"] = _io._digest(changed)
    return json.dumps(changed).encode()


def refused(data, match, **options):
    with pytest.raises(BadModelFile, match=match):
        _io.from_bytes(data, **options)


class Own(FiniteFamily):
    def candidates(self, n_columns):
        return [Stump(column, 0.0, True) for column in range(n_columns)]


def manhattan(a, b):
    return float(np.abs(a - b).sum())


# ---- saving


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (
            laconic.SetCoveringClassifier("conjunction", Own(), penalty=1.0),
            "features is Own.*family of your own.*joblib",
        ),
        (
            laconic.SetCoveringClassifier("conjunction", ["stumps", Balls(manhattan)], penalty=1.0),
            r"features\[1\].metric is .*a function",
        ),
        (laconic.PACBayesSetCoveringClassifier(metric=manhattan), "metric is .*a function is code"),
        (laconic.MinimalComplexityClassifier(kernel=lambda a, b: float(a @ b)), "kernel is .*a function is code"),
        (laconic.SetCoveringClassifierCV(features=["stumps"], cv=KFold(3)), r"cv is KFold.*set_params\(cv=5\)"),
        (laconic.Certified(LogisticRegression()), "Certified holds an estimator of any library.*joblib"),
    ],
)
def test_what_a_file_cannot_hold_is_not_saved(model, match, tmp_path):
    model.fit(NUMBERS, INSIDE)
    with pytest.raises(ValueError, match=match):
        model_file.save(model, tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_only_learners_that_a_file_can_hold_have_the_verb(tmp_path):
    certified = laconic.Certified(LogisticRegression()).fit(NUMBERS, INSIDE)
    assert not hasattr(certified, "save")
    model = laconic.SetCoveringClassifier("conjunction", "stumps", penalty=1.0).fit(NUMBERS, INSIDE)
    with pytest.raises(TypeError, match="force"):  # which is the function's, and not the method's
        model.save(tmp_path / "model.json", force=True)
    with pytest.raises(TypeError, match="path"):
        model.save()
    assert list(inspect.signature(model.save).parameters) == ["path"]


def test_classes_of_your_own_are_not_saved(tmp_path):
    class Mine(laconic.SetCoveringClassifier):
        pass

    with pytest.raises(ValueError, match="Mine is not a learner that laconic.load knows"):
        Mine(features="stumps").fit(NUMBERS, INSIDE).save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="not fitted"):
        laconic.SetCoveringClassifier().save(tmp_path / "model.json")


def test_a_failing_write_leaves_the_old_file(tmp_path, monkeypatch):
    place = tmp_path / "model.json"
    place.write_text("old")
    for error in (OSError("disk full"), KeyboardInterrupt()):
        for step in ("fsync", "replace"):
            with monkeypatch.context() as patch:
                patch.setattr(_files.os, step, lambda *_, error=error: (_ for _ in ()).throw(error))
                with pytest.raises(type(error)):
                    fitted("scm_stumps")[0].save(place)
            assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
            assert place.read_text() == "old"
    fitted("scm_stumps")[0].save(place)
    assert laconic.load(place).predict(NUMBERS).shape == (48,)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.name != "posix", reason="links are ordinary there only")
def test_saving_to_a_link_writes_where_it_leads(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "here.json").symlink_to(tmp_path / "there" / "model.json")
    fitted("scm_stumps")[0].save(tmp_path / "here.json")
    assert (tmp_path / "here.json").is_symlink()
    assert (tmp_path / "there" / "model.json").is_file()


# ---- opening


def test_the_message_names_the_file(tmp_path):
    (tmp_path / "odd.json").write_text("{}")
    with pytest.raises(BadModelFile, match="odd.json cannot be opened as a model. It is no model file of laconic"):
        laconic.load(tmp_path / "odd.json")
    with pytest.raises(FileNotFoundError):
        laconic.load(tmp_path / "missing.json")
    assert issubclass(BadModelFile, ValueError)


def test_other_files_are_refused():
    refused(b"", "not JSON, or was cut")
    refused(b"\x89PNG\r\n", "not JSON")
    refused(b"[1, 2]", "no model file")
    refused(_io.to_bytes(fitted("scm_stumps")[0])[:-40], "was cut")
    refused(b'{"format": "laconic model", "version": 1, "version": 1}', "names something twice")
    refused(b'{"format": "laconic model", "version": 1, "about": -1e999}', "no float can hold")
    refused(b'{"format": "laconic model", "version": NaN}', "NaN, which is no number in JSON")
    refused(b'{"format": "laconic model", "version": ' + b"9" * 5000 + b"}", "not JSON.*digits")
    refused(b'{"format": "laconic model", "version": true}', "which there never was")


def test_newer_files_are_refused():
    newer = content() | {"version": VERSION + 1, "written_by": "9.0", "what only later ones know": 1}
    refused(sealed(newer), f"written by a newer laconic .9.0.: it is of version {VERSION + 1}.*Install a newer one")


def test_altered_files_are_refused():
    altered = content()
    altered["hypothesis"]["rules"][0]["threshold"] += 0.5
    refused(json.dumps(altered).encode(), "altered after it was written")
    pretty = json.dumps(content(), indent=8, sort_keys=True).replace("\n", "\r\n").encode()
    assert _io.from_bytes(pretty).to_text() == fitted("scm_stumps")[0].to_text()  # how it is laid out does not matter


def test_large_and_deep_files_are_refused(tmp_path):
    refused(b" " * 200, "larger than 100 bytes", max_bytes=100)
    refused(b"[" * 100_000, "nested too deeply|not JSON")
    refused(b"[0" + b",0" * (2**20) + b"]", "more than 524288 values", max_bytes=2**22)
    deep = None
    for _ in range(40):
        deep = {"type": "list", "items": [deep]}
    bad = content()
    bad["parameters"]["class_weight"] = deep
    refused(sealed(bad), "nested deeper than 16 levels")
    for _ in range(400):
        deep = {"type": "list", "items": [deep]}
    bad["parameters"]["class_weight"] = deep
    refused(sealed(bad), "nested")
    fitted("mcm_many")[0].save(tmp_path / "model.json")
    with pytest.raises(BadModelFile, match="larger than 1000 bytes; pass max_bytes"):
        laconic.load(tmp_path / "model.json", max_bytes=1000)


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("scm_stumps", lambda c: c.update(more=1), "unknown field `more`"),
        ("scm_stumps", lambda c: c.update(learner="Popen"), "Invalid value 'Popen'"),
        ("scm_stumps", lambda c: c["parameters"].update(depth=3), "no parameter 'depth'"),
        ("scm_stumps", lambda c: c["parameters"].update(form="xor"), "Its parameters are not those"),
        ("scm_stumps", lambda c: c["parameters"].update(features="boxes"), "Its parameters are not those"),
        ("scm_stumps", lambda c: c["parameters"].update(features="balls"), "A rule is a Stump"),
        ("scm_stumps", lambda c: c["hypothesis"]["rules"][0].update(feature=2), "reads column 2, and there are 2"),
        ("scm_stumps", lambda c: c["hypothesis"]["rules"][0].update(feature=-1), ">= 0"),
        ("scm_stumps", lambda c: c["hypothesis"]["rules"][0].update(feature=10**400), "<= 16777215"),
        ("scm_stumps", lambda c: c["hypothesis"]["rules"][0].update(threshold=10**400), "made up|fit together"),
        ("scm_stumps", lambda c: c["fitted"]["rules"][0].update(threshold=9.0), "not those of its hypothesis"),
        ("scm_stumps", lambda c: c["fitted"]["support"].append(0), "support has 3 entries for 1 rules"),
        ("scm_stumps", lambda c: c["fitted"]["right"].__setitem__(0, 99), "right on more rows than it decides"),
        ("scm_stumps", lambda c: c["fitted"]["path"].pop(), "path has 0 entries"),
        ("scm_stumps", lambda c: c["classes"]["values"].append(True), "names a class twice|3 classes"),
        ("scm_stumps", lambda c: c["classes"].update(dtype="int8"), "not all of type int8"),
        ("scm_stumps", lambda c: c["columns"].update(names=["a"]), "names 1 of 2 columns"),
        ("scm_stumps", lambda c: c["columns"].update(kinds="category"), "which holds categories"),
        ("scm_stumps", lambda c: c["certificate"].update(risk_bound=0.001), "promises 0.001, and rests on"),
        ("scm_stumps", lambda c: c["certificate"]["statements"][0].update(size=10**9), "makes no sense"),
        ("scm_stumps", lambda c: c.update(certificate=None), "got `null`"),
        ("scm_balls", lambda c: c["hypothesis"]["rules"][0]["center"].pop(), "centre has 1 numbers for 2"),
        ("scm_balls", lambda c: c["hypothesis"]["rules"][0].update(metric="os.system"), "cannot be computed"),
        ("scm_balls", lambda c: c["hypothesis"]["rules"][0].update(center=0), "not precomputed"),
        ("scm_balls", lambda c: c["hypothesis"]["rules"][0].update(metric=3), "Expected `str`, got `int`"),
        ("scm_balls", lambda c: c["hypothesis"]["rules"][0].update(scale=[1]), "scales 1 of 2"),
        ("scm_balls", lambda c: c["fitted"]["balls"].__setitem__(0, None), "What is said of its balls"),
        ("scm_precomputed", lambda c: c["hypothesis"]["rules"][0].update(center=48), "around column 48"),
        ("pac_bayes", lambda c: c["hypothesis"]["rules"][0].update(inner=1e9), "inner radius is above"),
        ("decision_list", lambda c: c["fitted"]["path"][0].update(answer=3), "class beyond the 3"),
        ("decision_list", lambda c: c["hypothesis"].update(default=3), "answers with class 3"),
        ("intersection", lambda c: c["hypothesis"]["rules"][0]["weights"].pop(), "1 weights for 2 columns"),
        ("dichotomies", lambda c: c["hypothesis"]["codes"].pop(), "words for 2 of 3"),
        ("dichotomies", lambda c: c["fitted"]["lists"].pop(), "not those of its hypothesis"),
        ("perceptron", lambda c: c["fitted"]["lessons"][0]["order"].__setitem__(0, 99), "not there"),
        ("perceptron", lambda c: c["fitted"]["current"]["weights"].pop(), "weights for . inputs"),
        ("perceptron", lambda c: c["fitted"]["passes"].append(1), "do not add up"),
        ("mcm_many", lambda c: c["hypothesis"]["models"].pop(), "2 sums for 3 classes"),
        ("mcm_many", lambda c: c["hypothesis"]["models"][0]["points"].pop(), "not of one shape"),
        ("mcm_poly", lambda c: c["hypothesis"].update(kernel="os.system"), "Invalid enum value 'os.system'"),
        ("mcm_poly", lambda c: c["hypothesis"]["points"].pop(), "as many coefficients as points"),
        ("mcm_poly", lambda c: c["hypothesis"]["points"][0].pop(), "point has 1 numbers"),
        ("mcm_precomputed", lambda c: c["hypothesis"]["points"].__setitem__(0, [1.5]), "kernel stands in column"),
    ],
)
def test_what_does_not_fit_together_is_refused(name, change, match):
    changed = content(name)
    change(changed)
    refused(sealed(changed), match)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"message": [], "message_nats": -0.5}, "makes no sense"),
        ({"spent": -1e40}, "Expected `float` >= 0.0"),
        ({"spent": 0.5}, "nothing is left"),
        ({"errors_outside": -1}, "Expected `int` >= 0"),
        ({"rows": "twice"}, "does not name as many"),
        ({"rows": "behind"}, "does not name as many"),
    ],
)
def test_statements_with_numbers_out_of_range_are_refused(change, match):
    changed = content("scm_stumps")
    (said,) = changed["certificate"]["statements"]
    if "rows" in change:
        row = said["rows"][0]
        change = {"rows": [row, row] if change["rows"] == "twice" else [row | {"row": said["n_samples"]}]}
    said |= change
    if change == {"spent": 0.5}:
        changed["certificate"]["risk_bound"] = 1.0
    refused(sealed(changed), match)


def test_a_message_costs_nothing_or_more_in_every_statement():
    changed = content("perceptron")
    (said,) = changed["certificate"]["statements"]
    said |= {"message": [], "message_nats": -0.5}
    bound = PreferentCompression(said["n_samples"], said["size"], said["wrong"], -0.5).bound(0.05)
    changed["certificate"] |= {"risk_bound": bound, "message_nats": -0.5}
    refused(sealed(changed), "costs less than nothing")


@pytest.mark.parametrize("among", [1e-60, 0, -1, True, 0.5])
def test_a_choice_is_among_a_whole_number_of_models(among):
    changed = content("scm_stumps")
    (said,) = changed["certificate"]["statements"]
    changed["certificate"]["statements"] = [{"type": "OneOf", "statement": said, "among": among}]
    refused(sealed(changed), "among")


def test_a_rule_that_stands_there_twice_is_refused():
    changed = content("scm_stumps")
    for part in ("hypothesis", "fitted"):
        changed[part]["rules"] *= 2
    refused(sealed(changed), "stands there twice")


def test_family_parameters_are_checked():
    bad = content("scm_bins")
    bad["parameters"]["features"]["parameters"]["colour"] = 1
    refused(sealed(bad), "Stumps has no parameter 'colour'")
    bad = content("scm_bins")
    bad["parameters"]["features"]["name"] = "Popen"
    refused(sealed(bad), "Invalid enum value 'Popen'")
    assert isinstance(_io.from_bytes(sealed(content("scm_bins"))).features, Stumps)


@pytest.mark.parametrize("name", ["scm_cv", "pac_bayes_cv"])
def test_a_search_whose_columns_differ_in_length_is_not_opened(name):
    changed = content(name)
    next(iter(changed["fitted"]["choice"]["cv_results"].values())).pop()
    refused(sealed(changed), "columns of its search differ in length")
