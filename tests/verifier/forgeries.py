"""Forged model files: each begins with an honest one, claims more than is true, and is consistent in itself.

A forger can write anything into a file, and nothing into the rows. To add a forgery, write a function that takes the
content of an honest file, changes it, and returns it (or the text of a file, where no JSON library would write it), and
name the honest file in `forgery`. Sums, the bound and the digest are made to follow from what the function returns.
"""

import json
import math
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd

from laconic import DecisionListClassifier, LaconicClassifier, Promises, RuleListClassifier, ScoreCardClassifier
from laconic import SetCoveringClassifier as Cover
from laconic.covering import Clauses, Conditions, Literals
from laconic.verifier import _program as program

N_ROWS = 160


def rows():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 2)).round(2), columns=["a", "b"])
    X["sex"] = rng.choice(["f", "m", None], N_ROWS, p=[0.5, 0.4, 0.1])
    X["colour"] = rng.choice(["red", "blue", "green"], N_ROWS)
    y = np.where((X["a"] > 0.3) | (X["colour"] == "red"), "ill", "well")
    return X.astype({"sex": "category", "colour": "category"}), np.where(rng.random(N_ROWS) < 0.1, "well", y)


def numbers():
    X, y = rows()
    return X[["a", "b"]], y


def flags():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.random((N_ROWS, 4)) < 0.5, columns=list("pqrs"))
    return X, np.where((X["p"] & X["q"]) ^ (rng.random(N_ROWS) < 0.1), "ill", "well")


def three():
    """Return a table where one class is a third of the rows."""
    X, y = numbers()
    return X, np.where(np.arange(N_ROWS) % 3 == 0, "lost", y)


COSTS = {"ill": {"well": 5.0}, "well": {"ill": 1.0}}
EVERYTHING = Promises(classes=True, rules=True, groups="sex", costs=COSTS, abstain=0.5)
KNOWN = {"colour": ("red", "blue", "green", "black"), "sex": ("f", "m")}
HONEST = {
    "cover": (rows, Cover("conjunction", Conditions(), penalty=0.7)),
    "thresholds": (numbers, Cover("conjunction", "stumps", penalty=0.7, max_rules=1)),
    "promises": (rows, Cover("conjunction", Conditions(categories=KNOWN, prior={"a": 2.5}), promises=EVERYTHING)),
    "prior": (rows, Cover("conjunction", Conditions(prior={"a": 2.5, "colour": 0.5}), penalty=0.7)),
    "domain": (rows, Cover("conjunction", ["stumps", Literals(categories=KNOWN)], penalty=0.7)),
    "clauses": (flags, Cover("conjunction", Clauses(2), penalty=0.7)),
    "list": (rows, RuleListClassifier(max_words=3, select=None, cv=None)),
    "flags": (flags, DecisionListClassifier(penalty=1.0)),
    "binarized": (numbers, DecisionListClassifier(binarize=0.25, penalty=1.0)),
    "card": (numbers, ScoreCardClassifier(max_terms=3, terms="thresholds")),
    "sums": (numbers, ScoreCardClassifier(max_terms=3, terms="columns")),
    "held out": (rows, LaconicClassifier(3, random_state=11, promises=EVERYTHING)),
    "three": (three, RuleListClassifier(max_words=3, select=None, cv=None)),
}


@cache
def _text(name):
    make, learner = HONEST[name]
    X, y = make()
    with TemporaryDirectory() as folder:
        learner.fit(X, y).save(Path(folder) / "model.json")
        return (Path(folder) / "model.json").read_text()


def honest(name):
    """Return the content of an honest file."""
    return json.loads(_text(name))


class Forgery(NamedTuple):
    base: str
    forge: Callable

    def text(self):
        """Write the forged file."""
        forged = self.forge(honest(self.base))
        return forged if isinstance(forged, str) else sealed(consistent(forged))


FORGERIES: dict[str, Forgery] = {}


def forgery(*bases):
    def register(forge):
        for base in bases:
            FORGERIES[f"{forge.__name__} ({base})"] = Forgery(base, forge)
        return forge

    return register


def sealed(content):
    rest = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps(rest | {"sha256": sha256(text.encode()).hexdigest()})


def consistent(content):
    """Let sums and the bound follow from the statement, and the model within be promised the same."""
    certificate = content["certificate"]
    (outer,) = certificate["statements"]
    said = program.inner(outer)
    said["message_nats"] = certificate["message_nats"] = math.fsum(item["nats"] for item in said["message"])
    certificate["compression_size"] = said.get("size", 0)
    share = 0.5 if certificate.get("promised") else 1.0
    try:
        certificate["risk_bound"] = program.bound(outer, certificate["delta"] * share)
    except (ArithmeticError, ValueError, TypeError):
        certificate["risk_bound"] = 0.01
    if "machine" in content["fitted"]:
        content["fitted"]["machine"]["certificate"] = deepcopy(certificate)
    return content


def statement(content):
    (said,) = content["certificate"]["statements"]
    return said


def stated(part, nats):
    return {"part": part, "code": "stated", "choices": [], "nats": nats}


def order(*sizes):
    return [{"part": program.ORDER, "code": "order", "choices": [n], "nats": -program.ln_fact(n)} for n in sizes]


def item(part, code, *choices):
    return {"part": part, "code": code, "choices": list(choices), "nats": program.CODES[code](*choices)}


def sent_row(make, place):
    """Return a row of the set, with its digest."""
    X, y = make()
    values = [None if value is None or value != value else value for value in X.iloc[place].tolist()]
    label = sorted(set(y)).index(y[place])
    return {"row": int(place), "sha256": program.digest([*values, label])}


def replaced(content, rules, says_well, make, places, message):
    """Put other rules into a file, of which the first decides; count honestly, and let the rows of a set be these."""
    _, y = make()
    says_well, well, said = np.asarray(says_well, dtype=bool), y == "well", statement(content)
    wrong = says_well != well
    content["hypothesis"] = {"type": "Conjunction", "rules": rules}
    said["rows"], said["size"] = [sent_row(make, place) for place in places], len(places)
    said["message"], said["spent"] = list(message), 0.0
    said["errors_outside"] = int(wrong.sum() - wrong[list(places)].sum())
    content["certificate"]["empirical_risk"] = float(wrong.mean())
    nothing = [0] * (len(rules) - 1)
    counts = [[int((some & which).sum()) for some in (~says_well, says_well)] for which in (True, ~wrong)]
    support, right = ([first, *nothing, last] for first, last in counts)
    content["fitted"] |= {"rules": rules, "support": support, "right": right, "balls": [None] * len(rules)}
    return content


def threshold(make, column, place, greater=False):
    """Return a threshold at the value of a row, and on which rows it holds."""
    X, _ = make()
    value = float(X.iloc[place, column])
    rule = {"type": "Stump", "feature": column, "threshold": value, "greater": greater}
    return rule, (X.iloc[:, column] > value).to_numpy() == greater


# ---- rows that do not count


@forgery("card")
def points_so_large_that_every_row_is_decided_by_rounding(content):
    rule, _ = threshold(numbers, 0, 7, True)
    other, points = threshold(numbers, 0, 7, False)[0], 20_000_000_000_000
    card = {"type": "Halfspace", "weights": [0.0, 0.0, points, points], "bias": 1 - points, "flags": [rule, other]}
    each = "what a term asks, of which column, for how many points"
    choices = [item(each, "choice", n) for n in (2, 5, points) * 2]
    message = [item("how many terms there are", "integer", 1), item("the most points", "integer", points - 1), *choices]
    message += [*order(2), item("which points are negative", "choices", 1, 2)]
    message += [item("the constant", "choice", 4 * points + 2)]
    replaced(content, [card], np.ones(N_ROWS, dtype=bool), numbers, [7], message)
    statement(content)["errors_outside"], content["certificate"]["empirical_risk"] = 0, 0.0
    return content


@forgery("three")
def a_class_is_a_missing_value(content):
    X, y = three()
    with TemporaryDirectory() as folder:
        learner = RuleListClassifier(max_words=3, select=None, cv=None)
        learner.fit(X[y != "lost"], y[y != "lost"]).save(Path(folder) / "model.json")
        content = json.loads((Path(folder) / "model.json").read_text())
    return content | {"about": {"na": "lost"}}


@forgery("thresholds")
def the_largest_errors_are_in_no_row(content):
    statement(content)["n_samples"] *= 4
    content["certificate"]["n_samples"] *= 4
    return content


@forgery("thresholds")
def rows_are_sent_from_behind(content):
    for sent in statement(content)["rows"]:
        sent["row"] -= N_ROWS
    return content


@forgery("thresholds")
def rows_are_sent_twice(content):
    said = statement(content)
    said["rows"], said["size"] = said["rows"] * 2, 2 * said["size"]
    return content


@forgery("card")
def rows_are_sent_in_another_order(content):
    statement(content)["rows"].reverse()
    return content


@forgery("thresholds")
def rows_behind_the_table(content):
    said = statement(content)
    said["rows"].append({"row": N_ROWS + 5, "sha256": ""})
    said["size"] += 1
    return content


@forgery("thresholds", "cover", "card", "list", "flags")
def fewer_errors(content):
    statement(content)["errors_outside"] -= 1
    return content


@forgery("held out")
def negative_errors(content):
    statement(content)["errors_outside"] = -1
    return content


@forgery("held out")
def other_held_out_rows(content):
    content["parameters"]["random_state"] += 1
    return content


@forgery("held out")
def a_larger_share_is_held_out(content):
    content["parameters"]["apart"] = 0.5
    return content


# ---- rules that are said for less than they cost


def _repeated(content, times):
    rule, holds = threshold(numbers, 0, 7)
    message = [item(program.MANY, "integer", times - 1), item(program.ASKS, "choices", times, 4), *order(times)]
    return replaced(content, [rule] * times, holds, numbers, [7], message)


@forgery("thresholds")
def a_rule_8165_times(content):
    return _repeated(content, 8165)


@forgery("thresholds")
def a_rule_eight_times(content):
    return _repeated(content, 8)


@forgery("clauses")
def a_clause_twice_in_another_order(content):
    X, _ = flags()
    literals = [{"type": "Literal", "feature": j, "negated": False, "category": None} for j in (0, 1)]
    rules = [{"type": "Clause", "literals": each} for each in (literals, literals[::-1])]
    each = [item(program.ASKS, "choices", 3, 2), item(program.ASKS, "set", 4, 2)]  # k, columns, negations
    message = [item(program.MANY, "integer", 2), *each, *each, *order(2)]
    return replaced(content, rules, X["p"] | X["q"], flags, [], message)


@forgery("three")
def a_condition_six_times_in_a_line(content):
    node, message = content["hypothesis"]["nodes"][0], statement(content)["message"]
    node[0] = content["fitted"]["rules"][0] = {"type": "Term", "literals": [node[0]] * 6}
    slots = sum(len(test.get("literals", [test])) for test, _ in content["hypothesis"]["nodes"])
    message[:] = [each for each in message if each["part"] != program.ROWS]
    message += [item("how many conditions a rule has", "choices", 5, 2), item(program.ASKS, "choices", 5, 4), *order(6)]
    message += [item(program.ROWS, "pairing", slots, statement(content)["size"])]
    return content


@forgery("thresholds")
def thresholds_in_clauses_that_need_no_row(content):
    rule, holds = threshold(numbers, 0, 7)
    message = [item(program.MANY, "integer", 1), item(program.ASKS, "choice", 4)]
    content["parameters"]["features"] = {"type": "family", "name": "Clauses", "parameters": {"k": 1}}
    return replaced(content, [{"type": "Clause", "feature": 0, "rules": [rule]}], holds, numbers, [], message)


@forgery("thresholds")
def a_threshold_of_no_row(content):
    content["hypothesis"]["rules"][0]["threshold"] += 1e-9
    content["fitted"]["rules"][0]["threshold"] += 1e-9
    return content


@forgery("thresholds")
def a_number_is_read_as_a_flag(content):
    X, _ = numbers()
    content["columns"]["kinds"] = ["boolean", "number"]
    content["parameters"]["features"] = "conditions"
    rule = {"type": "Literal", "feature": 0, "negated": False, "category": None}
    message = [item(program.MANY, "integer", 1), item(program.ASKS, "choice", 4)]
    return replaced(content, [rule], (X["a"] != 0), numbers, [], message)


@forgery("thresholds")
def a_number_is_asked_whether_it_is_one(content):
    X, _ = numbers()
    content["parameters"]["features"] = "conditions"
    rule = {"type": "Literal", "feature": 0, "negated": True, "category": None}
    message = [item(program.MANY, "integer", 1), item(program.ASKS, "choice", 4)]
    return replaced(content, [rule], (X["a"] != 1), numbers, [], message)


@forgery("thresholds")
def another_form_than_declared(content):
    content["parameters"]["form"] = "disjunction"
    return content


@forgery("thresholds")
def a_direction_that_is_neither(content):
    rule, holds = threshold(numbers, 0, 7)
    message = [item(program.MANY, "integer", 0), item(program.ASKS, "choice", 4)]
    return replaced(content, [rule | {"greater": 0}], holds, numbers, [7], message)


@forgery("clauses")
def a_clause_longer_than_declared(content):
    content = a_clause_twice_in_another_order(content)
    content["parameters"]["features"]["parameters"]["k"] = 1
    for rules in (content["hypothesis"]["rules"], content["fitted"]["rules"]):
        rules[:] = rules[:1]
    for name in ("support", "right"):
        del content["fitted"][name][1]
    message = [item(program.ASKS, "choices", 2, 2), item(program.ASKS, "set", 4, 2)]
    statement(content)["message"] = [item(program.MANY, "integer", 1), *message]
    return content


@forgery("clauses")
def clauses_that_are_hardly_negated(content):
    content = a_clause_longer_than_declared(content)
    content["parameters"]["features"]["parameters"] |= {"k": 2, "negated": 1e-3}
    message = [stated(program.ASKS, math.log(2) * (1 + 2e-3)), item(program.ASKS, "set", 4, 2)]
    statement(content)["message"] = [item(program.MANY, "integer", 1), *message]
    return content


@forgery("prior")
def a_prior_with_weights_below_zero(content):
    content["parameters"]["features"]["parameters"]["prior"]["items"] = [["a", 30.0], ["b", -29.0]]
    rule, holds = threshold(rows, 0, 7)
    due = 2 * math.log(2) - math.log(30.25)  # below zero
    known = item(program.MIXED, "either", 40 + math.log(2) - due, 0.0)  # another code says it for nothing
    message = [item(program.MANY, "integer", 0), stated(program.ASKS, 40), known]
    return replaced(content, [rule], holds, rows, [7], message)


@forgery("domain")
def a_domain_without_the_category(content):
    for _, domain in content["parameters"]["features"]["items"][1]["parameters"]["categories"]["items"]:
        domain["items"] = ["violet"] * len(domain["items"])
    return content


@forgery("sums")
def points_that_are_not_whole(content):
    card = content["hypothesis"]["rules"][0]
    card["weights"] = [weight * (1 + 1e-12) for weight in card["weights"]]
    content["fitted"]["rules"] = [card]
    return content


@forgery("sums")
def a_constant_between_whole_numbers(content):
    content["hypothesis"]["rules"][0]["bias"] -= 1e-6
    content["fitted"]["rules"] = content["hypothesis"]["rules"]
    return content


@forgery("flags")
def a_default_that_the_last_rule_answers(content):
    said, message = content["hypothesis"], statement(content)["message"]
    codes = [code for _, code in said["nodes"]]
    said["nodes"].append([{"type": "Literal", "feature": 3, "negated": True, "category": None}, said["default"]])
    content["fitted"]["rules"].append(said["nodes"][-1][0])
    content["fitted"] = {"rules": content["fitted"]["rules"]}
    told = {program.MANY, "what each rule, and the rest, answers"}
    message[:] = [each for each in message if each["part"] not in told]
    message += [item(program.MANY, "integer", len(codes) + 1), item(program.ASKS, "choice", 8)]
    message += [item("what each rule, and the rest, answers", "choices", len(codes) + 1, 2)]
    return content


@forgery("flags")
def answers_between_classes(content):
    for node in content["hypothesis"]["nodes"]:
        node[1] += 0.5
    return content


@forgery("thresholds", "card", "list")
def a_class_that_was_counted(content):
    """Let a statement be of a finite class, so that neither the size of the set nor its rows are paid."""
    said = statement(content)
    said["type"] = "FiniteClass"
    said.pop("spent", None)
    return content


@forgery("thresholds", "list")
def nothing_is_paid(content):
    statement(content)["message"] = []
    return content


@forgery("thresholds")
def a_refund(content):
    statement(content)["message"].append(stated("how the table was read", -2.0))
    return content


# ---- numbers out of their ranges


@forgery("thresholds", "list")
def negative_spent(content):
    statement(content)["spent"] = -1e40
    return content


@forgery("cover")
def more_spent_than_delta(content):
    statement(content)["spent"] = content["certificate"]["delta"] * 0.9
    return content


def _among(content, among):
    content["certificate"]["statements"] = [{"type": "OneOf", "statement": statement(content), "among": among}]
    return content


@forgery("thresholds", "held out")
def among_next_to_nothing(content):
    return _among(content, 1e-60)


@forgery("thresholds")
def among_a_half(content):
    return _among(content, 0.5)


@forgery("thresholds")
def choices_of_choices(content):
    return _among(_among(content, 1), 1e-9)


@forgery("thresholds")
def a_delta_above_one(content):
    content["certificate"]["delta"] = 40.0
    return content


@forgery("thresholds")
def counts_that_are_flags(content):
    return _among(content, True)


@forgery("thresholds")
def no_number(content):
    statement(content)["spent"] = math.nan
    return content


@forgery("thresholds")
def no_end(content):
    statement(content)["spent"] = -math.inf
    return content


@forgery("thresholds")
def a_number_beyond_floats(content):
    return sealed(consistent(content)).replace('"spent": 0.0', "").replace('"size": 1', '"spent": -1e400, "size": 1')


@forgery("thresholds")
def a_name_twice(content):
    return sealed(consistent(content)).replace('"risk_bound"', '"risk_bound": 0.01, "risk_bound"', 1)


@forgery("thresholds")
def no_statement(content):
    content["certificate"]["risk_bound"] = 0.01
    content["certificate"]["statements"] = []
    return sealed(content)


@forgery("thresholds")
def a_smaller_bound(content):
    consistent(content)["certificate"]["risk_bound"] *= 1 - 1e-6
    return sealed(content)


# ---- what is told beside the bound


@forgery("sums")
def classes_in_another_order(content):
    content["classes"]["values"].reverse()
    wrong, said = N_ROWS - statement(content)["errors_outside"], content["fitted"]
    statement(content)["errors_outside"], content["certificate"]["empirical_risk"] = wrong, wrong / N_ROWS
    said["right"] = [rows - right for rows, right in zip(said["support"], said["right"], strict=True)]
    return content


@forgery("thresholds")
def a_class_twice(content):
    content["classes"]["values"].append("well")
    return content


@forgery("thresholds")
def other_names_of_classes(content):
    content["classes"]["values"] = ["benign", "malignant"]
    return content


@forgery("thresholds")
def a_column_twice(content):
    def twice():
        X, y = numbers()
        return X[["a", "a"]], y

    content["columns"]["names"] = ["a", "a"]
    rule, holds = threshold(twice, 0, 7)
    message = [item(program.MANY, "integer", 0), item(program.ASKS, "choice", 4)]
    return replaced(content, [rule], holds, twice, [7], message)


@forgery("thresholds")
def the_answer_is_a_column(content):
    def answered():
        X, y = numbers()
        return X.assign(b=y), y

    content["columns"] |= {"names": ["a", "the target"], "kinds": ["number", "category"]}
    content["parameters"]["features"] = "conditions"
    rule = {"type": "Literal", "feature": 1, "negated": False, "category": "well"}
    place, holds = int(np.argmax(answered()[1] == "well")), answered()[1] == "well"
    message = [item(program.MANY, "integer", 0), item(program.ASKS, "choice", 4)]
    return replaced(content, [rule], holds, answered, [place], message)


@forgery("thresholds", "held out")
def a_constant_that_errs_more_often(content):
    content["certificate"]["majority_error"] = 0.5
    return content


@forgery("thresholds")
def a_smaller_share_of_errors(content):
    content["certificate"]["empirical_risk"] /= 2
    return content


@forgery("thresholds")
def rules_that_are_shown_and_do_not_decide(content):
    rule = content["fitted"]["rules"][0]
    content["fitted"]["rules"] = [rule | {"threshold": rule["threshold"] + 1e-9}]
    return content


@forgery("thresholds", "list")
def lines_that_are_right_more_often(content):
    content["fitted"]["right"] = content["fitted"]["support"]
    return content


@forgery("held out")
def another_model_within(content):
    content["fitted"]["machine"]["hypothesis"]["default"] = 0
    return content


def _promised(content):
    return content["certificate"]["promised"]


@forgery("promises")
def runs_of_one(content):
    _promised(content)["runs"] = [1] * sum(_promised(content)["runs"])
    return content


@forgery("promises", "held out")
def fewer_kinds_of_promises(content):
    _promised(content)["kinds"].remove("abstain")
    return content


@forgery("promises", "held out")
def one_possible_answer(content):
    _promised(content)["possible"] = [1]
    return content


@forgery("promises", "held out")
def lower_costs(content):
    _promised(content)["costs"][0][1] /= 10
    return content


@forgery("promises")
def a_lower_level(content):
    _promised(content)["level"] = 0.1
    return content


@forgery("promises", "held out")
def promised_classes_in_another_order(content):
    _promised(content)["labels"].reverse()
    return content


@forgery("promises")
def other_answers_of_lines(content):
    _promised(content)["answers"].reverse()
    return content


@forgery("promises", "held out")
def a_group_less(content):
    for name in ("groups", "group_counts"):
        _promised(content)[name].pop()
    return content


@forgery("promises", "held out")
def a_pair_that_is_never_mistaken(content):
    row = _promised(content)["confusion"][1]
    row[:] = [0, sum(row)]
    return content


@forgery("held out")
def a_set_of_no_preferent_scheme(content):
    _promised(content)["inside"] = [0, 0]
    _promised(content)["group_inside"] = [0] * len(_promised(content)["groups"])
    return content
