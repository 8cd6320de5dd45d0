"""``laconic kmers`` as a user meets it: from a table of genomes to a FASTA of causes, and what is wrong by line."""

import csv
import re

import numpy as np
import pytest
from tests.cli.test_walk import here
from tests.oracles import kmers as oracle

from laconic.covering import PackedBits
from laconic.covering.parts import Store
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ACGTA\n", "prior.txt', line 1: expected a column or a k-mer, and a weight above zero"),
        (f"{'A' * 31} 1\n{'C' * 31} -2\n", "prior.txt', line 2: expected a column or a k-mer, and a weight above zero"),
        (f"{'A' * 31} 0\n{'C' * 31} 0\n", "prior.txt', line 1: expected a column or a k-mer, and a weight above zero"),
        ("ACGTA 1\n", "The prior lists 'ACGTA', which is no k-mer of 31 letters"),
        (f"{'N' * 31} 1\n", "which is no k-mer of 31 letters A, C, G and T, nor is it one of the columns 'year'"),
        ("yaer 1\n", "The prior lists 'yaer', which is no k-mer of 31 letters"),
        ("# none\n", "prior.txt' lists nothing"),
    ],
)
def test_wrong_priors_are_refused_before_any_work(ward, tmp_path, monkeypatch, text, message):
    folder, _ = ward
    (tmp_path / "prior.txt").write_text(text)
    monkeypatch.setattr(Store, "block", lambda *_: pytest.fail("a look at the genomes"))
    words = [str(folder / "g.kmers"), str(folder / "genomes.csv"), "--target", "resistant", "--column", "year"]
    done = here("kmers", "fit", *words, "--prior", str(tmp_path / "prior.txt"), "--out", str(tmp_path / "model.json"))
    assert (done.returncode, message in done.stderr) == (1, True), done.stderr
    assert not (tmp_path / "model.json").exists()


def test_weights_are_shares_and_both_strands_are_one(ward, tmp_path):
    """A sum above one, another unit, and a k-mer that is listed twice, on both strands, in small letters."""
    folder, drawn = ward
    known, other = drawn.causes[0][40:71], drawn.causes[0][30:61]
    words = [str(folder / "g.kmers"), str(folder / "genomes.csv"), "--target", "resistant"]
    texts = (
        f"{known} 30\n{other} 10\n",
        f"{oracle.turned(known)} 1\n{known.lower()} 1.5\n{known} 0.5\n{oracle.turned(other)} 1\n",
    )
    said = []
    for text in texts:
        (tmp_path / "prior.txt").write_text(text)
        said.append(here("kmers", "fit", *words, "--prior", str(tmp_path / "prior.txt")).stdout)
    assert said[0] == said[1]
    assert "genome has" in said[0]
    assert said[0] != here("kmers", "fit", *words).stdout


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
        ("genome,files\na,a.fa;./a.fa\n", "line 2: genome 'a' lists a file twice"),
    ],
)
def test_wrong_tables_are_named_by_line(tmp_path, text, message):
    (tmp_path / "a.fa").write_text(">a\nACGTACGTAC\n")
    (tmp_path / "table.csv").write_text(text)
    done = here("kmers", "build", str(tmp_path / "table.csv"), str(tmp_path / "x"), "-k", "5")
    assert done.returncode == 1
    assert message in done.stderr
    assert not list(tmp_path.glob("x*"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.kmers", "genomes.csv", "--target", "resistant"], "There is no folder 'nothing.kmers'"),
        (["g.kmers", "genomes.csv", "--target", "resistent"], "no column 'resistent'; its .* Did you mean 'resistant'"),
        (["g.kmers", "genomes.csv", "--target", "year"], "tell two classes apart; the labels hold"),
        (["g.kmers", "one.csv", "--target", "resistant"], "tell two classes apart; the labels hold 1: 'yes'"),
        (
            ["g.kmers", "lone.csv", "--target", "resistant", "--select", "cv"],
            "two genomes of each class, .* one is 'no'",
        ),
        (["g.kmers", "genomes.csv", "--target", "resistant", "--column", "country"], "has no column 'country'"),
        (["g.kmers", "genomes.csv", "--target", "resistant", "--column", "resistant"], "it is what is predicted"),
        (["g.kmers", "genomes.csv", "--target", "resistant", "--column", "genome"], "it names genomes"),
        (["g.kmers", "genomes.csv", "--target", "resistant", "--group", "resistant2"], "has no column 'resistant2'"),
        (["g.kmers", "twice.csv", "--target", "resistant"], "line 4: genome 'genome01' stands in line 2 already"),
    ],
)
def test_wrong_words_of_a_fit(ward, monkeypatch, words, message):
    folder, _ = ward
    monkeypatch.chdir(folder)
    header, *lines = (folder / "genomes.csv").read_text().splitlines()
    ends = [line.replace(",no,", ",yes,") for line in lines]
    tables = {"one": ends, "lone": [*ends[:-1], ends[-1].replace(",yes,", ",no,")], "twice": [*lines[:2], lines[0]]}
    for name, changed in tables.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *changed]) + "\n")
    done = here("kmers", "fit", *words)
    assert done.returncode in (1, 2)
    assert re.search(message, done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_models_of_genomes_and_other_models_are_told_apart(ward, monkeypatch):
    folder, _ = ward
    monkeypatch.chdir(folder)
    lines = (folder / "genomes.csv").read_text().splitlines()
    (folder / "more.csv").write_text("\n".join([*lines, "another,genome01.fasta,no,1,2000"]) + "\n")
    fitted = here("kmers", "fit", "g.kmers", "more.csv", "--target", "resistant", "--out", "kmers.json")
    assert "- 1 genome of more.csv not among them, and left out" in fitted.stdout
    assert (
        here("fit", "genomes.csv", "-t", "resistant", "-l", "scm", "--only", "year", "-o", "other.json").returncode == 0
    )
    for words, message in (
        (("kmers", "predict", "other.json", "genomes.csv"), "'other.json' is no model of genomes"),
        (("kmers", "export", "other.json", "g.kmers"), "'other.json' is no model of genomes"),
        (("predict", "kmers.json", "genomes.csv"), "The model reads genomes: 'laconic kmers predict' asks it"),
        (("report", "kmers.json", "genomes.csv"), "The model reads genomes: 'laconic kmers predict' asks it"),
        (("fit", "g.kmers", "--labels", "genomes.csv", "-t", "resistant"), "'laconic kmers fit' reads these"),
    ):
        done = here(*words)
        assert (done.returncode, message in done.stderr) == (1, True), done.stderr
    verified = here("verify", "kmers.json", "genomes.csv")
    assert (verified.returncode, verified.stdout[:15]) == (3, "Arithmetic only")
    always = [line.replace(",no,", ",yes,") for line in lines[:-1]] + [lines[-1].replace(",yes,", ",no,")]
    (folder / "always.csv").write_text("\n".join(always) + "\n")
    assert here("kmers", "fit", "g.kmers", "always.csv", "-t", "resistant", "--out", "always.json").returncode == 0
    done = here("kmers", "export", "always.json", "g.kmers")
    assert (done.returncode, "has no rule about a k-mer" in done.stderr) == (1, True)


def test_names_files_and_clones(tmp_path):
    """Spaces and letters of any alphabet in names; several files; one file for two genomes, which is told."""
    sequence = "".join(np.random.default_rng(0).choice(list("ACGT"), 80))
    (tmp_path / "my genomes").mkdir()
    for name, text in (("Stamm ä 1.fa", sequence[:40]), ("σ.fa", sequence[40:])):
        (tmp_path / "my genomes" / name).write_text(f">one\n{text}\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text(
        "genome,files\nStamm ä,my genomes/Stamm ä 1.fa;my genomes/σ.fa\nσ 2,my genomes/σ.fa\n3,my genomes/σ.fa\n",
        encoding="utf-8",
    )
    done = here("kmers", "build", str(tmp_path / "t.csv"), str(tmp_path / "x.kmers"), "-k", "5")
    assert done.returncode == 0, done.stderr
    assert "- 3 has the files of σ 2: they are no independent draws" in done.stdout
    bits = PackedBits.open(tmp_path / "x.kmers")
    assert bits.rows == ("Stamm ä", "σ 2", "3")
    expected = [
        len(oracle.count(each, 5)) for each in ([sequence[:40], sequence[40:]], [sequence[40:]], [sequence[40:]])
    ]
    assert bits.__laconic_table__().store.sizes.tolist() == expected


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
