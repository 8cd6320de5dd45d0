"""``laconic kmers``: from genomes to a certified rule, in five verbs."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

import laconic
from laconic._words import counted
from laconic.cli._card import show as show_card
from laconic.cli._console import WrongCall, check_output, out, say, say_lines, waiting, write_or_print, writing
from laconic.cli._genome_tables import read_genome_list
from laconic.cli._options import OutModel, bytes_of

app = typer.Typer(
    name="kmers",
    help="From genomes to a certified rule: build a matrix of k-mers, fit, predict, show, export.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Table = Annotated[
    Path, typer.Argument(help="A CSV or TSV file: 'genome' names, 'files' lists (separated by ;), and other columns.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
Columns = Annotated[
    list[str] | None, typer.Option("--column", help="A column of the table that competes with k-mers; may be repeated.")
]


@app.command()
def build(
    table: Table,
    place: Annotated[Path, typer.Argument(help="The folder to write; a name that ends in .kmers suits.")],
    k: Annotated[int, typer.Option("-k", help="The length of the k-mers: odd, up to 31.")] = 31,
    min_count: Annotated[
        int, typer.Option(help="How often a k-mer must occur in a genome; more than 1 for reads.")
    ] = 1,
    lower_case: Annotated[str, typer.Option(help="Lower-case letters: refuse, read or skip.")] = "refuse",
    max_memory: Annotated[str, typer.Option(help="About how much may be held, such as 8G.")] = "2G",
    force: Force = False,
) -> None:
    """Count the k-mers of genomes, and pack who has which.

    Work that was interrupted goes on where it stopped when the same command is given again.

    Example: laconic kmers build genomes.csv genomes.kmers -k 31
    """
    files = read_genome_list(table).files()
    memory = bytes_of(max_memory, "--max-memory")
    from laconic.genomics import build_kmers

    options: Any = {"min_count": min_count, "lower_case": lower_case, "max_memory": memory, "force": force}
    with waiting(f"Counting the k-mers of {counted(len(files), 'genome')}"):
        bits = build_kmers(files, place, k, **options)
    say(f"{place}: {counted(len(files), 'genome')}, {counted(bits.n_packed, 'k-mer')}")
    first: dict[tuple[Path, ...], str] = {}
    for name, own in files.items():
        if (other := first.setdefault(tuple(sorted(own)), name)) != name:
            say(f"- {name} has the files of {other}: they are no independent draws, which certificates rest on")


@app.command()
def fit(
    place: Annotated[Path, typer.Argument(help="What 'laconic kmers build' wrote.")],
    table: Table,
    target: Annotated[str, typer.Option("--target", "-t", help="The column with the labels.")],
    column: Columns = None,
    group: Annotated[
        str | None, typer.Option("--group", help="A column of lineages, which are held out together.")
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option("--prior", help="A file of weights of k-mers, or columns, fixed before the data."),
    ] = None,
    select: Annotated[
        str | None, typer.Option("--select", help="bound or cv; without it the bound, and cv where there are groups.")
    ] = None,
    max_rules: Annotated[int, typer.Option(min=1, help="The longest machine.")] = 10,
    delta: Annotated[float, typer.Option("--delta", help="The probability with which the bound may fail.")] = 0.05,
    file: OutModel = None,
    force: Force = False,
) -> None:
    """Fit rules about k-mers, and about columns of the table, and certify them.

    Example: laconic kmers fit genomes.kmers genomes.csv --target resistant --out model.json
    """
    check_output(file, str(table), force=force)
    listed = read_genome_list(table)
    from laconic.covering import read_prior
    from laconic.genomics import fit_kmers
    from laconic.model_file import save

    reasons = {"genome": "it names genomes", "files": "it names files", target: "it is what is predicted"}
    if taken := [each for each in column or [] if each in reasons]:
        raise WrongCall(f"--column {taken[0]} cannot compete with k-mers: {reasons[taken[0]]}.")
    genomes = _opened(place, listed, column)
    names = genomes.rows or ()
    y = listed.values(target, names)
    groups = None if group is None else listed.values(group, names)
    chosen: Any = select or ("bound" if group is None else "cv")
    weights = None if prior is None else read_prior(prior)
    with waiting(f"Fitting k-mers to {counted(len(names), 'genome')}"):
        model = fit_kmers(genomes, y, groups=groups, prior=weights, select=chosen, max_rules=max_rules, delta=delta)
    model.about_ |= {"target": target}
    if file is not None:
        with writing("The model", file):
            save(model, file, force=force)
    say(f"{place}: {counted(len(names), 'genome')}, predicting {target}")
    if n_others := len(listed.rows.keys() - set(names)):
        say(f"- {counted(n_others, 'genome')} of {table} not among them, and left out")
    if chosen == "cv":
        held = "lineages" if group is not None else "folds"
        say(f"{100 * model.best_score_:.3g} % of the genomes of {held} that were held out are misclassified.")
    show_card(model, out())
    if file is not None:
        say("")
        say(f"The model is in {file}; 'laconic kmers predict {file}' asks it about other genomes.")


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model file, as 'laconic kmers fit --out' writes it.")],
    table: Table,
    file: Annotated[str | None, typer.Option("--out", "-o", help="Write the predictions to this CSV file.")] = None,
    force: Force = False,
) -> None:
    """Predict from the sequence files of new genomes, and the model alone.

    Example: laconic kmers predict model.json new.csv --out predicted.csv
    """
    check_output(file, str(table), str(model), force=force)
    fitted, listed = _loaded(model), read_genome_list(table)
    files = listed.files()
    from laconic.genomics import read_genomes

    columns = [str(name) for name in fitted.feature_names_in_[1:]]
    frame = listed.frame(columns, list(files)) if columns else None
    with waiting(f"Reading {counted(len(files), 'genome')}"):
        genomes = read_genomes(fitted, files, columns=frame)
        answers = fitted.explain(genomes)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["genome", "prediction", "reason"])
    writer.writerows([name, each["prediction"], each["reason"]] for name, each in zip(files, answers, strict=True))
    write_or_print(file, text.getvalue(), force=force)


@app.command()
def show(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    explain: Annotated[bool, typer.Option("--explain", help="Explain the certificate to a sceptical reader.")] = False,
) -> None:
    """Show the rules and the certificate of a model.

    Example: laconic kmers show model.json --explain
    """
    fitted = _loaded(model)
    say(f"{model}: predicting {getattr(fitted, 'about_', {}).get('target', 'a class')} from genomes")
    show_card(fitted, out())
    if explain:
        say_lines("\n" + fitted.certificate_.explain())


@app.command()
def export(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    place: Annotated[Path, typer.Argument(help="The k-mers of the genomes that it was fitted to.")],
    table: Annotated[Path | None, typer.Argument(help="The table with their labels, to count carriers.")] = None,
    reference: Annotated[Path | None, typer.Option("--reference", help="A FASTA file to find them in.")] = None,
    gff: Annotated[Path | None, typer.Option("--gff", help="A GFF file of the reference's genes.")] = None,
    file: Annotated[str | None, typer.Option("--out", "-o", help="Write to this FASTA file.")] = None,
    force: Force = False,
) -> None:
    """Write, as FASTA, the sequences that the rules' k-mers and their equals make, and where they are.

    Example: laconic kmers export model.json genomes.kmers genomes.csv --reference reference.fasta --out causes.fasta
    """
    check_output(file, str(model), force=force)
    fitted = _loaded(model)
    from laconic.genomics import fasta_text, find_causes

    genomes = _opened(place, None, None)
    y = None
    if table is not None:
        y = read_genome_list(table).values(fitted.about_["target"], genomes.rows or ())
    with waiting("Looking for equal k-mers"):
        causes = find_causes(fitted, genomes, y, reference=reference, gff=gff)
    if not causes:
        raise ValueError(f"'{model}' has no rule about a k-mer; there is no sequence to write.")
    text = fasta_text(causes)
    write_or_print(file, text, force=force)
    if file is None:
        return
    n_sequences = sum(len(cause.unitigs) for cause in causes)
    say(f"{file}: {counted(n_sequences, 'sequence')} of {counted(len(causes), 'rule')}")


def _loaded(model: Path) -> Any:
    fitted = laconic.load(model)
    if "kmers" not in fitted.reading().kinds:
        raise ValueError(f"{str(model)!r} is no model of genomes, which 'laconic kmers fit' makes; see 'laconic show'.")
    return fitted


def _opened(place: Path, listed: Any, columns: list[str] | None) -> Any:
    from laconic.covering import PackedBits

    if not place.is_dir():
        raise FileNotFoundError(f"There is no folder {str(place)!r}; 'laconic kmers build' writes such.")
    genomes = PackedBits.open(place)
    if genomes.rows is None:
        raise ValueError(f"{str(place)!r} holds no k-mers of genomes; 'laconic kmers build' writes such.")
    return PackedBits.open(place, columns=listed.frame(columns, genomes.rows)) if columns else genomes
