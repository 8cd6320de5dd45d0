"""The file as a whole: what each learner keeps, part by part, and the JSON Schema of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, field

from laconic.model_file._certificates import Certificate
from laconic.model_file._plain import Count, Labels, Number, Parameters, Part, Text, Vector
from laconic.model_file._plain import Plain as Plain  # the schema of Parameters looks it up here
from laconic.model_file._rules import (
    Conjunction,
    DecisionList,
    Dichotomies,
    Disjunction,
    Halfspace,
    Highest,
    Index,
    KernelExpansion,
    LinearModel,
    Rules,
    SoftConjunction,
    SoftDisjunction,
)

FORMAT = "laconic model"
VERSION = 2
Kind: TypeAlias = Literal["number", "boolean", "category"]
Counts: TypeAlias = Annotated[list[Count], Meta(max_length=2**24)]


# ---- what learners keep beside their hypothesis


class Step(Part, frozen=True):
    """What one greedy step gained; the rule is the one at the same place of ``rules``."""

    family: Count
    value: Number
    n_covered: Count
    n_errors: Count


class SoftStep(Part, frozen=True):
    """What one greedy step of a soft machine gained."""

    value: Number
    covered: Number
    errors: Number


class Node(Part, frozen=True):
    """What one rule of a list answers and did."""

    answer: Index
    value: Number
    n_right: Count
    n_wrong: Count
    default: Index


class CutStep(Part, frozen=True):
    """What one halfspace did."""

    n_covered: Count
    n_support: Count


class BallNote(Part, frozen=True):
    """The training row that is a ball's centre, and what is said about the ball."""

    row: Count
    text: Text


class Lines(Part, frozen=True):
    """The rules as they are shown, and for each, and last for the default, how many rows it decided, and rightly."""

    rules: Rules
    support: Counts
    right: Counts


class Covered(Lines, frozen=True):
    """A set covering machine or a normal form."""

    path: list[Step]
    balls: list[BallNote | None]


class Choice(Part, frozen=True):
    """What a search found."""

    best_params: Parameters
    best_score: Number
    cv_results: Annotated[dict[str, list[Plain]], Meta(max_length=100)]


class CoveredByChoice(Covered, frozen=True):
    """A set covering machine that was searched for."""

    choice: Choice


class SoftlyCovered(Lines, frozen=True):
    """A PAC-Bayes set covering machine."""

    path: list[SoftStep]
    balls: list[BallNote | None]
    gibbs_certificate: Certificate


class SoftlyCoveredByChoice(SoftlyCovered, frozen=True):
    """A PAC-Bayes set covering machine that was searched for."""

    choice: Choice


class Listed(Lines, frozen=True):
    """A decision list."""

    path: list[Node]


class Digit(Listed, frozen=True):
    """One of several lists, which gives one digit of a class's word."""

    classes: Labels
    hypothesis: DecisionList
    certificate: Certificate


class NeurallyListed(Listed, frozen=True):
    """A list of halfspaces, or several."""

    low: Vector
    high: Vector
    lists: Annotated[list[Digit], Meta(max_length=2**12)]


class Cut(Lines, frozen=True):
    """An intersection or a union of halfspaces."""

    path: list[CutStep]
    inseparable: Counts


class Pocketed(Lines, frozen=True):
    """What was in the pocket."""

    n_digits: Count
    n_iter: Count


class Survivor(Part, frozen=True):
    """A hypothesis of the perceptron, and how many fresh rows it got right."""

    number: Annotated[int, Meta(ge=1, le=2**40)]
    survived: Count
    weights: Vector


class Lesson(Part, frozen=True):
    """Rows on which the perceptron was mistaken, whether they are positive, and in which order they came."""

    rows: Annotated[list[Vector], Meta(max_length=2**20)]
    positive: Annotated[list[bool], Meta(max_length=2**20)]
    order: Counts


class Walked(Lines, frozen=True):
    """A perceptron: where it stands, and how it came there."""

    current: Survivor
    best: Survivor
    n_seen: Count
    mistakes: Counts
    passes: Counts
    lessons: Annotated[list[Lesson], Meta(max_length=2**20)]
    margin: Number | None
    online_certificate: Certificate


class Minimal(Part, frozen=True):
    """A minimal complexity machine that classifies; one number for each sum."""

    support: Counts
    h: Vector
    objective: Vector
    duality_gap: Vector


class MinimalRegression(Part, frozen=True):
    """A minimal complexity machine that predicts numbers."""

    support: Counts
    h: Number
    objective: Number
    duality_gap: Number
    eta: Number
    target_unit: Number
    tolerance: Number


# ---- the file


class Columns(Part, frozen=True):
    """The columns of the table: how many, their names if they have any, and their kinds (one word if all are equal)."""

    count: Annotated[int, Meta(ge=1, le=2**24)]
    names: Annotated[list[Text], Meta(max_length=2**24)] | None
    kinds: Kind | Annotated[list[Kind], Meta(max_length=2**24)]


class Model(Part, frozen=True, kw_only=True, tag_field="learner"):
    """What files of all learners have."""

    format: Literal["laconic model"]
    version: Literal[1, 2]
    written_by: Annotated[str, Meta(max_length=100, description="The version of laconic that wrote the file.")]
    parameters: Parameters
    columns: Columns
    about: Annotated[dict[str, Text], Meta(max_length=100, description="Whatever else should be remembered.")] = field(
        default_factory=dict
    )
    sha256: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            description="Of everything else, as JSON without white space, keys sorted, in ASCII, floats as Python's "
            "repr: a file that was altered is refused, since its certificate would not hold.",
        ),
    ]


class SetCoveringClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: Conjunction | Disjunction
    certificate: Certificate
    fitted: Covered


class SetCoveringClassifierCV(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: Conjunction | Disjunction
    certificate: Certificate
    fitted: CoveredByChoice


class PACBayesSetCoveringClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: SoftConjunction | SoftDisjunction
    certificate: Certificate
    fitted: SoftlyCovered


class PACBayesSetCoveringClassifierCV(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: SoftConjunction | SoftDisjunction
    certificate: Certificate
    fitted: SoftlyCoveredByChoice


class NormalFormClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: Conjunction | Disjunction
    certificate: Certificate
    fitted: Covered


class DecisionListClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: DecisionList
    certificate: Certificate
    fitted: Listed


class NeuralDecisionListClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: DecisionList | Dichotomies
    certificate: Certificate
    fitted: NeurallyListed


class HalfspaceIntersectionClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: Conjunction | Disjunction
    certificate: Certificate
    fitted: Cut


class MarginPerceptronClassifier(Model, frozen=True, tag=True):
    """A file of this learner; after ``partial_fit`` there is no certificate for the last hypothesis."""

    classes: Labels
    hypothesis: Halfspace
    certificate: Certificate | None
    fitted: Walked


class PocketClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: Conjunction
    certificate: Certificate
    fitted: Pocketed


class MinimalComplexityClassifier(Model, frozen=True, tag=True):
    """A file of this learner."""

    classes: Labels
    hypothesis: LinearModel | KernelExpansion | Highest
    certificate: Certificate
    fitted: Minimal


class MinimalComplexityRegressor(Model, frozen=True, tag=True):
    """A file of this learner."""

    hypothesis: LinearModel | KernelExpansion
    certificate: Certificate
    fitted: MinimalRegression


ModelFile: TypeAlias = (
    SetCoveringClassifier
    | SetCoveringClassifierCV
    | PACBayesSetCoveringClassifier
    | PACBayesSetCoveringClassifierCV
    | NormalFormClassifier
    | DecisionListClassifier
    | NeuralDecisionListClassifier
    | HalfspaceIntersectionClassifier
    | MarginPerceptronClassifier
    | PocketClassifier
    | MinimalComplexityClassifier
    | MinimalComplexityRegressor
)


def json_schema() -> dict[str, Any]:
    """Give the JSON Schema of model files; ``model.schema.json`` holds it.

    Examples
    --------
    >>> json_schema()["title"]
    'laconic model, version 2'
    """
    schema = msgspec.json.schema(ModelFile)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{FORMAT}, version {VERSION}",
        **schema,
    }
