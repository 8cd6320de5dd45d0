"""Packages around scikit-learn."""

import numpy as np

from tests.clients.declared import CLASSES, client, quiet


@client("fairlearn: MetricFrame", needs="fairlearn", slow=True, targets=CLASSES)
def measured_by_group(t):
    from fairlearn.metrics import MetricFrame, selection_rate

    chosen = t.model.classes_[-1]
    shares = MetricFrame(
        metrics=lambda y, p: selection_rate(y == chosen, p == chosen),
        y_true=t.y,
        y_pred=t.model.predict(t.X),
        sensitive_features=sides(t),
    )
    assert len(shares.by_group) == 2


@client("fairlearn: ThresholdOptimizer", needs="fairlearn", slow=True, targets=("two",))
def made_fair(t):
    from fairlearn.postprocessing import ThresholdOptimizer

    optimizer = ThresholdOptimizer(estimator=t.unfitted, predict_method="auto")
    y = (t.y == t.model.classes_[-1]).astype(int)
    quiet(optimizer.fit, t.X, y, sensitive_features=sides(t))
    assert len(optimizer.predict(t.X, sensitive_features=sides(t), random_state=0)) == len(t.y)


@client("fairlearn: ExponentiatedGradient", needs="fairlearn", slow=True, targets=("two",))
def reduced(t):
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    reduction = ExponentiatedGradient(t.unfitted, DemographicParity(), max_iter=2)
    y = (t.y == t.model.classes_[-1]).astype(int)
    quiet(reduction.fit, t.X, y, sensitive_features=sides(t))
    assert len(reduction.predict(t.X, random_state=0)) == len(t.y)


def sides(t):
    return np.where(np.arange(len(t.y)) % 2, "a", "b")


@client("feature-engine: SelectBySingleFeaturePerformance", needs="feature_engine", slow=True)
def selected(t):
    from feature_engine.selection import SelectBySingleFeaturePerformance

    scoring, least = ("accuracy", 0.01) if t.is_classifier else ("neg_mean_squared_error", -1e9)
    selector = SelectBySingleFeaturePerformance(t.unfitted, scoring=scoring, cv=2, threshold=least)
    X = t.X.rename(columns={"Länge, cm": "length", "100%": "share"})
    assert quiet(selector.fit, X, t.y).transform(X).shape == X.shape


@client("imbalanced-learn: Pipeline, RandomUnderSampler", needs="imblearn", slow=True, targets=CLASSES)
def balanced(t):
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    pipeline = make_pipeline(RandomUnderSampler(random_state=0), t.unfitted)
    assert len(quiet(pipeline.fit, t.X, t.y).predict(t.X)) == len(t.y)
