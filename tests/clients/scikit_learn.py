"""scikit-learn's own estimators around a model, and its tools that look at one."""

import numpy as np
from sklearn.base import clone

from tests.clients.declared import CLASSES, NUMBERS, client, quiet, same_answers


def meta(name, targets=CLASSES + NUMBERS):
    """Declare a function that makes an estimator of ours, which must then fit and answer."""

    def add(make):
        def run(t):
            assert len(quiet(make(t).fit, t.X, t.y).predict(t.X)) == len(t.y)

        return client(f"sklearn: {name}", slow=True, targets=targets)(run)

    return add


def _dummy(t):
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier() if t.is_classifier else DummyRegressor()


@client("sklearn: clone, Pipeline")
def piped(t):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(feature_names_out="one-to-one"), clone(t.unfitted))
    same_answers(t, quiet(pipeline.fit, t.X, t.y).predict(t.X))


@client("sklearn: cross_val_score", slow=True)
def cross_validated(t):
    from sklearn.model_selection import cross_val_score

    assert np.isfinite(quiet(cross_val_score, t.unfitted, t.X, t.y, cv=2, error_score="raise")).all()


@client("sklearn: learning_curve", slow=True)
def learning(t):
    from sklearn.model_selection import learning_curve

    assert np.isfinite(
        quiet(learning_curve, t.unfitted, t.X, t.y, train_sizes=[0.7, 1.0], cv=2, error_score="raise")[2]
    ).all()


@meta("GridSearchCV")
def searched(t):
    from sklearn.model_selection import GridSearchCV

    return GridSearchCV(t.unfitted, {"delta": [0.05, 0.1]}, cv=2, error_score="raise")


@meta("HalvingRandomSearchCV")
def halved(t):
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingRandomSearchCV

    options = {"cv": 2, "error_score": "raise", "random_state": 0, "min_resources": 40}
    return HalvingRandomSearchCV(t.unfitted, {"delta": [0.05, 0.1]}, **options)


@meta("SequentialFeatureSelector")
def chosen(t):
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SequentialFeatureSelector(t.unfitted, n_features_to_select=2, cv=2), clone(t.unfitted))


@meta("ColumnTransformer, set_output")
def transformed(t):
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    columns = make_column_transformer((StandardScaler(), ["mass"]), remainder="passthrough")
    return make_pipeline(columns.set_output(transform="pandas"), t.unfitted)


@meta("Voting")
def voted(t):
    from sklearn.ensemble import VotingClassifier, VotingRegressor

    return (VotingClassifier if t.is_classifier else VotingRegressor)([("ours", t.unfitted), ("dummy", _dummy(t))])


@meta("Stacking")
def stacked(t):
    from sklearn.ensemble import StackingClassifier, StackingRegressor

    kind = StackingClassifier if t.is_classifier else StackingRegressor
    return kind([("ours", t.unfitted), ("dummy", _dummy(t))], cv=2)


@meta("Bagging")
def bagged(t):
    from sklearn.ensemble import BaggingClassifier, BaggingRegressor

    return (BaggingClassifier if t.is_classifier else BaggingRegressor)(t.unfitted, n_estimators=2, random_state=0)


@meta("CalibratedClassifierCV", CLASSES)
def calibrated(t):
    from sklearn.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(t.unfitted, cv=2)


@meta("TunedThresholdClassifierCV", ("two",))
def tuned(t):
    from sklearn.model_selection import TunedThresholdClassifierCV

    return TunedThresholdClassifierCV(t.unfitted, cv=2)


@meta("OneVsRestClassifier", CLASSES)
def one_versus_rest(t):
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(t.unfitted)


@meta("OneVsOneClassifier", CLASSES)
def one_versus_one(t):
    from sklearn.multiclass import OneVsOneClassifier

    return OneVsOneClassifier(t.unfitted)


@client("sklearn: ClassifierChain", slow=True, targets=CLASSES)
def chained(t):
    from sklearn.multioutput import ClassifierChain

    several = np.column_stack([t.y == t.y[0], t.X["mass"] > 0]).astype(int)
    assert quiet(ClassifierChain(t.unfitted).fit, t.X, several).predict(t.X).shape == several.shape


@meta("TransformedTargetRegressor", NUMBERS)
def scaled_target(t):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(t.unfitted, transformer=StandardScaler())


@client("sklearn: permutation_importance")
def permuted(t):
    from sklearn.inspection import permutation_importance

    assert permutation_importance(t.model, t.X, t.y, n_repeats=1, random_state=0).importances.shape == (3, 1)


@client("sklearn: partial_dependence")
def depended(t):
    from sklearn.inspection import partial_dependence

    response = "predict_proba" if hasattr(t.model, "predict_proba") else "auto"
    found = partial_dependence(t.model, t.X, [0], grid_resolution=3, response_method=response)
    assert np.isfinite(found["average"]).all()
