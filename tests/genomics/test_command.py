"""``laconic kmers`` as a user meets it: from a table of genomes to a FASTA of causes, and what is wrong by line."""

import csv

import numpy as np
import pytest
from tests.cli.test_walk import here

from laconic.datasets import make_genomes


@pytest.fixture(scope="module")
def ward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ward")
    drawn = make_genomes(70, 1_200, random_state=4)
    files = drawn.write(folder)
    years = np.random.default_rng(0).integers(1990, 2020, 70)
    with open(folder / "genomes.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["genome", "files", "resistant", "lineage", "year"])
        rows = zip(drawn.names, drawn.y, drawn.lineages, years, strict=True)
        writer.writerows(
            [name, files[name].name, "yes" if y else "no", lineage, year] for name, y, lineage, year in rows
        )
    reference = drawn.reference[:100] + drawn.causes[0] + drawn.reference[100:]
    (folder / "reference.fasta").write_text(f">chr1\n{reference}\n")
    (folder / "genes.gff").write_text("chr1\tx\tCDS\t90\t230\t.\t+\t0\tID=cds1;gene=blaX\n")
    done = here("kmers", "build", str(folder / "genomes.csv"), str(folder / "g.kmers"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{folder / 'g.kmers'}: 70 genomes, ")
    return folder, drawn


def test_from_genomes_to_a_fasta_of_causes(ward, tmp_path):
    folder, drawn = ward
    table, model = str(folder / "genomes.csv"), str(tmp_path / "model.json")
    fitted = here("kmers", "fit", str(folder / "g.kmers"), table, "--target", "resistant", "--out", model)
    assert fitted.returncode == 0, fitted.stderr
    assert "genome has" in fitted.stdout
    shown = here("kmers", "show", model, "--explain")
    assert shown.returncode == 0, shown.stderr
    assert "predicting resistant from genomes" in shown.stdout
    predicted = here("kmers", "predict", model, table)
    answers = list(csv.DictReader(predicted.stdout.splitlines()))
    assert [row["genome"] for row in answers] == list(drawn.names)
    assert sum((row["prediction"] == "yes") != y for row, y in zip(answers, drawn.y, strict=True)) <= 2
    out = tmp_path / "causes.fasta"
    words = ["--reference", str(folder / "reference.fasta"), "--gff", str(folder / "genes.gff"), "--out", str(out)]
    exported = here("kmers", "export", model, str(folder / "g.kmers"), table, *words)
    assert exported.returncode == 0, exported.stderr
    assert "genes=blaX" in out.read_text()
    assert "of 1 rule" in exported.stdout


def test_groups_columns_and_a_prior(ward, tmp_path):
    folder, drawn = ward
    prior = tmp_path / "prior.txt"
    prior.write_text(
        f"# known genes, and a column\nyear\t0.5\n{drawn.causes[0][40:71]} 1\n{drawn.causes[0][30:61]}, 2.5\n"
    )
    words = [str(folder / "g.kmers"), str(folder / "genomes.csv"), "--target", "resistant"]
    held = here("kmers", "fit", *words, "--group", "lineage", "--column", "year", "--prior", str(prior))
    assert held.returncode == 0, held.stderr
    assert "of the genomes of lineages that were held out are misclassified" in held.stdout
    prior.write_text("ACGTA\n")
    assert (
        "prior.txt', line 1: expected a column or a k-mer, and a weight"
        in here("kmers", "fit", *words, "--prior", str(prior)).stderr
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("genome,files\na,a.fa\na,a.fa\n", "line 3: genome 'a' stands in line 2 already"),
        ("genome,files\na,nothing.fa\n", "line 2: there is no file '"),
        ("genome,files\na,\n", "line 2: genome 'a' has no file"),
        ("genome,files\n,a.fa\n", "line 2: the genome has no name"),
        ("genome,files\na,a.fa,1\n", "line 2: 3 values, not 2"),
        ("name,files\na,a.fa\n", "line 1: no column 'genome'"),
        ("genome,path\na,a.fa\n", "has no column 'files'; its columns are 'genome', 'path'"),
        ("genome,files\n", "names no genome"),
        ("genome\tfiles\na\ta.fa;b.fa\n", "line 2: there is no file '"),
    ],
)
def test_wrong_tables_are_named_by_line(tmp_path, text, message):
    (tmp_path / "a.fa").write_text(">a\nACGTACGTAC\n")
    (tmp_path / "table.csv").write_text(text)
    done = here("kmers", "build", str(tmp_path / "table.csv"), str(tmp_path / "x"), "-k", "5")
    assert done.returncode == 1
    assert message in done.stderr
    assert not list(tmp_path.glob("x*"))


def test_labels_must_be_there(ward, tmp_path):
    folder, _ = ward
    lines = (folder / "genomes.csv").read_text().splitlines()
    for changed, message in (
        (lines[:-1], "has no row for genome 'genome70'"),
        ([line.replace(",yes,", ",,").replace(",no,", ",,") for line in lines], "has no value for 'resistant'"),
    ):
        (tmp_path / "labels.csv").write_text("\n".join(changed) + "\n")
        done = here("kmers", "fit", str(folder / "g.kmers"), str(tmp_path / "labels.csv"), "--target", "resistant")
        assert (done.returncode, message in done.stderr) == (1, True)
