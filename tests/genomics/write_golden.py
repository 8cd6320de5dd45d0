"""Write the golden k-mer model: ``python -m tests.genomics.write_golden``. One that is there is never touched."""

import json
import tempfile
from pathlib import Path

from laconic.datasets import make_genomes
from laconic.genomics import build_kmers, fit_kmers
from laconic.model_file import VERSION

FOLDER = Path(__file__).parent / "golden"
N_KEPT = 8  # genomes whose sequences and answers are kept


def main():
    place = FOLDER / f"kmers.v{VERSION}.json"
    if place.exists():
        return
    population = make_genomes(40, 300, n_lineages=3, gene_length=60, random_state=5)
    with tempfile.TemporaryDirectory() as folder:
        genomes = build_kmers(population.write(folder), Path(folder) / "x.kmers")
        model = fit_kmers(genomes, population.y)
        model.save(place)
        answers = model.explain(genomes)[:N_KEPT]
    kept = dict(zip(population.names[:N_KEPT], population.sequences[:N_KEPT], strict=True))
    expected = {"sequences": kept, "predictions": [int(each["prediction"]) for each in answers]}
    expected["reasons"] = [each["reason"] for each in answers]
    expected["certificate"] = str(model.certificate_)
    place.with_suffix(".expected").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
