"""Ways to spoil a model file that leave it JSON, and what a spoilt file that was opened all the same must stand."""

import copy
import warnings

import numpy as np
import pandas as pd

STUMP = {"type": "Stump", "feature": 0, "threshold": 0.5, "greater": True}
LINE = {"type": "Halfspace", "weights": [1.0, -1.0], "bias": 0.0}
ODD = [
    *(None, True, False, 0, 1, -1, 2, 3, 2**20, 2**31, 2**40, 2**53, 2**63 - 1, -(2**63)),
    *(0.5, -0.0, -1e308, 1e308, 5e-324, 1e-300, "", "inf", "x" * 5000, "\ud800", "0", [], {}, [[]], [0.0], [0, 1]),
    *({"type": "float", "value": text} for text in ("nan", "inf", "-inf")),
    *(STUMP, LINE, {"type": "Conjunction", "rules": []}, {"type": "list", "items": [STUMP]}),
    *("number", "boolean", "category", "precomputed", "cosine", "haversine", "mahalanobis", "minkowski", "linear"),
    *("sigmoid", "poly", "str", "object", "balls", "literals", "stumps", "disjunction", "Literal", "Ball", "Clause"),
    *("SetCoveringClassifier", "PocketClassifier", "MinimalComplexityRegressor", "float16", "uint64"),
]


def sites(node, found):
    """List all places of a content, as (container, key)."""
    for key in node if isinstance(node, dict) else range(len(node)):
        found.append((node, key))
        if isinstance(node[key], dict | list):
            sites(node[key], found)
    return found


def mutate(content, choose):
    """Spoil a copy in one to three places; ``choose(n)`` gives a number below n."""
    content = copy.deepcopy(content)
    for _ in range(1 + choose(3)):
        places = sites(content, [])
        if not places:
            return content
        node, key = places[choose(len(places))]
        match choose(7):
            case 0 | 1:
                node[key] = copy.deepcopy(ODD[choose(len(ODD))])
            case 2:
                del node[key]
            case 3:
                other, there = places[choose(len(places))]
                node[key] = copy.deepcopy(other[there])
            case 4 if isinstance(node, list):
                node.insert(key, copy.deepcopy(node[key]))
            case 4:
                node[f"{key}2"] = node[key]
            case 5:
                for _ in range(choose(30)):
                    node[key] = [node[key]]
            case 6 if type(node[key]) in (int, float):
                node[key] = [node[key] + 1, -node[key], node[key] * 1000, node[key] / 7][choose(4)]
    return content


def exercise(model):
    """Ask a model everything that it can answer, on rows that fit its columns."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model.to_text()
        model.get_rules()
        model._repr_html_()
        getattr(model, "certificate_", model.hypothesis_).__str__()
        if model.n_features_in_ > 10_000:
            return
        rows = rows_for(model)
        model.predict(rows)
        for name in ("decision_function", "predict_proba", "predict_gibbs", "predict_interval", "explain"):
            getattr(model, name, lambda _: None)(rows)
        for name in ("staged_predict", "hypotheses"):
            list(getattr(model, name, lambda *_: ())(*([rows] if name == "staged_predict" else [])))


def rows_for(model):
    numbers = np.linspace(-1.0, 2.0, 3)
    values = {"number": numbers, "boolean": np.array([True, False, True]), "category": np.array(["red", "a", "b"])}
    names = getattr(model, "feature_names_in_", None)
    if names is None and "category" not in model._kinds:
        return np.tile(numbers[:, None], (1, model.n_features_in_))
    names = [f"c{i}" for i in range(model.n_features_in_)] if names is None else names
    return pd.DataFrame({name: values[kind] for name, kind in zip(names, model._kinds, strict=True)})
