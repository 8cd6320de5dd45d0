"""What a fitted model does by itself, and files that hold it."""

import json
import os
import pickle
import tempfile
from pathlib import Path

import numpy as np

import laconic
from tests.clients.declared import CLASSES, client, same_answers

os.environ.setdefault("MLFLOW_TRACKING_URI", "file:" + tempfile.gettempdir() + "/mlruns")


@client("fit")
def fits(t):
    assert t.model.predict(t.X).shape == t.y.shape


@client("save, load")
def saved(t):
    with tempfile.TemporaryDirectory() as folder:
        t.model.save(Path(folder) / "model.json")
        opened = laconic.load(Path(folder) / "model.json")
    same_answers(t, opened.predict(t.X))
    assert opened.to_text() == t.model.to_text()


@client("report", needs="matplotlib", slow=True)
def reported(t):
    assert "</html>" in t.model.report(t.X, t.y).html()


@client("explain")
def explained(t):
    assert len(t.model.explain(t.X)) == len(t.X)


@client("get_rules as JSON")
def as_json(t):
    assert json.loads(json.dumps(t.model.get_rules())) is not None


@client("CertificateMonitor", targets=CLASSES)
def watched(t):
    assert laconic.CertificateMonitor(t.model).update(t.X, t.y).n_rows_ == len(t.X)


@client("pickle")
def pickled(t):
    same_answers(t, pickle.loads(pickle.dumps(t.model)).predict(t.X))


@client("skops", needs="skops")
def dumped_by_skops(t):
    from skops.io import dumps, get_untrusted_types, loads

    data = dumps(t.model)
    trusted = get_untrusted_types(data=data)
    foreign = [each for each in trusted if not each.startswith(("laconic.", "numpy.", "builtins."))]
    assert not foreign, f"skops would have to trust {foreign}"
    same_answers(t, loads(data, trusted=trusted).predict(t.X))


@client("MLflow", needs="mlflow", slow=True)
def logged_by_mlflow(t):
    import mlflow

    with tempfile.TemporaryDirectory() as folder:
        options = {"serialization_format": "cloudpickle", "pip_requirements": []}  # it would look for them in a process
        mlflow.sklearn.save_model(t.model, f"{folder}/model", **options)
        same_answers(t, mlflow.pyfunc.load_model(f"{folder}/model").predict(t.X))


@client("polars, narwhals and pyarrow tables", needs="polars")
def framed(t):
    import narwhals
    import polars

    frame = polars.DataFrame({name: t.X[name].to_numpy() for name in t.X})
    for each in (frame, narwhals.from_native(frame), frame.to_arrow()):
        same_answers(t, t.model.predict(each))
    fitted = t.unfitted.fit(frame, t.y)
    assert np.array_equal(fitted.feature_names_in_, t.model.feature_names_in_)
