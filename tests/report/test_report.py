"""Reports: what they say is counted rightly, pages are whole and escaped, and rows stay out where not wanted."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.model_files.catalogue import NAMES, fitted
from tests.report.hostile import HOSTILE, hostile_report

from laconic import (
    Certified,
    LaconicClassifier,
    MarginPerceptronClassifier,
    MinimalComplexityRegressor,
    PocketClassifier,
    SetCoveringClassifier,
    load,
)
from laconic._table import as_table
from laconic.covering import Literals, Stumps
from laconic.datasets import load_breast_cancer_wisconsin, load_heart
from laconic.report import report
from laconic.report._columns import column_facts
from laconic.report._pages import in_markdown

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in order, and ids occur once."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.tags, self.links, self.words = [], set(), [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name == "id":
                assert value not in self.ids, value
                self.ids.add(value)
            if name in ("href", "src", "xlink:href"):
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


def check_page(text):
    """See that a page is whole, needs nothing from elsewhere, and runs nothing."""
    page = Page(text)
    assert {"script", "iframe", "object", "embed", "link", "img", "base", "form"}.isdisjoint(
        tag for tag, _ in page.tags
    )
    inside = [link for link in page.links if not link.startswith("data:image/png;base64,")]
    assert all(link.startswith("#") and link[1:] in page.ids for link in inside), inside
    assert "url(" not in re.sub(r"url\(#", "", text)
    assert text.count("<h1>") == 1
    return page


@pytest.fixture(scope="module")
def wisconsin():
    return load_breast_cancer_wisconsin(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def made(wisconsin):
    return SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(*wisconsin).report(*wisconsin, rows=True)


def test_what_is_counted_is_what_is_there(made, wisconsin):
    X, y = wisconsin
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X, y)
    record, wrong = made.record, model.predict(X) != y
    assert (record.errors.n_rows, record.errors.n_wrong) == (len(y), wrong.sum())
    counts = pd.crosstab(y, model.predict(X))
    assert record.confusion.counts == tuple(map(tuple, counts.to_numpy().tolist()))
    assert record.confusion.right == tuple(np.diag(counts))
    assert [row.row - 1 for row in record.wrong] == np.flatnonzero(wrong).tolist()
    assert [row.reason for row in record.wrong] == [each["reason"] for each in model.explain(X[wrong])]
    assert [(line.n_rows, line.n_right) for line in record.decided] == [
        (line.support, line.right) for line in model.reading().lists[0].lines
    ]
    assert record.path.sizes[-1].bound == model.certificate_.risk_bound
    assert record.path.sizes[-1].chosen
    first, second = record.columns
    assert (first.name, [mark.words for mark in first.marks]) == ("cell_size_uniformity", ["> 3"])
    assert first.marks[0].place == pytest.approx(0.3)
    assert np.sum([bar.counts for bar in first.bars]) == len(y)
    assert second.n_missing == X["bare_nuclei"].isna().sum() == 16
    assert {*record.unused} == {*X.columns} - {first.name, second.name}
    assert record.target == "class"


def test_a_page_is_whole_small_and_says_what_matters(made):
    page = check_page(made.html())
    assert len(made.html().encode()) < 300_000
    for words in (
        made.record.promise.sentence,
        "cell_size_uniformity > 3",
        "agree with those",
        "bare_nuclei",
        "SHA-256",
    ):
        assert words in page.text
    assert "prefers-color-scheme: dark" in made.html()
    assert {"plane-figure_1", "path-figure_1"} <= page.ids


def test_ten_rules_stay_below_300_kilobytes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(1400, 10)), columns=[f"a column with a long name, {place}" for place in range(10)]
    )
    y = (X > 1.5).any(axis=1).to_numpy()
    model = SetCoveringClassifier("disjunction", "stumps", penalty=1.0, max_rules=10).fit(X, y)
    assert len(model.rules_) == 10
    text = model.report(X, y, rows=True).html()
    check_page(text)
    assert len(text.encode()) < 300_000


def test_rows_of_fit_are_told_from_others(wisconsin):
    X, y = wisconsin
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X[:400], y[:400])
    own, others = (model.report(*rows).record for rows in ((X[:400], y[:400]), (X[400:], y[400:])))
    assert own.agreement.verdict == "agrees"
    assert "no proof" in own.agreement.sentence
    assert others.agreement.verdict == "differs"
    assert others.errors.interval[0] <= others.errors.share <= others.errors.interval[1]


def test_as_many_rows_and_errors_are_not_enough_to_agree():
    X = np.arange(20.0)[:, None]
    model = SetCoveringClassifier("conjunction", "stumps", max_rules=1, penalty=1.0).fit(X, X[:, 0] > 9)
    other = np.where(X > 9, X, X + 100)[::-1].copy()
    record = model.report(other, model.predict(other)).record
    assert record.errors.n_wrong == 0
    assert record.agreement.verdict == "differs"


def test_labels_of_another_length_and_no_rows_are_refused(wisconsin):
    X, y = wisconsin
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.report(X, y[:-1])
    with pytest.raises(ValueError, match="0 rows"):
        model.report(X[:0], y[:0])
    with pytest.raises(ValueError, match="feature names"):
        model.report(X.rename(columns={"mitoses": "m"}), y)


def test_json_is_the_record_and_markdown_has_its_words(made):
    said = json.loads(made.json())
    assert said["errors"]["n_wrong"] == made.record.errors.n_wrong
    assert said["card"]["promise"] in made.markdown()
    assert "| malignant | 15 | 226 |" in made.markdown()
    card = made.card()
    for heading in ("Model details", "Intended use", "Factors", "Metrics", "Training data", "Evaluation data"):
        assert f"\n## {heading}\n" in card
    assert card.count("**Gap:**") >= 7
    assert "Annex IV" in card
    assert all(f"| {number} |" in card for number in ("1 (a)", "2 (d)", "2 (g)", "3", "9"))


# ---- values of rows


def test_no_value_of_a_row_is_in_a_report_without_rows():
    rng = np.random.default_rng(0)
    secret = [f"secret-{number}" for number in range(60)]
    X = pd.DataFrame({"dose": rng.integers(1_000_000, 9_999_999, 60) / 7, "name": secret, "plain": ["a", "b"] * 30})
    y = np.where(X["plain"] == "a", "yes", "no")
    y[:4] = "yes"
    model = SetCoveringClassifier("conjunction", ["literals", "stumps"], penalty=1.0, max_rules=1).fit(X, y)
    named = json.dumps(model.get_rules())
    shown = model.report(X, y, rows=True)
    for text in (shown.html(), shown.json()):
        assert shown.record.wrong
        assert str(X["plain"][0]) in text
    hidden = model.report(X, y)
    values = {*secret, *(f"{value:.4g}" for value in X["dose"]), *(f"{value}" for value in X["dose"])}
    for text in (hidden.html(), hidden.json(), hidden.markdown(), hidden.card()):
        assert not [value for value in values if value in text and value not in named]
    assert not hidden.record.wrong
    assert not any(column.bars for column in hidden.record.columns)


# ---- hostile words


def test_hostile_names_and_values_stay_words():
    made = hostile_report()
    page = check_page(made.html())
    assert "<script" not in made.html()
    assert "<img" not in made.html()
    assert HOSTILE[0] in page.text
    assert "49" not in page.text.replace("{{ 7 * 7 }}", "")[:2000] or "{{ 7 * 7 }}" in page.text
    for text in (made.markdown(), made.card()):
        assert "<script>" not in re.sub(r"`+[^`]*`+", "", text).replace("\\<", "")
        assert not re.search(r"(?<!\\)\[d\]", re.sub(r"(`+).*?\1", "", text))
    json.loads(made.json())


# ---- all learners


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_has_a_report(name):
    model, rows = fitted(name)
    y = model.predict(rows)
    made = report(model, rows, y, path=False)
    json.loads(made.json())
    assert made.markdown()
    assert made.card()
    assert made.record.errors.n_wrong == 0


@pytest.mark.parametrize("name", ["scm_mixed", "mcm", "neural_list"])
def test_pages_of_several_learners(name):
    model, rows = fitted(name)
    check_page(report(model, rows, model.predict(rows), path=False).html())


def test_regressors_show_their_band_and_the_farthest_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150)})
    y = 2 * X["a"] + rng.standard_t(2, size=150)
    model = MinimalComplexityRegressor().fit(X, y)
    made = model.report(X, y, rows=True)
    page = check_page(made.html())
    assert made.record.confusion is None
    assert "band-figure_1" in page.ids
    far = [abs(float(row.truth.rstrip("…")) - float(row.prediction.rstrip("…"))) for row in made.record.wrong]
    assert far == sorted(far, reverse=True)
    assert made.record.errors.outcome.startswith("off by more than ")
    without = check_page(model.report(X, y).html())
    assert "band-figure_1" not in without.ids


def test_another_libraries_model_with_a_certificate(wisconsin):
    X, y = load_breast_cancer_wisconsin(return_X_y=True, paper=True)
    made = Certified(LogisticRegression(max_iter=1000), max_size=20).fit(X, y).report(X, y)
    page = check_page(made.html())
    assert "LogisticRegression" in page.text
    assert "Certified" in made.card()


def test_a_stream_has_no_certificate_and_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] > 0
    made = MarginPerceptronClassifier().partial_fit(X, y, classes=[False, True]).report(X, y)
    page = check_page(made.html())
    assert made.record.promise is None
    assert made.record.agreement.verdict == "unknown"
    assert "no certificate" in page.text
    assert "There is no certificate" in made.card()


def test_extreme_numbers_have_no_histogram_that_lies():
    X = np.array([[-1.7e308], [1.7e308], [0.0], [np.inf], [-np.inf], [1e-320]] * 10)
    y = np.array([0, 1, 0, 1, 0, 1] * 10)
    made = (
        SetCoveringClassifier("conjunction", "stumps", penalty=1.0)
        .fit(np.clip(X, -1e308, 1e308), y)
        .report(np.clip(X, -1e308, 1e308), y)
    )
    check_page(made.html())
    json.loads(made.json())


@pytest.mark.parametrize("base", [2**53, -(2**60), 10**17])
@pytest.mark.parametrize("step", [0, 2, 4096])
def test_nearly_constant_large_whole_numbers_have_a_report(base, step):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"number": base + step * (rng.random(400) < 0.001), "size": rng.normal(size=400)})
    X.loc[0, "number"] = base + step
    made = PocketClassifier(max_epochs=2, random_state=0).fit(X, X["size"] > 0).report(X, X["size"] > 0)
    check_page(made.html())
    facts = column_facts(as_table(X), 0, "number", (), np.zeros(400, dtype=np.int64), ("all",), True)
    assert sum(bar.counts[0] for bar in facts.bars) in (0, 400)


def test_a_polars_column_with_a_nul_in_its_name_has_a_report():
    code = """
import numpy, polars
from laconic import SetCoveringClassifier
values = numpy.random.default_rng(0).normal(size=(40, 2))
X = polars.DataFrame({"a\\0": values[:, 0], "b": values[:, 1]})
y = (values[:, 0] > 0) & (values[:, 1] > 0)
assert "<svg" in SetCoveringClassifier(features="stumps").fit(X, y).report(X, y).html()
"""  # in a process of its own, which a panic would end
    pytest.importorskip("polars")
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_report_of_a_saved_model_is_the_same(tmp_path, made, wisconsin):
    X, y = wisconsin
    SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X, y).save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").report(X, y, rows=True).html() == made.html()


def test_writing_is_whole_or_not_at_all(tmp_path, made):
    place = tmp_path / "report.html"
    made.write_html(place)
    assert place.read_text(encoding="utf-8") == made.html()
    place.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        made.write_html(place)
    with pytest.raises(FileNotFoundError, match="no directory"):
        made.write_html(tmp_path / "no" / "report.html")


def test_what_is_promised_of_classes_is_said(wisconsin):
    X, y = wisconsin
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=2, promises="classes").fit(X, y)
    made = model.report(X, y)
    promised = model.certificate_.promise_lines()
    assert made.record.confusion.promises == tuple(promised) != ()
    assert all(line in check_page(made.html()).text for line in promised)


def test_rows_that_the_model_is_rebuilt_from_must_be_in_place(wisconsin):
    X, y = wisconsin
    model = SetCoveringClassifier("disjunction", "stumps", max_rules=2).fit(X, y)
    assert "rebuilt from is in place" in model.report(X, y).record.agreement.sentence
    turned = model.report(X[::-1], y[::-1])
    assert turned.record.agreement.verdict == "differs"
    assert "or not in their order" in turned.record.agreement.sentence


# ---- one estimate, one bound, and how to make it again


def test_the_sentence_of_the_certificate_stands_once(made):
    sentence = made.record.promise.sentence
    assert check_page(made.html()).text.count(sentence) == 1
    assert made.markdown().count(in_markdown(sentence)) == 1
    assert made.card().count(sentence) == 1


def test_training_rows_are_not_taken_for_an_estimate():
    X, y = load_heart(return_X_y=True, as_frame=True)
    for model in (SetCoveringClassifier(), LaconicClassifier(max_words=3)):
        text = check_page(model.fit(X, y).report(X, y, path=False).html()).text
        assert "no estimate of the error on new rows" in text
        assert model.certificate_.summary() in text
    n_wrong, n_rows = model.certificate_.held_out_errors()
    words = " ".join(model.to_text().split())
    assert f"Counted on the {len(y) - n_rows} training rows." in words
    assert re.findall(r"[\d.]+ %", words.partition("Counted on")[2]) == [
        *re.findall(r"95 %|[\d.]+ %", str(model.certificate_)),
        f"{100 * n_wrong / n_rows:.3g} %",
        "45.9 %",
    ]
    held_out = model.apart_
    assert (model.predict(X.iloc[held_out]) != y.iloc[held_out]).sum() == n_wrong
    assert len(held_out) == n_rows
    assert f"{n_wrong} of the {n_rows} held-out rows" in text
    others = check_page(model.report(X[:200], y[:200], path=False).html()).text
    assert "no estimate of the error on new rows" not in others


def test_a_report_repeats_the_parameters_of_the_fit():
    X, y = load_heart(return_X_y=True, as_frame=True)
    model = SetCoveringClassifier("disjunction", [Literals(), Stumps()], max_rules=1).fit(X, y)
    again = {}
    model.set_params(form="conjunction", max_rules=7)
    made = model.report(X, y, path=False).record.reproduction
    exec(f"{made.imports}\nmodel = {made.code}", {"X": X, "y": y}, again)
    assert again["model"].hypothesis_ == model.hypothesis_
    assert check_page(model.report(X, y, path=False).html()).text.count(made.code) == 1
    wrapped = Certified(LogisticRegression(C=0.5), max_size=3).fit(X[["age"]], y).report(X[["age"]], y)
    assert "from sklearn.linear_model import LogisticRegression" in wrapped.record.reproduction.imports
