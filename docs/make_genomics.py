"""Draw ``genomics.png``, the picture of ``genomics.md``: who has the k-mers of a rule, by lineage and class."""

import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from laconic.datasets import make_genomes
from laconic.genomics import build_kmers, fit_kmers

HERE = Path(__file__).parent


def main(place=HERE / "genomics.png"):
    """Simulate the population of the page, fit it, and draw."""
    population = make_genomes(120, 5_000, n_lineages=4, random_state=7)
    with tempfile.TemporaryDirectory() as folder:
        genomes = build_kmers(population.write(folder), Path(folder) / "genomes.kmers")
        model = fit_kmers(genomes, population.y)
        has = np.array([rule.evaluate(genomes) != rule.negated for rule in model.rules_])
    order = np.lexsort((population.y, population.lineages))
    strips = [("lineage", population.lineages, "Pastel1"), ("resistant", population.y, "Greys")]
    strips += [(rule.sequence, each, "Blues") for rule, each in zip(model.rules_, has, strict=True)]
    figure, axes = plt.subplots(len(strips), 1, figsize=(9, 0.55 * len(strips) + 0.7), sharex=True)
    for axis, (name, values, colours) in zip(axes, strips, strict=True):
        axis.imshow(values[order][None, :].astype(float), aspect="auto", cmap=colours, interpolation="nearest")
        axis.set_yticks([0], [name], family="monospace" if set(name) <= set("ACGT") else None, fontsize=8)
        axis.tick_params(length=0)
    axes[-1].set_xlabel(f"{len(order)} genomes, in the order of their lineages")
    figure.tight_layout()
    figure.savefig(place, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main()
