"""Check the certificate of a model file against the rows that it was made from: standard Python, and nothing else.

    python verify.py model.json table.csv --target class

It works out again the rules' answers, the errors outside the rows that the model is rebuilt from (or on rows set apart,
which it draws again), what these rows must supply, the price of the message, what was counted for other promises, and
the bound, and says yes, or where the file differs. Where the scheme is not restated here it says so: arithmetic only.
Exit codes: 0 all of it agrees, 1 something differs, 2 it cannot be checked, 3 only the arithmetic could be, and agrees.
"""

import argparse, bisect, csv, hashlib, json, math, random, re, sys
from decimal import Decimal
from itertools import groupby
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

File = Dict[str, Any]
Row = List[Any]
Read = Tuple[List[Row], List[Any], List[str]]
YES, DIFFERS, UNABLE, ARITHMETIC_ONLY = range(4)
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?", ".")
NEEDS_ALL = ("PocketClassifier", "NeuralDecisionListClassifier")  # of a row's values
MIXED = "that another code could say it, too"
CLOSE = 1e-7  # relative: how far two ways to compute one number may lie apart

class Unable(Exception): """The file or the table cannot be checked."""

def far(one: float, other: float) -> bool: return not math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-9)
def ln_fact(n: float) -> float: return math.lgamma(n + 1)
def ln_choose(n: int, k: int) -> float: return ln_fact(n) - ln_fact(k) - ln_fact(n - k) if 0 <= k <= n else math.inf
def integer(n: int) -> float: return math.log(n + 1) + math.log(n + 2) if n >= 0 else math.inf
def signed(n: int) -> float: return integer(2 * n if n >= 0 else -2 * n - 1)
def either(a: float, b: float) -> float: return min(a, b) + math.log(2) - math.log1p(math.exp(-abs(a - b)))
def inner(said: File) -> File: return inner(said["statement"]) if "statement" in said else said
def machine_of(m: File) -> File: return m["fitted"]["machine"] if m["learner"] == "LaconicClassifier" else m
def unread(m: File, x: Row) -> bool:  # by the machine that was chosen; such rows get a class that is spared for them
    return None in x and m is not machine_of(m) and machine_of(m)["learner"] in NEEDS_ALL
def lacks(m: File, x: Row) -> bool:  # a column that a halfspace weighs: such rows are refused, and count as errors
    h = machine_of(m)["hypothesis"]
    tests = h.get("rules") or [test for test, _ in h.get("nodes", [])]
    return not unread(m, x) and any(w and v is None for t in tests for w, v in zip(t.get("weights", []), x))
def items_of(x: Any) -> List[Any]: return x["items"] if isinstance(x, dict) and "items" in x else [x]

def decimal(number: float) -> float:
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    return signed(int("".join(map(str, digits))) * (-1 if sign else 1)) + signed(int(exponent))

def pairing(slots: int, examples: int) -> float:
    """Count the ways to fill all slots so that every example fills one."""
    if examples > slots or (examples == 0) != (slots == 0): return math.inf
    if slots > 2000:  # an upper bound
        apart = ln_choose(slots, examples) + (slots - examples) * math.log(examples) - math.log(2)
        return ln_fact(examples) + (0.0 if examples in (1, slots) else apart)
    return math.log(sum((-1) ** i * math.comb(examples, i) * (examples - i) ** slots for i in range(examples + 1)))

def repeats(*values: int) -> float:
    nats, before = 0.0, []  # type: Tuple[float, List[int]]
    for i, value in enumerate(values):
        at, new = bisect.bisect_left(before, value), math.exp(-signed(value - (before[(i - 1) // 2] if before else 0)))
        nats += math.log((i + 4) / (bisect.bisect_right(before, value) - at + 4 * new))
        before.insert(at, value)
    return nats

CODES: Dict[str, Callable[..., float]] = {
    "integer": integer, "signed": signed, "decimal": decimal, "pairing": pairing, "repeats": repeats, "set": ln_choose,
    "power": lambda x: either(signed(math.frexp(x)[1] - 1) if math.frexp(x)[0] == 0.5 else math.inf, decimal(x)),
    "choice": lambda n: math.log(n), "weight": lambda weight, total: math.log(total / weight),
    "choices": lambda times, n: times * math.log(n),
    "subset": lambda n, k: math.log(n + 1) + ln_choose(n, k),
    "kinds": lambda n: n * math.log(3), "order": lambda n: -ln_fact(n),
    "left_out": lambda n, r: math.log(10 * r * (r + 1)) + ln_choose(n, r) if r else -math.log(0.9),
    "either": lambda one, other: either(one, other) - (one if math.isfinite(one) else other),
}

def ln_tail(k: int, n: int, p: float) -> float:
    """Return ln P(Bin(n, p) <= k)."""
    if k >= n or not 0 < p < 1: return 0.0 if k >= n or p <= 0 else -math.inf
    odds, term, total = p / (1 - p), 1.0, 1.0  # from the last term down, each relative to the last
    for i in range(k, 0, -1):
        term *= i / ((n - i + 1) * odds)
        total += term
        if term < 1e-18 * total and i < (n + 1) * p:
            break
    last = ln_choose(n, k) + k * math.log(p) + (n - k) * math.log1p(-p)
    return min(last + math.log(total), 0.0)

def largest(plausible: Callable[[float], bool], low: float = 0.0) -> float:
    """Bisect for the largest rate that is still plausible."""
    high = 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if plausible(middle) else (low, middle)
    return high

def share(having: int, m: int, alpha: float) -> float:
    """Return -ln of the share that a value has at least that so many of m rows have, but for a chance of alpha."""
    def sure(p: float) -> bool: return p < (having - 1) / m and ln_tail(m - having, m, 1 - p) <= math.log(alpha * p)
    return -math.log(largest(sure, 2**-30) * (1 - 2**-20)) if alpha > 0 and sure(2**-30) else math.inf
CODES["share"] = share

def kl_bound(q: float, budget: float) -> float:
    def kl(p: float) -> float:
        return (q * math.log(q / p) if q else 0.0) + ((1 - q) * math.log((1 - q) / (1 - p)) if q < 1 else 0.0)
    return 1.0 if q >= 1 else largest(lambda p: p < 1 and kl(p) <= budget, q)

def preferent_bound(m: int, d: int, ln_delta: float) -> float:
    def plausible(rate: float) -> bool:
        mass = ln_choose(m, d) + (d + 1) * math.log(rate) + (m - d) * math.log1p(-rate)
        beyond = -math.expm1(ln_tail(d, m, rate))
        return beyond <= 0 or mass - math.log(beyond) > ln_delta - math.log(m)
    return 1.0 if d == m else largest(plausible, 1e-300)

def bound(said: File, delta: float) -> float:
    """Work out the bound of a statement."""
    if "statement" in said:  # about a model that was one of several, or about a band
        return bound(said["statement"], delta / said.get("among", 1))
    left = delta - said.get("spent", 0.0)
    kind, paid = said["type"], (math.log(left) if left > 0 else -math.inf) - said["message_nats"]
    m, d = said["n_samples"], said.get("size", 0)
    if kind in ("SampleCompression", "GibbsBalls"):
        paid -= ln_choose(m, d) + math.log((d + 1) * (d + 2))
    if kind in ("SampleCompression", "FiniteClass", "SetApart"):
        k = said["errors_outside"]
        return 1.0 if k >= m - d else largest(lambda p: ln_tail(k, m - d, p) >= paid, k / (m - d))
    if kind == "PreferentCompression": return preferent_bound(m, d, paid)
    if kind == "VoteOfBags":
        n = said["n_outside"]
        theorem = math.log(2 * math.sqrt(n) if n >= 8 else n + 1)
        return min(2 * kl_bound(said["voter_risk"], (theorem - paid) / n), 1.0) if n else 1.0
    if kind == "GibbsBalls":
        n, widths = m - d, said["widths"]
        if n == 0 or 0.0 in widths: return 1.0
        narrow = sum(math.log(said["max_radius"] / width) for width in widths)
        maurer = [ln_choose(n, k) + (k and k * math.log(k / n)) + (n - k) * math.log1p(-k / n) for k in range(n)]
        constant = math.log(1 + math.fsum(map(math.exp, maurer)) if said.get("exact") else m + 1)
        gibbs = kl_bound(said["gibbs_risk"], (narrow + constant - paid) / n)
        return min(2 * gibbs, 1.0) if said["vote"] else gibbs
    raise Unable(f"A statement of the kind {kind!r} is not known here.")

def read_rows(path: str, model: File, target: str, missing: Set[Any], sep: str, point: str) -> Read:
    """Read the table: for each row its values by column, and its label; rows without a label are left out."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *body = list(csv.reader(file, delimiter=sep)) or [[]]
    columns, at = model["columns"], {name: i for i, name in reversed(list(enumerate(header)))}
    if target not in at: raise Unable(f"The table has no column {target!r}: name the one predicted by --target.")
    names = columns["names"] or [name for name in header if name != target]
    absent = [name for name in names if name not in at]
    if absent or len(names) != columns["count"]:
        raise Unable(f"The table lacks the column {absent[0]!r}." if absent else "The table has not as many columns.")
    kinds: List[str] = [columns["kinds"]] * len(names) if isinstance(columns["kinds"], str) else columns["kinds"]
    where, rows, labels = [at[name] for name in names], [], []
    for number, line in enumerate(filter(None, body), start=2):
        if len(line) != len(header):
            raise Unable(f"Line {number} of the table has {len(line)} values for {len(header)} columns.")
        if (label := read_label(line[at[target]], model.get("classes"), missing, point)) is not None:
            rows.append([read_cell(line[i], kind, missing, point) for i, kind in zip(where, kinds)])
            labels.append(label)
    return rows, labels, kinds

def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()

def read_cell(text: str, kind: str, missing: Set[Any], point: str) -> Any:
    if text.strip() in missing: return None
    if kind in ("category", "kmers"): return text
    flag = {"true": 1.0, "false": 0.0}.get(text.strip().lower())
    try:
        value = flag if flag is not None else float(text.strip().replace(point, ".")) + 0.0
    except ValueError:
        raise Unable(f"{text!r} is no number, and its column holds {kind}s.") from None
    return None if flag is None and value in missing else bool(value) if kind == "boolean" else value

def read_label(text: str, classes: Optional[File], missing: Set[Any], point: str) -> Any:
    values: List[Any] = classes["values"] if classes else []
    named = values and isinstance(values[0], str)
    value = (text if text in values else text.strip()) if named else read_cell(text, "number", missing, point)
    if value is None or text.strip() in missing: return None
    if values and value not in values: raise Unable(f"The table has the class {text!r}, which the model does not know.")
    return values.index(value) if values else value

def equal(value: Any, category: Any) -> bool:
    if isinstance(value, str): return value == str(category)
    return not isinstance(category, str) and bool(value == (1.0 if category is None else category))

def holds(rule: File, row: Row) -> Optional[bool]:
    kind = rule["type"]
    if kind in ("Stump", "Literal"):
        value = row[rule["feature"]]
        if kind == "Stump": return value is not None and bool((value > rule["threshold"]) == rule["greater"])
        return value is not None and equal(value, rule["category"]) != bool(rule["negated"])
    if kind == "Halfspace":
        n = len(rule["weights"]) - len(rule.get("flags", []))
        read = [0.0 if isinstance(row[j], (str, type(None))) else row[j] for j in range(n)]
        terms = [w * v for w, v in zip(rule["weights"], [*read, *(holds(flag, row) for flag in rule.get("flags", []))])]
        score, size = math.fsum([*terms, rule["bias"]]), math.fsum(map(abs, [*terms, rule["bias"]]))
        return None if 0 < abs(score) < 1e-12 * size else score > 0
    parts = [holds(part, row) for part in rule.get("literals") or rule.get("rules") or []]
    if kind in ("Clause", "Disjunction"): return True if True in parts else None if None in parts else False
    if kind in ("Term", "Conjunction"): return False if False in parts else None if None in parts else True
    raise Unable(f"rules of the kind {kind} are not evaluated here")

def answer(hypothesis: File, row: Row) -> Optional[int]:
    """Return the class of a row, and None where rounding decides."""
    for test, code in hypothesis.get("nodes", [(hypothesis, 1)]):
        said = holds(test, row)
        if said is not False: return None if said is None else int(code)
    return int(hypothesis.get("default", 0))

def answers_of(model: File, rows: List[Row]) -> List[Optional[int]]:
    """Return the class of each row, in the order of the file's classes."""
    machine, classes = machine_of(model), model["classes"]["values"]
    places: List[Optional[int]] = [classes.index(value) for value in machine["classes"]["values"]]
    codes = [-1 if unread(model, row) else answer(machine["hypothesis"], row) for row in rows]
    return [model["fitted"]["spare"] if code == -1 else None if code is None else places[code] for code in codes]

def line_of(machine: File, row: Row) -> int:
    """Return the place of the first line that speaks, in the order in which they are shown."""
    wanted = machine["hypothesis"]["type"] != "Conjunction"
    rules = machine["fitted"]["rules"]
    return next((place for place, rule in enumerate(rules) if holds(rule, row) == wanted), len(rules))

def set_apart(model: File, n: int) -> Set[int]:
    """Draw the rows that were set apart, as numpy's RandomState(seed).permutation(n) does: by Mersenne Twister."""
    said, draw, order = model["parameters"], random.Random(), list(range(n))
    state = [said["random_state"]]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    draw.setstate((3, (*state, 624), None))
    for i in range(n - 1, 0, -1):
        j = n
        while j > i:
            j = draw.getrandbits(32) & ((1 << i.bit_length()) - 1)
        order[i], order[j] = order[j], order[i]
    share = said.get("apart", 0.25)  # what LaconicClassifier had before it was asked
    return set(order[: min(max(math.floor(share * n), 1), n - 1)])

ASKS, ROWS, MANY = "what a rule asks, of which column", "which row gives which value", "how many rules there are"
ORDER, CONSTANT, SHARED = "saved: no order is said", "which class the constant is", "what all rules share"
CHOSEN, KINDS = "which form and features", "of which kind the columns are, as values showed"
WAYS, SHOWN = "on which rows, and how the table was read", "which columns the rows set apart show otherwise"
NAMED, SHARES = "how categories are named", "which category, by how many rows have it"
MAKES = {"stumps": "Stump", "conditions": "Stump Literal", "literals": "Literal", "clauses": "Clause Term"}
# paid beside the scheme, for choices that these rows cannot show
FREE = {CHOSEN, KINDS, WAYS, SHOWN, "how the table was read", "what the rows chose before the model was fitted"}
Wanted = List[Tuple[int, Any]]
Bill = Tuple[Dict[str, float], Wanted]

def needs(rules: List[File], fixed: Sequence[Any] = (), known: Sequence[Any] = ()) -> Wanted:
    """List the (column, value) that examples must supply: thresholds, and categories whose domain is not known."""
    parts = [part for rule in rules for part in (rule["flags"] if "flags" in rule else rule.get("literals", [rule]))]
    asked = [(part["type"], part.get("feature"), part.get("threshold", part.get("category"))) for part in parts]
    return [(j, v) for kind, j, v in asked if v is not None and (v not in fixed if kind == "Stump" else j not in known)]

def bill(*items: Tuple[str, float]) -> Dict[str, float]:
    """Add up prices by part."""
    sums: Dict[str, float] = {}
    for part, nats in items: sums[part] = sums.get(part, 0.0) + nats
    return {part: nats for part, nats in sums.items() if abs(nats) > 1e-12}

def candidates(model: File) -> Tuple[List[List[File]], int]:
    """List the families that rules may be made of, and say among how many forms and features the data chose."""
    said, many = model["parameters"], model["learner"].endswith("CV")
    auto, listed = said["features"] == "auto", items_of(said["features"])
    listed = [["conditions"], ["balls"]] if auto else list(map(items_of, listed)) if many else [listed]
    made = [[f if isinstance(f, dict) else {"name": f, "parameters": {}} for f in each] for each in listed]
    named = [[{**f["parameters"], "name": f["name"].lower()} for f in each] for each in made]
    forms = said["forms" if many else "form"]
    twice = 2 if said.get("apart") and said.get("select") == "bound" else 1  # on all rows, or on some
    return named, twice * len(named) * (2 if forms == "auto" else len(items_of(forms)))

def declared(family: File, key: str, names: Optional[List[str]]) -> Dict[Any, Any]:
    """Return what was declared of some columns, by their positions: categories, or the weights of a prior."""
    told = items_of(family[key]) if family.get(key) else []
    return {names.index(j) if names and isinstance(j, str) else j: each for j, each in told}

def asked(rule: File, families: List[File], n: int, names: Optional[List[str]]) -> float:
    """Return what it costs to say what a rule asks, and of which family it is: the first that could have made it."""
    parts, flat = rule.get("literals", [rule]), rule.get("threshold", "") in [f.get("binarize") for f in families]
    own = [f for f in families if rule["type"] in MAKES[f["name"]].split() or (flat and f["name"] == "literals")]
    if not own: return math.inf
    known, prior = declared(own[0], "categories", names), declared(own[0], "prior", names)
    negated, sizes = own[0].get("negated", True), [len(items_of(known.get(p["feature"], [1]))) for p in parts]
    nats = math.log(len(families)) + sum(map(math.log, sizes))
    if own[0]["name"] == "clauses":
        return nats + math.log(own[0]["k"]) + ln_choose(n, len(parts)) + len(parts) * math.log(2) * negated
    weight = prior.get(rule["feature"], 0.0) / math.fsum(prior.values()) if prior else 1 / n
    return nats - math.log((weight + 1 / n) / 2) + math.log(2) * negated

def cover_bills(model: File, d: int, n: int) -> Iterator[Bill]:
    """Yield what a cover may cost, and what examples must supply, for each candidate that is restated here."""
    rules, names = model["hypothesis"]["rules"], model["columns"]["names"]
    for families in candidates(model)[0]:
        if any(f["name"] not in MAKES for f in families): continue
        fixed = [f["binarize"] for f in families if f.get("binarize") is not None]
        shared = [v for _, v in needs(rules) if v in fixed]
        wanted = needs(rules, fixed, [j for f in families for j in declared(f, "categories", names)])
        paid = bill(
            (MANY, integer(len(rules) - -(-d // max(f["k"] if f["name"] == "clauses" else 1 for f in families)))),
            *[(ASKS, asked(rule, families, n, names)) for rule in rules],
            (ORDER, -ln_fact(len(rules))), (SHARED, decimal(shared[0]) if shared else 0.0),
            (ROWS, pairing(len(wanted), d)), (CONSTANT, 0.0 if rules else math.log(2)))
        yield paid, wanted

def list_bill(model: File, d: int, n: int) -> Bill:
    nodes, c, said = model["hypothesis"]["nodes"], len(model["classes"]["values"]), model["parameters"]
    tests, k, fixed = [test for test, _ in nodes], said.get("k"), said.get("binarize")
    items: List[Tuple[str, float]] = []
    for size in (len(test.get("literals", [test])) for test in tests):
        if k is None:  # a list of rules with conditions of all kinds
            items += [("how many conditions a rule has", size * math.log(2)), (ORDER, -ln_fact(size))]
        one = math.log(2 * n) if k in (None, 1) else math.log(2)
        items.append((ASKS, size * one + (0.0 if k in (None, 1) else math.log(k) + ln_choose(n, size))))
    runs = [len(list(run)) for _, run in groupby(code for _, code in nodes)]
    binarized = k and any(part["type"] == "Stump" for test in tests for part in test.get("literals", [test]))
    wanted = needs(tests, (fixed,))
    paid = bill(
        *items,
        (MANY, integer(len(nodes) - -(-d // (k or 8)))), (SHARED, decimal(fixed) if binarized else 0.0),
        ("what each rule, and the rest, answers", len(nodes) * math.log(c) + math.log(c - 1) if nodes else 0.0),
        (CONSTANT, 0.0 if nodes else math.log(c)), (ROWS, pairing(len(wanted), d)),
        *[(ORDER, -ln_fact(run)) for run in runs])
    return paid, wanted

def card_bill(model: File, d: int, n: int, kinds: List[str], message: List[File]) -> Bill:
    """Restate a score card: the units of its columns are read off the message, and must give whole points."""
    (card,) = model["hypothesis"]["rules"]
    flags = card.get("flags", [])
    columns = sorted((j for j in range(n) if card["weights"][j]), key=repr)
    units = [unit for item in message if item["code"] == "repeats" for unit in item["choices"]]
    steps = [float(f"{(1, 2, 5)[unit % 3]}e{unit // 3}") for unit in units]
    points = [card["weights"][j] * step for j, step in zip(columns, steps)] + card["weights"][n:]
    if len(units) != len(columns) or any(abs(p - round(p)) > 1e-9 for p in points):
        return {"whole points": math.inf}, []
    largest_one = max((abs(round(p)) for p in points), default=1)
    features = columns + [flag["feature"] for flag in flags]
    forms = {"number": 5, "boolean": 2, "category": 2}
    signs = len(columns) + (len(flags) if any(p < 0 for p in card["weights"][n:]) else 0)
    reach = max(sum(abs(round(p)) for p in points), 1)
    wanted = needs([card])
    terms = "what a term asks, of which column, for how many points"
    paid = bill(
        ("how many terms there are", integer(len(points) - d)), ("the most points", integer(largest_one - 1)),
        *[(terms, math.log(n) + math.log(forms[kinds[j]]) + math.log(largest_one)) for j in features],
        (ORDER, -ln_fact(len(points))), (ROWS, pairing(len(wanted), d)),
        ("which points are negative", (1 + signs) * math.log(2)),
        ("the units of the columns", repeats(*units)),
        ("the constant", signed(int(card["bias"])) if units else math.log(2 * reach + 2)))
    return paid, wanted

def ways(due: Bill, said: File, rows: List[Row], kinds: List[str]) -> List[Bill]:
    """Return what it costs to name categories by rows of the set, or by how many rows have them."""
    (paid, wanted), alpha = due, said.get("spent", 0.0) / len(kinds)
    words, rest = ([(j, v) for j, v in wanted if (kinds[j] == "category") is so] for so in (True, False))
    having = [sum(row[j] is not None and equal(row[j], v) for row in rows) for j, v in words]
    shares = {SHARES: sum(share(n, len(rows), alpha) for n in having), ROWS: pairing(len(rest), said.get("size", 0))}
    paid = {**paid, NAMED: math.log(2)}
    return [(paid, wanted), (bill(*{**paid, **shares}.items()), rest)] if words and alpha else [due]

def bills(model: File, said: File, rows: List[Row], kinds: List[str]) -> List[Bill]:
    """Return what the message may have cost by the scheme that is restated here; nothing where none is."""
    d, n, learner = said.get("size", 0), model["columns"]["count"], model["learner"]
    if learner in ("SetCoveringClassifier", "SetCoveringClassifierCV"):
        return [way for due in cover_bills(model, d, n) for way in ways(due, said, rows, kinds)]
    if learner in ("DecisionListClassifier", "RuleListClassifier"):
        return ways(list_bill(model, d, n), said, rows, kinds)
    return [card_bill(model, d, n, kinds, said["message"])] if learner == "ScoreCardClassifier" else []

def check_arithmetic(certificate: File, problems: List[str]) -> None:
    """See that prices follow from what was chosen, sums from prices, and the bound from all of it."""
    for said in map(inner, certificate["statements"]):
        for item in said["message"]:
            chosen = [float(each["value"]) if isinstance(each, dict) else each for each in item["choices"]]
            due = CODES[item["code"]](*chosen) if item["code"] in CODES else max(item["nats"], 0.0)
            if far(due, item["nats"]) or (item["part"] in FREE and item["nats"] < 0):
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

def check_counts(model: File, said: File, rows: List[Row], labels: List[Any], problems: List[str]) -> None:
    """See that the set, or what was set apart, is what it was; count errors, and what is promised beside them."""
    inside, every = {sent["row"] for sent in said.get("rows", [])}, set(range(len(rows)))
    counting = set_apart(model, len(rows)) if said["type"] == "SetApart" else every - inside
    if (len(inside), len(counting)) != (said.get("size", 0), said["n_samples"] - said.get("size", 0)):
        problems.append(f"{said['n_samples']} rows are said; {len(inside)} are sent, and {len(counting)} count.")
    for sent in said.get("rows", []):
        if sent["row"] >= len(rows) or digest([*rows[sent["row"]], labels[sent["row"]]]) != sent["sha256"]:
            problems.append(f"Row {sent['row']} (counted from 0) is not the one that the model is rebuilt from.")
    asked, n = zip(rows, labels, answers_of(model, rows)), len(model["classes"]["values"])
    answers = [(y + 1) % n if lacks(model, row) else a for row, y, a in asked]  # refused: another class than its own
    wrong = round(model["certificate"]["empirical_risk"] * len(rows))
    for where, claimed in ((counting, said["errors_outside"]), (every, wrong)):
        sure = sum(answers[i] is not None and answers[i] != labels[i] for i in where)
        if not sure <= claimed <= sure + sum(answers[i] is None for i in where):
            problems.append(f"{claimed} errors on {len(where)} rows are said; the rules make {sure}.")
    if model["certificate"].get("promised") and None not in answers:
        check_promised(model, [(rows[i], labels[i], answers[i]) for i in sorted(counting)], problems)

def check_promised(model: File, judged: List[Tuple[Row, int, Any]], problems: List[str]) -> None:
    """See that what is promised beside the error was counted on the rows that count."""
    promised, machine = model["certificate"]["promised"], machine_of(model)
    classes = range(len(promised["labels"]))
    pairs, due = [(y, a) for _, y, a in judged], {}
    due["confusion"] = [[pairs.count((y, a)) for a in classes] for y in classes]
    if promised["lines"]:
        lines = [(line_of(machine, row), y) for row, y, _ in judged if not (unread(model, row) or lacks(model, row))]
        due["lines"] = [[lines.count((line, y)) for y in classes] for line in range(len(promised["lines"]))]
    if promised["groups"]:
        column = model["parameters"]["promises"]["parameters"]["groups"]
        j = column if isinstance(column, int) else model["columns"]["names"].index(column)
        found = [(str(row[j]), y != a) for row, y, a in judged]
        rows = [[found.count((str(v), wrong)) for wrong in (False, True)] for v in promised["groups"]]
        due["group_counts"] = [[right + wrong, wrong] for right, wrong in rows]
    other = [name for name, own in due.items() if own != promised[name]]
    problems.extend(f"{name} is said to be {promised[name]}, and {due[name]} is counted." for name in other)

def check_price(model: File, said: File, rows: List[Row], kinds: List[str], problems: List[str]) -> bool:
    """See that the rows of the set supply every value, and that the message costs what the scheme asks for."""
    sums = bill(*[(i["part"].replace(MIXED, ASKS), i["nats"]) for i in said["message"] if i["part"] not in FREE])
    due = bills(model, said, rows, kinds)
    inside = [rows[sent["row"]] for sent in said.get("rows", []) if sent["row"] < len(rows)]
    agreeing = [w for own, w in due if own.keys() == sums.keys() and not any(far(own[p], sums[p]) for p in own)]
    if due and not agreeing:
        problems.append(f"The scheme asks for {due[0][0]} nats, and the message paid {sums}.")
    wanted = (agreeing or [w for _, w in due] or [[]])[0]
    supplied = [[row[column] is not None and equal(row[column], value) for column, value in wanted] for row in inside]
    for place, (column, value) in enumerate(wanted):
        if not any(each[place] for each in supplied):
            problems.append(f"No row of the set has {value!r} in column {column}, which a rule asks for.")
    if due and not all(map(any, supplied)): problems.append("A row of the set supplies nothing.")
    among = candidates(model)[1] if "features" in model["parameters"] else 1
    if math.fsum(i["nats"] for i in said["message"] if i["part"] == CHOSEN) < math.log(among) - CLOSE:
        problems.append(f"There were {among} forms and features to choose from, and less than that is paid.")
    return bool(due)

def check(model: File, rows: List[Row], labels: List[Any], kinds: List[str]) -> Tuple[List[str], str]:
    """Return what differs, and why the model was not rebuilt, where its arithmetic was checked alone."""
    problems: List[str] = []
    certificate, machine = model["certificate"], machine_of(model)
    if digest({key: value for key, value in model.items() if key != "sha256"}) != model.get("sha256"):
        problems.append("The file was altered after it was written: its seal is broken.")
    if certificate["n_samples"] != len(rows):
        problems.append(f"The certificate is about {certificate['n_samples']} rows, and the table has {len(rows)}.")
    check_arithmetic(certificate, problems)
    said, restated = inner(certificate["statements"][0]), {"nodes", "rules"} & machine.get("hypothesis", {}).keys()
    known = said["type"] in ("SampleCompression", "FiniteClass", "SetApart")
    if len(certificate["statements"]) > 1 or not known or not restated or "kmers" in kinds:
        return problems, "what it predicts, or what it rests on, is not restated here"
    try:
        check_counts(model, said, rows, labels, problems)
        if said["type"] == "SetApart":  # a search pays whether some rows are set apart, and how they were read
            ways = {"": 1, "auto": 4}.get(str(model["parameters"].get("features", "")), 2)
            paid = {item["part"]: item["nats"] for item in said["message"]}
            if paid.keys() - FREE or paid.get(WAYS, 0.0) < math.log(ways) - CLOSE:
                problems.append(f"Rows set apart pay for {ways} ways to make a model, and {paid} is paid.")
        elif not check_price(machine, said, rows, kinds, problems):
            return problems, "its errors were counted, but its scheme is not restated here"
    except Unable as unable: return problems, str(unable)
    return problems, ""

def main(arguments: Optional[List[str]] = None) -> int:
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
        with open(given.model, encoding="utf-8") as file: model = json.load(file)
        if model.get("format") != "laconic model": raise Unable("This is no model file of laconic.")
        if model["version"] < 4 or not (model.get("certificate") or {}).get("statements"):
            raise Unable("not verifiable: files before version 4, and models without a promise, keep no evidence.")
        target = given.target or model.get("about", {}).get("target")
        texts = [*MISSING, *given.na, *model.get("about", {}).get("na", "").split(",")]
        missing = {*texts, *map(float, filter(re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?").fullmatch, texts))}
        read = read_rows(given.table, model, target, missing, given.sep, given.decimal)
        problems, why_not = check(model, *read)
    except (Unable, OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        print(f"It cannot be checked: {error if not isinstance(error, KeyError) else f'{error} is missing.'}")
        return UNABLE
    if problems:
        print("\n".join(f"It differs: {problem}" for problem in problems))
        return DIFFERS
    promised = f"a risk of at most {model['certificate']['risk_bound']:.6g} at delta {model['certificate']['delta']:g}"
    apart = inner(model["certificate"]["statements"][0])["type"] == "SetApart"
    yes = "Yes, if no row that was set apart helped to make the model" if apart else "Yes"
    print(f"Arithmetic only ({why_not}): {promised} follows from the file." if why_not else f"{yes}: {promised}.")
    return ARITHMETIC_ONLY if why_not else YES

if __name__ == "__main__": sys.exit(main())
