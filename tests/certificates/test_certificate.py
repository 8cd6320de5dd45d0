import numpy as np
import pytest

from laconic._table import Table
from laconic.certificates import Certificate, choose_examples, integer_nats, set_nats, subset_nats
from laconic.certificates._percentages import confidence, percent_up


def certificate(**changes):
    values = {
        "risk_bound": 0.1044,
        "delta": 0.05,
        "empirical_risk": 0.0175,
        "n_samples": 683,
        "compression_size": 2,
        "message_nats": 9.0,
        "method": "sample compression",
    }
    return Certificate(**values | changes)


def test_the_sentence_rounds_up():
    assert str(certificate()).endswith("the error on new data is at most 10.5 %.")
    assert percent_up(0.1) == "10 %"
    assert percent_up(0.10000001) == "10.1 %"
    assert confidence(0.5) == "50 %"
    assert confidence(1e-6) == "99.9999 %"


def test_a_vacuous_bound_says_so():
    assert str(certificate(risk_bound=1.0)).startswith("No useful bound")
    assert "1 row." in str(certificate(risk_bound=1.0, n_samples=1))


def test_a_certificate_is_a_value():
    assert certificate() == certificate()
    assert "rebuilt from none of them" in certificate(compression_size=0).summary()
    assert "independent" in certificate().assumptions[0]
    with pytest.raises(AttributeError):
        certificate().risk_bound = 0.0
    assert "10.5 %" in certificate()._repr_html_()


def test_codes_refuse_nonsense():
    for wrong in (lambda: integer_nats(-1), lambda: set_nats(3, 4), lambda: subset_nats(3, -1)):
        with pytest.raises(ValueError, match="must be"):
            wrong()


def test_few_examples_serve_many_slots():
    table = Table.from_array([[1.0, 5.0], [1.0, 6.0], [2.0, 6.0]])
    labels = np.array([True, False, True])
    slots = [table.numbers(0) == 1.0, table.numbers(1) == 6.0]
    rows, pairing = choose_examples(table, labels, slots, np.zeros(3, dtype=bool))
    assert rows.tolist() == [1]
    assert pairing == (0, 0)
    # of rows that serve alike, one that is wrong is taken: errors inside the set are not counted
    rows, _ = choose_examples(table, labels, slots[:1], np.array([True, False, False]))
    assert rows.tolist() == [0]
    with pytest.raises(ValueError, match="No row can fill a slot"):
        choose_examples(table, labels, [table.numbers(0) == 9.0], np.zeros(3, dtype=bool))
