"""The promise behind the certificate: what is stored is what the code can send, and the code is a code."""

import inspect
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic import DecisionListClassifier, NormalFormClassifier, SetCoveringClassifier
from laconic._table import Table
from laconic.certificates import FiniteClass, SampleCompression, compression_bound, pairing_nats, unordered_nats
from laconic.certificates import _codes as codes
from laconic.covering import Clauses, Literals, Stumps
from laconic.covering.core import _scheme as scheme
from laconic.covering.core._family import make_families
from laconic.covering.core._greedy import cover
from laconic.covering.core._machine import columns_of
from laconic.covering.core._problem import make_problem
from laconic.covering.core._templates import CombinationTemplate, FixedRule, LiteralTemplate, StumpTemplate
from laconic.rules import Clause, Conjunction, Disjunction, Literal


def stump_machine(form="conjunction", features="stumps", **parameters):
    return SetCoveringClassifier(form, features, **{"penalty": 1.0} | parameters)


def table_of(kind, rng, n_rows):
    if kind == "numbers":
        return Table.from_array(rng.integers(0, rng.integers(2, 9), size=(n_rows, 3)).astype(float))
    if kind == "reals":
        X = rng.normal(size=(n_rows, 4))
        X[rng.random(X.shape) < 0.1] = np.nan
        return Table.from_array(X)
    if kind == "flags":
        return Table.from_array(rng.integers(0, 2, size=(n_rows, 5)))
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(rng.choice(list("uvw"), n_rows)),
            "b": rng.integers(0, 4, n_rows),
            "c": rng.choice(["yes", "no", None], n_rows),
            "d": rng.random(n_rows) < 0.4,
        }
    )
    return Table.from_frame(frame)


CASES = [
    ("numbers", "stumps"),
    ("reals", "stumps"),
    ("reals", Stumps(bins=5)),
    ("flags", "literals"),
    ("flags", Clauses(2)),
    ("flags", ["literals", Clauses(3), "stumps"]),
    ("mixed", ["stumps", "literals"]),
    ("mixed", ["stumps", Literals(categories={0: ["u", "v", "w"]}), Clauses(2)]),
]


def send(kind, features, form, penalty, seed):
    """Solve a random problem and encode the solution."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(5, 40))
    table = table_of(kind, rng, n_rows)
    positive = rng.random(n_rows) < 0.5
    problem = make_problem(table, positive, np.ones(n_rows), penalty, form)
    families = make_families(features)
    columns = columns_of(families, table, None)
    blocks = [(f, b) for f, family in enumerate(families) for b in family.blocks(problem, columns[f], 1)]
    solution = cover(problem, blocks, max_rules=5)
    return problem, families, solution, scheme.encode(solution, problem, families, 0.05)


@pytest.mark.parametrize(("kind", "features"), CASES)
@pytest.mark.parametrize("form", ["conjunction", "disjunction"])
def test_reconstruct_gives_back_the_very_machine(kind, features, form):
    n_shared = 0
    for seed in range(60):
        problem, _, solution, encoding = send(kind, features, form, penalty=[1.0, 0.3, 2.0][seed % 3], seed=seed)
        # only the bytes of the set and the message cross over
        examples, message = pickle.loads(pickle.dumps((encoding.examples, encoding.message)))
        machine = scheme.reconstruct(examples, message)
        if solution.rules:
            assert set(machine.rules) == set(solution.rules)
            assert len(machine.rules) == len(solution.rules)
            assert isinstance(machine, Disjunction if form == "disjunction" else Conjunction)
        else:
            assert machine.rules == ()
        assert len(encoding.rows) == len(set(encoding.rows.tolist())) == len(examples)
        assert set(message.pairing) == set(range(len(encoding.rows))), "every example serves a slot"
        predicted = machine.evaluate(problem.table)
        by_steps = (solution.decided == len(solution.rules)) != problem.any_holds
        assert (predicted == by_steps).all() or not solution.rules
        n_shared += len(message.pairing) > len(encoding.rows)
    if kind == "numbers":
        assert n_shared > 0, "one row should sometimes serve two rules"


def test_reconstruct_sees_the_set_and_the_message_only():
    assert list(inspect.signature(scheme.reconstruct).parameters) == ["examples", "message"]


@pytest.mark.parametrize("form", ["conjunction", "disjunction", "auto"])
def test_the_fitted_hypothesis_has_the_rules_shown(form):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, size=(80, 4))
    model = stump_machine(form=form).fit(X, X[:, 0] > 2)
    assert set(model.hypothesis_.rules) == set(model.rules_)


def test_an_empty_machine_is_a_constant_with_a_charged_label():
    X = np.zeros((10, 2))
    for y, machine in (([1] * 7 + [0] * 3, Conjunction(())), ([1] * 3 + [0] * 7, Disjunction(()))):
        for form in ("conjunction", "disjunction"):
            model = stump_machine(form=form).fit(X, y)
            assert model.hypothesis_ == machine
            # ln 2 for the label, ln 2 for saying that there are no rules
            assert model.certificate_.message_nats == pytest.approx(2 * math.log(2))
            assert model.certificate_.risk_bound == compression_bound(10, 0, 3, 2 * math.log(2), 0.05)
            assert (model.predict(X) == np.argmax(np.bincount(y))).all()
            assert "always" in model.to_text()


def test_errors_are_counted_outside_the_set_and_auto_pays_for_the_choice():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(200, 3)).astype(float)
    y = (X[:, 0] > 1) ^ (rng.random(200) < 0.1)
    one = stump_machine(form="conjunction").fit(X, y)
    auto = stump_machine(form="auto").fit(X, y)
    other = stump_machine(form="disjunction").fit(X, y)
    assert auto.certificate_.message_nats in (
        pytest.approx(one.certificate_.message_nats + math.log(2)),
        pytest.approx(other.certificate_.message_nats + math.log(2)),
    )
    # an error can serve as the border example, and is then not counted
    certificate = one.certificate_
    n_wrong = int((one.predict(X) != y).sum())
    assert certificate.empirical_risk == n_wrong / 200
    bounds = [
        compression_bound(200, certificate.compression_size, n_wrong - inside, certificate.message_nats, 0.05)
        for inside in range(certificate.compression_size + 1)
    ]
    assert certificate.risk_bound in bounds
    assert certificate.risk_bound < bounds[0]


# ---- Kraft: over everything that can be said with d examples, exp(-nats) sums to at most one

SCHEMAS = {
    "stumps": ([Stumps()], {0: [StumpTemplate(j, g) for j in range(2) for g in (True, False)]}),
    "literals, one column of categories": (
        [Literals()],
        {0: [LiteralTemplate(j, n, named=j == 1) for j in range(2) for n in (True, False)]},
    ),
    "clauses": (
        [Clauses(2)],
        {
            0: [
                CombinationTemplate(literals)
                for size in (1, 2)
                for columns in itertools.combinations(range(2), size)
                for literals in itertools.product(
                    *([LiteralTemplate(j, n, named=j == 1) for n in (True, False)] for j in columns)
                )
            ]
        },
    ),
    "two families": (
        [Stumps(), Literals(negated=False)],
        {
            0: [StumpTemplate(j, g) for j in range(2) for g in (True, False)],
            1: [LiteralTemplate(j, False, named=False) for j in range(2)],
        },
    ),
}
DOMAIN = Literals(negated=False, categories={0: ["a", "b", "c"], 1: ["d"]})
SCHEMAS["literals of a known domain"] = (
    [DOMAIN],
    {0: [FixedRule(Literal(0, False, c)) for c in "abc"] + [FixedRule(Literal(1, False, "d"))]},
)


def test_clauses_of_known_domains_pay_for_each_category():
    family = Clauses(3, categories={0: ["a", "b", "c"], 2: ["d", "e"]})
    literals = Literal(0, True, "b"), Literal(1), Literal(2, False, "d")
    template = family.template(Clause(literals))
    assert template.n_slots == 0
    paid = math.log(3) + math.log(math.comb(5, 3)) + 3 * math.log(2) + math.log(3) + math.log(2)
    assert family.template_nats(template, 5) == pytest.approx(paid)
    assert family.template(Clause((Literal(3, False, "z"),))).n_slots == 1


def all_messages(templates, n_examples, n_rules):
    """List every set of `n_rules` different filled templates that uses all examples."""
    filled = [
        (family, template, places)
        for family, listed in templates.items()
        for template in listed
        for places in itertools.product(range(n_examples), repeat=template.n_slots)
    ]
    for chosen in itertools.combinations(filled, n_rules):
        if {place for _, _, places in chosen for place in places} == set(range(n_examples)):
            message = scheme.CoverMessage(
                False, tuple(t for _, t, _ in chosen), tuple(p for _, _, places in chosen for p in places)
            )
            yield message, [family for family, _, _ in chosen]


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("n_examples", [0, 1, 2])
def test_messages_obey_kraft(name, n_examples):
    families, templates = SCHEMAS[name]
    total = sum(
        math.exp(-scheme.message_nats(message, chosen, families, n_examples, 2))
        for n_rules in range(4)
        for message, chosen in all_messages(templates, n_examples, n_rules)
    )
    if n_examples == 0:
        empty = scheme.CoverMessage(False, (), ())
        total += math.exp(-scheme.message_nats(empty, [], families, 0, 2))  # the other label
    assert total <= 1 + 1e-12
    assert total > 0 or (n_examples > 0 and name == "literals of a known domain")


def bits_of(shares):
    """Turn probabilities that sum to at most one into code words (Shannon, Fano and Elias): bits of the middles."""
    words, below = [], Fraction(0)
    for share in map(Fraction, shares):
        length = math.ceil(-math.log2(share)) + 1
        middle = below + share / 2
        words.append(format(int(middle * 2**length), f"0{length}b"))
        below += share
    return words


@pytest.mark.parametrize("name", SCHEMAS)
def test_messages_are_really_sent_and_read(name):
    """The receiver knows the code and the number of examples; it reads messages off a stream of bits, one by one."""
    families, templates = SCHEMAS[name]
    n_examples = 0 if name == "literals of a known domain" else 2
    known = [
        (message, scheme.message_nats(message, chosen, families, n_examples, 2))
        for n_rules in range(1, 4)
        for message, chosen in all_messages(templates, n_examples, n_rules)
    ]
    words = bits_of([math.exp(-nats) for _, nats in known])
    for word, (_, nats) in zip(words, known, strict=True):
        assert len(word) <= nats / math.log(2) + 2, "no longer than what is charged, but for rounding to bits"
    read = {word: message for word, (message, _) in zip(words, known, strict=True)}
    assert len(read) == len(known)
    rng = np.random.default_rng(0)
    sent = rng.integers(len(known), size=50)
    stream = "".join(words[i] for i in sent)
    received, word = [], ""
    for bit in stream:
        word += bit
        if word in read:
            received.append(read[word])
            word = ""
    assert received == [known[i][0] for i in sent]
    assert word == ""


@given(st.integers(0, 6), st.integers(0, 6))
@settings(deadline=None)
def test_pairings_are_counted_exactly(n_slots, n_examples):
    ways = sum(
        set(pairing) == set(range(n_examples)) for pairing in itertools.product(range(n_examples), repeat=n_slots)
    )
    if ways == 0:
        with pytest.raises(ValueError, match="slots cannot be filled"):
            pairing_nats(n_slots, n_examples)
    else:
        assert pairing_nats(n_slots, n_examples) == pytest.approx(math.log(ways))


def test_pairings_of_many_slots_cost_at_least_as_much_as_counted(monkeypatch):
    cases = [(n, d) for n in (2, 3, 7, 40, 90) for d in range(1, n + 1)]
    counted = {case: pairing_nats(*case) for case in cases}
    monkeypatch.setattr(codes, "_MOST_COUNTED", 1)
    for (n, d), nats in counted.items():
        paid = pairing_nats(n, d)
        assert nats - 1e-9 <= paid <= nats + n
        if d in (1, n):
            assert paid == pytest.approx(nats, abs=1e-9)
    monkeypatch.undo()
    assert pairing_nats(40_000, 39_000) > math.lgamma(39_001)  # counting would take hours


def test_sets_save_their_order():
    assert unordered_nats([1.0, 2.0, 3.0]) == pytest.approx(6 - math.log(6))


def test_a_column_whose_type_declares_no_kind_pays_for_what_its_values_showed():
    rng = np.random.default_rng(0)
    words = rng.choice(["red", "green"], 80)
    flags = rng.random(80) < 0.5
    y = (words == "red") & flags
    declared = pd.DataFrame({"word": pd.Series(words, dtype="str"), "flag": flags})
    price = 2 * np.log(3)
    for make in (
        lambda: SetCoveringClassifier("conjunction", "literals", max_rules=2, penalty=1.0),
        lambda: NormalFormClassifier(penalty=3.0, max_rules=2),
        lambda: DecisionListClassifier(penalty=3.0, max_rules=2),
    ):
        known, read_off = make().fit(declared, y), make().fit(declared.astype(object), y)
        assert known.rules_ == read_off.rules_
        assert len({rule.feature for rule in known.rules_}) == 2
        assert read_off.certificate_.message_nats == pytest.approx(known.certificate_.message_nats + price)


def test_a_list_of_flags_of_no_declared_type_may_have_needed_an_example():
    X = pd.DataFrame({"flag": [True, False] * 20})
    known, read_off = (DecisionListClassifier().fit(table, X["flag"]) for table in (X, X.astype(object)))
    assert isinstance(known.certificate_.statements[0], FiniteClass)
    assert isinstance(read_off.certificate_.statements[0], SampleCompression)
