"""The picture: error against size for all learners, certificate against error for ours (two classes, measured only)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from benchmarks.peers.summary import DEFAULT, learner_line
from matplotlib import pyplot as plt
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import Bbox

COLOURS = {"ours": "#0b6e99", "rules": "#b5541c", "linear": "#5b7a2e", "black": "#5b6b7a"}
NAMES = {"ours": "laconic", "rules": "rules, trees", "linear": "sums", "black": "black boxes"}
SHORT = {"linear or logistic regression": "logistic regression"}
# where a name may stand beside its point, the nearest first: to the right, to the left, above, below
PLACES = sorted(
    [
        (side * right, up)
        for right in (10, 40, 80, 120, 160)
        for up in (0, 14, -14, 28, -28, 42, -42, 56, -56, 70, -70)
        for side in (1, -1)
    ],
    key=lambda place: (abs(place[0]) - 10) / 2 + abs(place[1]) + 2 * (place[0] < 0),
)


def label(axes: Any, points: list[tuple[float, float, str, str]]) -> None:
    """Write names beside points, each where neither it nor the line to its point covers a name, a point or a line."""
    figure = axes.figure
    figure.canvas.draw()
    renderer, area = figure.canvas.get_renderer(), axes.get_window_extent()
    at = {name: axes.transData.transform((x, y)) for x, y, name, _ in points}
    dots = {name: Bbox.from_bounds(*(place - 9), 18, 18) for name, place in at.items()}
    taken = [text.get_window_extent(renderer) for text in axes.texts]
    if axes.get_legend() is not None:
        taken.append(axes.get_legend().get_window_extent(renderer))
    for x, y, text, colour in sorted(points, key=lambda point: -point[1]):
        others = [*taken, *(dot for name, dot in dots.items() if name != text)]
        best: tuple[int, Any, list[Bbox]] | None = None
        for right, up in PLACES:
            far = max(abs(right) - 10, abs(up)) > 14
            line = {"arrowstyle": "-", "color": colour, "lw": 0.7, "shrinkA": 0, "shrinkB": 5}
            line["relpos"] = (0.0 if right > 0 else 1.0, 0.5)  # it ends at the side of the name that is near
            note = axes.annotate(
                text,
                (x, y),
                (right, up),
                textcoords="offset points",
                ha="left" if right > 0 else "right",
                va="center",
                color=colour,
                fontsize=13,
                arrowprops=line if far else None,
            )
            note.update_positions(renderer)
            box = Text.get_window_extent(note, renderer).padded(1)
            inside = area.x0 <= box.x0 and box.x1 <= area.x1 and area.y0 <= box.y0 and box.y1 <= area.y1
            end = (box.x0 if right > 0 else box.x1, (box.y0 + box.y1) / 2)
            covered = [box, *(_line(at[text], end) if far else [])]
            hits = sum(part.overlaps(other) for part in covered for other in others) + 3 * (not inside)
            hits += box.overlaps(dots[text])
            if best is not None and hits >= best[0]:
                note.remove()
                continue
            if best is not None:
                best[1].remove()
            best = (hits, note, covered)
            if hits == 0:
                break
        assert best is not None
        taken += best[2]


def _line(start: Any, end: Any, n_parts: int = 20) -> list[Bbox]:
    """Cover a line by small boxes."""
    places = np.linspace(start, end, n_parts)
    return [Bbox.from_bounds(*(place - 2), 4, 4) for place in places]


def draw(lines: list[dict[str, Any]], path: Path) -> None:
    """Draw what was reached on the tables that the default has finished; learners that lack many are left out."""
    measured = [line for line in lines if (line["task"], line["role"]) == ("two", "measured")]
    finished = {line["table"] for line in measured if line["learner"] == DEFAULT["two"] and line["error"] is not None}
    measured = [line for line in measured if line["table"] in finished or not finished]
    names = {line["learner"]: None for line in measured if line["learner"] != "constant"}
    chosen = [learner_line("two", "measured", name, measured) for name in names]
    most = max((line["tables"] for line in chosen), default=0)
    chosen = [line for line in chosen if line["tables"] >= 0.8 * most]
    if not chosen:
        return
    plt.rcParams.update({"font.size": 14, "font.family": "DejaVu Sans"})
    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 7.2), width_ratios=(1.35, 1), layout="constrained")
    _error_against_size(left, chosen)
    _certificate_against_error(right, [line for line in chosen if line["certified_tables"]], measured)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e4eaf0", lw=0.8)
        axes.set_axisbelow(True)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
    figure.suptitle(
        f"{most} tables of two classes that only measured, and that the default has finished; five folds", fontsize=16
    )
    figure.canvas.draw()
    figure.set_layout_engine("none")  # names are placed on axes that stay where they are
    for axes in (left, right):
        label(axes, axes.named)
    part = path.with_name("part-" + path.name)
    figure.savefig(part, dpi=110)
    plt.close(figure)
    part.replace(path)


def _error_against_size(axes: Any, chosen: list[dict[str, Any]]) -> None:
    axes.named = []
    for kind, colour in COLOURS.items():
        mine = [line for line in chosen if line["kind"] == kind]
        x = [max(line["median_words"], 0.7) for line in mine]
        y = [100 * line["error"] for line in mine]
        axes.scatter(x, y, s=80, color=colour, label=NAMES[kind], zorder=3)
        names = [SHORT.get(line["learner"], line["learner"]) for line in mine]
        axes.named += [(a, b, name, colour) for a, b, name in zip(x, y, names, strict=True)]
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator([1, 3, 10, 30, 100, 1000, 10_000]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.margins(0.16, 0.08)
    axes.set_xlabel("words (median)")
    axes.set_ylabel("error (mean)")
    axes.set_title("Error against size")
    axes.legend(frameon=False, loc="upper right", fontsize=13)


def _certificate_against_error(axes: Any, ours: list[dict[str, Any]], lines: list[dict[str, Any]]) -> None:
    axes.named = []
    single = [
        line
        for line in lines
        if line["learner"] == DEFAULT["two"] and line["error"] is not None and line["certificate"] is not None
    ]
    if single:
        x, y = [100 * line["error"] for line in single], [100 * line["certificate"] for line in single]
        axes.scatter(x, y, s=22, color="#9fb0c0", label="LaconicClassifier, each table", zorder=2)
    x, y = [100 * line["error"] for line in ours], [100 * line["certificate"] for line in ours]
    axes.scatter(x, y, s=80, color=COLOURS["ours"], zorder=3, label="mean over tables")
    axes.named += [(a, b, line["learner"], COLOURS["ours"]) for a, b, line in zip(x, y, ours, strict=True)]
    edge = max([*x, *(100 * line["error"] for line in single)], default=1)
    axes.plot([0, edge], [0, edge], color="#9fb0c0", lw=1)
    axes.text(edge, 0.8 * edge, "the error itself", color="#5b6b7a", ha="right", va="top", fontsize=13)
    axes.set_xlabel("error")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
    axes.set_ylabel("certificate (95 %)")
    axes.set_title("Certificate against error")
    axes.legend(frameon=False, loc="upper left", fontsize=13)
