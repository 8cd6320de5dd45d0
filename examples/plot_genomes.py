"""
From genomes to a certified rule
================================

A population of bacteria is simulated: lineages that share an ancestor, and a gene, handed on from cell to cell, that
makes its carriers resistant. What marks a lineage goes with resistance, too, and causes nothing. The k-mers of all
genomes are counted and packed, the machine looks for the few that tell the classes apart, and the k-mers that no genome
tells apart from those of the rule are put together again: they are a piece of the gene.
"""

import importlib.util
import tempfile
from pathlib import Path

import numpy as np

from laconic.datasets import make_genomes
from laconic.genomics import build_kmers, fasta_text, find_causes, fit_kmers, read_genomes


# %%
# Sequence files, one for each genome, become a matrix of who has which 31-mer, on the disk. The bound chooses form,
# penalty and size of the machine. New genomes need their sequence files and the model alone. What the rule means is
# written as FASTA: who carries it, and the sequences that its k-mers make.
def main():
    """Simulate, count, fit, predict, and say what was found; return the population and who has each k-mer."""
    population = make_genomes(80, 2_000, n_lineages=4, random_state=7)
    with tempfile.TemporaryDirectory() as folder:
        files = population.write(folder)
        genomes = build_kmers(files, Path(folder) / "genomes.kmers")
        model = fit_kmers(genomes, population.y)
        print(genomes.n_packed, "31-mers of", len(genomes), "genomes")
        print(model.to_text())
        answers = model.predict(read_genomes(model, files))
        print("errors:", int((answers != population.y).sum()))
        causes = find_causes(model, genomes, population.y)
        print(fasta_text(causes))
        found = [unitig for cause in causes for unitig in cause.unitigs]
        turned = [unitig[::-1].translate(str.maketrans("ACGT", "TGCA")) for unitig in found]
        print("part of the planted gene:", any(each in population.causes[0] for each in found + turned))
        return population, [np.asarray(rule.evaluate(genomes) != rule.negated) for rule in model.rules_]


# %%
# A marker of a lineage would change colour with the lineage; a cause goes with the class.
def draw(found):
    """Show lineage, class and k-mers of all genomes, in the order of their lineages."""
    import matplotlib.pyplot as plt

    population, has = found
    order = np.lexsort((population.y, population.lineages))
    strips = [("lineage", population.lineages, "Pastel1"), ("resistant", population.y, "Greys")]
    strips += [("has the k-mer", each, "Blues") for each in has]
    size = (8, 0.7 * len(strips) + 0.9)
    axes = plt.subplots(len(strips), 1, figsize=size, sharex=True, layout="constrained")[1]
    for axis, (name, values, colours) in zip(axes, strips, strict=True):
        axis.imshow(values[order][None, :].astype(float), aspect="auto", cmap=colours, interpolation="nearest")
        axis.set_yticks([0], [name])
        axis.tick_params(length=0)
    axes[-1].set_xlabel(f"{len(order)} genomes, in the order of their lineages")


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        draw(found)
