"""Pictures of what was measured: each is drawn from the CSV files of ``benchmarks/results``, and from nothing else."""

from __future__ import annotations

import csv
import math
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, PercentFormatter

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results"
BLUE, ORANGE, VERMILLION, GREEN = "#0072B2", "#E69F00", "#D55E00", "#009E73"
MARKS = ((BLUE, "o"), (ORANGE, "s"), (VERMILLION, "^"), (GREEN, "D"))


def measured(name):
    """Read a file of results: a dictionary for each row."""
    with open(RESULTS / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Chart:
    """A figure with bars or points beside names; `plot` makes it in the colours that hold at the moment."""

    def start(self, width, height, n_panels=1, **shared):
        """Make the figure; give its axes, one or a list."""
        self.figure_, axes = plt.subplots(
            1, n_panels, figsize=(width, height), layout="constrained", squeeze=False, **shared
        )
        for ax in axes[0]:
            ax.spines[["top", "right"]].set_visible(False)
        return axes[0, 0] if n_panels == 1 else list(axes[0])


def name_rows(ax, names):
    """Write names beside rows, the first on top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def in_times(axis):
    """Write ticks of a logarithmic axis as plain numbers."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def in_percent(axis):
    """Write ticks of shares as percentages."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))


def label_bars(ax, lengths, words):
    """Write words behind bars."""
    for place, (length, said) in enumerate(zip(lengths, words, strict=True)):
        ax.annotate(said, (length, place), (5, 0), textcoords="offset points", va="center")


def legend_below(figure, handles, columns):
    """Put a legend under all axes, where it hides nothing."""
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)


def mark(colour, shape, label, **style):
    """Make an entry of a legend."""
    return Line2D([], [], color=colour, marker=shape, linestyle="none", label=label, **style)


class Comparison(Chart):
    """Errors and length of learners, as the measured comparison has them."""

    def plot(self):
        """Draw a bar for each learner."""
        rows = [row for row in measured("peers-summary") if (row["task"], row["role"]) == ("two", "measured")]
        rows.sort(key=lambda row: float(row["error_there"]))
        ax = self.start(8.5, 0.36 * len(rows) + 0.9)
        errors = [float(row["error_there"]) for row in rows]
        ours = [row["learner"].startswith("Laconic") for row in rows]
        ax.barh(range(len(rows)), errors, color=[VERMILLION if each else BLUE for each in ours], height=0.62)
        label_bars(ax, errors, [f"{float(row['median_words']):,.0f} words" for row in rows])
        name_rows(ax, [row["learner"] for row in rows])
        ax.set(xlabel="mean error on tables of two classes that it and the default finished", xlim=(0, 0.45))
        in_percent(ax.xaxis)
        return self


class Export(Chart):
    """How long a model takes elsewhere, as a multiple of `predict`."""

    TARGETS: ClassVar = {"onnxruntime": "onnxruntime", "duckdb": "DuckDB", "sqlite": "SQLite", "python": "plain Python"}

    def plot(self):
        """Draw a point for each model and language."""
        rows = measured("export")
        ax = self.start(8.5, 4.2)
        for (target, name), (colour, shape) in zip(self.TARGETS.items(), MARKS, strict=True):
            times = [float(row[target]) for row in rows]
            ax.plot(times, range(len(rows)), shape, color=colour, markersize=9, label=name)
        ax.axvline(1.0, color="0.5", linewidth=1, linestyle=":")
        ax.grid(axis="y", alpha=0.25)
        name_rows(ax, [row["model"].replace(", ", ",\n") for row in rows])
        ax.set(xscale="log", xlim=(0.1, 100), xlabel="times as long as predict takes (left of the line: faster)")
        in_times(ax.xaxis)
        legend_below(self.figure_, ax.get_legend_handles_labels()[0], 4)
        return self


class Speed(Chart):
    """How many times faster than others, in the same run."""

    @staticmethod
    def ratios():
        """Collect what is compared, with whom, and the ratio."""
        found = [
            (f"thresholds, {int(row['rows']):,} × {row['columns']}", "pyscm-ml", row["exact_vs_pyscm"])
            for row in measured("stumps")
        ]
        found += [
            (f"balls, {int(row['rows']):,} rows", "vectorised numpy", row["whole_ratio"])
            for row in measured("balls")
            if row["whole_ratio"]
        ][-1:]
        soft = next(row for row in measured("soft") if row["cv_seconds"])
        folds = float(soft["svm_cv_seconds"]) / float(soft["cv_seconds"])
        found.append(("soft balls, five folds", "a tuned RBF SVM", f"{folds:.1f}"))
        (first, *_) = (row for row in measured("halfspaces") if row["what"] == "decision")
        found.append((f"one separation, {first['n']} columns", "HiGHS", first["times_highs"]))
        found.append((f"one separation, {first['n']} columns", "scipy's linprog", first["times_linprog"]))
        for row in measured("minimal"):
            if row["times_linprog"]:
                found.append((f"minimal {row['what']}", "scipy's linprog", row["times_linprog"]))
            elif row["times_linear_svr"]:
                found.append(("minimal regressor, linear", "LinearSVR", row["times_linear_svr"]))
        return found

    def plot(self):
        """Draw a bar for each comparison."""
        rows = self.ratios()
        ax = self.start(8.5, 0.4 * len(rows) + 0.9)
        lengths = [float(ratio) for *_, ratio in rows]
        ax.barh(range(len(rows)), lengths, color=BLUE, height=0.62)
        label_bars(ax, lengths, [f"{float(ratio):,g} × {peer}" for _, peer, ratio in rows])
        name_rows(ax, [what for what, *_ in rows])
        ax.set(xscale="log", xlim=(1, 10 ** math.ceil(math.log10(max(lengths)) + 1.2)), xlabel="times faster")
        in_times(ax.xaxis)
        return self


class Scale(Chart):
    """What a fit from disk holds of a table, and how long a look at it takes beside a plain read."""

    def plot(self):
        """Draw memory on the left, processor time on the right."""
        row = measured("disk")[0]
        n_rows, n_columns = int(row["rows"]), int(row["columns"])
        left, right = self.start(8.5, 2.6, 2)
        table = n_rows * n_columns * 8 / 2**20
        held = {"the table\nas float64": table, "held while\nfitting": float(row["peak_mib"])}
        took = {
            "a plain read\nby pyarrow": float(row["read_seconds"]),
            "a look at\nall columns": float(row["look_seconds"]),
        }
        for ax, bars, unit in ((left, held, "MiB"), (right, took, "s")):
            ax.barh(range(len(bars)), list(bars.values()), color=[ORANGE, BLUE], height=0.55)
            label_bars(ax, bars.values(), [f"{value:,.4g} {unit}" for value in bars.values()])
            name_rows(ax, list(bars))
            ax.set_xlim(0, 1.45 * max(bars.values()))
            ax.xaxis.set_major_locator(plt.MaxNLocator(4, steps=[1, 2, 5, 10]))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        left.set_xlabel(f"MiB, {n_rows / 1e6:g} million rows × {n_columns}")
        right.set_xlabel("seconds of processor time")
        return self


class Packed(Chart):
    """How fast a greedy step goes through packed bits, beside a sum and a read of the same bytes."""

    KINDS: ClassVar = {
        "sum_gb_per_s": ("a sum over the bytes, in memory", (ORANGE, "s")),
        "step_gb_per_s": ("a greedy step, in memory", (BLUE, "o")),
        "read_gb_per_s": ("a read of the file", (VERMILLION, "^")),
        "cold_step_gb_per_s": ("a greedy step, from the file", (GREEN, "D")),
    }

    def plot(self):
        """Draw a point for each shape of table."""
        rows = measured("packed")
        ax = self.start(8.5, 3.2)
        for field, (label, (colour, shape)) in self.KINDS.items():
            ax.plot(
                [float(row[field]) for row in rows], range(len(rows)), shape, color=colour, markersize=9, label=label
            )
        name_rows(ax, [f"{int(row['rows']):,} × {int(row['columns']):,}" for row in rows])
        ax.set(xscale="log", xlim=(0.5, 100), xlabel="gigabytes in a second")
        ax.grid(axis="y", alpha=0.25)
        in_times(ax.xaxis)
        legend_below(self.figure_, ax.get_legend_handles_labels()[0], 2)
        return self


class Tightness(Chart):
    """Certified limits on missed positives, beside those of a hold-out."""

    def plot(self):
        """Draw two points for each table."""
        rows = [row for row in measured("promises-tightness") if row["machine"] == "chosen by the cost, half apart"]
        ax = self.start(8.5, 0.38 * len(rows) + 1.5)
        for place, row in enumerate(rows):
            ends = [float(row[name]) for name in ("misses", "misses held out")]
            ax.plot(ends, [place, place], color="0.5", linewidth=1.2, zorder=1)
            for value, (colour, shape) in zip(ends, MARKS[:2], strict=True):
                ax.plot(value, place, shape, color=colour, markersize=9)
        name_rows(ax, [row["data"].replace("_", " ") for row in rows])
        ax.set(xlim=(0, None), xlabel="at most so many positives are missed")
        in_percent(ax.xaxis)
        said = ("laconic, half of the rows apart", "a 20 % hold-out")
        legend_below(self.figure_, [mark(*MARKS[i], said[i], markersize=9) for i in (0, 1)], 2)
        return self


class Delays(Chart):
    """How many rows after a change the alarm comes."""

    KINDS: ClassVar = {"laconic": "laconic", "fixed size": "a test that knows where to look", "MAPIE": "MAPIE"}

    def plot(self):
        """Draw a point for each monitor and situation."""
        rows = measured("watch")
        ax = self.start(8.5, 3.4)
        for (field, label), (colour, shape) in zip(self.KINDS.items(), MARKS, strict=False):
            ax.plot(
                [float(row[field]) for row in rows], range(len(rows)), shape, color=colour, markersize=9, label=label
            )
        name_rows(
            ax, [f"{float(row['promised']):.0%} promised,\nchange after {row['change after']} rows" for row in rows]
        )
        ax.set(xscale="log", xlim=(10, 1000), xlabel="rows from the change to the alarm, median")
        ax.grid(axis="y", alpha=0.25)
        in_times(ax.xaxis)
        legend_below(self.figure_, ax.get_legend_handles_labels()[0], 3)
        return self


class Growth(Chart):
    """The exponents of processor time, in rows and in columns."""

    def plot(self):
        """Draw two points for each learner and panel, with a line where growth is linear."""
        rows = [row for row in measured("growth") if row["source"] == "now"]
        names = sorted({row["learner"] for row in rows})
        panels = self.start(8.5, 0.33 * len(names) + 1.3, 2, sharey=True)
        for ax, axis in zip(panels, ("rows", "columns"), strict=True):
            for world, (colour, shape), shift in (("separable", MARKS[0], -0.14), ("overlapping", MARKS[1], 0.14)):
                slopes = {
                    row["learner"]: float(row["exponent"])
                    for row in rows
                    if (row["axis"], row["world"]) == (axis, world) and row["exponent"] != "nan"
                }
                places = [names.index(name) + shift for name in slopes]
                ax.plot(list(slopes.values()), places, shape, color=colour, markersize=7)
            ax.axvline(1.0, color="0.5", linewidth=1, linestyle=":")
            ax.grid(axis="y", alpha=0.2)
            ax.set_xlabel(f"exponent in {axis}")
            ax.set_xlim(-0.6, 2.6)
        name_rows(panels[0], [name.replace("Classifier", "") for name in names])
        entries = [
            mark(*MARKS[i], f"{world} classes", markersize=7) for i, world in enumerate(("separable", "overlapping"))
        ]
        legend_below(self.figure_, entries, 2)
        return self


class Before(Chart):
    """Processor time against rows, of an older version and now, in one run."""

    def plot(self):
        """Draw a panel for each learner that was measured in both."""
        rows = [row for row in measured("growth") if row["axis"] == "rows" and row["outcome"] == "fitted"]
        rows = [row for row in rows if float(row["cpu_seconds"]) > 0]  # others were quicker than the clock
        old = sorted({row["learner"] for row in rows if row["source"] == "before"})
        rows = [row for row in rows if row["learner"] in old and row["world"] == "overlapping"]
        n_lines = math.ceil(len(old) / 3)
        self.figure_, axes = plt.subplots(
            n_lines, 3, figsize=(8.5, 2.1 * n_lines + 0.8), sharex=True, sharey=True, layout="constrained"
        )
        for ax in axes.flat[len(old) :]:
            ax.axis("off")
        for ax, name in zip(axes.flat, old, strict=False):
            own = sorted((row for row in rows if row["learner"] == name), key=lambda row: row["source"])
            for source, series in groupby(own, key=lambda row: row["source"]):
                points = [(int(row["rows"]), float(row["cpu_seconds"])) for row in series]
                (colour, shape), style = (MARKS[0], "-") if source == "now" else (MARKS[1], "--")
                ax.plot(*zip(*points, strict=True), shape + style, color=colour, markersize=4.5)
            ax.set(xscale="log", yscale="log", xlim=(600, 2e6), ylim=(5e-4, 60))
            ax.set_xticks([1e3, 1e4, 1e5, 1e6], ["1k", "10k", "100k", "1M"])
            ax.set_yticks([1e-3, 1e-1, 1e1], ["0.001", "0.1", "10"])
            ax.minorticks_off()
            ax.set_title(name.replace("Classifier", "").replace(", ", ",\n"), fontsize=11)
        for ax in axes.flat[len(old) - 3 : len(old)]:  # the lowest of each column
            ax.set_xlabel("rows")
            ax.tick_params(labelbottom=True)
        self.figure_.supylabel("seconds of processor time")
        entries = [
            Line2D([], [], color=MARKS[i][0], marker=MARKS[i][1], linestyle=style, label=label)
            for i, style, label in ((0, "-", "now"), (1, "--", "before"))
        ]
        legend_below(self.figure_, entries, 2)
        return self


CHARTS = {
    "comparison": Comparison,
    "export": Export,
    "speed": Speed,
    "scale": Scale,
    "packed": Packed,
    "tightness": Tightness,
    "delays": Delays,
    "growth": Growth,
    "before": Before,
}
