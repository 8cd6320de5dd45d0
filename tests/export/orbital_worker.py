"""Translate pipelines to SQL with orbital, and compare with `predict`: run by `tests.export.check`.

orbital reads what `laconic.export.register_converters` writes: lists of thresholds as trees.
"""


def main():
    import duckdb
    import numpy as np
    import orbital
    import pandas as pd
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from laconic import RuleListClassifier, SetCoveringClassifier
    from laconic.export import register_converters

    register_converters(trees=True)
    rng = np.random.default_rng(0)
    numbers = pd.DataFrame(rng.integers(0, 40, size=(300, 3)) / 8, columns=["a", "b", "c"])
    labels = np.where(numbers["a"] > 3, "high", np.where(numbers["b"] <= 1.5, "low", "middle"))
    new = pd.DataFrame(rng.integers(-8, 48, size=(20_000, 3)) / 8, columns=["a", "b", "c"])
    agreed = 0
    for learner, wanted in (
        (RuleListClassifier(4, select=None), labels),
        (SetCoveringClassifier("conjunction", "stumps", penalty=1.0), labels == "high"),
    ):
        wanted = np.where(wanted, "yes", "no") if wanted.dtype == bool else wanted
        for steps in ((learner,), (StandardScaler(), learner)):
            model = make_pipeline(*steps).fit(numbers, wanted)
            features = {name: orbital.types.DoubleColumnType() for name in numbers}
            scaled = len(steps) > 1
            try:
                parsed = orbital.parse_pipeline(model, features=features)
                query = orbital.export_sql("new", parsed, dialect="duckdb")
            except NotImplementedError as error:
                print(f"{type(learner).__name__}, {'scaled' if scaled else 'as it is'}: orbital cannot: {error}")
                continue
            with duckdb.connect() as connection:
                connection.register("new", new)
                found = connection.execute(query).fetch_df()
            name = next(each for each in found if "label" in each)
            wrong = int((found[name].to_numpy() != model.predict(new)).sum())
            print(f"{type(learner).__name__}, {'scaled' if scaled else 'as it is'}: {wrong} of {len(new)} rows differ")
            agreed += wrong == 0
    assert agreed == 2, "both lists as they are; scaled thresholds need double precision, and operators orbital has not"


if __name__ == "__main__":
    main()
