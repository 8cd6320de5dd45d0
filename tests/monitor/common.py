"""Rows to watch, a model that is watched, and the command."""

import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from laconic import SetCoveringClassifier
from laconic.cli import main

RNG = np.random.default_rng(0)
NAMES = ["a", "b", "c"]
X = RNG.normal(size=(400, 3)).round(2)
Y = np.where((X[:, 0] > 0.3) ^ (RNG.random(400) < 0.05), "yes", "no")
NEW = RNG.normal(size=(600, 3)).round(2)
TRUE = np.where((NEW[:, 0] > 0.3) ^ (RNG.random(600) < 0.05), "yes", "no")


@cache
def fitted(*, named=False):
    model = SetCoveringClassifier("conjunction", "stumps", penalty=1.0, max_rules=2)
    return model.fit(pd.DataFrame(X, columns=NAMES) if named else X, Y)


def run(line, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["laconic", *line.split()])
    with pytest.raises(SystemExit) as left:
        main()
    said = capsys.readouterr()
    return left.value.code, said.out + said.err
