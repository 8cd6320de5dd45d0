"""Check the certificate of a model file against the rows that it was made from: standard Python, and nothing else.

    python verify.py model.json table.csv --target class

It works out again the rules' answers, the errors outside the rows that the model is rebuilt from, what these rows must
supply, the price of the message, and the bound, and says yes, or where the file differs. Of models whose scheme is not
restated here the arithmetic is checked alone, which is said.

Exit codes: 0 all of it agrees, 1 something differs, 2 it cannot be checked, 3 only the arithmetic could be, and agrees.
"""

import argparse
import csv
import hashlib
import json
import math
import sys
from decimal import Decimal
from itertools import groupby

YES, DIFFERS, UNABLE, ARITHMETIC_ONLY = range(4)
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?", ".")
CLOSE = 1e-7  # relative: how far two ways to compute one number may lie apart


def far(one, other):
    return not math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-9)


class Unable(Exception):
    """The file or the table cannot be checked."""


def ln_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) if 0 <= k <= n else math.inf


def integer(n):
    return math.log(n + 1) + math.log(n + 2) if n >= 0 else math.inf


def signed(n):
    return integer(2 * n if n >= 0 else -2 * n - 1)


def decimal(number):
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    whole = int("".join(map(str, digits)))
    return signed(-whole if sign else whole) + signed(int(exponent))


def either(one, other):
    return min(one, other) + math.log(2) - math.log1p(math.exp(-abs(one - other)))


def pairing(slots, examples):
    """Count the ways to fill all slots so that every example fills one."""
    if examples > slots or (examples == 0) != (slots == 0):
        return math.inf
    if slots > 2000:  # an upper bound
        apart = ln_choose(slots, examples) + (slots - examples) * math.log(examples) - math.log(2)
        return math.lgamma(examples + 1) + (0.0 if examples in (1, slots) else apart)
    ways = sum((-1) ** i * math.comb(examples, i) * (examples - i) ** slots for i in range(examples + 1))
    return math.log(ways)


def repeats(*values):
    nats = 0.0
    for i, value in enumerate(values):
        before = sorted(values[:i])
        new = math.exp(-signed(value - (before[(i - 1) // 2] if before else 0)))
        nats += math.log((i + 4) / (before.count(value) + 4 * new))
    return nats


CODES = {
    "integer": integer,
    "signed": signed,
    "decimal": decimal,
    "power": lambda x: either(signed(math.frexp(x)[1] - 1) if math.frexp(x)[0] == 0.5 else math.inf, decimal(x)),
    "choice": lambda n: math.log(n),
    "choices": lambda times, n: times * math.log(n),
    "set": ln_choose,
    "subset": lambda n, k: math.log(n + 1) + ln_choose(n, k),
    "kinds": lambda n: n * math.log(3),
    "left_out": lambda n, r: math.log(10 * r * (r + 1)) + ln_choose(n, r) if r else -math.log(0.9),
    "pairing": pairing,
    "repeats": repeats,
    "order": lambda n: -math.lgamma(n + 1),
    "either": lambda one, other: either(one, other) - (one if math.isfinite(one) else other),
}


def ln_tail(k, n, p):
    """Return ln P(Bin(n, p) <= k)."""
    if k >= n or p <= 0:
        return 0.0
    if p >= 1:
        return -math.inf
    odds, term, total = p / (1 - p), 1.0, 1.0  # from the last term down, each relative to the last
    for i in range(k, 0, -1):
        term *= i / ((n - i + 1) * odds)
        total += term
        if term < 1e-18 * total and i < (n + 1) * p:
            break
    last = ln_choose(n, k) + k * math.log(p) + (n - k) * math.log1p(-p)
    return min(last + math.log(total), 0.0)


def largest(plausible, low=0.0):
    """Bisect for the largest rate that is still plausible."""
    high = 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if plausible(middle) else (low, middle)
    return high


def tail_bound(k, n, ln_delta):
    return 1.0 if k >= n else largest(lambda p: ln_tail(k, n, p) >= ln_delta, k / n)


def kl_bound(q, budget):
    def kl(p):
        return (q * math.log(q / p) if q else 0.0) + ((1 - q) * math.log((1 - q) / (1 - p)) if q < 1 else 0.0)

    return 1.0 if q >= 1 else largest(lambda p: p < 1 and kl(p) <= budget, q)


def preferent_bound(m, d, ln_delta):
    if d == m:
        return 1.0

    def plausible(rate):
        mass = ln_choose(m, d) + (d + 1) * math.log(rate) + (m - d) * math.log1p(-rate)
        beyond = -math.expm1(ln_tail(d, m, rate))
        return beyond <= 0 or mass - math.log(beyond) > ln_delta - math.log(m)

    return largest(plausible, 1e-300)


def maurer(n):
    terms = [ln_choose(n, k) + (k and k * math.log(k / n)) + (n - k) * math.log1p(-k / n) for k in range(n)]
    return math.log(1 + math.fsum(map(math.exp, terms)))


def inner(said):
    return inner(said["statement"]) if "statement" in said else said


def bound(said, delta):
    """Work out the bound of a statement."""
    if "statement" in said:  # about a model that was one of several, or about a band
        return bound(said["statement"], delta / said.get("among", 1))
    kind, paid = said["type"], math.log(delta) - said["message_nats"]
    m, d = said["n_samples"], said.get("size", 0)
    if kind in ("SampleCompression", "GibbsBalls"):
        paid -= ln_choose(m, d) + math.log((d + 1) * (d + 2))
    if kind in ("SampleCompression", "FiniteClass", "SetApart"):
        return tail_bound(said["errors_outside"], m - d, paid)
    if kind == "PreferentCompression":
        return preferent_bound(m, d, paid)
    if kind == "VoteOfBags":
        n = said["n_outside"]
        theorem = math.log(2 * math.sqrt(n) if n >= 8 else n + 1)
        return min(2 * kl_bound(said["voter_risk"], (theorem - paid) / n), 1.0) if n else 1.0
    if kind == "GibbsBalls":
        n, widths = m - d, said["widths"]
        if n == 0 or 0.0 in widths:
            return 1.0
        narrow = sum(math.log(said["max_radius"] / width) for width in widths)
        constant = maurer(n) if said.get("exact") else math.log(m + 1)
        gibbs = kl_bound(said["gibbs_risk"], (narrow + constant - paid) / n)
        return min(2 * gibbs, 1.0) if said["vote"] else gibbs
    raise Unable(f"A statement of the kind {kind!r} is not known here.")


def read_rows(path, model, target, missing, sep, point):
    """Read the table: for each row its values by column, and its label; rows without a label are left out."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *body = list(csv.reader(file, delimiter=sep)) or [[]]
    if target not in header:
        raise Unable(f"The table has no column {target!r}: name the one that is predicted by --target.")
    columns, place = model["columns"], header.index(target)
    names = columns["names"] or [name for name in header if name != target]
    absent = [name for name in names if name not in header]
    if absent or len(names) != columns["count"]:
        raise Unable(f"The table lacks the column {absent[0]!r}." if absent else "The table has not as many columns.")
    kinds = [columns["kinds"]] * len(names) if isinstance(columns["kinds"], str) else columns["kinds"]
    where = [header.index(name) for name in names]
    rows, labels = [], []
    for number, line in enumerate(filter(None, body), start=2):
        if len(line) != len(header):
            raise Unable(f"Line {number} of the table has {len(line)} values for {len(header)} columns.")
        if line[place].strip() in missing:
            continue
        rows.append([read_cell(line[i], kind, missing, point) for i, kind in zip(where, kinds)])
        labels.append(read_label(line[place], model.get("classes"), point))
    return rows, labels, kinds


def digest(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read_cell(text, kind, missing, point):
    if text.strip() in missing:
        return None
    if kind == "category":
        return text
    flag = {"true": 1.0, "false": 0.0}.get(text.strip().lower())
    try:
        value = flag if flag is not None else float(text.strip().replace(point, ".")) + 0.0
    except ValueError:
        raise Unable(f"{text!r} is no number, and its column holds {kind}s.") from None
    return bool(value) if kind == "boolean" else value


def read_label(text, classes, point):
    if classes is None:
        return read_cell(text, "number", (), point)
    for place, value in enumerate(classes["values"]):
        if value in (text, text.strip()) if isinstance(value, str) else read_cell(text, "number", (), point) == value:
            return place
    raise Unable(f"The table has the class {text!r}, which the model does not know.")


def equal(value, category):
    if isinstance(value, str):
        return value == str(category)
    return not isinstance(category, str) and value == (1.0 if category is None else category)


def holds(rule, row):
    kind = rule["type"]
    if kind == "Stump":
        value = row[rule["feature"]]
        return value is not None and (value > rule["threshold"]) == rule["greater"]
    if kind == "Literal":
        value = row[rule["feature"]]
        return value is not None and equal(value, rule["category"]) != rule["negated"]
    if kind == "Halfspace":
        n = len(rule["weights"]) - len(rule.get("flags", []))
        read = [0.0 if isinstance(row[j], (str, type(None))) else row[j] for j in range(n)]
        terms = [w * v for w, v in zip(rule["weights"], [*read, *(holds(flag, row) for flag in rule.get("flags", []))])]
        score, size = math.fsum([*terms, rule["bias"]]), math.fsum(map(abs, [*terms, rule["bias"]]))
        return None if 0 < abs(score) < 1e-12 * size else score > 0
    inner = [holds(part, row) for part in rule.get("literals", rule.get("rules", []))]
    if kind in ("Clause", "Disjunction"):
        return True if True in inner else None if None in inner else False
    if kind in ("Term", "Conjunction"):
        return False if False in inner else None if None in inner else True
    raise Unable(f"rules of the kind {kind} are not evaluated here")


def answer(hypothesis, row):
    """Return the class of a row, and None where rounding decides."""
    for test, code in hypothesis.get("nodes", [(hypothesis, 1)]):
        said = holds(test, row)
        if said is not False:
            return None if said is None else code
    return hypothesis.get("default", 0)


ASKS, ROWS, MANY = "what a rule asks, of which column", "which row gives which value", "how many rules there are"
ORDER, CONSTANT, SHARED = "saved: no order is said", "which class the constant is", "what all rules share"
CHOSEN, KINDS = "which form and features", "of which kind the columns are, as values showed"
# paid beside the scheme, for choices that these rows cannot show
FREE = {CHOSEN, KINDS, "how the table was read", "what the rows chose before the model was fitted"}


def needs(rules, fixed=()):
    """List the (column, value) that examples must supply: thresholds, and categories whose domain is not known."""
    parts = [part for rule in rules for part in rule.get("literals", rule.get("flags", [rule]))]
    asked = [(part["type"], part.get("feature"), part.get("threshold", part.get("category"))) for part in parts]
    return [(feature, v) for kind, feature, v in asked if v is not None and (kind != "Stump" or v not in fixed)]


def bill(*items):
    """Add up prices by part."""
    sums = {}
    for part, nats in items:
        sums[part] = sums.get(part, 0.0) + nats
    return {part: nats for part, nats in sums.items() if abs(nats) > 1e-12}


def candidates(model):
    """List what a cover's rules may be made of, and say among how many forms and features the data chose."""
    said, many = model["parameters"], model["learner"].endswith("CV")
    forms, features = said["forms" if many else "form"], said["features"]
    if features == "auto":
        listed = [["conditions"], ["balls"]]
    else:
        listed = [items_of(each) for each in items_of(features)] if many else [items_of(features)]
    return listed, len(listed) * (2 if forms == "auto" else len(items_of(forms)))


def items_of(value):
    return value["items"] if isinstance(value, dict) and "items" in value else [value]


def cover_bills(model, d, n):
    """Yield what a cover may cost: one bill for each candidate that is restated here."""
    rules = model["hypothesis"]["rules"]
    for families in candidates(model)[0]:
        named = {(f if isinstance(f, str) else f["name"]).lower() for f in families}
        own = [{"negated": True} | ({} if isinstance(f, str) else f["parameters"]) for f in families]
        plain = all(o["negated"] and o.get("prior") is o.get("categories") is o.get("binarize") is None for o in own)
        if plain and named <= {"stumps", "literals", "conditions"}:
            yield bill(
                (MANY, integer(len(rules) - d)),
                (ASKS, len(rules) * (math.log(2 * n) + math.log(len(families)))),
                (ORDER, -math.lgamma(len(rules) + 1)),
                (ROWS, pairing(len(needs(rules)), d)),
                (CONSTANT, 0.0 if rules else math.log(2)),
            )


def list_bill(model, d, n):
    nodes, c, said = model["hypothesis"]["nodes"], len(model["classes"]["values"]), model["parameters"]
    tests, k, fixed = [test for test, _ in nodes], said.get("k"), said.get("binarize")
    items = []
    for size in (len(test.get("literals", [test])) for test in tests):
        if k is None:  # a list of rules with conditions of all kinds
            items += [("how many conditions a rule has", size * math.log(2)), (ORDER, -math.lgamma(size + 1))]
        asked = size * math.log(2 * n) if k in (None, 1) else math.log(k) + ln_choose(n, size) + size * math.log(2)
        items.append((ASKS, asked))
    runs = [len(list(run)) for _, run in groupby(code for _, code in nodes)]
    binarized = k and any(part["type"] == "Stump" for test in tests for part in test.get("literals", [test]))
    return bill(
        *items,
        (MANY, integer(len(nodes) - -(-d // (k or 8)))),
        (SHARED, decimal(fixed) if binarized else 0.0),
        ("what each rule, and the rest, answers", len(nodes) * math.log(c) + math.log(c - 1) if nodes else 0.0),
        (CONSTANT, 0.0 if nodes else math.log(c)),
        *[(ORDER, -math.lgamma(run + 1)) for run in runs],
        (ROWS, pairing(len(needs(tests, (fixed,))), d)),
    )


def card_bill(model, d, n, kinds, message):
    """Restate a score card: the units of its columns are read off the message, and must give whole points."""
    (card,) = model["hypothesis"]["rules"]
    flags = card.get("flags", [])
    columns = sorted((j for j in range(n) if card["weights"][j]), key=repr)
    units = [unit for item in message if item["code"] == "repeats" for unit in item["choices"]]
    steps = [float(f"{(1, 2, 5)[unit % 3]}e{unit // 3}") for unit in units]
    points = [card["weights"][j] * step for j, step in zip(columns, steps)] + card["weights"][n:]
    if len(units) != len(columns) or any(abs(p - round(p)) > 1e-9 for p in points):
        return {"whole points": math.inf}
    largest_one = max((abs(round(p)) for p in points), default=1)
    features = columns + [flag["feature"] for flag in flags]
    forms = {"number": 5, "boolean": 2, "category": 2}
    signs = len(columns) + (len(flags) if any(p < 0 for p in card["weights"][n:]) else 0)
    reach = max(sum(abs(round(p)) for p in points), 1)
    terms = "what a term asks, of which column, for how many points"
    return bill(
        ("how many terms there are", integer(len(points) - d)),
        ("the most points", integer(largest_one - 1)),
        *[(terms, math.log(n) + math.log(forms[kinds[j]]) + math.log(largest_one)) for j in features],
        (ORDER, -math.lgamma(len(points) + 1)),
        (ROWS, pairing(len(needs([card])), d)),
        ("which points are negative", (1 + signs) * math.log(2)),
        ("the units of the columns", repeats(*units)),
        ("the constant", signed(int(card["bias"])) if units else math.log(2 * reach + 2)),
    )


def bills(model, said, kinds):
    """Return what the message may have cost by the scheme that is restated here; nothing where none is."""
    d, n, learner = said.get("size", 0), model["columns"]["count"], model["learner"]
    if learner in ("SetCoveringClassifier", "SetCoveringClassifierCV"):
        return list(cover_bills(model, d, n))
    if learner in ("DecisionListClassifier", "RuleListClassifier"):
        return [list_bill(model, d, n)]
    if learner == "ScoreCardClassifier":
        return [card_bill(model, d, n, kinds, said["message"])]
    return []


def check_arithmetic(certificate, problems):
    """See that prices follow from what was chosen, sums from prices, and the bound from all of it."""
    for said in map(inner, certificate["statements"]):
        for item in said["message"]:
            stated = lambda *_, nats=item["nats"]: max(nats, 0.0)  # noqa: E731
            due = CODES.get(item["code"], stated)(*item["choices"])
            if far(due, item["nats"]):
                problems.append(f"{item['part']}: {item['nats']} nats are said, {due} are due.")
        paid = math.fsum(item["nats"] for item in said["message"])
        if far(paid, said["message_nats"]):
            problems.append(f"The message costs {said['message_nats']} nats, and its parts {paid}.")
    share = certificate["delta"] / len(certificate["statements"]) / (2 if certificate.get("promised") else 1)
    bounds = [bound(said, share) for said in certificate["statements"]]
    if far(min(bounds), certificate["risk_bound"]):
        problems.append(f"The bound is said to be {certificate['risk_bound']}; {min(bounds)} follows.")
    best = inner(certificate["statements"][bounds.index(min(bounds))])
    if far(best["message_nats"], certificate["message_nats"]) or best.get("size", 0) != certificate["compression_size"]:
        problems.append("The certificate's set or message is not that of its bound.")


def check_counts(model, said, rows, labels, problems):
    """See that the set is what it was, and count the errors outside it."""
    inside = {sent["row"] for sent in said.get("rows", [])}
    if len(inside) != said.get("size", 0) or said["n_samples"] != len(rows):
        problems.append(
            f"{said.get('size', 0)} of {said['n_samples']} are said; {len(inside)} are named of {len(rows)}."
        )
    for sent in said.get("rows", []):
        if sent["row"] >= len(rows) or digest([*rows[sent["row"]], labels[sent["row"]]]) != sent["sha256"]:
            problems.append(f"Row {sent['row']} (counted from 0) is not the one that the model is rebuilt from.")
    answers = [answer(model["hypothesis"], row) for row in rows]
    for name, skipped, claimed in (
        ("outside the set", inside, said["errors_outside"]),
        ("among all rows", (), round(model["certificate"]["empirical_risk"] * len(rows))),
    ):
        judged = [(a, labels[i]) for i, a in enumerate(answers) if i not in skipped]
        sure, unsure = sum(a is not None and a != y for a, y in judged), sum(a is None for a, _ in judged)
        if not sure <= claimed <= sure + unsure:
            problems.append(f"{claimed} errors {name} are said; the rules make {sure}.")


def check_price(model, said, rows, kinds, problems):
    """See that the rows of the set supply every value, and that the message costs what the scheme asks for."""
    sums = bill(*[(item["part"], item["nats"]) for item in said["message"] if item["part"] not in FREE])
    due = bills(model, said, kinds)
    if due and not any(own.keys() == sums.keys() and not any(far(own[p], sums[p]) for p in own) for own in due):
        problems.append(f"The scheme asks for {due[0]} nats, and the message paid {sums}.")
    hypothesis = model["hypothesis"]
    rules = hypothesis.get("rules") or [test for test, _ in hypothesis.get("nodes", [])]
    inside = [rows[sent["row"]] for sent in said.get("rows", []) if sent["row"] < len(rows)]
    wanted = needs(rules, (model["parameters"].get("binarize"),)) if due else []
    supplied = [[row[column] is not None and equal(row[column], value) for column, value in wanted] for row in inside]
    for place, (column, value) in enumerate(wanted):
        if not any(each[place] for each in supplied):
            problems.append(f"No row of the set has {value!r} in column {column}, which a rule asks for.")
    if due and not all(map(any, supplied)):
        problems.append("A row of the set supplies nothing.")
    among = candidates(model)[1] if "features" in model["parameters"] else 1
    if math.fsum(i["nats"] for i in said["message"] if i["part"] == CHOSEN) < math.log(among) - CLOSE:
        problems.append(f"There were {among} forms and features to choose from, and less than that is paid.")
    return bool(due)


def check(model, rows, labels, kinds):
    """Return what differs, and whether the model was rebuilt or its arithmetic checked alone."""
    problems, certificate = [], model["certificate"]
    if digest({key: value for key, value in model.items() if key != "sha256"}) != model.get("sha256"):
        problems.append("The file was altered after it was written: its seal is broken.")
    if certificate["n_samples"] != len(rows):
        problems.append(f"The certificate is about {certificate['n_samples']} rows, and the table has {len(rows)}.")
    check_arithmetic(certificate, problems)
    said, restated = inner(certificate["statements"][0]), {"nodes", "rules"} & model.get("hypothesis", {}).keys()
    if len(certificate["statements"]) > 1 or said["type"] not in ("SampleCompression", "FiniteClass") or not restated:
        return problems, "what it predicts, or what it rests on, is not restated here"
    try:
        check_counts(model, said, rows, labels, problems)
        if not check_price(model, said, rows, kinds, problems):
            return problems, "its errors were counted, but its scheme is not restated here"
    except Unable as unable:
        return problems, str(unable)
    return problems, ""


def main(arguments=None):
    """Check a file, and say what was found."""
    asks = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asks.add_argument("model", help="a model file of version 4 or later")
    asks.add_argument("table", help="a CSV file: the rows, in the order in which they were passed to fit")
    asks.add_argument("--target", help="the column that is predicted; the file may remember it")
    asks.add_argument("--na", action="append", default=[], help="another text that stands for a missing value")
    asks.add_argument("--sep", default=",", help="what separates values")
    asks.add_argument("--decimal", default=".", help="what stands before fractions")
    given = asks.parse_args(arguments)
    try:
        with open(given.model, encoding="utf-8") as file:
            model = json.load(file)
        if model.get("format") != "laconic model":
            raise Unable("This is no model file of laconic.")
        if model["version"] < 4 or not (model.get("certificate") or {}).get("statements"):
            raise Unable("not verifiable: files before version 4, and models without a promise, keep no evidence.")
        target = given.target or model.get("about", {}).get("target")
        missing = {*MISSING, *given.na, *model.get("about", {}).get("na", "").split(",")}
        read = read_rows(given.table, model, target, missing, given.sep, given.decimal)
        problems, why_not = check(model, *read)
    except (Unable, OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        print(f"It cannot be checked: {error if not isinstance(error, KeyError) else f'{error} is missing.'}")
        return UNABLE
    for problem in problems:
        print(f"It differs: {problem}")
    if problems:
        return DIFFERS
    promised = f"a risk of at most {model['certificate']['risk_bound']:.6g} at delta {model['certificate']['delta']:g}"
    print(f"Arithmetic only ({why_not}): {promised} follows from the file." if why_not else f"Yes: {promised}.")
    return ARITHMETIC_ONLY if why_not else YES


if __name__ == "__main__":
    sys.exit(main())
