"""Small fitted models of every learner and shape, with rows to predict: what model files are tried on."""

import warnings

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel

from laconic import (
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
    Promises,
    RuleListClassifier,
    RuleVoteClassifier,
    ScoreCardClassifier,
    ScoreCardListClassifier,
    ScoreTableClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.covering import Balls, Clauses, Literals, Stumps

NUMBERS = np.random.default_rng(0).normal(size=(48, 2)).round(2)
FLAGS = np.random.default_rng(1).integers(0, 2, size=(48, 4))
INSIDE = np.hypot(*NUMBERS.T) < 1.1
ABOVE = NUMBERS[:, 0] + NUMBERS[:, 1] > 0.2
THREE = np.digitize(NUMBERS @ [1.0, 2.0], [-0.8, 0.9])
DISTANCES = pairwise_distances(NUMBERS)
TARGETS = 3 * NUMBERS[:, 0] - NUMBERS[:, 1] ** 2
WORDS = np.array(["no", "yes"])


def mixed_frame():
    """Return categories, Booleans, missing values and names that nobody would choose."""
    rng = np.random.default_rng(2)
    colours = rng.choice(["red", "blau ", 'a "quoted"\nline', "inf"], size=48).astype(object)
    colours[rng.random(48) < 0.1] = None
    flags = rng.choice([True, False], size=48).astype(object)
    flags[rng.random(48) < 0.1] = None
    numbers = np.where(rng.random(48) < 0.1, np.nan, NUMBERS[:, 0])
    codes = rng.choice([1, 2.5, float("inf"), "1"], size=48)
    codes = np.array([{"1": 1, "2.5": 2.5, "inf": float("inf")}.get(code, code) for code in codes], dtype=object)
    codes[:4] = [1, "1", 2.5, float("inf")]
    return pd.DataFrame({"Farbe, <b>": colours, "": flags, "größe\t": numbers, "{code}": codes})


def quiet(model, *rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*rows, **options)


def stream():
    model = MarginPerceptronClassifier()
    for start in range(0, 48, 16):
        model.partial_fit(NUMBERS[start : start + 16], ABOVE[start : start + 16], classes=[False, True])
    return model


FRAME = mixed_frame()
WANTED = np.where((FRAME["Farbe, <b>"] == "red") | (FRAME["größe\t"] > 0.5), "ja", "nein")
NAMED = pd.DataFrame(NUMBERS, columns=["width, cm", "height"])
COLOURS = NAMED.assign(colour=np.random.default_rng(5).choice(["red", "blau ", 'a "quoted"\nline'], size=48))
NEW = np.random.default_rng(3).normal(size=(30, 2)).round(3)
NEW_FLAGS = np.random.default_rng(4).integers(0, 2, size=(30, 4))
NEW_DISTANCES = pairwise_distances(NEW, NUMBERS)
DECLARED = Promises(classes=True, rules=True, groups="", costs={"ja": {"nein": 5.0}, "nein": {"ja": 1.0}}, abstain=0.5)

# name: (learner, table, labels, rows to predict)
CASES = {
    "scm_stumps": (SetCoveringClassifier("disjunction", "stumps", penalty=1.0), NUMBERS, INSIDE, NEW),
    "scm_bins": (SetCoveringClassifier(features=Stumps(bins=9), penalty=2), NAMED, WORDS[ABOVE * 1], NEW),
    "scm_balls": (
        SetCoveringClassifier("conjunction", Balls("manhattan", scale="dyadic"), penalty=1.0),
        NAMED,
        INSIDE * 1,
        NEW,
    ),
    "scm_strict_balls": (SetCoveringClassifier("auto", penalty=np.inf), NUMBERS, INSIDE.astype(np.int8), NEW),
    "scm_cosine": (
        SetCoveringClassifier("conjunction", Balls("cosine", radius="tight"), penalty=1.0),
        NUMBERS,
        ABOVE,
        NEW,
    ),
    "scm_precomputed": (
        SetCoveringClassifier("conjunction", Balls("precomputed"), penalty=1.0),
        DISTANCES,
        INSIDE,
        NEW_DISTANCES,
    ),
    "scm_mixed": (
        SetCoveringClassifier("auto", ["literals", "stumps"], penalty=1.0),
        FRAME,
        WANTED.astype(object),
        FRAME[:20],
    ),
    "scm_frequent": (
        SetCoveringClassifier("conjunction", "conditions", penalty=1.0, max_rules=1),
        COLOURS.assign(colour=COLOURS["colour"].astype("category")),
        (COLOURS["colour"] == "red").to_numpy(),
        COLOURS[:20].assign(colour=COLOURS["colour"][:20].astype("category")),
    ),
    "scm_domain": (
        SetCoveringClassifier(
            "conjunction",
            features=Literals(categories={0: ("red", "blau ", "green")}),
            class_weight="balanced",
            penalty=1.0,
        ),
        FRAME[["Farbe, <b>", "", "{code}"]],
        WANTED,
        FRAME[["Farbe, <b>", "", "{code}"]],
    ),
    "scm_clauses": (
        SetCoveringClassifier("conjunction", (Clauses(2),), penalty=1.0),
        FLAGS,
        np.where(FLAGS.sum(1) % 2, 2.0, -1.0),
        FLAGS,
    ),
    "scm_sparse": (
        SetCoveringClassifier("conjunction", "literals", class_weight={0: 1.0, 1: 2.0}, penalty=1.0),
        sparse.csr_array(FLAGS),
        FLAGS[:, 0] & FLAGS[:, 1],
        sparse.csr_array(NEW_FLAGS),
    ),
    "scm_constant": (
        SetCoveringClassifier("conjunction", "stumps", penalty=1.0),
        np.ones((9, 1)),
        np.arange(9) > 2,
        np.ones((2, 1)),
    ),
    "scm_cv": (
        SetCoveringClassifierCV(
            features=["balls", [Stumps(bins=8), "literals"]], penalties=np.array([1.0, np.inf]), max_rules=3, cv=3
        ),
        FLAGS,
        FLAGS[:, 0] | FLAGS[:, 2],
        NEW_FLAGS,
    ),
    "scm_cv_bound": (
        SetCoveringClassifierCV(("disjunction",), ["stumps"], penalties=[1, 2], max_rules=2, select="bound"),
        NUMBERS,
        INSIDE,
        NEW,
    ),
    "pac_bayes": (PACBayesSetCoveringClassifier("auto", margin=0.3, refine=False), NAMED, WORDS[INSIDE * 1], NEW),
    "pac_bayes_hard": (PACBayesSetCoveringClassifier("disjunction", margin=0, max_radius=64.0), NUMBERS, INSIDE, NEW),
    "pac_bayes_precomputed": (PACBayesSetCoveringClassifier(metric="precomputed"), DISTANCES, INSIDE, NEW_DISTANCES),
    "pac_bayes_cv": (
        PACBayesSetCoveringClassifierCV(penalties=[1.0], margins=(0.0, 0.1), max_rules=2, cv=3),
        NUMBERS,
        INSIDE,
        NEW,
    ),
    "normal_form": (NormalFormClassifier("dnf", 2), FLAGS, FLAGS[:, 0] ^ FLAGS[:, 1], NEW_FLAGS),
    "normal_form_binarized": (
        NormalFormClassifier(binarize=0.25, penalty=1.5, max_rules=2),
        NUMBERS,
        ABOVE.astype(np.float32),
        NEW,
    ),
    "decision_list": (
        DecisionListClassifier(penalty=1.0, binarize=0.0),
        FRAME,
        np.where(WANTED == "ja", np.where(FRAME["größe\t"] > 0.5, "hoch", "rot"), "nein"),
        FRAME[:25],
    ),
    "decision_list_terms": (
        DecisionListClassifier(2, penalty=3.0),
        FLAGS,
        FLAGS[:, 0] + FLAGS[:, 1] * FLAGS[:, 2],
        NEW_FLAGS,
    ),
    "rule_list": (
        RuleListClassifier(6, 2, select=None),
        FRAME,
        np.where(WANTED == "ja", np.where(FRAME["größe\t"] > 0.5, "hoch", "rot"), "nein"),
        FRAME[:25],
    ),
    "rule_list_bound": (RuleListClassifier(3, select="bound"), NUMBERS, THREE, NEW),
    "intersection": (HalfspaceIntersectionClassifier(max_halfspaces=3), NAMED, INSIDE, NEW),
    "union": (HalfspaceIntersectionClassifier(True, placement="vertex"), NUMBERS, ~ABOVE ^ (NUMBERS[:, 0] > 1.4), NEW),
    "neural_list": (NeuralDecisionListClassifier(prune=0.2, random_state=0), NAMED, WORDS[ABOVE * 1], NEW),
    "neural_list_many": (NeuralDecisionListClassifier(min_fraction=0.1), NUMBERS, THREE.astype(np.uint8), NEW),
    "dichotomies": (NeuralDecisionListClassifier(dichotomies=True), NAMED, np.array(["a", "b", "c"])[THREE], NEW),
    "perceptron": (MarginPerceptronClassifier(max_epochs=50), NAMED, WORDS[ABOVE * 1], NEW),
    "perceptron_noise": (MarginPerceptronClassifier(max_epochs=3, random_state=5), NUMBERS, INSIDE, NEW),
    "perceptron_mixed": (MarginPerceptronClassifier(max_epochs=4), COLOURS, WORDS[ABOVE * 1], COLOURS[:20]),
    "pocket": (PocketClassifier(max_epochs=5, protected="no", random_state=7), NUMBERS, WORDS[ABOVE * 1], NEW),
    "score_card": (ScoreCardClassifier(max_terms=3, random_state=0), FRAME, WANTED, FRAME[:20]),
    "score_card_list": (
        ScoreCardListClassifier(max_terms=4, random_state=0),
        FRAME,
        np.where(WANTED == "ja", np.where(FRAME["größe\t"] > 0.5, "hoch", "rot"), "nein"),
        FRAME[:25],
    ),
    "score_table": (
        ScoreTableClassifier(max_words=6, random_state=0),
        FRAME,
        np.where(WANTED == "ja", np.where(FRAME["größe\t"] > 0.5, "hoch", "rot"), "nein"),
        FRAME[:25],
    ),
    "score_card_columns": (ScoreCardClassifier("pocket", "columns", random_state=0), NAMED, WORDS[ABOVE * 1], NEW),
    "mcm": (MinimalComplexityClassifier(), NAMED, WORDS[ABOVE * 1], NEW),
    "mcm_many": (MinimalComplexityClassifier(C=np.inf, kernel="rbf"), NUMBERS, THREE, NEW),
    "mcm_linear_many": (MinimalComplexityClassifier(class_weight={0: 1.0, 1: 2.0, 2: 1.0}), NUMBERS, THREE, NEW),
    "mcm_mixed": (
        MinimalComplexityClassifier(code="digits"),
        COLOURS,
        np.array(["a", "b", "c"])[THREE],
        COLOURS[:20],
    ),
    "mcm_poly": (MinimalComplexityClassifier(kernel="poly", degree=2, coef0=1.0, max_support=5), NUMBERS, INSIDE, NEW),
    "mcm_precomputed": (
        MinimalComplexityClassifier(kernel="precomputed", max_support=6),
        rbf_kernel(NUMBERS),
        INSIDE,
        rbf_kernel(NEW, NUMBERS),
    ),
    "auto": (LaconicClassifier(max_words=6), NAMED, WORDS[INSIDE * 1], NEW),
    "auto_mixed": (LaconicClassifier(max_words=3, random_state=5), FRAME, WANTED, FRAME[:25]),
    "auto_many": (LaconicClassifier(max_words=12), NUMBERS, THREE, NEW),
    "votes": (RuleVoteClassifier(4, 3, apart=0.5, random_state=0), FRAME, WANTED, FRAME[:20]),
    "votes_many": (RuleVoteClassifier(3, 2, apart=0, random_state=0), NUMBERS, THREE, NEW),
    "promised_cover": (
        SetCoveringClassifier("disjunction", ["stumps", "literals"], penalty=1.0, promises=DECLARED),
        FRAME,
        WANTED,
        FRAME[:20],
    ),
    "promised_list": (
        RuleListClassifier(3, select=None, promises=("classes", "rules", "costs")),
        NUMBERS,
        THREE,
        NEW,
    ),
    "promised_card": (ScoreCardClassifier(max_terms=2, cv=None, promises=("rules",)), NAMED, WORDS[ABOVE * 1], NEW),
    "promised_perceptron": (MarginPerceptronClassifier(9, promises=("classes",)), NUMBERS, INSIDE, NEW),
    "promised_auto": (LaconicClassifier(max_words=3, promises=("classes", "rules")), FRAME, WANTED, FRAME[:25]),
    "promised_sum": (MinimalComplexityClassifier(promises=("classes",)), NUMBERS, THREE, NEW),
    "regressor": (MinimalComplexityRegressor(epsilon=0.5), NAMED, TARGETS, NEW),
    "regressor_rows": (MinimalComplexityRegressor(epsilon=0.5, code="rows"), COLOURS, TARGETS, COLOURS[:20]),
    "short_sum": (LaconicRegressor(3), FRAME, TARGETS, FRAME[:20]),
    "short_sum_band": (LaconicRegressor(4, select="bound", coverage=0.6), NAMED, TARGETS, NEW),
    "regressor_rbf": (MinimalComplexityRegressor(kernel="rbf", gamma=0.5, max_support=8), NUMBERS, TARGETS, NEW),
}
NAMES = [*CASES, "stream"]
_made = {}


def fitted(name):
    """Return a fitted model and rows to predict; fitted once."""
    if name not in _made:
        if name == "stream":
            _made[name] = stream(), NEW
        else:
            learner, table, labels, rows = CASES[name]
            model = quiet(clone(learner), table, labels)  # others fit the learner, too
            if hasattr(table, "columns") and not hasattr(rows, "columns"):
                rows = pd.DataFrame(rows, columns=table.columns)
            _made[name] = model, rows
    return _made[name]
