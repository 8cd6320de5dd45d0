"""Check the certificate of a model file against the rows that it was made from: standard Python, and nothing else.

    python verify.py model.json table.csv --target class

It works out again the rules' answers, the errors outside the rows that the model is rebuilt from (or on held-out rows,
which it draws again), what these rows must supply, the price of the message, what was counted for other promises, and
the bound, and says yes, and if what, or where the file differs. Where the scheme is not restated here it says so:
arithmetic only. Nothing in the file is trusted: every number has a range, and no rule may stand there twice.
Exit codes: 0 all of it agrees, 1 something differs, 2 it cannot be checked, 3 only the arithmetic could be, and agrees.
"""

import argparse, bisect, csv, hashlib, json, math, random, re, sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

File = Dict[str, Any]
Row = List[Any]
Read = Tuple[List[Row], List[Any], List[str], List[str], List[str]]
YES, DIFFERS, UNABLE, ARITHMETIC_ONLY = range(4)
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?", ".")
NEEDS_ALL = ("PocketClassifier", "NeuralDecisionListClassifier")  # of a row's values
MOST_COLUMNS = 10_000  # of rows that have a digest
MIXED = "that another code could say it, too"
CLOSE = 1e-7  # relative: how far two ways to compute one number may lie apart
SPENT = 2**-10  # of delta, on limits by which categories are named
MOST_EXACT = 2**53

class Unable(ValueError): """The file or the table cannot be checked."""
class Wrong(Exception): """The file says what no file of laconic says."""
FAILURES = (csv.Error, OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)

def require(holds: bool, what: str) -> None:
    if not holds: raise Wrong(what)

def whole(x: Any, low: int = 0, high: float = MOST_EXACT) -> bool: return type(x) is int and low <= x <= high
def real(x: Any, low: float = -1e300, high: float = 1e300) -> bool: return type(x) in (int, float) and low <= x <= high
def strict(pairs: List[Tuple[str, Any]]) -> File:
    require(len(dict(pairs)) == len(pairs), f"A name stands in one object twice: {list(dict(pairs))!r:.200}")
    return dict(pairs)

def finite(text: str) -> float:
    require(math.isfinite(float(text)), f"{text} is no number that a file holds.")
    return float(text)

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

def read_rows(given: argparse.Namespace, model: File, target: str) -> Read:
    """Read the table: for each row its values by column, and its label; rows without a label are left out, and told."""
    texts, point = [*MISSING, *given.na], given.decimal  # numbers match however they are written
    missing = {*texts, *map(float, filter(re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?").fullmatch, texts))}
    with open(given.table, newline="", encoding=given.encoding) as file:
        header, *body = list(csv.reader(file, delimiter=given.sep)) or [[]]
    columns, at = model["columns"], {name: i for i, name in reversed(list(enumerate(header)))}
    if target not in at: raise Unable(f"The table has no column {target!r}: name the one predicted by --target.")
    names = columns["names"] or [name for name in header if name != target]
    absent = [name for name in names if name not in at]
    if absent or len(names) != columns["count"]:
        raise Unable(f"The table lacks the column {absent[0]!r}." if absent else "The table has not as many columns.")
    twice = [name for name, n in Counter(header).items() if n > 1 and name in {*names, target}]
    if twice or target in names: raise Unable(f"There are two columns {(twice or [target])[0]!r}, or it is predicted.")
    kinds: List[str] = [columns["kinds"]] * len(names) if isinstance(columns["kinds"], str) else columns["kinds"]
    where, rows, labels, dropped = [at[name] for name in names], [], [], []
    for number, line in enumerate(filter(None, body), start=2):
        if len(line) != len(header):
            raise Unable(f"Line {number} of the table has {len(line)} values for {len(header)} columns.")
        if (label := read_label(line[at[target]], model.get("classes"), missing, point)) is None:
            dropped.append(line[at[target]].strip())
            continue
        rows.append([read_cell(line[i], kind, missing, point) for i, kind in zip(where, kinds)])
        labels.append(label)
    left_out = f"{len(dropped)} rows without a label were left out: {dict(Counter(dropped))!r:.500}."
    return rows, labels, kinds, header, [left_out] if dropped else []

def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()

def read_cell(text: str, kind: str, missing: Set[Any], point: str) -> Any:
    if text.strip() in missing: return None
    if kind in ("category", "kmers"): return text
    flag = {"true": 1.0, "false": 0.0}.get(text.strip().lower())
    try:
        value = flag if flag is not None else float(text.strip().replace(point, ".")) + 0.0
    except ValueError:
        value = math.nan
    if flag is None and value in missing: return None
    if not math.isfinite(value) or (kind == "boolean" and value not in (0.0, 1.0)):
        raise Unable(f"{text!r:.80} is no {kind}, as its column holds; --na names texts that stand for missing values.")
    return bool(value) if kind == "boolean" else value

def read_label(text: str, classes: Optional[File], missing: Set[Any], point: str) -> Any:
    values: List[Any] = classes["values"] if classes else []
    named = values and isinstance(values[0], str)
    value = (text if text in values else text.strip()) if named else read_cell(text, "number", missing, point)
    if value is None or text.strip() in missing: return None
    if values and value not in values: raise Unable(f"The table has the class {text!r}, which the model does not know.")
    return values.index(value) if values else value

FIELDS = {
    "Stump": "feature greater threshold", "Literal": "category feature negated", "Halfspace": "bias weights",
    "Clause": "literals", "Term": "literals", "Conjunction": "rules", "Disjunction": "rules",
    "DecisionList": "default nodes"}
ANY = "Stump Literal Clause Term Halfspace"

def key(rule: File, kinds: List[str], among: str = ANY) -> Any:
    """See that a rule has the shape of its kind; return what equal rules share."""
    kind = rule["type"]
    if kind not in FIELDS: raise Unable(f"rules of the kind {kind!r} are not evaluated here")
    own = sorted(rule.keys() - {"type"} - ({"flags"} if kind == "Halfspace" else set()))
    shape = f"{json.dumps(rule):.200} is no rule."
    require(kind in among.split() and own == FIELDS[kind].split(), shape)
    if kind in ("Stump", "Literal"):
        j, value = rule["feature"], rule["threshold" if kind == "Stump" else "category"]
        require(whole(j, 0, len(kinds) - 1) and type(rule["greater" if kind == "Stump" else "negated"]) is bool, shape)
        require(real(value) or (kind == "Literal" and (value is None or type(value) in (str, bool))), shape)
        require((kinds[j] != "category") if kind == "Stump" else (kinds[j] != "category" or value is not None), shape)
        return kind, j, str(value) if kinds[j] == "category" else value, rule.get("greater", rule.get("negated"))
    if kind == "Halfspace":
        flags, weights = rule.get("flags", []), rule["weights"]
        require(len(weights) == len(kinds) + len(flags) and all(map(real, [*weights, rule["bias"]])), shape)
        require(not any(weight and kind == "category" for weight, kind in zip(weights, kinds)), shape)
        return kind, tuple(weights), rule["bias"], tuple(distinct(flags, kinds, "Stump Literal"))
    parts = distinct(rule["literals"], kinds, "Stump Literal")
    require(bool(parts), shape)
    return parts[0] if len(parts) == 1 else (kind, frozenset(parts))

def distinct(rules: List[File], kinds: List[str], among: str = ANY) -> List[Any]:
    """See that no rule stands in a set twice: then ln r! would be saved for nothing."""
    keys = [key(rule, kinds, among) for rule in rules]
    require(len(set(keys)) == len(keys), "The same rule, condition or term stands in one set twice.")
    return keys

def sets_of(machine: File) -> List[List[File]]:
    """Return the rules that are sent as sets: all of them, or each run of a list that answers the same."""
    said = machine["hypothesis"]
    if "rules" in said: return [said["rules"]] if said["rules"] else []
    return [[test for test, _ in run] for _, run in groupby(said["nodes"], key=lambda node: node[1])]

def check_rules(machine: File, kinds: List[str]) -> None:
    """See that rules have a shape, that they answer with classes, and that those are shown that decide."""
    said, last, sets = machine["hypothesis"], len(machine["classes"]["values"]) - 1, sets_of(machine)
    require(sorted(said.keys() - {"type"}) == FIELDS.get(said["type"], "").split(), "The model has no shape of one.")
    codes = [code for _, code in said["nodes"]] + [said["default"]] if "nodes" in said else [last]
    require(all(whole(code, 0, last) for code in codes) and last == (1 if "rules" in said else last), "No such class.")
    shown = [key(rule, kinds) for rule in machine["fitted"].get("rules", [])]
    for own in sets:
        here, shown = shown[: len(own)], shown[len(own) :]
        require(Counter(here) == Counter(key(rule, kinds) for rule in own), "Other rules are shown than decide.")
    require(not shown, "More rules are shown than decide.")

def check_numbers(model: File) -> None:
    """See that columns, classes and statements are such as laconic writes them, each number in its range."""
    columns, certificate, machine = model["columns"], model["certificate"], machine_of(model)
    names, n = columns["names"], columns["count"]
    kinds = [columns["kinds"]] * n if isinstance(columns["kinds"], str) else columns["kinds"]
    named = whole(n, 1) and (names is None or len(names) == n == len({str(name) for name in names}))
    require(named and len(kinds) == n, "Its columns are no columns.")
    require({*kinds} <= {"number", "boolean", "category", "kmers"}, "A column is of no kind.")
    for labels in (model["classes"]["values"], machine["classes"]["values"]) if model.get("classes") else ():
        require({type(label) for label in labels} in ({str}, {bool}, {int}, {float}, {int, float}), "No such classes.")
        in_order = sorted(labels) == labels and len(set(labels)) == len(labels) > 1
        require(in_order and set(labels) <= set(model["classes"]["values"]), f"{labels!r:.200} are no classes.")
    if model is not machine:
        same = all(machine[part] == model[part] for part in ("columns", "certificate"))
        require(same and whole(model["fitted"]["spare"]), "The model within is another one.")
    chances = [real(certificate[name], 0, 1) for name in ("delta", "risk_bound", "empirical_risk")]
    require(all(chances) and certificate["delta"] > 0 and whole(certificate["n_samples"], 1), "No such certificate.")
    for said in certificate["statements"]: check_statement(said, certificate["delta"], certificate["n_samples"])

def check_statement(said: File, delta: float, m: int) -> None:
    wrong = f"A statement has a number that cannot be: {json.dumps({**said, 'message': 0, 'rows': 0}):.300}"
    for kind, number, low in (("OneOf", "among", 1), ("Band", "errors_outside", 0)):
        if said["type"] == kind:
            require(whole(said[number], low), wrong)
            said = said["statement"]
    require("statement" not in said and "among" not in said, wrong)
    counts = [said.get(name, 0) for name in ("n_fitted", "size", "errors_outside", "n_outside", "wrong")]
    require(whole(said["n_samples"], 1, m) and all(whole(count, 0, m) for count in counts), wrong)
    require(counts[1] + counts[2] <= said["n_samples"] and counts[3] <= said["n_samples"], wrong)
    require(real(said["message_nats"], 0) and real(said.get("spent", 0.0), 0, delta * SPENT * (1 + CLOSE)), wrong)
    require(all(real(said.get(name, 0), 0, 1) for name in ("voter_risk", "gibbs_risk")), wrong)
    require(all(real(width, 0, said["max_radius"]) for width in said.get("widths", [])), wrong)
    require(all(type(said.get(name, True)) is bool for name in ("vote", "exact")), wrong)
    for item in said["message"]:
        numbers = [each for each in item["choices"] if not isinstance(each, dict)]  # infinity is {"value": "inf"}
        require(all(map(real, numbers)) and real(item["nats"]), f"{json.dumps(item):.200} is no price.")
    sent = [row["row"] for row in said.get("rows", [])]
    require(all(whole(row, 0, m - 1) for row in sent) and sent == sorted(set(sent)), "What is sent is no set of rows.")

def equal(value: Any, category: Any) -> bool:
    if isinstance(value, str): return value == str(category)
    return not isinstance(category, str) and bool(value == (1.0 if category is None else category))

def holds(rule: File, row: Row) -> bool:
    kind = rule["type"]
    if kind in ("Stump", "Literal"):
        value = row[rule["feature"]]
        if kind == "Stump": return value is not None and bool((value > rule["threshold"]) == rule["greater"])
        return value is not None and equal(value, rule["category"]) != rule["negated"]
    if kind == "Halfspace":  # in floats, one term after the other, as laconic does: so this is what the model means
        values = [0.0 if value is None or isinstance(value, str) else float(value) for value in row]
        values += [float(holds(flag, row)) for flag in rule.get("flags", [])]
        terms, score = [(float(w), v) for w, v in zip(rule["weights"], values) if w], float(rule["bias"])
        for weight, value in terms: score += value * weight
        if math.isfinite(score): return score > 0
        return Fraction(rule["bias"]) + sum(Fraction(w) * Fraction(v) for w, v in terms) > 0
    parts = [holds(part, row) for part in (rule["rules"] if "rules" in rule else rule["literals"])]
    return any(parts) if kind in ("Clause", "Disjunction") else all(parts)

def answer(hypothesis: File, row: Row) -> int:
    """Return the class of a row."""
    nodes = hypothesis.get("nodes", [(hypothesis, 1)])
    return next((code for test, code in nodes if holds(test, row)), hypothesis.get("default", 0))

def answers_of(model: File, rows: List[Row]) -> List[int]:
    """Return the class of each row, in the order of the file's classes."""
    machine = machine_of(model)
    places = [model["classes"]["values"].index(value) for value in machine["classes"]["values"]]
    codes = [-1 if unread(model, row) else answer(machine["hypothesis"], row) for row in rows]
    return [model["fitted"]["spare"] if code == -1 else places[code] for code in codes]

def line_of(machine: File, row: Row) -> int:
    """Return the place of the first line that speaks, in the order in which they are shown."""
    wanted = machine["hypothesis"]["type"] != "Conjunction"
    return [*(holds(rule, row) for rule in machine["fitted"]["rules"]), wanted].index(wanted)

def set_apart(model: File, n: int) -> Set[int]:
    """Draw the rows that were set apart, as numpy's RandomState(seed).permutation(n) does: by Mersenne Twister."""
    said, draw, order = model["parameters"], random.Random(), list(range(n))
    share = said.get("apart", 0.25)  # what LaconicClassifier had before it was asked
    require(model["learner"] in ("LaconicClassifier", "SetCoveringClassifierCV"), "Its learner holds no rows out.")
    require(whole(said["random_state"], 0, 2**32 - 1) and real(share, 0, 1), "How rows were held out is not said.")
    state = [said["random_state"]]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    draw.setstate((3, (*state, 624), None))
    for i in range(n - 1, 0, -1):
        j = n
        while j > i:
            j = draw.getrandbits(32) & ((1 << i.bit_length()) - 1)
        order[i], order[j] = order[j], order[i]
    return set(order[: min(max(math.floor(share * n), 1), n - 1)])

ASKS, ROWS, MANY = "what a rule asks, of which column", "which row gives which value", "how many rules there are"
ORDER, CONSTANT, SHARED = "saved: no order is said", "which class the constant is", "what all rules share"
CHOSEN, KINDS = "which form and features", "of which kind the columns are, as values showed"
WAYS, SHOWN = "on which rows, and how the table was read", "which columns the rows set apart show otherwise"
NAMED, SHARES = "how categories are named", "which category, by how many rows have it"
RESTATED = {"stumps", "conditions", "literals", "clauses"}
# paid beside the scheme, for choices that these rows cannot show
REFUSED = {"what no scheme says": math.inf}
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
    for family in (family for each in named for family in each):
        weights = [weight for _, weight in items_of(family["prior"])] if family.get("prior") else []
        sane = whole(family.get("k", 1), 1) and type(family.get("negated", True)) is bool
        sane = sane and (family.get("binarize") is None or real(family["binarize"]))
        require(sane and all(real(w, 5e-324) for w in weights), f"{json.dumps(family):.200} is no family of rules.")
    forms = said["forms" if many else "form"]
    twice = 2 if said.get("apart") and said.get("select") == "bound" else 1  # on all rows, or on some
    return named, twice * len(named) * (2 if forms == "auto" else len(items_of(forms)))

def declared(family: File, key: str, names: Optional[List[str]]) -> Dict[Any, Any]:
    """Return what was declared of some columns, by their positions: categories, or the weights of a prior."""
    told = items_of(family[key]) if family.get(key) else []
    return {names.index(j) if names and isinstance(j, str) else j: each for j, each in told}

def fits(part: File, family: File, kinds: List[str], known: Dict[Any, Any]) -> bool:
    """Return whether a family offers a condition on one column: as a rule the kind of the column decides which."""
    name, kind, binarize = family["name"], kinds[part["feature"]], family.get("binarize")
    flat = kind == "number" and (name == "conditions" or (binarize is not None and name != "stumps"))
    if part["type"] == "Stump":
        if name in ("literals", "clauses"):
            return flat and part["threshold"] == binarize and (part["greater"] or family.get("negated", True))
        return name == "stumps" or flat
    if flat or name == "stumps" or (part["negated"] and not family.get("negated", True)): return False
    if part["feature"] in known: return part["category"] in items_of(known[part["feature"]])
    return (part["category"] is None) == (kind != "category")

def offers(family: File, rule: File, kinds: List[str], known: Dict[Any, Any], form: str) -> bool:
    """Return whether a family offers a rule."""
    parts, clause = rule.get("literals", [rule]), {"Conjunction": "Clause"}.get(form, "Term")
    if family["name"] == "clauses":
        columns = {part["feature"] for part in parts}
        if rule["type"] != clause or not len(columns) == len(parts) <= family["k"]: return False
    elif rule["type"] not in ("Stump", "Literal"): return False
    return all(fits(part, family, kinds, known) for part in parts)

def asked(rule: File, families: List[File], kinds: List[str], names: Optional[List[str]], form: str) -> float:
    """Return what it costs to say what a rule asks, and of which family it is: the first that could have made it."""
    n, parts = len(kinds), rule.get("literals", [rule])
    own = [f for f in families if offers(f, rule, kinds, declared(f, "categories", names), form)]
    if not own: return math.inf
    known, prior = declared(own[0], "categories", names), declared(own[0], "prior", names)
    negated, sizes = own[0].get("negated", True), [len(items_of(known.get(p["feature"], [1]))) for p in parts]
    nats = math.log(len(families)) + sum(map(math.log, sizes))
    if own[0]["name"] == "clauses":
        return nats + math.log(own[0]["k"]) + ln_choose(n, len(parts)) + len(parts) * math.log(2) * negated
    weight = prior.get(rule["feature"], 0.0) / math.fsum(prior.values()) if prior else 1 / n
    return nats - math.log((weight + 1 / n) / 2) + math.log(2) * negated

def cover_bills(model: File, d: int, kinds: List[str]) -> Iterator[Bill]:
    """Yield what a cover may cost, and what examples must supply, for each candidate that is restated here."""
    rules, names, form = model["hypothesis"]["rules"], model["columns"]["names"], model["hypothesis"]["type"]
    said = items_of(model["parameters"].get("forms") or model["parameters"].get("form"))
    if rules and form.lower() not in said and "auto" not in said: return (yield REFUSED, [])
    for families in candidates(model)[0]:
        if any(f["name"] not in RESTATED for f in families):
            continue
        fixed = [f["binarize"] for f in families if f.get("binarize") is not None]
        shared = [v for _, v in needs(rules) if v in fixed]
        wanted = needs(rules, fixed, [j for f in families for j in declared(f, "categories", names)])
        paid = bill(
            (MANY, integer(len(rules) - -(-d // max(f["k"] if f["name"] == "clauses" else 1 for f in families)))),
            *[(ASKS, asked(rule, families, kinds, names, form)) for rule in rules],
            (ORDER, -ln_fact(len(rules))), (SHARED, decimal(shared[0]) if shared else 0.0),
            (ROWS, pairing(len(wanted), d)), (CONSTANT, 0.0 if rules else math.log(2)))
        yield paid, wanted

def list_bill(model: File, d: int, kinds: List[str]) -> Bill:
    nodes, c, said = model["hypothesis"]["nodes"], len(model["classes"]["values"]), model["parameters"]
    tests, k, fixed, n = [test for test, _ in nodes], said.get("k"), said.get("binarize"), len(kinds)
    family = {"name": "literals" if k == 1 else "clauses", "k": k, "binarize": fixed}
    of_kinds = {"name": "conditions"}  # of lists of rules
    offered = all(
        offers(family, test, kinds, {}, "DecisionList") if k else test["type"] in ("Stump", "Literal", "Term")
        and len(test.get("literals", [])) <= 8
        and all(fits(part, of_kinds, kinds, {}) for part in test.get("literals", [test])) for test in tests)
    if not offered or (nodes and nodes[-1][1] == model["hypothesis"]["default"]): return REFUSED, []
    require((k is None) is (model["learner"] == "RuleListClassifier") and (k is None or whole(k, 1)), "No such k.")
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
    if len(units) != len(columns) or not all(whole(abs(unit), 0, 900) for unit in units): return REFUSED, []
    steps = [float(f"{(1, 2, 5)[unit % 3]}e{unit // 3}") for unit in units]
    own, steps = [card["weights"][j] for j in columns] + card["weights"][n:], steps + [1.0] * len(flags)
    points = [round(weight * step) for weight, step in zip(own, steps)]
    if [p / step for p, step in zip(points, steps)] != own or card["bias"] != round(card["bias"]): return REFUSED, []
    largest_one = max((abs(p) for p in points), default=1)
    features = columns + [flag["feature"] for flag in flags]
    forms = {"number": 5, "boolean": 2, "category": 2}
    signs = len(columns) + (len(flags) if any(p < 0 for p in card["weights"][n:]) else 0)
    reach = max(sum(map(abs, points)), 1)
    name = {"Stump": "conditions", "Literal": "literals"}
    offered = all(fits(flag, {"name": name[flag["type"]]}, kinds, {}) for flag in flags)
    low, high = (-MOST_EXACT, MOST_EXACT) if units else (-reach, reach + 1)
    if not offered or not all(whole(abs(p), 1) for p in points) or not low <= card["bias"] <= high: return REFUSED, []
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

def ways(due: Bill, said: File, rows: List[Row], kinds: List[str], delta: float) -> List[Bill]:
    """Return what it costs to name categories by rows of the set, or by how many rows have them."""
    (paid, wanted), alpha = due, said.get("spent", 0.0) / len(kinds)
    if not (alpha == 0 or math.isclose(said["spent"], SPENT * delta, rel_tol=CLOSE)): return [(REFUSED, [])]
    words, rest = ([(j, v) for j, v in wanted if (kinds[j] == "category") is so] for so in (True, False))
    having = [sum(row[j] is not None and equal(row[j], v) for row in rows) for j, v in words]
    shares = {SHARES: sum(share(n, len(rows), alpha) for n in having), ROWS: pairing(len(rest), said.get("size", 0))}
    paid = {**paid, NAMED: math.log(2)}
    return [(paid, wanted), (bill(*{**paid, **shares}.items()), rest)] if words and alpha else [due]

def bills(model: File, said: File, rows: List[Row], kinds: List[str], delta: float) -> List[Bill]:
    """Return what the message may have cost by the scheme that is restated here; nothing where none is."""
    d, learner, found = said.get("size", 0), model["learner"], []
    if learner in ("SetCoveringClassifier", "SetCoveringClassifierCV"): found = list(cover_bills(model, d, kinds))
    if learner in ("DecisionListClassifier", "RuleListClassifier"): found = [list_bill(model, d, kinds)]
    if learner == "ScoreCardClassifier": found = [card_bill(model, d, len(kinds), kinds, said["message"])]
    if found and said["type"] == "FiniteClass":  # where no example can be needed, as types and parameters say
        plain = learner == "DecisionListClassifier" or model["parameters"].get("terms") == "columns"
        require(plain and "category" not in kinds, "A model of this learner may need examples, and none are paid for.")
    return [way for due in found for way in ways(due, said, rows, kinds, delta)]

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
    if said.get("n_fitted", len(every - counting)) != len(every - counting):
        problems.append(f"{said['n_fitted']} rows are said to have made the model; {len(every - counting)} are left.")
    for sent in said.get("rows", []):
        own = digest([*rows[sent["row"]], labels[sent["row"]]]) if sent["row"] < len(rows) else None
        if sent["sha256"] != (own if len(rows[0]) <= MOST_COLUMNS else ""):
            problems.append(f"Row {sent['row']} (counted from 0) is not the one that the model is rebuilt from.")
    machine, certificate, n_classes = machine_of(model), model["certificate"], len(model["classes"]["values"])
    refused = [lacks(model, row) for row in rows]  # such a row has another answer than its class, and no line
    answers = [(y + 1) % n_classes if no else a for no, y, a in zip(refused, labels, answers_of(model, rows))]
    lines = [None if no or unread(model, row) else line_of(machine, row) for no, row in zip(refused, rows)]
    wrong = {i for i in every if answers[i] != labels[i]}
    others = 1 - max(Counter(labels).values()) / len(labels)
    told = certificate.get("majority_error")
    counted: List[Tuple[str, float, float]] = [("errors_outside", said["errors_outside"], len(wrong & counting))]
    counted += [("empirical_risk", certificate["empirical_risk"], len(wrong) / len(rows))]
    counted += [("majority_error", others if told is None else told, others)]
    if {"support", "rules"} <= machine["fitted"].keys():
        within, places = machine is not model and said["type"] == "SetApart", lines_of(model)
        due = Counter((lines[i], labels[i]) for i in (every - counting if within else every))
        all_of = Counter(lines[i] for i in (every - counting if within else every))
        for line, (code, n, right) in enumerate(zip(places, machine["fitted"]["support"], machine["fitted"]["right"])):
            counted += [(f"support of line {line}", n, all_of[line]), (f"right of line {line}", right, due[line, code])]
        require(len(places) == len(machine["fitted"]["support"]) == len(machine["fitted"]["right"]), "A line too many.")
    problems += [f"{name} is said to be {own}; {due} is counted." for name, own, due in counted if far(own, due)]
    if certificate.get("promised"):
        check_promised(model, [(rows[i], labels[i], answers[i], lines[i]) for i in sorted(counting)], problems)

def lines_of(model: File) -> List[int]:
    """Return what each line that is shown answers, last the rest."""
    machine = machine_of(model)
    said, rules = machine["hypothesis"], machine["fitted"]["rules"]
    codes = [0 if said["type"] == "Conjunction" else 1] * len(rules)
    codes.append(1 - codes[0] if rules else 1 if said["type"] == "Conjunction" else 0)
    if "nodes" in said: codes = [code for _, code in said["nodes"]] + [said["default"]]
    return [model["classes"]["values"].index(machine["classes"]["values"][code]) for code in codes]

def declared_promises(model: File) -> Tuple[List[str], File]:
    """Return what is declared to be promised beside the error: kinds, and whatever they need to know."""
    said = model["parameters"]["promises"]
    plain = not (isinstance(said, dict) and "parameters" in said)
    told: File = dict.fromkeys(items_of(said), True) if plain else said["parameters"]
    groups = told.get("groups")
    on = {**told, "groups": groups is not None, "costs": told.get("costs") not in (None, False)}
    on["rules"], on["abstain"] = told.get("rules") or told.get("abstain") is not None, told.get("abstain") is not None
    on["classes"] = told.get("classes") or bool(told.get("ceilings"))
    return [kind for kind in ("classes", "rules", "groups", "costs", "abstain") if on.get(kind)], told

def matrix(costs: Any, labels: List[Any]) -> List[List[float]]:
    if isinstance(costs, dict) and costs["type"] == "dict":
        rows = {label: dict(items_of(each)) for label, each in items_of(costs)}
        return [[float(rows.get(label, {}).get(other, 0.0)) for other in labels] for label in labels]
    return [list(map(float, items_of(row))) for row in items_of(costs)]

def check_promised(model: File, judged: List[Tuple[Row, int, int, Any]], problems: List[str]) -> None:
    """See that what is promised beside the error was declared, and was counted on the rows that count."""
    promised, classes = model["certificate"]["promised"], range(len(model["classes"]["values"]))
    kinds, told = declared_promises(model)
    places, said = lines_of(model), machine_of(model)["hypothesis"]
    pairs = Counter((y, a) for _, y, a, _ in judged)
    due: File = {"kinds": kinds, "labels": model["classes"]["values"], "level": told.get("abstain"), "groups": []}
    due.update({"answers": [], "lines": [], "runs": [], "group_counts": [], "inside": [], "group_inside": []})
    due["confusion"] = [[pairs[y, a] for a in classes] for y in classes]
    if "rules" in kinds:
        lines = Counter((line, y) for _, y, _, line in judged)
        due["answers"], due["lines"] = places, [[lines[line, y] for y in classes] for line in range(len(places))]
        fixed = inner(model["certificate"]["statements"][0])["type"] == "SetApart"
        due["runs"] = [1] * (len(places) - 1) if fixed else list(map(len, sets_of(machine_of(model))))
    if "groups" in kinds:
        j = told["groups"] if whole(told["groups"]) else model["columns"]["names"].index(told["groups"])
        texts = [str(row[j]) for row, _, _, _ in judged]
        found, known = Counter(zip(texts, (y != a for _, y, a, _ in judged))), promised["groups"]
        unlike = len({str(v) for v in known}) != len(known) or not set(texts) <= {str(v) for v in known}
        due["groups"], due["group_counts"] = None if unlike else known, [
            [found[str(v), False] + found[str(v), True], found[str(v), True]] for v in known]
    every = sorted({code for _, code in said["nodes"]} | {said["default"]}) if "nodes" in said else list(classes)
    if "nodes" not in said and not said["rules"]: every = [places[-1]]
    due["possible"] = [] if promised["possible"] == [] else every
    due["costs"] = None if told.get("costs") in (None, False, True) else matrix(told["costs"], due["labels"])
    other = [name for name, own in due.items() if own != promised.get(name, [])]
    problems.extend(f"{name} is said to be {promised.get(name)}, and {due[name]} is due." for name in other)

def check_price(model: File, said: File, rows: List[Row], kinds: List[str], problems: List[str], delta: float) -> bool:
    """See that the rows of the set supply every value, and that the message costs what the scheme asks for."""
    sums = bill(*[(i["part"].replace(MIXED, ASKS), i["nats"]) for i in said["message"] if i["part"] not in FREE])
    due = bills(model, said, rows, kinds, delta)
    if due:
        for one in sets_of(model): distinct(one, kinds)
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
    check_numbers(model)
    certificate, machine = model["certificate"], machine_of(model)
    if digest({key: value for key, value in model.items() if key != "sha256"}) != model.get("sha256"):
        problems.append("The file was altered after it was written: its digest is another one.")
    if certificate["n_samples"] != len(rows):
        problems.append(f"The certificate is about {certificate['n_samples']} rows, and the table has {len(rows)}.")
        return problems, ""
    check_arithmetic(certificate, problems)
    said, restated = inner(certificate["statements"][0]), {"nodes", "rules"} & machine.get("hypothesis", {}).keys()
    known = said["type"] in ("SampleCompression", "FiniteClass", "SetApart")
    if len(certificate["statements"]) > 1 or not known or not restated or "kmers" in kinds:
        return problems, "what it predicts, or what it rests on, is not restated here"
    try:
        check_rules(machine, kinds)
        check_counts(model, said, rows, labels, problems)
        if said["type"] == "SetApart":  # a search pays whether some rows are held out, and how they were read
            ways = {"": 1, "auto": 4}.get(str(model["parameters"].get("features", "")), 2)
            paid = {item["part"]: item["nats"] for item in said["message"]}
            if paid.keys() - FREE or paid.get(WAYS, 0.0) < math.log(ways) - CLOSE:
                problems.append(f"Held-out rows pay for {ways} ways to make a model, and {paid} is paid.")
        elif not check_price(machine, said, rows, kinds, problems, certificate["delta"]):
            return problems, "its errors were counted, but its scheme is not restated here"
    except Unable as unable: return problems, str(unable)
    return problems, ""

def conditions(model: File, na: List[str], target: str, rows: List[Row], header: List[str]) -> Iterator[str]:
    """Yield what no program can check, as the parameters and the table show it, whatever the file itself lists."""
    said, columns, before = model["certificate"]["statements"][0], model["columns"], "before the data was seen"
    names, among = columns["names"], said.get("among", 1)
    yield "the rows are independent draws from where the model will be used, and nothing was fitted on them before"
    yield f"the target, {target!r}, delta, the learner, its parameters and the kinds of columns were chosen {before}"
    others = [name for name in header if names and name not in (*names, target)]
    if others: yield f"the columns {', '.join(map(repr, others)):.300} were left out without a look at the rows"
    kinds = columns["kinds"] if isinstance(columns["kinds"], list) else [columns["kinds"]] * columns["count"]
    for j in [j for j, kind in enumerate(kinds) if kind == "category"]:
        if all(row[j] is None or row[j].replace(".", "", 1).lstrip("-").isdigit() for row in rows):
            yield f"column {names[j] if names else j!r}, whose values are numbers, was known to hold categories"
    families = [f for each in candidates(model)[0] for f in each] if "features" in model["parameters"] else []
    for name, what in (("prior", "the prior of {} was fixed"), ("categories", "the categories of {} were listed")):
        about = {j for family in families for j in declared(family, name, names)}
        shown = ", ".join(repr(names[j]) if names else f"x{j}" for j in sorted(about))
        if about: yield f"{what.format(shown)} {before}"
    if model["certificate"].get("promised"): yield f"what is promised beside the error was declared {before}"
    if among > 1 or model is not machine_of(model): yield f"it was chosen from at most {among} model{'s' * (among > 1)}"
    if inner(said)["type"] == "SetApart":
        yield f"no row that was held out helped to make the model, and how rows are drawn was chosen {before}"
    code = inner(said)["type"] in ("SampleCompression", "FiniteClass")
    yield "if it is the best of several fits, " + ("all have its code and delta" if code else "they are among those")
    if na: yield f"{', '.join(map(repr, na))} stood for missing values, too, when the model was fitted"

def main(arguments: Optional[List[str]] = None) -> int:
    """Check a file, and say what was found."""
    asks = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asks.add_argument("model", help="a model file of version 4 or later")
    asks.add_argument("table", help="a CSV file: the rows, in the order in which they were passed to fit")
    asks.add_argument("--target", help="the column that is predicted; the file may remember it")
    asks.add_argument("--na", action="append", default=[], help="more texts that stand for a missing value")
    asks.add_argument("--sep", default=",", help="what separates values")
    asks.add_argument("--decimal", default=".", help="what stands before fractions")
    asks.add_argument("--encoding", default="utf-8-sig", help="of the table, such as latin-1; UTF-8 if nothing is said")
    given = asks.parse_args(arguments)
    given.na, told = [part.strip() for text in given.na for part in text.split(",")], []
    try:
        with open(given.model, encoding="utf-8") as file:
            model = json.load(file, object_pairs_hook=strict, parse_float=finite, parse_constant=finite)
        if model.get("format") != "laconic model":
            raise Unable("This is no model file of laconic.")
        if model["version"] < 4 or not (model.get("certificate") or {}).get("statements"):
            raise Unable("not verifiable: files before version 4, and models without a promise, keep no evidence.")
        target = given.target or model.get("about", {}).get("target")
        also = sorted({*model.get("about", {}).get("na", "").split(",")} - {*MISSING, *given.na})
        if also: told.append(f"The file says that {also!r:.300} stood for missing values; say so by --na if you agree.")
        rows, labels, kinds, header, dropped = read_rows(given, model, target)
        told += dropped
        problems, why_not = check(model, rows, labels, kinds)
        unchecked = [f"- {each};" for each in conditions(model, given.na, target, rows, header)]
    except Wrong as wrong:
        problems = [str(wrong)]
    except FAILURES as error:
        why = f"{error} is missing." if isinstance(error, KeyError) else str(error)
        print("\n".join([f"It cannot be checked: {why}", *told]))
        return UNABLE
    if problems:
        print("\n".join([*(f"It differs: {problem}" for problem in problems), *told]))
        return DIFFERS
    promised = f"a risk of at most {model['certificate']['risk_bound']:.6g} at delta {model['certificate']['delta']:g}"
    yes = f"Arithmetic only ({why_not}): {promised} follows from the file" if why_not else f"Yes: {promised}"
    print("\n".join([f"{yes}, if", *unchecked[:-1], unchecked[-1][:-1] + ".", *told]))
    return ARITHMETIC_ONLY if why_not else YES

if __name__ == "__main__": sys.exit(main())
