"""From sequences to rules and back: planted causes are found, and sequence files answer as the matrix does."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from tests.oracles import kmers as oracle

import laconic
from laconic import DecisionListClassifier, SetCoveringClassifier
from laconic.certificates import Examples
from laconic.covering import Kmers, PackedBits
from laconic.covering.core._scheme import reconstruct
from laconic.datasets import make_genomes
from laconic.genomics import assemble, build_kmers, fasta_text, find_causes, fit_kmers, read_genomes
from laconic.genomics._sequences import read_texts
from laconic.rules import Kmer, canonical, from_dict


@pytest.fixture(scope="module")
def population(tmp_path_factory):
    folder = tmp_path_factory.mktemp("population")
    drawn = make_genomes(70, 1_500, n_lineages=3, random_state=1)
    files = drawn.write(folder)
    return drawn, files, build_kmers(files, folder / "x.kmers"), folder


def is_of(kmer, gene):
    return kmer in gene or kmer in oracle.turned(gene)


@pytest.mark.parametrize("seed", range(6))
def test_planted_causes_are_found(tmp_path, seed):
    drawn = make_genomes(60, 800, n_lineages=2 + seed % 3, n_causes=1 + seed % 2, random_state=seed)
    reads = {"coverage": 20, "errors": 0.004} if seed % 3 == 2 else {}
    bits = build_kmers(drawn.write(tmp_path, **reads), tmp_path / "x", min_count=3 if reads else 1)
    n_causes = len(drawn.causes)
    machine = SetCoveringClassifier("disjunction", Kmers(negated=False), penalty=float("inf"), max_rules=n_causes)
    causes = find_causes(machine.fit(bits, drawn.y), bits, drawn.y)
    assert machine.certificate_.empirical_risk <= 2 / 60  # where contigs are cut inside a gene
    for cause in causes:
        assert any(is_of(kmer, gene) for kmer in cause.kmers for gene in drawn.causes)
    for gene in drawn.causes:
        assert any(is_of(kmer, gene) for cause in causes for kmer in cause.kmers)


def test_sequence_files_answer_as_the_matrix(population, tmp_path):
    drawn, files, bits, _ = population
    noisy = np.where(np.arange(70) % 9 == 0, 1 - drawn.y, drawn.y)
    model = fit_kmers(bits, noisy, penalties=[1.0], max_rules=4)
    model.save(tmp_path / "model.json")
    opened = laconic.load(tmp_path / "model.json")
    genomes = read_genomes(opened, files)
    assert genomes.rows == drawn.names
    assert np.array_equal(opened.predict(genomes), model.predict(bits))
    assert opened.explain(genomes) == model.explain(bits)
    assert opened.about_ == {"min_count": "1", "lower_case": "refuse"}
    with pytest.raises(ValueError, match="was not looked for"):
        Kmer(0, "A" * 31).evaluate(genomes.__laconic_table__())
    (tmp_path / "empty.fa").write_text(">a\nACGT\n")
    with pytest.raises(ValueError, match="Genome 'e' .* is empty"):
        read_genomes(opened, {"e": tmp_path / "empty.fa"})


def test_columns_compete_with_kmers(population, tmp_path):
    drawn, files, _, folder = population
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"year": rng.integers(1990, 2020, 70), "country": rng.choice(["CA", "FR"], 70)})
    y = np.where((drawn.y == 1) & (frame["year"] > 2000), "resistant", "susceptible")
    table = PackedBits.open(folder / "x.kmers", columns=frame)
    assert table.names == ("genome", "year", "country")
    model = fit_kmers(table, y, select="cv", groups=np.arange(70) // 5)
    kinds = {type(rule).__name__ for rule in model.rules_}
    assert kinds == {"Kmer", "Stump"}
    model.save(tmp_path / "model.json")
    opened = laconic.load(tmp_path / "model.json")
    genomes = read_genomes(opened, files, columns=frame)
    assert np.array_equal(opened.predict(genomes), model.predict(table))
    with pytest.raises(ValueError, match="69 rows, and there are 70 genomes"):
        read_genomes(opened, files, columns=frame.iloc[1:])


def test_the_message_names_genome_and_place(population):
    drawn, files, bits, _ = population
    model = SetCoveringClassifier("conjunction", Kmers(), penalty=1.0).fit(bits, drawn.y)
    encoding = model._encoding
    (template,) = encoding.message.templates
    row = int(encoding.rows[0])
    contigs = [sequence for _, sequence in read_texts(files[drawn.names[row]])]
    own = sorted(oracle.count(contigs, 31))
    assert own[template.rank] == model.rules_[0].sequence
    assert template.n_kmers == len(own)
    table = bits.__laconic_table__()
    examples = Examples.chosen(table, drawn.y == 1, encoding.rows)
    assert reconstruct(examples, encoding.message) == model.hypothesis_
    expected = np.log(2) + np.log(16) + np.log(2) + np.log(len(own))  # one rule of no more, k, the sign, the place
    assert encoding.nats == pytest.approx(expected, abs=1e-9)
    assert model.certificate_.compression_size == 1


def test_a_prior_is_code_length(population):
    drawn, _, bits, _ = population
    gene = drawn.causes[0]
    model = SetCoveringClassifier("conjunction", Kmers(), penalty=1.0).fit(bits, drawn.y)
    equals = {model.rules_[0].sequence, *(rule.sequence for rule in bits.equivalent_rules(model.rules_[0]))}
    known = next(gene[i : i + 31] for i in range(60) if canonical(gene[i : i + 31]) in equals)
    right = SetCoveringClassifier("conjunction", Kmers(prior={known: 1.0, "A" * 31: 3.0}), penalty=1.0).fit(
        bits, drawn.y
    )
    wrong = SetCoveringClassifier("conjunction", Kmers(prior={"A" * 31: 1.0}), penalty=1.0).fit(bits, drawn.y)
    assert right.rules_[0].sequence == canonical(known)
    assert right.certificate_.risk_bound < model.certificate_.risk_bound < wrong.certificate_.risk_bound
    assert right.certificate_.compression_size == 0
    assert wrong.certificate_.message_nats - model.certificate_.message_nats == pytest.approx(np.log(2))
    family = Kmers(prior={known: 1.0, oracle.turned(known): 1.0, "C" * 31: 2.0})
    nats = [family.template_nats(family.template(Kmer(0, canonical(each))), 1) for each in (known, "C" * 31)]
    assert 2 * sum(np.exp(-np.array(nats))) == pytest.approx(0.5)  # both signs; the other half is for all others
    for bad in ({"ACG-T": 1.0}, {"ACGT": 1.0}, {"ACG": 0.0}, {"ACG": float("inf")}):
        with pytest.raises(ValueError, match="is no k-mer|weights are numbers above zero"):
            SetCoveringClassifier(features=Kmers(prior=bad)).fit(bits, drawn.y)


def test_folds_and_subsets_use_only_what_their_genomes_have(population):
    drawn, _, bits, _ = population
    few = bits[np.flatnonzero(drawn.lineages == drawn.lineages[0])]
    y = drawn.y[drawn.lineages == drawn.lineages[0]]
    model = SetCoveringClassifier("auto", Kmers(), penalty=0.0).fit(few, y)
    for rule in model.rules_:
        assert few.__laconic_table__().has_kmer(0, rule.sequence).any()
    assert cross_val_score(SetCoveringClassifier(features="kmers"), bits, drawn.y, cv=3).mean() > 0.9


def test_contradictions_and_clones_are_seen(tmp_path):
    drawn = make_genomes(12, 400, random_state=3)
    files = drawn.write(tmp_path)
    clones = {**files, "clone": files[drawn.names[0]]}
    bits = build_kmers(clones, tmp_path / "x")
    y = np.append(drawn.y, 1 - drawn.y[0])
    with pytest.raises(laconic.exceptions.NoConsistentConcept, match="0 = 12"):
        SetCoveringClassifier(features="kmers", penalty=float("inf")).fit(bits, y)


def test_the_card_says_what_genomes_share_and_what_the_paper_promises(population):
    drawn, _, bits, _ = population
    notes = SetCoveringClassifier("conjunction", Kmers(), penalty=1.0).fit(bits, drawn.y).to_text()
    text = " ".join(notes.split())
    assert "clones, and lineages sampled unevenly, are not independent draws" in text
    assert "The formula of Drouin et al. (2016), for a form fixed beforehand, gives" in text


def test_every_card_of_genomes_says_what_they_share(population):
    """Also where a column is the first rule, or where there is none."""
    drawn, _, _, folder = population
    year = pd.DataFrame({"year": np.where(drawn.y == 1, 2010, 1990)})
    of_columns = fit_kmers(
        PackedBits.open(folder / "x.kmers", columns=year[::-1].reset_index(drop=True)), drawn.y[::-1]
    )
    assert [type(rule).__name__ for rule in of_columns.rules_] == ["Stump"]
    constant = fit_kmers(PackedBits.open(folder / "x.kmers"), np.arange(70) == 3)
    assert constant.rules_ == ()
    for model in (of_columns, constant):
        assert "clones, and lineages sampled unevenly, are not independent draws" in " ".join(model.to_text().split())


def test_other_machines_say_who_reads_kmers(population):
    drawn, _, bits, _ = population
    for model in (DecisionListClassifier(), laconic.MinimalComplexityClassifier(), laconic.LaconicClassifier()):
        with pytest.raises(ValueError, match="k-mers of genomes|Kmers"):
            model.fit(bits, drawn.y)
    for features in ("literals", "stumps", "auto", "conditions"):
        with pytest.raises(ValueError, match=r"'genome' holds the k-mers of genomes; the family Kmers\(\) reads these"):
            SetCoveringClassifier(features=features).fit(bits, drawn.y)
    with pytest.raises(ValueError, match="'x0' holds no k-mers"):
        SetCoveringClassifier(features="kmers").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="holds k-mers of 31 letters"):
        Kmer(0, "ACG").evaluate(bits.__laconic_table__())
    with pytest.raises(ValueError, match="choose by these: select='cv'"):
        fit_kmers(bits, drawn.y, groups=drawn.lineages)


def test_rules_are_values():
    rule = Kmer(0, "AACGT", negated=True)
    assert from_dict(rule.to_dict()) == rule
    assert rule.facts(["genome"])["operator"] == "lacks"
    for wrong in ("ACGT", "ACGTT", "AXC", "A" * 33, ""):
        with pytest.raises(ValueError, match="is no k-mer|is not canonical"):
            Kmer(0, wrong)


@pytest.mark.parametrize("seed", range(5))
def test_unitigs_hold_each_kmer_once(seed):
    rng = np.random.default_rng(seed)
    letters = "".join(rng.choice(list("ACGT"), 60))
    kmers = sorted(oracle.count([letters, letters[10:40] + "".join(rng.choice(list("ACGT"), 20))], 5))
    unitigs = assemble(kmers)
    assert sorted(kmer for unitig in unitigs for kmer in oracle.count([unitig], 5).elements()) == kmers
    assert assemble(["AACGT", "AACGT"]) == ("AACGT",)


def test_one_sequence_is_one_unitig_and_is_found(population, tmp_path):
    gene = "".join(np.random.default_rng(5).choice(list("ACGT"), 90))
    assert assemble(list(oracle.count([gene], 31))) == (canonical(gene),)
    drawn, _, bits, _ = population
    model = fit_kmers(bits, drawn.y)
    planted = drawn.causes[0]
    reference = tmp_path / "reference.fa"
    reference.write_text(f">chr1 strain\n{drawn.reference[:200]}{planted}{drawn.reference[200:]}\n")
    gff = tmp_path / "genes.gff"
    gff.write_text(
        "##gff-version 3\nchr1\tx\tgene\t190\t330\t.\t+\t.\tID=g1;Name=res%20A\n"
        "chr1\tx\tgene\t900\t999\t.\t-\t.\tID=g2\n"
    )
    (cause,) = find_causes(model, bits, drawn.y, reference=reference, gff=gff)
    assert cause.carriers == (("0", 0, int((drawn.y == 0).sum())), ("1", int(drawn.y.sum()), int(drawn.y.sum())))
    for unitig, hits in zip(cause.unitigs, cause.hits, strict=True):
        for hit in hits:
            text = (drawn.reference[:200] + planted + drawn.reference[200:])[hit.start - 1 : hit.end]
            assert (text if hit.strand == "+" else oracle.turned(text)) == unitig
            assert hit.genes == ("res A",)
    assert any(cause.hits)
    assert "genes=res_A" in fasta_text([cause])
    lines = fasta_text([replace(cause, carriers=(("not resistant", 1, 3), ("resistant", 2, 2)))]).splitlines()
    for line in (line for line in lines if line.startswith(">")):
        _, *facts = line.split()
        assert {"not_resistant=1/3", "resistant=2/2"} <= set(facts)
        assert sum("=" in fact for fact in facts) == len(facts) - 1  # all but presence
    gff.write_text("chr1\tno\n")
    with pytest.raises(ValueError, match="line 1: no line of GFF"):
        find_causes(model, bits, reference=reference, gff=gff)
    with pytest.raises(ValueError, match="name that too"):
        find_causes(model, bits, gff=gff)
