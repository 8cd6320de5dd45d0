"""What the documentation claims is what was measured, and the commands that it names exist."""

import csv
import importlib.util
import re
import statistics
from pathlib import Path

import pytest
from benchmarks import growth_page

from laconic._learners import registered

ROOT = Path(__file__).parents[1]
PAGES = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("learners/*.md")]
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(PAGES)]


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def flat(name):
    return re.sub(r"\s+", " ", page(name))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.stem)
def test_the_make_commands_exist(text):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    named = re.findall(r"(?:`|^\$ )make ([a-z-]+)", text.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {*named} <= {*targets}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.stem)
def test_files_that_are_linked_to_exist(text):
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text.read_text(encoding="utf-8")):
        made = re.match(r"(gallery|record|api)/", link)  # when the site is built
        assert made or (text.parent / link).exists(), link


def test_every_page_is_listed_for_machines():
    listed = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    pages = {each.stem for each in (ROOT / "docs").glob("*.md")} - {"index"}
    assert {name for name in pages if f"({name}.html)" not in listed} == set()


def results(name):
    with open(ROOT / "benchmarks" / "results" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_speed_claims_come_from_the_benchmark():
    for row in results("stumps"):
        line = next(line for line in page("speed").splitlines() if line.startswith(f"| {int(row['rows']):,} ×"))
        assert f"**{row['exact_vs_pyscm']} times faster**" in line
        assert f"exact takes {row['bins_vs_exact']} times as long" in line
    row = next(row for row in results("soft") if row["rows"] == "2000")
    text = flat("speed")
    (fitted,) = results("stumps_sort")
    assert f"{int(fitted['rows']):,} × {fitted['columns']} numbers" in text
    assert f"takes {fitted['exact_vs_sort']} times as long as one `np.sort`" in text
    assert f"{row['ns_per_pair']} ns for each pair of 2,000 rows" in text
    assert f"{row['times_faster_than_definition']} times faster than the definition" in text
    assert (
        f"takes {row['cv_seconds']} s, a tuned RBF SVM with as many pairs of parameters {row['svm_cv_seconds']} s"
        in text
    )
    rows = results("halfspaces")
    decision = next(row for row in rows if row["what"] == "decision" and row["n"] == "10")
    assert f"takes {decision['us_per_lp']} µs at 10 columns and 3,000 rows, {decision['times_highs']} times" in text
    assert f"{decision['times_linprog']} times faster than scipy's `linprog`" in text
    whole = next(row for row in rows if row["what"] == "nearest" and row["n"] == "50")
    assert f"takes {float(whole['learner_s']):.1f} s (36 hours in the paper)" in text
    assert f"right on {whole['gen_percent']} % of new rows" in text
    linear, classifier, kernel, against_svr, fit, _ = results("minimal")
    assert f"{linear['times_linprog']} and {classifier['times_linprog']} times faster than scipy's `linprog`" in text
    assert f"200 kernel columns {kernel['times_linprog']} times." in text
    assert f"`LinearSVR` {against_svr['times_linear_svr']} times as long" in text
    assert f"certificate included, {fit['times_of_svr']} times as long as `SVR`" in text
    row = next(row for row in results("balls") if row["rows"] == "5000")
    assert f"{row['whole_ratio']} times faster, its greedy part {row['greedy_ratio']} times" in text


def test_claims_about_promises_come_from_the_tables():
    with open(ROOT / "benchmarks" / "results" / "promises-tightness.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]  # two of the columns have the same name
    for machine in {row[2] for row in rows}:
        chosen_by, apart = re.fullmatch(r"chosen by (.*), (.*)", machine).groups()
        missed, cost = (statistics.median(float(row[place]) for row in rows if row[2] == machine) for place in (6, 9))
        assert f"| {chosen_by} | {apart} | {missed:.2f} | {cost:.2f} |" in page("promises")
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    rows = results("promises-mapie")
    ours, theirs = (
        words[sum(float(row["laconic"]) < float(row[peer]) for row in rows)]
        for peer in ("MAPIE, our probabilities", "MAPIE, logistic regression")
    )
    assert f"both have our machine, the certified cost is smaller on {ours}." in flat("promises")
    assert f"MAPIE has a logistic regression, it is smaller on {theirs}" in flat("promises")
    assert f"On {words[sum(row['rules'] == '0' for row in rows)]} of the {words[len(rows)]}" in flat("promises")


def test_the_watched_streams_are_those_of_the_benchmark():
    for row in results("watch"):
        alarms = f"{row['false alarms']} of {int(row['of streams']):,} ({row['limit']})"
        cells = [alarms, row["change after"], row["laconic"], row["fixed size"], row["MAPIE"]]
        assert f"| {float(row['promised']):.0%} | " + " | ".join(cells) + " |" in page("watch")


def test_the_tables_of_growth_are_those_of_the_benchmark():
    rows = growth_page.read()
    assert growth_page.filled(page("growth"), rows) == page("growth")
    assert {row["learner"].partition(",")[0] for row in rows} == {*registered(), "Certified"}
    slopes = [float(row["exponent"]) for row in rows if row["source"] == "now" and row["axis"] == "rows"]
    assert max(slope for slope in slopes if slope == slope) < 2.5


def test_the_record_of_the_papers_is_quoted_as_it_is():
    record = (ROOT / "reproductions" / "results" / "README.md").read_text(encoding="utf-8")
    (opening,) = re.findall(r"Of \d+ figures that are judged, \d+ \(\d+ %\) are met or better", record)
    assert opening in flat("papers")


def test_claims_about_certificates_come_from_the_tables():
    chosen = [row for row in results("tightness") if row["learner"].endswith("the bound chooses")]
    ratios = [float(row["ratio"]) for row in chosen]
    assert len({row["data"] for row in chosen}) == 7
    assert f"{min(ratios):.2f} to {max(ratios):.2f} times those" in flat("certificates")
    assert all(float(row["certificate"]) <= float(row["paper"]) for row in results("tightness") if row["paper"])
    simulated = results("simulation")
    assert all(int(row["draws"]) >= 2000 for row in simulated)
    # an adversary who reaches a bound is above delta half of the time, by chance
    assert all(float(row["p-value"]) >= 1e-3 for row in simulated)


def test_what_is_reckoned_of_larger_tables_follows_from_the_measurements():
    path = ROOT / "benchmarks" / "bench_scale.py"
    spec = importlib.util.spec_from_file_location("bench_scale", path)
    bench_scale = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench_scale)
    table = bench_scale.text(bench_scale.series(), bench_scale.read("packed"))
    assert f"{bench_scale.START}\n\n{table}\n\n{bench_scale.END}" in page("scale")
    lines = bench_scale.exponents(bench_scale.series())
    assert all(0 < slope < 1.3 for slope, _ in lines.values())


def test_figures_of_genomes_come_from_the_benchmark():
    (row,) = results("genomics")
    text = flat("genomics")
    assert (int(row["genomes"]), int(row["bases"])) == (500, 4_000_000)
    assert float(row["peak_gib"]) < 8
    assert float(row["count_of_a_sort"]) >= 0.5
    assert (int(row["rules"]), float(row["fit_of_reads"]) >= 0.6) == (10, True)
    for claim in (
        f"with {int(row['kmers']) / 1e6:.1f} million 31-mers, were built with {row['peak_gib']} GiB of memory",
        f"{row['drafts_gb']} GB of the disk beside the {row['matrix_gb']} GB of the matrix",
        f"took {row['count_ns_per_base']} ns of one processor for each base, {row['count_of_a_sort']} times the speed",
        f"which took {row['sort_ns_per_word']} ns for each;",
        f"with the matrix written it is {row['build_ns_per_base']} ns",
        f"A fit of {row['rules']} rules to all 500 genomes, in memory, went at {row['fit_of_reads']} times the speed",
    ):
        assert claim in text, claim


SEVERAL = ("linear or logistic regression", "tree, depth 3", "tuned tree, 10 conditions", "tuned tree")


def shown(share):
    """A share as text may show it: the table has four digits, of which the last was rounded."""
    return {f"{100 * float(share) + off:.1f} %" for off in (-0.005, 0.005)}


def test_figures_beside_others_are_those_of_the_comparison():
    found = {(row["task"], row["learner"]): row for row in results("peers-summary") if row["role"] == "measured"}
    text, default = flat("learners/chosen"), found["two", "LaconicClassifier"]
    words, errors = f"{float(default['median_words']):.0f}", shown(default["error"])
    assert any(f"| **`LaconicClassifier()`** | **{error}** | **{words}** |" in text for error in errors)
    assert f"Its certificate is {float(default['median_ratio']):.2f} times (median)" in text
    assert any(f"it has {error}" in text for error in shown(found["several", "LaconicClassifier"]["error"]))
    assert all(any(error in text for error in shown(found["several", name]["error"])) for name in SEVERAL)


@pytest.mark.parametrize("task", ["two", "several"])
def test_the_default_reaches_its_goals_on_tables_that_only_measured(task):
    lines = [row for row in results("peers-summary") if (row["task"], row["role"]) == (task, "measured")]
    errors = {row["learner"]: float(row["error"]) for row in lines if row["error"]}
    n_tables = {row["learner"]: int(float(row["tables"])) for row in lines}
    default, short = errors["LaconicClassifier"], [row["learner"] for row in lines if row["kind"] == "rules"]
    assert default <= min(errors["linear or logistic regression"], errors["tuned tree"])
    assert default <= errors["random forest"] + 0.015
    every = [name for name in short if n_tables[name] == n_tables["LaconicClassifier"]]
    assert {"tree, depth 3", "tuned tree, 10 conditions", "GOSDT"} <= set(every)
    assert default < min(errors[name] for name in every)


def test_the_default_promises_no_less_than_rows_held_out_would():
    lines = [row for row in results("peers") if (row["role"], row["learner"]) == ("measured", "LaconicClassifier")]
    ratios = [float(row["ratio"]) for row in lines]
    assert len(ratios) >= 25
    assert statistics.median(ratios) <= 1.0
    assert sum(ratio <= 1.25 for ratio in ratios) >= 0.9 * len(ratios)


def test_the_default_takes_no_longer_than_it_may():
    ratios = [float(row["ratio"]) for row in results("default-times")]
    assert max(ratios) <= 20
    said = f"On {len(ratios)} tables of two classes it takes {statistics.median(ratios):.1f} times as long"
    assert said in flat("learners/chosen")
    assert f"{max(ratios):.1f} times at the most" in flat("learners/chosen")
