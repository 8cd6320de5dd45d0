"""What all pictures share: one manner, words that stay words, and no matplotlib until something is drawn."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from tests.plotting.common import fitted, line, points, regressor

import laconic.plotting
from laconic.plotting import CertificateDisplay, CoverageDisplay, IntervalDisplay, PathDisplay, RulesDisplay
from laconic.plotting._style import escaped, wrapped


def test_all_displays_have_one_manner():
    for name in laconic.plotting.__all__:
        display = getattr(laconic.plotting, name)
        assert name.endswith("Display")
        source = "from_monitor" if name == "EvidenceDisplay" else "from_estimator"
        assert {source, "compute", "plot"} <= set(dir(display))


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=60), st.integers(5, 40), st.integers(1, 4))
def test_words_are_safe_to_draw(text, width, most_lines):
    from matplotlib.cbook import is_math_text

    for safe in (escaped(text), wrapped(text, width, most_lines), wrapped(text, width, most_lines, tail="$")):
        assert not is_math_text(safe)
    lines = wrapped(text, width, most_lines).replace(r"\$", "$").split("\n")
    assert len(lines) <= most_lines
    assert max(map(len, lines)) <= width


def test_colours_follow_the_axes():
    display = RulesDisplay.compute(fitted("balls"), *points(), resolution=20)
    found = {}
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            _, ax = plt.subplots()
        display.plot(ax)  # outside the style, on axes that were made in it
        legend = ax.get_legend()
        found[style] = {to_hex(text.get_color()) for text in [*legend.get_texts(), legend.get_title()]}
    assert found == {"default": {"#000000"}, "dark_background": {"#ffffff"}}


def test_info_needs_no_matplotlib(monkeypatch):
    X, y = points()
    model = fitted("stumps")
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    PathDisplay.compute(model, X, y, cv=0)
    RulesDisplay.compute(model, X, y, resolution=5)
    CoverageDisplay.compute(model, X, y)
    IntervalDisplay.compute(regressor(), *line())
    with pytest.raises(ImportError, match=r"Drawing a picture needs matplotlib: pip install 'laconic-learn\[report\]'"):
        CertificateDisplay.from_estimator(model, X, y)
