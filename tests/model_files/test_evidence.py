"""What files of version 4 keep for whoever checks a certificate: the set's rows, their digests, the message's items."""

import json
import math
import pickle
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from tests.golden.write_models import FOLDER
from tests.model_files.catalogue import CASES, NAMES, fitted

import laconic
from laconic.certificates import Item, Nats, SampleCompression, carried_certificates, choice_nats, integer_nats, total

IMPROPER = {"stream"}  # it has no certificate


def plain(statement):
    return plain(statement.statement) if hasattr(statement, "statement") else statement


@pytest.mark.parametrize("name", [name for name in NAMES if name not in IMPROPER])
def test_items_add_up_and_come_back(name, tmp_path):
    model, _ = fitted(name)
    model.save(tmp_path / "model.json")
    opened = laconic.load(tmp_path / "model.json")
    for statement, again in zip(model.certificate_.statements, opened.certificate_.statements, strict=True):
        one, two = plain(statement), plain(again)
        assert math.fsum(item.nats for item in one.message) == one.message_nats
        assert all(item.part for item in one.message)
        assert two.message == one.message
        assert len(getattr(one, "rows", ())) == one.size
        assert getattr(two, "rows", ()) == getattr(one, "rows", ())
    file = json.loads((tmp_path / "model.json").read_text())
    assert file["version"] == 4


def test_digests_are_those_of_the_documented_text():
    learner, X, y, _ = CASES["scm_stumps"]
    model = learner.fit(X, y)
    (statement,) = model.certificate_.statements
    assert statement.rows
    for sent in statement.rows:
        cells = [float(value) for value in X[sent.row]]
        text = "[" + ",".join([*map(repr, cells), str(int(y[sent.row]))]) + "]"
        assert sent.sha256 == sha256(text.encode()).hexdigest()


def test_older_files_open_without_evidence():
    for place in FOLDER.glob("scm_stumps.v[123].json"):
        for _, certificate in carried_certificates(laconic.load(place)):
            assert not any(statement.rows or statement.message for statement in certificate.statements)


def test_prices_add_up_with_their_items():
    price = integer_nats(3).called("size") + choice_nats(7).called("which") + 0.5
    assert [item.part for item in price.items] == ["size", "which", ""]
    assert price == pytest.approx(math.log(20) + math.log(7) + 0.5)
    assert price.called("rest").items[-1] == Item("rest", "stated", (), 0.5)
    assert total([0.25, price]).items[1:] == price.items
    assert choice_nats(1).items == ()
    assert choice_nats(2**60).items[0].code == "stated"
    assert isinstance(np.float64(1.0) + 0.0 + float(price), float)
    assert pickle.loads(pickle.dumps(price)).items == price.items


def test_items_of_another_message_are_refused():
    items = (integer_nats(3) + choice_nats(7)).items
    statement = SampleCompression(100, 2, 3, float(Nats(items)), items)
    assert statement.message_nats.items == items
    with pytest.raises(ValueError, match="cost"):
        replace(statement, message_nats=1.0)
