"""The pictures of the site: each is on a page, shows what was measured, and can be read at half its size."""

import re
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

DOCS = Path(__file__).parents[1] / "docs"
SMALLEST = 9  # points; a page shows pictures at their size, and a phone at about half
WIDEST = 9  # inches
CHEAP = ("bounds", "comparison", "delays", "diagram", "evidence", "export", "packed", "promises", "scale", "speed")
CHEAP = (*CHEAP, "tightness", "growth", "before")


@pytest.fixture(scope="module")
def pictures():
    sys.path.insert(0, str(DOCS))
    try:
        import charts
        import pictures
    finally:
        sys.path.remove(str(DOCS))
    return pictures, charts


def drawn(make, pictures, look="light"):
    with plt.style.context(pictures.LOOKS[look]), plt.rc_context({"font.size": 12}):
        figure = make().plot().figure_
        figure.draw_without_rendering()
    plt.close(figure)
    return figure


def words(figure):
    """Return what is written, and where: no two of these may touch."""
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    shown = []
    for ax in figure.axes:
        hidden = {*map(id, [*ax.xaxis.get_minorticklabels(), *ax.yaxis.get_minorticklabels()])}
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            outside = [tick for tick in axis.get_major_ticks() if not low - slack <= tick.get_loc() <= high + slack]
            hidden |= {id(label) for tick in outside for label in (tick.label1, tick.label2)}
        found = [text for text in found if id(text) not in hidden]
    for text in found:
        box = text.get_window_extent()
        if box.width > 0:
            shown.append((text, box))
    return shown


def troubles(figure):
    shown = words(figure)
    for text, box in shown:
        if text.get_fontsize() < SMALLEST:
            yield f"{text.get_text()!r} is small: {text.get_fontsize()} points"
        if box.x0 < -1 or box.y0 < -1 or box.x1 > figure.bbox.x1 + 1 or box.y1 > figure.bbox.y1 + 1:
            yield f"{text.get_text()!r} is cut"
    for (one, its), (other, others) in combinations(shown, 2):
        width = min(its.x1, others.x1) - max(its.x0, others.x0)
        height = min(its.y1, others.y1) - max(its.y0, others.y0)
        if width > 1 and height > 1:
            yield f"{one.get_text()!r} touches {other.get_text()!r}"


def test_every_picture_is_on_a_page_in_light_and_dark(pictures):
    places = [page.read_text(encoding="utf-8") for page in [*DOCS.glob("*.md"), *DOCS.glob("learners/*.md")]]
    used = [re.findall(r"_pictures/([a-z-]+)-(light|dark)\.svg\n:class: only-(light|dark)", text) for text in places]
    assert all(look == shown for page in used for _, look, shown in page)
    for look in ("light", "dark"):
        assert {name for page in used for name, its, _ in page if its == look} == {*pictures[0].PICTURES}


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["comparison", "delays", "diagram", "export", "packed", "promises", "scale", "speed", "tightness", "evidence"],
)
def test_a_picture_can_be_read(name, look, pictures):
    figure = drawn(pictures[0].PICTURES[name], pictures[0], look)
    assert list(troubles(figure)) == []
    assert figure.get_figwidth() <= WIDEST


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # a picture may show a learner at its limits
def test_all_pictures_can_be_read(pictures):
    for name, make in pictures[0].PICTURES.items():
        assert list(troubles(drawn(make, pictures[0]))) == [], name


def test_the_check_notices_what_cannot_be_read():
    figure, ax = plt.subplots(figsize=(2, 2))
    ax.set_xticks([0, 0.01], ["one of them", "the other"])
    ax.set_xlim(0, 1)
    ax.set_title("a title that is far too long for its picture", fontsize=6)
    figure.draw_without_rendering()
    said = " ".join(troubles(figure))
    assert "touches" in said
    assert "is cut" in said
    assert "is small" in said
    plt.close(figure)


def test_bars_and_points_are_those_of_the_files(pictures):
    module, charts = pictures
    bars = [patch.get_width() for patch in drawn(charts.Speed, module).axes[0].patches]
    assert [f"{width:g}" for width in bars] == [f"{float(ratio):g}" for *_, ratio in charts.Speed.ratios()]
    assert bars[:3] == [float(row["exact_vs_pyscm"]) for row in charts.measured("stumps")]
    rows = charts.measured("export")
    lines = drawn(charts.Export, module).axes[0].get_lines()
    for line, target in zip(lines, charts.Export.TARGETS, strict=False):
        assert np.array_equal(line.get_xdata(), [float(row[target]) for row in rows])
    rows = charts.measured("watch")
    for line, kind in zip(drawn(charts.Delays, module).axes[0].get_lines(), charts.Delays.KINDS, strict=True):
        assert np.array_equal(line.get_xdata(), [float(row[kind]) for row in rows])
