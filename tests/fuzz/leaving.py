"""What leaves a fitted model, tried for a share of the cases: exports that must agree, reports; and what is refused."""

from xml.etree import ElementTree

import numpy as np
from tests.clients.refusals import Refusal
from tests.export.agreement import disagreements, in_onnx, in_python, in_sqlite, trial

from laconic.export import to_onnx, to_pmml, to_python, to_sql

N_ROWS = 40
SHARES = {
    "python": 0.25,
    "sql": 0.08,
    "onnx": 0.04,
    "pmml": 0.04,
    "report": 0.04,
}  # of the cases, for the sake of speed
WRITERS = {"python": to_python, "sql": lambda model: to_sql(model, "sqlite"), "onnx": to_onnx, "pmml": to_pmml}
ENGINES = {"python": in_python, "sql": in_sqlite, "onnx": in_onnx}

# by learner and what was tried: whatever else is refused of a fitted model is a finding
DISTANCES = "a distance or product that another library or a function computes has no formula"
ONE_TYPE = "columns and answers of these languages have one type"
REFUSALS = (
    Refusal(
        ("Certified*", "another order"),
        "gave two different models for the same rows",
        "distances beyond floats: what scikit-learn's neighbours answer depends on the rows that it is asked with",
    ),
    Refusal(("*", "save"), "a model file holds whole numbers of 64 bits", "JSON readers agree on no more"),
    Refusal(("*", "save"), "a model file holds numbers, Booleans and text", "dates as classes: JSON has none"),
    Refusal(("*", "save"), " is datetime.date(", "dates as classes, in parameters too: JSON has none"),
    Refusal(("*", "python|sql|onnx|pmml"), "has no class like", "dates as classes: these write numbers and texts"),
    Refusal(("*", "sql|onnx|pmml"), "beyond the whole numbers of 64 bits", "these have no larger whole numbers"),
    Refusal(
        ("Certified*", "python|sql|onnx|pmml"), "around another model", "laconic does not hold that model's answers"
    ),
    Refusal(("*", "python|sql|onnx|pmml"), "Precomputed distances are not exported", DISTANCES),
    Refusal(("*", "python|sql|onnx|pmml"), "A precomputed kernel is not exported", DISTANCES),
    Refusal(("*", "python|sql|onnx|pmml"), "is not exported: another library", DISTANCES),
    Refusal(("*", "python|sql|onnx|pmml"), "A power of degree", "it would be a product of a thousand factors"),
    Refusal(("*", "python|sql|onnx|pmml"), "measures a distance along column", "no language repeats it with blanks"),
    Refusal(("*", "sql|onnx|pmml"), "which is no text", ONE_TYPE),
    Refusal(("*", "sql|onnx|pmml"), "has no type for", ONE_TYPE),
    Refusal(("*", "sql"), "are of several types", ONE_TYPE),
    Refusal(("*", "sql"), "are unreasonable", "a database plans for minutes"),
    Refusal(("*", "sql"), "the character NUL", "a query ends there"),
    Refusal(("*", "python|sql|onnx|pmml"), "is so large that other languages", "its squares and sums would overflow"),
    Refusal(("*", "onnx"), "is the empty text", "it means missing in ONNX"),
    Refusal(("*", "report"), "delta must be a number in (0, 1], got 0.0", "half of the smallest number is nothing"),
    Refusal(("*", "pmml"), "XML cannot hold the name", "XML has no such characters"),
)


def drawn_steps(case):
    """Return what is tried with a case; a case always gives the same."""
    rng = np.random.default_rng(case.key)
    return [step for step, share in SHARES.items() if rng.random() < share]


def is_listed(name, step, error):
    return any(each.covers(name, step) and each.message in str(error) for each in REFUSALS)


def exported(case, model, report):
    """Exports answer as the model does; a refusal is listed, or a finding."""
    for step in drawn_steps(case):
        if step == "report":
            with report.during("report"):
                try:
                    assert "</html>" in model.report(case.drawn.training(), case.y).html()
                except ValueError as error:
                    if not is_listed(case.name, step, error):
                        raise
        elif hasattr(model, "to_python"):
            with report.during(f"to {step}"):
                try:
                    written = WRITERS[step](model)
                except ValueError as error:
                    if is_listed(case.name, step, error):
                        continue
                    raise
                if step == "pmml":
                    ElementTree.fromstring(written)
                elif step != "sql" or "\0" not in "".join(getattr(model, "feature_names_in_", ())):  # a table has none
                    with np.errstate(over="ignore"):
                        tried = trial(model, N_ROWS)
                    wrong = disagreements(tried, ENGINES[step](tried))
                    if wrong:
                        report.found("export", f"{step} answers otherwise on {len(wrong)} rows")
