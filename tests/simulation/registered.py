"""One registration for each estimator with a certificate."""

import functools
import warnings
from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from laconic import (
    Certified,
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    LaconicClassifier,
    LaconicRegressor,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    MinimalComplexityRegressor,
    NeuralDecisionListClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PACBayesSetCoveringClassifierCV,
    PocketClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScoreCardClassifier,
    ScoreCardListClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic._digits import Digits
from laconic._table import as_table
from laconic.auto import _answering as answering
from laconic.auto import _classifier_search as auto_search
from laconic.auto import _regressor_search as sum_search
from laconic.certificates import Band, Certificate, Encoding, Examples, SetApart, certify
from laconic.certified import _picks as picks
from laconic.certified import _promise as promise
from laconic.covering import Balls, Clauses, Kmers, Literals, Stumps
from laconic.covering.core import _scheme as scheme
from laconic.covering.core._apart import FoundElsewhere, seal_apart
from laconic.covering.core._problem import Sample, make_problem
from laconic.covering.soft import _scheme as soft_scheme
from laconic.exceptions import SizeWarning
from laconic.halfspaces.intersection import _scheme as intersection_scheme
from laconic.halfspaces.perceptron import _scheme as perceptron_scheme
from laconic.halfspaces.perceptron._walk import Stream
from laconic.halfspaces.pocket import _estimators as pocket_estimators
from laconic.lists import _neural_scheme as neural_scheme
from laconic.lists import _scheme as list_scheme
from laconic.minimal import _estimators as minimal_estimators
from laconic.minimal import _measuring as minimal_measuring
from laconic.minimal import _scheme as minimal_scheme
from laconic.rules import Highest, Rule, SoftDisjunction
from laconic.scorecards import _class_scheme as table_scheme
from laconic.scorecards import _scheme as card_scheme
from laconic.votes import _scheme as vote_scheme
from tests.simulation import worlds
from tests.simulation.adversaries import ADVERSARIES
from tests.simulation.commands import COMMANDS
from tests.simulation.derived import CELLS as OTHERS
from tests.simulation.genomes import GENOMES, USELESS_KMERS
from tests.simulation.harness import Cell, Registration
from tests.simulation.promises import PROMISES

REGISTERED: dict[type, Registration] = {}
IN_DIGITS = (Digits, intersection_scheme.DigitsMessage, neural_scheme.DigitsListMessage)


def same_value(one, other, X):
    return one == other


# ---- set covering machines


def recertify(model, X, y, examples=True):
    """Certify the same hypothesis on other rows, from the outside; few digits need no examples."""
    examples = examples and not isinstance(model._encoding.message, IN_DIGITS)
    table, labels = as_table(X), np.searchsorted(model.classes_, y)
    if isinstance(model.hypothesis_, Rule):
        labels = labels == 1
    return certify(model.hypothesis_, table, labels, model._encoding, model.delta, examples=examples)


def recertify_flags(model, X, y):
    return recertify(model, X, y, examples="category" in as_table(X).kinds)


def follow_the_label(y):
    return np.where(y, 3.0, 0.5)


def machine(name, world, n_samples, form="conjunction", features="stumps", weigh=None, max_rules=4, **parameters):
    def make(delta):
        return SetCoveringClassifier(form, features, max_rules=max_rules, delta=delta, **{"penalty": 1.0} | parameters)

    return Cell(name, world, n_samples, make, weigh, delta_matters=form == "auto")


COVERS = [
    machine("stumps, conjunction", worlds.NUMBERS, 60),
    machine("stumps, disjunction, all rules", worlds.NUMBERS, 40, "disjunction", max_rules=None),
    machine("stumps, real numbers", worlds.REALS, 60),
    machine("stumps, duplicates", worlds.DUPLICATES, 40, "disjunction"),
    machine("stumps, 300 columns", worlds.MANY_COLUMNS, 40, max_rules=2),
    machine("stumps, useless columns", worlds.PURE_NOISE, 30, max_rules=3),
    machine("stumps, rare class", worlds.RARE, 80, penalty=0.2, class_weight="balanced"),
    machine("stumps, weights that follow the label", worlds.NUMBERS, 50, "auto", weigh=follow_the_label),
    machine("stumps, heavy weights", worlds.NUMBERS, 30, weigh=lambda y: np.full(len(y), 20.0)),
    machine("bins, auto, useless columns", worlds.PURE_NOISE, 50, "auto", Stumps(bins=4)),
    machine("literals, auto", worlds.FLAGS, 60, "auto", "literals"),
    machine("literals without negation", worlds.FLAGS, 60, "disjunction", Literals(negated=False)),
    machine("clauses", worlds.EQUAL_BITS, 50, features=Clauses(2), max_rules=3),
    machine("terms, auto", worlds.EQUAL_BITS, 40, "auto", Clauses(2), max_rules=3),
    machine("balls, conjunction", worlds.DISC, 60, features="balls"),
    machine("balls, real numbers, boxes", worlds.SQUARE, 50, "disjunction", Balls("chebyshev")),
    machine("balls, many, borders that follow", worlds.DISC, 50, features="balls", penalty=2.0, max_rules=8),
    machine("balls, consistent where possible", worlds.DISC, 25, features="balls", penalty=1e6, max_rules=None),
    machine("balls, never an error, theorem 5.2", worlds.CLEAN, 40, features="balls", penalty=np.inf),
    machine("balls, tight, auto", worlds.NUMBERS, 40, "auto", Balls(radius="tight")),
    machine("balls, dyadic scale", worlds.UNEVEN, 50, "disjunction", Balls(scale="dyadic")),
    machine("balls, few centres", worlds.DISC, 50, "auto", Balls(max_centers=8, scale="dyadic")),
    machine("balls or stumps", worlds.DISC, 50, "auto", ["balls", "stumps"]),
    machine("the default", worlds.DISC, 40, "auto", "auto", penalty="auto"),
    machine("the default, useless columns", worlds.PURE_NOISE, 40, "auto", "auto", penalty="auto"),
    machine("the default, categories and missing values", worlds.MIXED, 50, "auto", "auto", penalty="auto"),
    machine("k-mers, auto", GENOMES, 40, "auto", Kmers(), max_rules=3),
    machine("k-mers, useless ones", USELESS_KMERS, 30, "conjunction", Kmers(), max_rules=3),
    machine("k-mers, a prior that is wrong", USELESS_KMERS, 30, "auto", Kmers(prior={"AACGT": 1.0}), max_rules=2),
    machine(
        "stumps, a prior that is wrong", worlds.PURE_NOISE, 30, "auto", Stumps(prior={0: 9.0, 1: 1.0}), max_rules=3
    ),
    machine("literals, a prior that is right", worlds.FLAGS, 40, "auto", Literals(prior={0: 3.0, 1: 1.0})),
    machine("categories seen only in the data", worlds.MIXED, 60, "auto", ["stumps", "literals"]),
    machine("frequent categories, useless columns", worlds.GUESSES, 40, "auto", "literals"),
]
REGISTERED[SetCoveringClassifier] = Registration(
    COVERS, scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify
)


def chosen(name, world=worlds.DISC, **parameters):
    def make(delta):
        return SetCoveringClassifierCV(**parameters, delta=delta)

    return Cell(name, world, 40, make, delta_matters=parameters.get("select") == "bound")


CHOICES = [
    chosen("chosen by cross-validation", features=["balls", "stumps"], penalties=[0.5, 2], max_rules=4, cv=3),
    chosen(
        "chosen by the bound",
        features=["stumps", Balls(), Balls(radius="tight")],
        penalties=[0.5, 2],
        max_rules=2,
        select="bound",
    ),
    chosen(
        "consistent balls, theorem 5.2",
        worlds.CLEAN,
        features=["balls"],
        forms=["conjunction"],
        penalties=[np.inf],
        max_rules=3,
        cv=3,
    ),
    chosen(
        "half apart",
        worlds.PURE_NOISE,
        features=["stumps"],
        penalties=[0.5, 2],
        max_rules=2,
        cv=3,
        select="bound",
        apart=0.5,
    ),
    chosen("half apart, balls", penalties=[1, 3], max_rules=3, cv=3, select="bound", apart=0.4),
]


def recertify_choice(model, X, y):
    if not isinstance(model._encoding.message, FoundElsewhere):
        return recertify(model, X, y)
    sample = Sample(as_table(X), np.searchsorted(model.classes_, y) == 1, np.ones(len(y)))
    held = np.isin(np.arange(len(y)), model.apart_)
    return seal_apart(model.hypothesis_, sample, held, 2 if model.features == "auto" else 1, model.delta).certificate


REGISTERED[SetCoveringClassifierCV] = Registration(
    CHOICES, scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_choice
)

# ---- any model, by Pick-to-Learn


def certified(name, world, n_samples, estimator, **parameters):
    def make(delta):
        return Certified(estimator, **parameters, delta=delta)

    return Cell(name, world, n_samples, make, delta_matters=parameters.get("select") == "bound")


def recertify_picks(model, X, y):
    sent = model._encoding.message
    wrong, _ = sent.learner.judge(model._fitted, model._read(X, y))
    return promise.certify(sent, wrong, model.picks_, model.seed_, model.delta)


def same_predictions(one, other, X):
    return bool(np.array_equal(one.ask("predict", X), other.ask("predict", X)))


TREE = DecisionTreeClassifier(max_depth=3)
STUMPS = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2)
PICKS = [
    certified("tree", worlds.CLEAN, 30, TREE, batch=2),
    certified("tree, noise, stopped early", worlds.NUMBERS, 30, TREE, max_size=4),
    certified("nearest neighbour, duplicates", worlds.DUPLICATES, 25, KNeighborsClassifier(1), batch=3),
    certified("nearest neighbour, seed", worlds.CLEAN, 40, KNeighborsClassifier(1), seed_size=0.25, batch=2),
    certified("tree, the bound chooses", worlds.NUMBERS, 40, TREE, select="bound", seed_size=10, max_size=10, batch=2),
    certified("tree, the bound chooses, from nothing", worlds.CLEAN, 25, TREE, select="bound", max_size=4),
    certified("tree for numbers", worlds.STAIRS, 40, DecisionTreeRegressor(), tolerance=0.5, batch=2),
    certified("tree for large numbers", worlds.EPOCH, 25, DecisionTreeRegressor(), tolerance=1.0, max_size=8, batch=2),
    certified("tree, held-out rows", worlds.NUMBERS, 40, TREE, holdout=0.5),
    certified("neighbour, held-out rows, duplicates", worlds.DUPLICATES, 25, KNeighborsClassifier(1), holdout=0.4),
    certified("numbers, held-out rows", worlds.STAIRS, 40, DecisionTreeRegressor(), tolerance=0.5, holdout=0.3),
    certified("a machine with a certificate of its own", worlds.DUPLICATES, 25, STUMPS, max_size=6, batch=2),
    Cell(
        "the certificate of the machine inside",
        worlds.DUPLICATES,
        25,
        lambda delta: Certified(clone(STUMPS).set_params(delta=delta), max_size=6, batch=2, delta=delta),
        delta_matters=True,
        view=lambda model: model.estimator_,
        attribute="estimator_.certificate_",
    ),
]
REGISTERED[Certified] = Registration(
    PICKS, picks.reconstruct, lambda model: model._fitted, same_predictions, recertify_picks
)

# ---- PAC-Bayes set covering machines


class OneDraw:
    """The Gibbs classifier: its answer is a chance, and it has a certificate of its own."""

    def __init__(self, model):
        self.rules_, self.certificate_ = model.rules_, model.gibbs_certificate_
        self.predict = lambda X: model.predict_proba(X)[:, 1]


def soft(name, world, n_samples, form="conjunction", weigh=None, max_rules=4, one_draw=False, **parameters):
    def make(delta):
        return PACBayesSetCoveringClassifier(form, max_rules=max_rules, delta=delta, **parameters)

    view = {"view": OneDraw, "attribute": "gibbs_certificate_"} if one_draw else {}
    return Cell(name, world, n_samples, make, weigh, delta_matters=form == "auto", **view)


def recertify_soft(model, X, y):
    form = "disjunction" if isinstance(model.hypothesis_, SoftDisjunction) else "conjunction"
    problem = make_problem(as_table(X), np.asarray(y) == model.classes_[1], np.ones(len(y)), 1.0, form)
    radius = model.certificate_.statements[0].max_radius
    return soft_scheme.certify(model.hypothesis_, problem, list(model._encodings), model.delta, radius)[0]


def same_balls(one, other, X):
    return type(one) is type(other) and sorted(one.rules, key=repr) == sorted(other.rules, key=repr)


SOFT = [
    soft("refined", worlds.DISC, 50),
    soft("theorem 2 alone", worlds.NUMBERS, 60, "disjunction", refine=False, margin=0.4, max_rules=2),
    soft("theorem 2 alone, R given", worlds.DISC, 60, refine=False, margin=0.5, max_radius=6.0, max_rules=1),
    soft("one draw, theorem 2", worlds.NUMBERS, 50, refine=False, margin=0.5, max_rules=2, one_draw=True),
    soft("one draw, refined", worlds.CLEAN, 50, "auto", one_draw=True),
    soft("auto, all centres", worlds.NUMBERS, 40, "auto", centers="both", penalty=0.7),
    soft("no margin", worlds.UNEVEN, 40, margin=0.0, refine=False, max_rules=6),
    soft("few centres", worlds.DISC, 50, "auto", centers="both", max_centers=8),
    soft("the printed term", worlds.DISC, 40, "disjunction", center_term="paper", max_rules=6),
    soft("weights that follow the label", worlds.RARE, 60, "auto", weigh=follow_the_label, metric="manhattan"),
]
SOFT_CHOICES = [
    Cell(
        f"chosen by cross-validation, {'refined' if refine else 'theorem 2'}",
        worlds.DISC,
        40,
        lambda delta, refine=refine: PACBayesSetCoveringClassifierCV(
            penalties=[0.7, 2], margins=[0.1, 0.4], max_rules=3, cv=3, refine=refine, delta=delta
        ),
    )
    for refine in (True, False)
] + [
    Cell(
        "chosen by cross-validation, one draw",
        worlds.NUMBERS,
        40,
        lambda delta: PACBayesSetCoveringClassifierCV(
            penalties=[1], margins=[0.2, 0.4], max_rules=3, cv=3, refine=False, delta=delta
        ),
        view=OneDraw,
        attribute="gibbs_certificate_",
    )
]
for estimator, cells in ((PACBayesSetCoveringClassifier, SOFT), (PACBayesSetCoveringClassifierCV, SOFT_CHOICES)):
    REGISTERED[estimator] = Registration(
        cells,
        soft_scheme.reconstruct,
        lambda model: model.hypothesis_,
        same_balls,
        recertify_soft,
        lambda model: model._encodings,
    )

# ---- normal forms and decision lists


def formula(name, world, n_samples, form="cnf", k=1, weigh=None, **parameters):
    def make(delta):
        return NormalFormClassifier(form, k, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, weigh)


FORMULAS = [
    formula("conjunction, consistent", worlds.BITS, 40),
    formula("all that elimination leaves", worlds.BITS, 30, minimize=False),
    formula("2-CNF, consistent", worlds.SAME_BITS, 40, k=2),
    formula("2-CNF, all that elimination leaves", worlds.SAME_BITS, 60, k=2, minimize=False),
    formula("disjunction, noise", worlds.FLAGS, 60, "dnf", penalty=1.0, max_rules=4, monotone=True),
    formula("2-DNF, noise", worlds.EQUAL_BITS, 50, "dnf", 2, penalty=2.0, max_rules=3),
    formula("useless columns, thresholds", worlds.PURE_NOISE, 40, penalty=1.0, binarize=3.5, max_rules=3),
    formula("weights that follow the label", worlds.NOISY_BITS, 50, weigh=follow_the_label, penalty=2.0),
    formula("categories seen only in the data", worlds.MIXED, 60, "dnf", 2, penalty=1.0, max_rules=2, binarize=2.0),
]
REGISTERED[NormalFormClassifier] = Registration(
    FORMULAS, scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_flags
)


def listed(name, world, n_samples, k=1, weigh=None, **parameters):
    def make(delta):
        return DecisionListClassifier(k, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, weigh)


LISTS = [
    listed("consistent", worlds.BITS, 40),
    listed("the textbook's, consistent", worlds.BITS, 40, strategy="first"),
    listed("pairs, consistent", worlds.SAME_BITS, 40, 2),
    listed("noise, all rules", worlds.NOISY_BITS, 40, penalty=1.5),
    listed("the textbook's, noise", worlds.NOISY_BITS, 50, strategy="first", penalty=1.0),
    listed("useless columns, thresholds", worlds.PURE_NOISE, 40, penalty=1.0, binarize=3.5, max_rules=4),
    listed("three classes", worlds.THREE, 60, penalty=2.0, max_rules=5),
    listed("weights that follow the label", worlds.FLAGS, 60, 2, weigh=follow_the_label, penalty=3.0, max_rules=4),
    listed("categories seen only in the data", worlds.MIXED, 60, penalty=1.0, max_rules=4, binarize=2.0),
]
REGISTERED[DecisionListClassifier] = Registration(
    LISTS, list_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_flags
)


def climbed(name, world, n_samples, weigh=None, max_words=4, **parameters):
    def make(delta):
        return RuleListClassifier(max_words, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, weigh, delta_matters=parameters.get("select") == "bound")


CLIMBED = [
    climbed("thresholds, three folds", worlds.NUMBERS, 50, cv=3),
    climbed("as many words as help", worlds.PURE_NOISE, 30, select=None),
    climbed("the bound chooses", worlds.DISC, 40, select="bound"),
    climbed("three classes", worlds.THREE, 60, select=None),
    climbed("categories seen only in the data", worlds.MIXED, 60, select=None, max_conditions=2),
    climbed("weights that follow the label", worlds.RARE, 60, follow_the_label, select=None),
    climbed("duplicates", worlds.DUPLICATES, 30, select=None, max_words=6, max_conditions=1),
]
REGISTERED[RuleListClassifier] = Registration(
    CLIMBED, list_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify
)

# ---- perceptrons


class Quiet:
    """Noise has no separator, and the harness need not be told."""

    def fit(self, X, y):
        with warnings.catch_warnings():
            for category in (ConvergenceWarning, SizeWarning):
                warnings.simplefilter("ignore", category)
            return super().fit(X, y)


class QuietPerceptron(Quiet, MarginPerceptronClassifier):
    pass


class QuietIntersection(Quiet, HalfspaceIntersectionClassifier):
    pass


class QuietList(Quiet, NeuralDecisionListClassifier):
    pass


class Online:
    """The hypothesis with the best record of survival, and the certificate of its own."""

    def __init__(self, model):
        self.rules_, self.certificate_ = (model.online_hypothesis_,), model.online_certificate_
        self.predict = model.online_hypothesis_.evaluate


def perceptron(name, world, n_samples, max_epochs=1000, online=False):
    def make(delta):
        return QuietPerceptron(max_epochs, delta=delta)

    view = {"view": Online, "attribute": "online_certificate_"} if online else {}
    return Cell(name, world, n_samples, make, delta_matters=online, **view)


PERCEPTRONS = [
    perceptron("separable", worlds.LINE, 60),
    perceptron("separable, few rows, one pass", worlds.CLEAN, 30, max_epochs=1),
    perceptron("noise, one pass", worlds.NOISY_LINE, 80, max_epochs=1),
    perceptron("noise, many passes", worlds.NUMBERS, 60, max_epochs=20),
    perceptron("duplicates", worlds.DUPLICATES, 40, max_epochs=10),
    perceptron("bits", worlds.NOISY_BITS, 60, max_epochs=2),
    perceptron("online, separable", worlds.LINE, 60, online=True),
    perceptron("online, noise", worlds.NOISY_LINE, 80, max_epochs=3, online=True),
    perceptron("online, duplicates", worlds.DUPLICATES, 30, max_epochs=1, online=True),
    perceptron("categories seen only in the data", worlds.SHADES, 60, max_epochs=5),
    perceptron("online, categories", worlds.SHADES, 60, max_epochs=3, online=True),
]


def recertify_perceptron(model, X, y):
    stream = Stream.of(as_table(X), np.asarray(y) == model.classes_[1])
    corrected = np.unique(model.mistakes_)
    return perceptron_scheme.certify(model.hypothesis_, stream, corrected, model._encoding.message, model.delta)


REGISTERED[MarginPerceptronClassifier] = Registration(
    PERCEPTRONS, perceptron_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_perceptron
)

# ---- intersections, unions and lists of halfspaces, and score cards


def intersection(name, world, n_samples, union=False, order="nearest", **parameters):
    def make(delta):
        return QuietIntersection(union, order, random_state=0, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, delta_matters=parameters.get("code") != "rows")


INTERSECTIONS = [
    intersection("separable", worlds.LINE, 60),
    intersection("separable, vertex", worlds.CLEAN, 40, placement="vertex", code="rows"),
    intersection("disc, noise", worlds.DISC, 60, code="rows"),
    intersection("disc, noise, few digits", worlds.DISC, 60, code="digits", max_halfspaces=3),
    intersection("disc, noise, vertex, at random", worlds.DISC, 40, order="random", placement="vertex", code="rows"),
    intersection("union, noise", worlds.NUMBERS, 60, union=True),
    intersection("union, batch, two halfspaces", worlds.NOISY_LINE, 60, True, "batch", max_halfspaces=2),
    intersection("duplicates", worlds.DUPLICATES, 30),
    intersection("bits, noise, one halfspace", worlds.NOISY_BITS, 60, max_halfspaces=1),
    intersection("disc, noise, from samples", worlds.DISC, 60, max_rows=20),
    intersection("uneven units", worlds.UNEVEN, 50, placement="vertex"),
    intersection("categories seen only in the data", worlds.MIXED, 40, max_halfspaces=2),
]
REGISTERED[HalfspaceIntersectionClassifier] = Registration(
    INTERSECTIONS, intersection_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify
)


class Digit:
    """The list of one digit: it answers one side of a split of the classes."""

    def __init__(self, model, place):
        self.list, digits = model.lists_[place], np.array(model.hypothesis_.codes)[:, place]
        self.rules_, self.certificate_ = self.list.rules_, self.list.certificate_
        self.accepts = lambda X: (self.list.predict(X) == self.list.classes_[1])[:, None] == (digits == 1)


def neural(name, world, n_samples, order="nearest", digit=None, **parameters):
    def make(delta):
        return QuietList(order, random_state=0, delta=delta, **parameters)

    if digit is None:
        return Cell(name, world, n_samples, make, delta_matters=parameters.get("code") != "rows")
    return Cell(name, world, n_samples, make, view=lambda m: Digit(m, digit), attribute="lists_[].certificate_")


NEURAL = [
    neural("separable", worlds.LINE, 60),
    neural("separable, vertex, at random", worlds.CLEAN, 40, "random", placement="vertex", code="rows"),
    neural("noise, all halfspaces", worlds.DISC, 40, code="rows"),
    neural("noise, few digits", worlds.NOISY_LINE, 60, max_halfspaces=3, code="digits"),
    neural("noise, few halfspaces", worlds.NOISY_LINE, 60, max_halfspaces=2),
    neural("noise, a minimum fraction", worlds.NUMBERS, 60, min_fraction=0.25),
    neural("noise, pruned", worlds.NOISY_LINE, 60, prune=0.3, code="rows"),
    neural("duplicates", worlds.DUPLICATES, 30, "batch"),
    neural("bits, pruned, vertex", worlds.NOISY_BITS, 60, prune=0.4, placement="vertex"),
    neural("three classes", worlds.THREE, 60, min_fraction=0.2),
    neural("noise, from samples", worlds.NOISY_LINE, 60, max_rows=20),
    neural("categories seen only in the data", worlds.MIXED, 40, max_halfspaces=2),
    neural("three classes, dichotomies", worlds.THREE, 60, dichotomies=True, max_halfspaces=3, code="rows"),
    neural("three classes, dichotomies, pruned", worlds.THREE, 50, dichotomies=True, prune=0.3, code="rows"),
    neural("letters, first digit", worlds.LETTERS, 60, dichotomies=True, max_halfspaces=1, digit=0),
    neural("three classes, second digit", worlds.THREE, 60, dichotomies=True, max_halfspaces=3, digit=1),
]
REGISTERED[NeuralDecisionListClassifier] = Registration(
    NEURAL, neural_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify
)


def pocketed(name, world, n_samples, max_epochs=10, **parameters):
    def make(delta):
        return PocketClassifier(max_epochs, random_state=0, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, delta_matters=True)  # the bound chooses the digits


POCKETS = [
    pocketed("separable", worlds.LINE, 60),
    pocketed("noise", worlds.NOISY_LINE, 60),
    pocketed("noise, no ratchet", worlds.NUMBERS, 40, ratchet=False),
    pocketed("one class protected", worlds.NOISY_BITS, 50, protected=True),
    pocketed("duplicates", worlds.DUPLICATES, 30),
    pocketed("uneven units", worlds.UNEVEN, 40, 3),
    pocketed("categories seen only in the data", worlds.MIXED, 30, 3),
]
REGISTERED[PocketClassifier] = Registration(
    POCKETS,
    pocket_estimators.reconstruct,
    lambda model: model.hypothesis_,
    same_value,
    recertify_flags,
)


def carded(name, world, n_samples, max_terms=4, **parameters):
    def make(delta):
        return ScoreCardClassifier(max_terms=max_terms, random_state=0, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, delta_matters=parameters.get("select") == "bound")


CARDS = [
    carded("columns and thresholds", worlds.NUMBERS, 60, cv=2),
    carded("columns as they are", worlds.NOISY_LINE, 60, terms="columns", cv=2),
    carded("thresholds, the bound chooses", worlds.NUMBERS, 50, terms="thresholds", select="bound"),
    carded("real numbers, many points", worlds.REALS, 50, terms="thresholds", max_points=20, cv=2),
    carded("useless columns", worlds.PURE_NOISE, 40, max_points=2, cv=2),
    carded("flags, the bound chooses", worlds.FLAGS, 50, terms="columns", select="bound"),
    carded("pocket's weights, uneven units", worlds.UNEVEN, 40, 3, estimator="pocket", terms="columns", cv=2),
    carded("categories seen only in the data", worlds.MIXED, 60, cv=2),
]


def recertify_card(model, X, y):
    return recertify(model, X, y, examples=model.terms != "columns" or "category" in as_table(X).kinds)


REGISTERED[ScoreCardClassifier] = Registration(
    CARDS, card_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_card
)


def carded_in_order(name, world, n_samples, max_terms=4, **parameters):
    def make(delta):
        return ScoreCardListClassifier(max_terms=max_terms, random_state=0, delta=delta, **{"cv": None} | parameters)

    return Cell(name, world, n_samples, make)


CARD_LISTS = [
    carded_in_order("three classes", worlds.THREE, 60),
    carded_in_order("three classes, columns as they are, two folds", worlds.THREE, 60, terms="columns", cv=2),
    carded_in_order("useless columns", worlds.PURE_NOISE, 40, terms="thresholds", max_points=2),
    carded_in_order("categories seen only in the data", worlds.MIXED, 60),
]
REGISTERED[ScoreCardListClassifier] = Registration(
    CARD_LISTS, list_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_card
)


def tabled(name, world, n_samples, max_words=4, **parameters):
    def make(delta):
        return ScoreTableClassifier(max_words=max_words, random_state=0, delta=delta, **{"cv": None} | parameters)

    return Cell(name, world, n_samples, make)


POINT_TABLES = [
    tabled("three classes", worlds.THREE, 60),
    tabled("three classes, columns as they are, two folds", worlds.THREE, 60, 6, terms="columns", cv=2),
    tabled("useless columns", worlds.PURE_NOISE, 40, terms="thresholds", max_points=2),
    tabled("categories seen only in the data", worlds.MIXED, 60),
]
REGISTERED[ScoreTableClassifier] = Registration(
    POINT_TABLES, table_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_card
)

# ---- minimal complexity machines


def minimal(name, world, n_samples, C=1.0, kernel="linear", weigh=None, **parameters):
    def make(delta):
        return MinimalComplexityClassifier(C, kernel, delta=delta, **parameters)

    by_bound = kernel == "linear" and parameters.get("code") != "rows"
    return Cell(name, world, n_samples, make, weigh, delta_matters=by_bound)


def machines_of(model):
    return model.hypothesis_.models if isinstance(model.hypothesis_, Highest) else (model.hypothesis_,)


def recertify_minimal(model, X, y):
    codes = np.searchsorted(model.classes_, y)
    return minimal_estimators.certify_classifier(model.hypothesis_, as_table(X), codes, model._encoding, model.delta)


MINIMAL = [
    minimal("separable, hard margin", worlds.LINE, 60, np.inf),
    minimal("no hyperplane is right", worlds.NUMBERS, 60, 0.05),
    minimal("duplicates", worlds.DUPLICATES, 40, code="rows"),
    minimal("few digits", worlds.NOISY_LINE, 60, code="digits"),
    minimal("three classes, few digits", worlds.CORNERS, 50, code="digits"),
    minimal("few digits and columns", worlds.NUMBERS, 50, code="thin"),
    minimal("weights that follow the label", worlds.NUMBERS, 50, weigh=follow_the_label),
    minimal("rbf", worlds.CLEAN, 60, 10.0, "rbf", max_support=3),
    minimal("poly, all given", worlds.CLEAN, 60, 10.0, "poly", gamma=0.3, coef0=0.7, degree=2, max_support=3),
    minimal("three classes, rbf", worlds.CORNERS, 80, 5.0, "rbf", max_support=3),
    minimal("categories seen only in the data", worlds.COLOURS, 80, 0.3),
    minimal("categories, few digits", worlds.COLOURS, 60, code="digits"),
]
REGISTERED[MinimalComplexityClassifier] = Registration(
    MINIMAL, minimal_scheme.reconstruct, machines_of, same_value, recertify_minimal
)


def tube(name, world, n_samples, C=1.0, epsilon=0.1, **parameters):
    def make(delta):
        return MinimalComplexityRegressor(C, epsilon, delta=delta, **parameters)

    return Cell(name, world, n_samples, make, delta_matters=True)  # the bound chooses the tolerance


def recertify_tube(model, X, y):
    """For the band that it has: how many rows may be beyond it follows from their number, and the set and message."""
    encoding = model._encoding
    off = np.abs(model.hypothesis_.evaluate(as_table(X)) - y) > model.tolerance_
    residuals = minimal_measuring.measured(model.hypothesis_, as_table(X), y, encoding, model.delta, model.coverage)
    allowed = model.certificate_.statements[0].statement.errors_outside
    statement = replace(residuals.statement, errors_outside=allowed)
    statement = Band(statement, int(off[residuals.outside].sum()))
    return Certificate.resting_on(statement, delta=model.delta, empirical_risk=float(off.mean()))


TUBES = [
    tube("some misses allowed", worlds.SLOPE, 60, coverage=0.2),
    tube("more promised than can be", worlds.SLOPE, 60, epsilon=0.02, coverage=0.9),
    tube("hard", worlds.SLOPE, 60, np.inf, 2.0, coverage=0.2),
    tube("rbf, two columns", worlds.STAIRS, 60, 10.0, kernel="rbf", max_support=3, coverage=0.2),
    tube("large numbers", worlds.FAR, 60, coverage=0.2),
    tube("few digits", worlds.STAIRS, 50, epsilon=0.5, code="digits", coverage=0.5),
    tube("categories seen only in the data", worlds.SHOPS, 60, epsilon=0.5, coverage=0.4),
]
REGISTERED[MinimalComplexityRegressor] = Registration(
    TUBES, minimal_scheme.reconstruct, machines_of, same_value, recertify_tube
)

# ---- machines that are chosen


class Few(LaconicClassifier):
    """Chooses from few machines, and remembers the rows that chose: they, and nothing else, give back the machine."""

    _portfolio = tuple(replace(entry, settings=entry.settings[1:3]) for entry in LaconicClassifier._portfolio[:2])
    _by_bound = LaconicClassifier._by_bound[:1]

    def fit(self, X, y):
        super().fit(X, y)
        self._encoding = getattr(self.machine_, "_encoding", None)
        if not promised_by_all(self):
            rows = chose(self, X, y)
            none = Examples.chosen(as_table(X), y, np.empty(0, dtype=int))
            message = rows, self._portfolio, self._settings()
            nats = self.certificate_.statements[0].message_nats
            self._encoding = Encoding(np.empty(0, dtype=int), none, message, nats)
        return self


def promised_by_all(model):
    """Whether all rows made the machine, which sample compression certifies then."""
    (statement,) = model.certificate_.statements
    return not isinstance(getattr(statement, "statement", statement), SetApart)


def chose(model, X, y):
    table = as_table(X)
    rows = answering.Rows(answering.as_declared(X, table.kinds), y, answering.complete_rows(table))
    return rows.take(~model.set_apart(len(y)))


def choose_again(examples, message):
    """Rebuild the machine: from the rows that chose alone, or as a set covering machine."""
    if isinstance(message, tuple):
        assert len(examples) == 0
        return auto_search.search(*message).fitted.machine.hypothesis_
    return scheme.reconstruct(examples, message)


def recertify_chosen(model, X, y):
    """Count anew on the rows set apart, or outside the set."""
    (statement,) = model.certificate_.statements
    if promised_by_all(model):
        again = recertify(model, X, y).statements[0]
        again = replace(again, message_nats=statement.message_nats)
        return replace(model.certificate_, statements=(replace(statement, statement=again),))
    wrong = model.predict(X) != y
    counted = int(wrong[model.set_apart(len(y))].sum())
    if hasattr(statement, "statement"):
        again = replace(statement, statement=replace(statement.statement, errors_outside=counted))
    else:
        again = replace(statement, errors_outside=counted)
    return Certificate.resting_on(again, delta=model.delta, empirical_risk=float(wrong.mean()), n_samples=len(y))


def automatic(name, world, n_samples, inside=False, **parameters):
    def make(delta):
        return Few(delta=delta, **parameters)

    view = {"view": lambda model: model.machine_, "attribute": "machine_.certificate_"} if inside else {}
    return Cell(name, world, n_samples, make, delta_matters=parameters.get("select") == "bound", **view)


AUTOMATIC = [
    automatic("few words", worlds.NUMBERS, 50, max_words=3),
    automatic("as many words as rows", worlds.DISC, 40, max_words=40),
    automatic("categories and missing values", worlds.MIXED, 50, max_words=2),
    automatic("the certificate of the machine inside", worlds.DISC, 40, inside=True, max_words=2),
    automatic("the smallest bound", worlds.NUMBERS, 40, select="bound", max_words=2),
]
REGISTERED[LaconicClassifier] = Registration(
    AUTOMATIC, choose_again, lambda model: model.hypothesis_, same_value, recertify_chosen
)


class FewSums(LaconicRegressor):
    """Chooses from two kinds of sums, and remembers the rows that chose: they give back every sum that there was."""

    _families = ("lines", "bends and products")

    def fit(self, X, y):
        super().fit(X, y)
        chose, table = ~self.set_apart(len(y)), as_table(X)
        none = Examples.chosen(table, y, np.empty(0, dtype=int))
        taken = None if self.select == "cv" else [each.why_not for each in self.candidates_].index("")
        message = table.take(chose), y[chose], self._settings(), taken
        nats = self.certificate_.statements[0].message_nats
        self._encoding = Encoding(np.empty(0, dtype=int), none, message, nats)
        return self


def sum_again(examples, message):
    """Rebuild the sum from the rows that chose alone; by the band, it is named."""
    table, targets, settings, taken = message
    assert len(examples) == 0
    found = sum_search.search(table, targets, *settings)
    return found.tried[found.chosen if taken is None else taken].make()


def recertify_sum(model, X, y):
    """For the band that it has: how many rows may be beyond it follows from their number."""
    off = np.abs(model.predict(X) - y) > model.tolerance_
    (band,) = model.certificate_.statements
    band = replace(band, errors_outside=int(off[model.set_apart(len(y))].sum()))
    return Certificate.resting_on(band, delta=model.delta, empirical_risk=float(off.mean()), n_samples=len(y))


def short_sum(name, world, n_samples, **parameters):
    def make(delta):
        return FewSums(delta=delta, **parameters)

    return Cell(name, world, n_samples, make, delta_matters=True)  # the bound chooses the band


SHORT_SUMS = [
    short_sum("few words", worlds.SLOPE, 60, max_words=2, coverage=0.6),
    short_sum("many are as far away", worlds.STAIRS, 50, max_words=3, coverage=0.7),
    short_sum("large numbers, more promised than can be", worlds.FAR, 40, max_words=2),
    short_sum("the narrowest band of all", worlds.SLOPE, 60, max_words=4, coverage=0.5, select="bound"),
]
REGISTERED[LaconicRegressor] = Registration(
    SHORT_SUMS,
    sum_again,
    lambda model: model.hypothesis_,
    same_value,
    recertify_sum,
    lambda model: [model._encoding] if isinstance(model, FewSums) else [],
)

# ---- votes


def votes(name, world, n_samples, n_lists=7, max_rules=4, **parameters):
    def make(delta):
        return RuleVoteClassifier(n_lists, max_rules, delta=delta, random_state=0, **parameters)

    return Cell(name, world, n_samples, make)


def recertify_vote(model, X, y):
    apart = np.isin(np.arange(len(y)), model.apart_)
    codes, manner = np.searchsorted(model.classes_, y), model._encoding.message.manner
    return vote_scheme.certify(model.hypothesis_, as_table(X), codes, apart, manner, model.delta)


VOTES = [
    votes("rows apart", worlds.NUMBERS, 40),
    votes("few rows apart, long lists", worlds.DUPLICATES, 40, 5, 30, apart=0.1),
    votes("all rows", worlds.NUMBERS, 60, max_rows=0.5, apart=0),
    votes("categories", worlds.MIXED, 40, apart=0.5),
]
REGISTERED[RuleVoteClassifier] = Registration(
    VOTES, vote_scheme.reconstruct, lambda model: model.hypothesis_, same_value, recertify_vote
)

CELLS = {f"{cls.__name__}: {cell.name}": cell for cls, entry in REGISTERED.items() for cell in entry.cells}
SIMULATED = CELLS | ADVERSARIES | COMMANDS | PROMISES | OTHERS


@functools.cache
def fitted(name):
    """Three samples of a cell with what was fitted to them; many tests look at the same ones."""
    rng = np.random.default_rng(11)
    return [CELLS[name].fit(rng) for _ in range(3)]
