"""Mutants: ways to spoil a certificate, each of which a test must catch.

``python -m tests.mutants`` (``make mutants``) copies the repository, spoils the copy, runs the tests that should
notice, and shows which did. Exits with 1 if a mutant survived.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Mutant:
    """A change that makes a bound too small, or dishonest.

    Parameters
    ----------
    name : str
        What is spoiled.
    edits : tuple of (str, str, str)
        A file under ``src/laconic``, the text to replace, and what to put in its place.
    tests : str
        The tests that should catch it.
    """

    name: str
    edits: tuple[tuple[str, str, str], ...]
    tests: str


BOUNDS = "certificates/_bounds.py"
PAC_BAYES = "certificates/_pac_bayes.py"
COVER = "covering/core/_scheme.py"
SOFT = "covering/soft/_scheme.py"
MINIMAL = "minimal/_scheme.py"
CARD = "scorecards/_scheme.py"
POINTS = "scorecards/_class_scheme.py"
DIGITS = "_digits.py"
SIZES = "log_ways(m, d) + math.log((d + 1) * (d + 2)) + message_nats\n    return inverted"
TAIL = "inverted_tail(k_outside, m - d, math.log(check_delta(delta)) - nats)"
COUNTED_BY_WEIGHT = (
    "rows = list(range(problem.table.n_rows))\n"
    "    heavy = rows + [row for row in rows for _ in range(int(problem.weights[row]) - 1)]\n"
    "    certificate = certify(hypothesis, problem.table.take(heavy), problem.positive[heavy],"
)
NAMING = "covering/core/_naming.py"
NORMAL = "covering/normal_forms/_estimators.py"
LINES = "monitor/_lines.py"
DECLARED = "tests/certificates/test_declared.py"
DISTINCT = "tests/certificates/test_distinct.py"
VERIFIER = "verifier/_program.py"
FORGED = "tests/verifier/test_forgeries.py"
TABLES = "tests/verifier/test_verify.py"
SHARED = "certificates/_shares.py"
NAMES = "tests/covering/test_naming.py"
LIMITED = "tests/certificates/test_shares.py"
PERCEPTRON = "halfspaces/perceptron/_scheme.py"
PICKS_ALONE = "PreferentCompression(n_rows, n_picks, 0)"
START_OF_ALL = "start = rows if self.holdout else rows.take(seed) if len(seed) else None"
ADVERSARY = "tests/simulation/test_adversary.py"
SCHEMES = "tests/simulation/test_schemes.py"
MACHINES = "tests/minimal/test_scheme.py"
AUTO = "auto/_classifier.py"
CHOSEN = "tests/auto/test_classifier.py"
VOTES = "votes/_scheme.py"
VOTED = "tests/votes/test_votes.py"
SUMS = "auto/_regressor.py"
SHORT = "tests/auto/test_regressor.py"
PROMISED = "certificates/_promised.py"
PROMISING = "_base/_promising.py"
KEPT = "tests/promises/test_promised.py"
BY_SET = "tests/promises/test_preferent.py"
MADE = "tests/promises/test_estimators.py"
KMERS = "covering/families/_kmers.py"
KNOWN = "covering/families/_known.py"
KNOWING = "tests/covering/test_prior.py"
GENOMES = "tests/genomics/test_rules.py"

MUTANTS = (
    Mutant(
        "save the order of rules that stand in a cover twice",
        ((COVER, "        check_distinct(rules)\n", ""),),
        DISTINCT,
    ),
    Mutant(
        "save the order of tests that stand in a run twice",
        (("lists/_scheme.py", "check_distinct([test for test, _ in run])", "list(run)"),),
        DISTINCT,
    ),
    Mutant(
        "save the order of terms that stand on a card twice",
        ((CARD, "    check_distinct(terms)\n", ""),),
        DISTINCT,
    ),
    Mutant(
        "let a certificate be silent about what was declared",
        (("_base/_machine.py", "assuming(*self._declared(), ", "assuming("),),
        DECLARED,
    ),
    Mutant(
        "open files whose statements have numbers out of range",
        (("model_file/_checks.py", "_check_statement(statement, certificate.delta)", "statement.bound"),),
        "tests/model_files/test_refusals.py",
    ),
    Mutant(
        "verify sets in which a rule stands twice",
        ((VERIFIER, "require(len(set(keys)) == len(keys), ", "require(True, "),),
        FORGED,
    ),
    Mutant(
        "verify with the file's own texts for missing values",
        (
            (
                VERIFIER,
                "texts, point = [*MISSING, *given.na]",
                'texts, point = [*MISSING, *given.na, *model.get("about", {}).get("na", "").split(",")]',
            ),
        ),
        FORGED,
    ),
    Mutant(
        "verify whatever is spent",
        (
            (VERIFIER, 'real(said.get("spent", 0.0), 0, delta * SPENT * (1 + CLOSE))', "True"),
            (VERIFIER, 'if not (alpha == 0 or math.isclose(said["spent"], SPENT * delta, rel_tol=CLOSE))', "if False"),
        ),
        FORGED,
    ),
    Mutant(
        "verify a choice among less than one model",
        ((VERIFIER, "require(whole(said[number], low), wrong)", "pass"),),
        FORGED,
    ),
    Mutant(
        "verify promises without counting them",
        (
            (
                VERIFIER,
                "other = [name for name, own in due.items() if own != promised.get(name, [])]",
                "other = list[str]()",
            ),
        ),
        FORGED,
    ),
    Mutant(
        "verify points that no message says",
        ((VERIFIER, 'if [p / step for p, step in zip(points, steps)] != own or card["bias"]', 'if card["bias"]'),),
        FORGED,
    ),
    Mutant(
        "verify conditions that no family offers",
        ((VERIFIER, "return all(fits(part, family, kinds, known) for part in parts)", "return True"),),
        FORGED,
    ),
    Mutant(
        "verify a set of rows in any order",
        ((VERIFIER, "sent == sorted(set(sent))", "True"),),
        FORGED,
    ),
    Mutant(
        "verify rules that are shown and do not decide",
        ((VERIFIER, "require(Counter(here) == Counter(key(rule, kinds) for rule in own), ", "require(True, "),),
        FORGED,
    ),
    Mutant(
        "verify statements of a finite class where rows may be needed",
        ((VERIFIER, 'require(plain and "category" not in kinds, ', "require(True, "),),
        FORGED,
    ),
    Mutant(
        "read numbers as flags",
        ((VERIFIER, 'or (kind == "boolean" and value not in (0.0, 1.0))', ""),),
        TABLES,
    ),
    Mutant(
        "say yes without what was declared",
        ((VERIFIER, 'if about: yield f"{what.format(shown)} {before}"', "del about, shown"),),
        TABLES,
    ),
    Mutant(
        "choose a normal form's code by what a column turned out to hold",
        ((NORMAL, "return may_need_examples(table) or (", 'return "category" in table.kinds or ('),),
        DECLARED,
    ),
    Mutant(
        "promise by line with a code of functions",
        ((NORMAL, 'or (wanted is not None and "rules" in wanted.kinds)', ""),),
        DECLARED,
    ),
    Mutant(
        "watch lines that a code of functions does not fix",
        ((LINES, "or any(item.part == COUNTS_FUNCTIONS for item in said.message)", ""),),
        DECLARED,
    ),
    Mutant(
        "name k-mers by their example for nothing",
        ((KMERS, "return which + choice_nats(template.n_kmers)", "return which"),),
        f"{ADVERSARY} {GENOMES}",
    ),
    Mutant(
        "do not pay whether a k-mer is there or not",
        ((KMERS, " + choice_nats(2 if self.negated else 1)\n", "\n"),),
        GENOMES,
    ),
    Mutant(
        "let a list of k-mers be free",
        ((KMERS, "which = choice_nats(2 if self._weights else 1) + ", "which = "),),
        GENOMES,
    ),
    Mutant(
        "the cheaper of a prior over columns and equal shares for nothing",
        ((KNOWN, "return either_nats(listed_nats(", "return min(listed_nats("),),
        KNOWING,
    ),
    Mutant(
        "let what a prior lists be free",
        ((KNOWN, "return weight_nats(float(prior[key]), math.fsum(prior.values()))", "return choice_nats(1)"),),
        f"{KNOWING} {GENOMES}",
    ),
    Mutant(
        "let rules speak of k-mers that no genome of the sample has",
        ((KMERS, "only_present=True", "only_present=False"),),
        GENOMES,
    ),
    Mutant(
        "drop the message term",
        ((BOUNDS, SIZES, SIZES.replace(" + message_nats", "")),),
        ADVERSARY,
    ),
    Mutant(
        "count errors inside the set",
        (("certificates/_sealing.py", "outside = n_wrong - n_inside", "outside = n_wrong"),),
        SCHEMES,
    ),
    Mutant(
        "finish on the rows set apart for nothing",
        (
            (
                "certificates/_apart.py",
                "self.message_nats, self.errors_outside, delta)",
                "0.0, self.errors_outside, delta)",
            ),
        ),
        "tests/certificates/test_apart.py",
    ),
    Mutant(
        "count the rows that chose as tested",
        (("certificates/_apart.py", "occam_bound(self.n_samples,", "occam_bound(self.n_samples + self.n_fitted,"),),
        "tests/certificates/test_apart.py",
    ),
    Mutant(
        "candidates that could not read the table, for nothing",
        (("covering/core/_grid.py", "max(self.n_listed, len(self.features))", "len(self.features)"),),
        "tests/covering/test_auto.py",
    ),
    Mutant(
        "a machine of some rows, or of all, for nothing",
        (("covering/core/_apart.py", "choice_nats(N_WAYS * n_readings)", "choice_nats(n_readings)"),),
        "tests/covering/test_auto.py",
    ),
    Mutant(
        "a machine of some rows that was chosen on all",
        (
            (
                "covering/core/_search_estimators.py",
                "self._choose_by_folds(take_where(sample, ~apart), grid, **axes)",
                "self._choose_by_folds(sample, grid, **axes)",
            ),
        ),
        "tests/covering/test_auto.py",
    ),
    Mutant(
        "Maurer's constant for one row",
        ((PAC_BAYES, "log_maurer_constant(m - d) if exact", "log_maurer_constant(1) if exact"),),
        "tests/covering/test_soft_estimator.py -k maurer",
    ),
    Mutant("take the set for tested rows", ((BOUNDS, TAIL, TAIL.replace("m - d", "m")),), ADVERSARY),
    Mutant(
        "forget the union over sizes",
        ((BOUNDS, SIZES, SIZES.replace(" + math.log((d + 1) * (d + 2))", "")),),
        ADVERSARY,
    ),
    Mutant(
        "forget the choice of the set",
        ((BOUNDS, SIZES, SIZES.replace("log_ways(m, d) + ", "")),),
        ADVERSARY,
    ),
    Mutant(
        "twice delta",
        ((BOUNDS, TAIL, TAIL.replace("math.log(check_delta(delta))", "math.log(min(2 * check_delta(delta), 1))")),),
        ADVERSARY,
    ),
    Mutant(
        "frequent categories for nothing",
        ((NAMING, 'price = choice + shares.called("which category, by how many rows have it")', "price = choice"),),
        NAMES,
    ),
    Mutant(
        "how categories are named for nothing",
        ((NAMING, "choice_nats(2 if any(named) else 1)", "choice_nats(1)"),),
        NAMES,
    ),
    Mutant(
        "limits of all columns for the price of one",
        ((NAMING, "share_nats(n, n_samples, spent / table.n_columns)", "share_nats(n, n_samples, spent)"),),
        NAMES,
    ),
    Mutant(
        "nothing spent on limits by machines that could not use them",
        ((COVER, "nats=nats, spent=spent_on_limits(problem.table, delta)", "nats=nats"),),
        NAMES,
    ),
    Mutant(
        "rows set apart beside limits that are spent on, for nothing",
        (("covering/core/_apart.py", "nats += limits_nats(sample.table)", "nats += 0.0"),),
        NAMES,
    ),
    Mutant(
        "limits for nothing",
        (("certificates/_statements.py", "left = delta - self.spent", "left = delta"),),
        LIMITED,
    ),
    Mutant(
        "limits of one value, as if there were no others",
        ((SHARED, "<= ln_alpha + math.log(share)", "<= ln_alpha"),),
        LIMITED,
    ),
    Mutant(
        "the share of the rows as the chance",
        ((SHARED, "return low * (1.0 - _HAIR)", "return n / m"),),
        LIMITED,
    ),
    Mutant(
        "the smaller of two bounds, delta not split",
        (
            (
                "certificates/_statements.py",
                "bound_by_share(statement, delta, len(statements))",
                "statement.bound(delta)",
            ),
        ),
        SCHEMES,
    ),
    Mutant(
        "greedy order sent for nothing",
        (
            (
                "certificates/_scheme.py",
                "rows = rows[order_by_value(table.take(rows), labels[rows])]",
                "rows = np.array(list(dict.fromkeys(filled.tolist())), dtype=np.int64)",
            ),
            (COVER, "+ pairing_nats(n_slots, n_examples)", "+ 0.0"),
        ),
        SCHEMES,
    ),
    Mutant(
        "who serves whom sent for nothing",
        ((COVER, "+ pairing_nats(n_slots, n_examples)", "+ 0.0"),),
        "tests/covering/test_scheme.py",
    ),
    Mutant(
        "a real-valued scale sent for nothing",
        (
            (
                "covering/families/_balls.py",
                "return repeats_nats(templates[0].scale) if templates else 0.0",
                "return 0.0",
            ),
        ),
        "tests/covering/test_balls.py -k kraft",
    ),
    Mutant(
        "a category from outside the set",
        (
            (
                "covering/families/_literals.py",
                "if not isinstance(rule, Literal) or rule.feature in (self.categories or {}):",
                "if not isinstance(rule, Literal) or rule.category is not None:",
            ),
            (
                "covering/families/_literals.py",
                "return choice_nats(len((self.categories or {})[template.rule.feature]))",
                "return 0.0",
            ),
        ),
        SCHEMES,
    ),
    Mutant(
        "m as a sum of weights",
        ((COVER, "certificate = certify(hypothesis, problem.table, problem.positive,", COUNTED_BY_WEIGHT),),
        "tests/simulation",
    ),
    Mutant(
        "the form chosen by the data for nothing",
        ((COVER, "nats = encoding.nats + choice_nats(n_choices)", "nats = encoding.nats"),),
        SCHEMES,
    ),
    Mutant(
        "the shorter of two codes for nothing",
        (("covering/families/_ball_scheme.py", "nats=shortest.nats + choice_nats(2)", "nats=shortest.nats"),),
        "tests/covering/test_balls.py -k shorter",
    ),
    Mutant(
        "theorem 2 without its constant",
        ((PAC_BAYES, "message_nats + constant - math.log(delta)", "message_nats - math.log(delta)"),),
        SCHEMES,
    ),
    Mutant(
        "theorem 2 with centres among the tested rows",
        ((SOFT, "outside = np.delete(risks, centers)", "outside = risks"),),
        SCHEMES,
    ),
    Mutant(
        "the vote bounded like one draw",
        ((PAC_BAYES, "return min(2 * gibbs, 1.0) if self.vote else gibbs", "return gibbs"),),
        SCHEMES,
    ),
    Mutant(
        "the largest radius read off the data for nothing",
        ((SOFT, "radius = signed_nats(radius_exponent(solution)) if", "radius = Nats() if"),),
        "tests/covering/test_soft_estimator.py -k radius",
    ),
    Mutant(
        "a largest radius that a grid search may have chosen, for nothing",
        ((SOFT, "max_radius is None else power_nats(max_radius)", "max_radius is None else Nats()"),),
        "tests/covering/test_soft_estimator.py -k radius",
    ),
    Mutant(
        "inner and outer borders sent for nothing",
        ((SOFT, "pairs_nats([0.0] * len(balls), len(pairing), len(rows), most)", "Nats()"),),
        "tests/covering/test_soft_estimator.py -k rests",
    ),
    Mutant(
        "a list's order sent for nothing",
        (("lists/_scheme.py", "total(map(unordered_nats, runs))", "unordered_nats(each)"),),
        "tests/lists/test_decision_lists.py",
    ),
    Mutant(
        "a list's classes sent for nothing",
        (
            (
                "lists/_scheme.py",
                "classes = choices_nats(len(each), n_classes) + choice_nats(n_classes - 1)",
                "classes = Nats()",
            ),
        ),
        "tests/lists/test_decision_lists.py",
    ),
    Mutant(
        "names of categories in a sum for nothing",
        (("_indicators.py", "named_nats(len(named), len(rows), n_columns) if may_name(table) else 0.0", "0.0"),),
        "tests/halfspaces/test_categories.py",
    ),
    Mutant(
        "indicators in the order of the message, and their order for nothing",
        (("_indicators.py", "return tuple(sorted(found, key=by_value))", "return tuple(found)"),),
        "tests/halfspaces/test_categories.py",
    ),
    Mutant(
        "how many conditions a line has, for nothing",
        (("lists/_conditions.py", "return choices_nats(size, 2)", "return Nats()"),),
        "tests/lists/test_rule_lists.py -k kraft",
    ),
    Mutant(
        "directions of conditions for nothing",
        (("lists/_conditions.py", "choice_nats(2 * n_columns)", "choice_nats(n_columns)"),),
        "tests/lists/test_rule_lists.py -k kraft",
    ),
    Mutant(
        "thresholds of a list from outside the set",
        (
            (
                "lists/_conditions.py",
                "templates: list[Any] = [_family(condition).template(condition) for",
                "templates: list[Any] = [FixedRule(condition) for",
            ),
            (
                "lists/_conditions.py",
                "from laconic.lists._climbing import Condition",
                "from laconic.covering.core._templates import FixedRule\nfrom laconic.lists._climbing import Condition",
            ),
            ("lists/_conditions.py", "return list(chain.from_iterable(", "return [] and list(chain.from_iterable("),
        ),
        "tests/lists/test_rule_lists.py -k costs",
    ),
    Mutant(
        "the better of two priors for nothing",
        (
            (
                "certificates/_codes.py",
                "nats = cheap + math.log(2) - math.log1p(math.exp(cheap - dear))",
                "nats = cheap",
            ),
        ),
        "tests/covering/test_normal_forms.py",
    ),
    Mutant(
        "a DNF of rows with gaps counted like a CNF",
        (("covering/normal_forms/_estimators.py", "missing=True, form=self.form", 'missing=True, form="cnf"'),),
        "tests/covering/test_normal_forms.py",
    ),
    Mutant(
        "the threshold of all columns for nothing",
        (("covering/families/_literals.py", "return decimal_nats(self.binarize) if any(", "return 0.0 if any("),),
        "tests/covering/test_normal_forms.py tests/lists/test_decision_lists.py",
    ),
    Mutant(
        "which columns of a perceptron hold categories, for nothing",
        ((PERCEPTRON, "+ kinds_nats(stream.table)", ""),),
        "tests/halfspaces/test_perceptron_categories.py -k paid",
    ),
    Mutant(
        "the same, of hypotheses on the way",
        ((PERCEPTRON, "if nats else statement", "if False else statement"),),
        "tests/halfspaces/test_perceptron_categories.py -k paid",
    ),
    Mutant(
        "a perceptron whose inputs are the frequent categories of the rows, for nothing",
        (("halfspaces/perceptron/_walk.py", "indicators(table, 1, None)", "indicators(table)"),),
        "tests/halfspaces/test_perceptron_categories.py",
    ),
    Mutant(
        "a perceptron's number of passes for nothing",
        ((PERCEPTRON, "others, _said_nats(stream, n_passes))", "others, 0.0 * n_passes)"),),
        "tests/halfspaces/test_perceptron.py -k stored",
    ),
    Mutant(
        "a perceptron that forgets the rows still wrong",
        ((PERCEPTRON, "len(corrected) + others, others,", "len(corrected), 0,"),),
        f"{SCHEMES} -k MarginPerceptron",
    ),
    Mutant(
        "a perceptron's set without the rows still wrong",
        ((PERCEPTRON, "np.union1d(corrected, np.flatnonzero(_wrong(hypothesis, stream)))", "np.unique(corrected)"),),
        f"{SCHEMES} -k MarginPerceptron",
    ),
    Mutant(
        "a perceptron that takes rows in the order in which they came",
        (
            (
                "halfspaces/perceptron/_estimators.py",
                "check_random_state(self._draw_seed()).permutation(training.table.n_rows)",
                "np.arange(training.table.n_rows)",
            ),
        ),
        "tests/halfspaces/test_perceptron.py -k drawn",
    ),
    Mutant(
        "hypotheses tested on the rows that made them",
        (("halfspaces/perceptron/_walk.py", "stream.positive)[starts[place] :]", "stream.positive)"),),
        "tests/halfspaces/test_perceptron.py -k tested",
    ),
    Mutant(
        "the best of many tested hypotheses for nothing",
        (("halfspaces/perceptron/_walk.py", "integer_nats(self.number - 1)", "integer_nats(0)"),),
        "tests/halfspaces/test_perceptron.py -k tested",
    ),
    Mutant(
        "the best of many hypotheses for nothing",
        ((PERCEPTRON, "_which(survivor.number)), nats)", "Nats()), nats)"),),
        "tests/halfspaces/test_perceptron.py -k online",
    ),
    Mutant(
        "which rows a halfspace touches sent for nothing",
        (
            (
                "halfspaces/intersection/_scheme.py",
                "return placed + subset_nats(n_examples, len(self.members))",
                "return placed + Nats()",
            ),
        ),
        "tests/halfspaces/test_intersection.py",
    ),
    Mutant(
        "gap or vertex sent for nothing",
        (
            (
                "halfspaces/intersection/_scheme.py",
                'placed = choice_nats(2).called("whether a halfspace is at a vertex")',
                "placed = Nats()",
            ),
        ),
        "tests/halfspaces/test_intersection.py",
    ),
    Mutant(
        "a class code for nothing",
        (
            (
                "lists/_neural_scheme.py",
                'return codes.called("which word of digits each class has") + lists',
                "return lists",
            ),
        ),
        "tests/lists/test_neural_lists.py",
    ),
    Mutant(
        "the number of digits for nothing",
        ((DIGITS, "digits = integer_nats(self.digits - 1) + integer_nats(self.fraction)", "digits = Nats()"),),
        "tests/test_digits.py -k kraft",
    ),
    Mutant(
        "which columns a halfspace uses for nothing",
        ((DIGITS, "weights = subset_nats(self.n_columns, n_used) +", "weights ="),),
        "tests/test_digits.py -k share",
    ),
    Mutant(
        "the exponents of columns for nothing",
        ((DIGITS, "choice_nats(len(GRIDS)) + repeats_nats(self.exponents)", "choice_nats(len(GRIDS))"),),
        "tests/test_digits.py -k kraft",
    ),
    Mutant(
        "the size of a constant for nothing",
        ((DIGITS, "signed_nats(length - self.digits - self.fraction) + choices_nats(length, 2)", "Nats()"),),
        "tests/test_digits.py -k share",
    ),
    Mutant(
        "how many halfspaces of few digits there are, for nothing",
        (
            (
                "halfspaces/intersection/_scheme.py",
                "self.halfspaces.shared_nats + _how_many(each)",
                "self.halfspaces.shared_nats",
            ),
        ),
        "tests/test_digits.py -k kraft",
    ),
    Mutant(
        "how many nodes of few digits there are, for nothing",
        (
            (
                "lists/_neural_scheme.py",
                "self.tests.shared_nats + _how_many(each)",
                "self.tests.shared_nats",
            ),
        ),
        "tests/test_digits.py -k kraft",
    ),
    Mutant(
        "rows or digits, whichever is shorter, for nothing",
        (("_rounding.py", 'price = choice_nats(2 if code == "auto" else 1)', "price = choice_nats(1)"),),
        "tests/test_digits.py -k choice",
    ),
    Mutant(
        "rows or digits of a minimal machine, for nothing",
        (
            (
                "minimal/_estimators.py",
                'choice = choice_nats(2 if self.code == "auto" else 1)',
                "choice = choice_nats(1)",
            ),
        ),
        "tests/test_digits.py -k choice",
    ),
    Mutant(
        "errors counted for the machine before it was rounded",
        (("minimal/_estimators.py", "return shorter, rounded", "return hypothesis, rounded"),),
        "tests/test_digits.py -k stored",
    ),
    Mutant(
        "rows or digits of a tube, for nothing",
        (
            (
                "minimal/_regression_estimators.py",
                'choice = choice_nats(2 if self.code == "auto" else 1)',
                "choice = choice_nats(1)",
            ),
        ),
        "tests/minimal/test_categories.py -k price",
    ),
    Mutant(
        "the unit of a tube in few digits for nothing",
        (
            (
                "minimal/_thinning.py",
                'nats = encoding.nats + signed_nats(unit).called("the unit")',
                "nats = encoding.nats",
            ),
        ),
        "tests/minimal/test_categories.py -k price",
    ),
    Mutant(
        "a band measured before the tube was rounded",
        (("minimal/_regression_estimators.py", "return shorter, rounded", "return hypothesis, rounded"),),
        f"{SCHEMES} -k MinimalComplexityRegressor",
    ),
    Mutant(
        "a minimal machine whose categories are read off all rows for nothing",
        (("minimal/_machine.py", "encoding = problem.wide.named(alone, answers)", "encoding = alone"),),
        "tests/minimal/test_categories.py",
    ),
    Mutant(
        "a tube whose examples that name categories are counted as if they were new",
        (("minimal/_measuring.py", "isinstance(encoding.message.digits, Digits))", "True)"),),
        "tests/minimal/test_categories.py -k name",
    ),
    Mutant(
        "on which margin a row is sent for nothing",
        ((MINIMAL, "n_kinds if self.is_simple", "1 if self.is_simple"),),
        f"{MACHINES} -k prefix_code",
    ),
    Mutant(
        "which rows are on a margin sent for nothing",
        ((MINIMAL, "set_nats(n_candidates, n_chosen) if self.is_simple", "Nats() if self.is_simple"),),
        f"{MACHINES} -k flags",
    ),
    Mutant(
        "which rows are a kernel's points sent for nothing",
        ((MINIMAL, "nats += subset_nats(n_examples, len(self.pivots))", "nats += Nats()"),),
        f"{MACHINES} -k prefix_code",
    ),
    Mutant(
        "a kernel's gamma for nothing",
        (("minimal/_features.py", "nats += power_nats(self.gamma)", "nats += Nats()"),),
        f"{MACHINES} -k charged",
    ),
    Mutant(
        "the width of the tube for nothing",
        ((MINIMAL, "nats += decimal_nats(self.epsilon)", "nats += Nats()"),),
        f"{MACHINES} -k charged",
    ),
    Mutant(
        "a band that ends one row too early",
        (("certificates/_bands.py", "among[most])", "among[most + 1])"),),
        "tests/certificates/test_bands.py",
    ),
    Mutant(
        "a band chosen by the count that it gets, ties and all",
        (
            (
                "certificates/_about.py",
                "    errors_outside: Count\n\n    def counted",
                "    errors_outside: Count\n\n    def bound(self, delta: float) -> float:\n"
                "        return replace(self.statement, errors_outside=self.errors_outside).bound(delta)\n\n"
                "    def counted",
            ),
        ),
        "tests/certificates/test_bands.py",
    ),
    Mutant(
        "a tube judged by the rows that made it",
        (
            (
                "minimal/_measuring.py",
                "outside[encoding.rows] = False",
                "outside[encoding.rows[:1]] = False",
            ),
        ),
        f"{SCHEMES} -k MinimalComplexityRegressor",
    ),
    Mutant(
        "a choice among models for nothing",
        (
            (
                "certificates/_about.py",
                "bound_by_share(self.statement, delta, self.among)",
                "self.statement.bound(delta)",
            ),
        ),
        "tests/certificates/test_statements.py -k best_of_many",
    ),
    Mutant(
        "Pick-to-Learn with twice delta",
        (
            (
                "certificates/_preferent.py",
                "target = math.log(check_delta(delta))",
                "target = math.log(min(2 * check_delta(delta), 1))",
            ),
        ),
        f"tests/certificates/test_preferent.py {SCHEMES}",
    ),
    Mutant(
        "Pick-to-Learn with an uncounted seed",
        (
            (
                "certified/_promise.py",
                "n_rows, n_wrong, notes = len(wrong) - n_seed,",
                "n_rows, n_wrong, notes = len(wrong),",
            ),
        ),
        f"{SCHEMES} -k Certified",
    ),
    Mutant(
        "any estimator fitted to its held-out rows, too",
        (("certified/_estimators.py", "start = rows.take(seed) if len(seed) else None", START_OF_ALL),),
        "tests/certified/test_holdout.py -k held_out",
    ),
    Mutant(
        "any estimator whose training rows count as held-out ones",
        (
            (
                "certified/_promise.py",
                "return SetApart(n_rows, n_wrong, len(sent.learner.start))",
                "return SetApart(n_rows + len(sent.learner.start), n_wrong, len(sent.learner.start))",
            ),
        ),
        "tests/certified/test_holdout.py -k counts",
    ),
    Mutant(
        "Pick-to-Learn that forgets the rows still wrong",
        (
            ("certified/_promise.py", "picks if _untouched(sent) else np.union1d", "picks if True else np.union1d"),
            ("certified/_promise.py", "PreferentCompression(n_rows, n_picks + n_wrong, n_wrong)", PICKS_ALONE),
        ),
        f"{SCHEMES} -k Certified",
    ),
    Mutant(
        "Pick-to-Learn with rows still wrong among the set, and not counted",
        (("certified/_promise.py", "PreferentCompression(n_rows, n_picks + n_wrong, n_wrong)", PICKS_ALONE),),
        f"{ADVERSARY} -k early",
    ),
    Mutant(
        "Pick-to-Learn without a pick that is still wrong",
        (("certified/_promise.py", "n_rows, len(picks), n_wrong)", "n_rows, int((~wrong[picks]).sum()), n_wrong)"),),
        "tests/certified/test_estimator.py -k still_wrong",
    ),
    Mutant(
        "Pick-to-Learn with all of delta for each stage",
        (
            (
                "certified/_promise.py",
                "share = integer_nats(sent.n_fits if sent.learner.started else sent.n_fits - 1)",
                "share = integer_nats(0)",
            ),
        ),
        "tests/certified/test_estimator.py -k select_bound",
    ),
    Mutant(
        "a tolerance that is widened by the size of the targets",
        (
            (
                "certificates/_tolerance.py",
                "np.abs(predicted - targets) <= tolerance",
                "np.abs(predicted - targets) <= tolerance + 1e-9 * np.abs(targets)",
            ),
        ),
        "tests/certificates/test_tolerance.py",
    ),
    Mutant(
        "picks that list the categories of all rows",
        (("certified/_picks.py", "categories = own_categories(rows.X)", "categories: dict[str, object] = {}"),),
        "tests/certified/test_handing.py",
    ),
    Mutant(
        "a machine among picked rows that keeps its own promise",
        (
            (
                "certified/_estimators.py",
                "if fitted.model is not self.initial and self.holdout is None:",
                "if False:",
            ),
        ),
        "tests/certified/test_handing.py -k picked",
    ),
    Mutant(
        "how a digit splits the classes, for nothing",
        (("lists/_neural_estimators.py", "price = choice_nats(2 ** len(classes) - 2)", "price = choice_nats(1)"),),
        "tests/lists/test_neural_lists.py -k splits",
    ),
    Mutant(
        "something else that the rows chose, for nothing",
        (("certificates/_statements.py", "message_nats=self.message_nats + price", "message_nats=price"),),
        "tests/certificates/test_statements.py -k paying",
    ),
    Mutant(
        "a choice that hides that a model goes without examples",
        (("certificates/_about.py", "return self.statement.by_message", "return False"),),
        "tests/cli/test_prices.py",
    ),
    Mutant(
        "columns kept because of what they hold, for nothing",
        (("cli/_prices.py", "kept = left_out_nats(width, width - n_kept)", "kept = 0.0"),),
        "tests/cli/test_prices.py",
    ),
    Mutant(
        "a table of points whose columns the rows showed, for nothing",
        (("cli/_prices.py", "return kept + kinds_nats(n_kept) + unaided", "return 0.0"),),
        "tests/cli/test_prices.py -k points",
    ),
    Mutant(
        "the width of the columns that are left",
        (("cli/_prices.py", "set_nats(width, size) - set_nats(n_kept, size)", "0.0 * size"),),
        "tests/cli/test_prices.py",
    ),
    Mutant(
        "kinds of columns read off the rows, for nothing",
        (("cli/_prices.py", "return kinds_nats(_n_columns(literals))", "return 0.0"),),
        "tests/cli/test_prices.py",
    ),
    Mutant(
        "kinds of columns of no declared type, for nothing",
        ((COVER, "return kinds_nats(n_named)", "return kinds_nats(0)"),),
        "tests/covering/test_scheme.py -k declares",
    ),
    Mutant(
        "conditions that follow the kinds of the columns, for nothing",
        (
            (
                "cli/_prices.py",
                "return math.log(2) + (kinds_nats(_n_columns(named)) if literals else 0.0)",
                "return 0.0",
            ),
        ),
        "tests/cli/test_prices.py",
    ),
    Mutant(
        "lists that see the rows set apart",
        (
            (
                VOTES,
                "VoteMessage(table.take(~apart), codes[~apart], n_classes, manner)",
                "VoteMessage(table, codes, n_classes, manner)",
            ),
        ),
        VOTED,
    ),
    Mutant(
        "voters judged on the rows that they saw",
        ((VOTES, "np.setdiff1d(np.arange(table.n_rows), bag) for bag in seen", "bag for bag in seen"),),
        VOTED,
    ),
    Mutant(
        "columns that lists may read as anything, for nothing",
        ((VOTES, "delta, reading_nats(table, apart))", "delta)"),),
        VOTED,
    ),
    Mutant(
        "columns that lists of all rows may read as anything, for nothing",
        ((VOTES, "manner), shown)", "manner))"),),
        VOTED,
    ),
    Mutant(
        "the machine's choice by rows set apart",
        ((AUTO, "search(rows.take(~apart),", "search(rows,"),),
        CHOSEN,
    ),
    Mutant(
        "rows that chose, counted as set apart",
        (
            (
                AUTO,
                "certify_apart(predicted != codes, apart, self.delta, nats)",
                "certify_apart(predicted != codes, apart == apart, self.delta, nats)",
            ),
        ),
        CHOSEN,
    ),
    Mutant(
        "rows set apart by their labels",
        ((AUTO, "apart = self.set_apart(len(labels))", "apart = training.codes == 0"),),
        CHOSEN,
    ),
    Mutant(
        "columns that anything may stand in, read for nothing",
        ((AUTO, "nats = reading_nats(table, apart)", "nats = 0.0"),),
        CHOSEN,
    ),
    Mutant(
        "the machine's own certificate, as if it were not chosen",
        ((AUTO, "machine.certificate_ = self.certificate_ = found", "self.certificate_ = found"),),
        CHOSEN,
    ),
    Mutant(
        "the smallest bound, the share of those that could not be tried for nothing",
        (
            (
                "auto/_classifier_search.py",
                "among = 1 + sum(len(entry.settings) for entry in portfolio)",
                "among = 1 + sum(len(entry.settings) for entry in portfolio if entry.learner.reads != 'numbers')",
            ),
        ),
        CHOSEN,
    ),
    Mutant(
        "a sum chosen by rows set apart",
        ((SUMS, "search(table.take(~apart), targets[~apart],", "search(table, targets,"),),
        SHORT,
    ),
    Mutant(
        "a band made by the rows that chose",
        ((SUMS, "return Residuals(distances, apart,", "return Residuals(distances, ~apart,"),),
        SHORT,
    ),
    Mutant("the narrowest of many bands for nothing", ((SUMS, "nats += self._choice_nats()", "nats += 0.0"),), SHORT),
    Mutant(
        "the narrowest of many bands, each length for nothing",
        ((SUMS, "len(self._families) * min(int(self.max_words), MOST_WORDS) + 1", "len(self._families)"),),
        SHORT,
    ),
    Mutant(
        "columns that a sum may read as anything, for nothing",
        ((SUMS, "reading_nats(table, apart)", "0.0"),),
        SHORT,
    ),
    Mutant(
        "a table that was read with the rows set apart, for nothing",
        (("cli/_prices.py", "return left_out_nats(ready.width, n_other) + n_other * math.log(4)", "return 0.0"),),
        "tests/cli/test_prices.py",
    ),
    Mutant(
        "the points of a card sent for nothing",
        ((CARD, "choice_nats(FORMS[kinds[template.feature]]) + choice_nats(largest)", "choice_nats(2)"),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "the constant of a card sent for nothing",
        ((CARD, "constant = signed_nats(card.bias) if units else choice_nats(2 * reach + 2)", "constant = Nats()"),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "the units of a card sent for nothing",
        ((CARD, '        + repeats_nats(units).called("the units of the columns")\n', ""),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "the points of a table of points sent for nothing",
        ((POINTS, " + choices_nats(n_points, 2 * largest))", ")"),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "the classes of a table of points sent for nothing",
        ((POINTS, "which = choice_nats(n_classes) + set_nats(n_classes, n_points)", "which = Nats()"),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "the starts of a table of points sent for nothing",
        ((POINTS, "total(integer_nats(each) for each in message.start)", "total([])"),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "categories of halfspaces for nothing",
        (("_wide.py", "encoding.nats + message.nats(self.table.n_columns, len(every))", "encoding.nats + 0.0"),),
        "tests/test_wide.py -k paid",
    ),
    Mutant(
        "categories of halfspaces from outside the set",
        (("_wide.py", "every = np.union1d(encoding.rows, rows).astype(np.int64)", "every = rows"),),
        "tests/test_wide.py",
    ),
    Mutant(
        "a category of a known domain in a clause for nothing",
        (("covering/families/_clauses.py", "math.fsum(map(self._literals.domain_nats, template.literals))", "0.0"),),
        "tests/covering/test_scheme.py -k clauses",
    ),
    Mutant(
        "the number of terms of a card in a list for nothing",
        ((CARD, "return how_many + template_nats", "return template_nats"),),
        "tests/scorecards -k price",
    ),
    Mutant(
        "a threshold of a card from outside the set",
        (
            (CARD, "[np.asarray(table.numbers(term.feature) == term.threshold)]", "[]"),
            (CARD, "        return StumpTemplate(term.feature, term.greater)\n", "        return FixedStump(term)\n"),
            (
                CARD,
                "@dataclass(frozen=True, slots=True)\nclass CardMessage",
                "class FixedStump:\n"
                "    n_slots = 0\n\n"
                "    def __init__(self, rule):\n"
                "        self.rule, self.feature = rule, rule.feature\n\n"
                "    def fill(self, *_):\n"
                "        return self.rule\n\n\n"
                "@dataclass(frozen=True, slots=True)\nclass CardMessage",
            ),
        ),
        "tests/scorecards -k examples",
    ),
    Mutant(
        "promises without their share among the kinds",
        ((PROMISED, " + math.log(len(self.kinds)) + ", " + "),),
        KEPT,
    ),
    Mutant(
        "promises without their share within a kind",
        ((PROMISED, " + math.log(max(self.tails(kind), 1))", ""),),
        KEPT,
    ),
    Mutant(
        "one end of two for nothing",
        ((PROMISED, '"rules": 2 * len(self.lines)', '"rules": len(self.lines)'),),
        KEPT,
    ),
    Mutant(
        "confusions of several classes for nothing",
        ((PROMISED, "2 * n_classes + several * n_classes * n_classes", "2 * n_classes"),),
        KEPT,
    ),
    Mutant(
        "all of delta to the error, and promises beside it",
        (("certificates/_asked.py", "HEADLINE * self.delta", "self.delta"),),
        KEPT,
    ),
    Mutant(
        "promises that do not pay for set and message",
        (("certificates/_asked.py", " - statement.shared_nats()", ""),),
        KEPT,
    ),
    Mutant(
        "an order of lines that was not sent, for nothing",
        ((PROMISED, "return math.log(length) + log_binomial(length - 1, place)", "return 0.0"),),
        KEPT,
    ),
    Mutant(
        "lists that are taken to be sent in order",
        (("_base/_rules.py", "return tuple(map(len, sets))", "return (1,) * len(self.rules_)"),),
        MADE,
    ),
    Mutant(
        "which lines answer, for nothing",
        ((PROMISED, "order + len(self.lines) * math.log(2.0)", "order"),),
        KEPT,
    ),
    Mutant(
        "class rates over all rows of the table",
        (
            (
                PROMISING,
                "codes, predicted = judged.training.codes[outside], judged.predicted[outside]",
                "codes, predicted = judged.training.codes, judged.predicted",
            ),
        ),
        MADE,
    ),
    Mutant(
        "lines counted on all rows",
        (
            (
                PROMISING,
                "decided = lines.decided[outside]\n",
                "decided, codes = lines.decided, judged.training.codes\n",
            ),
        ),
        MADE,
    ),
    Mutant(
        "a binomial tail of fractional costs",
        (
            (
                PROMISED,
                "kl_inverse(min(mean * _ROUNDING, 1.0), -tail / rows)",
                "binomial_tail_inversion_log(int(mean * rows), rows, tail)",
            ),
        ),
        KEPT,
    ),
    Mutant(
        "the cost of the pairs that were seen",
        ((PROMISED, "(cost, binomial_tail_inversion_log(count, rows, tail))", "(cost, count / max(rows, 1))"),),
        KEPT,
    ),
    Mutant(
        "groups that were never seen are never wrong",
        ((PROMISED, "rows, wrong = (0, 0) if place", "rows, wrong = (1000, 0) if place"),),
        KEPT,
    ),
    Mutant(
        "a class promised by the rows of all classes",
        ((PROMISED, "_changed(self.inside[code], rows[code], tail)", "_changed(self.inside[code], sum(rows), tail)"),),
        BY_SET,
    ),
    Mutant(
        "a preferent set that does not share among classes",
        ((PROMISED, "(1 + several) * n_classes if self.inside", "1 if self.inside"),),
        BY_SET,
    ),
    Mutant(
        "a preferent set that does not pay for the passes, or when it stopped, once more",
        (("certificates/_preferent.py", "        return self.message_nats\n", "        return 0.0\n"),),
        BY_SET,
    ),
    Mutant(
        "rows of a preferent set that are wrong do not count",
        (
            (
                PROMISING,
                "judged.training.codes[inside], minlength",
                "judged.training.codes[inside & (judged.training.codes == judged.predicted)], minlength",
            ),
        ),
        BY_SET,
    ),
    Mutant(
        "a line that decides what it cannot read",
        ((AUTO, "decided = np.full(len(rows), -1)", "decided = np.zeros(len(rows), dtype=int)"),),
        MADE,
    ),
    Mutant(
        "lines of the chosen machine counted on the rows that chose",
        (
            (
                "_base/_machine.py",
                "outside = self.set_apart(len(predicted)) if apart is None else apart",
                "outside = ~self.set_apart(len(predicted)) if apart is None else apart",
            ),
        ),
        MADE,
    ),
    Mutant(
        "promises of rows elsewhere that count the rows of the set, too",
        (
            (
                "covering/core/_machine.py",
                "np.asarray(examples.labels, dtype=np.int64)), 1)",
                "np.asarray(examples.labels, dtype=np.int64)), 0)",
            ),
        ),
        "tests/covering/test_streams.py -k promised",
    ),
    Mutant(
        "a ceiling for what was seen, not for what is promised",
        ((PROMISING, "if missed.high > ceiling:", "if missed.events > ceiling * missed.rows:"),),
        MADE,
    ),
    Mutant(
        "a file whose error had all of delta",
        (
            (
                "model_file/_checks.py",
                "certificate.statements, certificate.error_delta",
                "certificate.statements, certificate.delta",
            ),
        ),
        MADE,
    ),
    Mutant(
        "all of delta for a surrogate's error",
        (("certificates/_surrogate.py", "delta / 2 * self.share", "delta * self.share"),),
        "tests/certified/test_surrogate.py",
    ),
    Mutant(
        "a surrogate's other promises for nothing",
        (("certificates/_surrogate.py", "delta / 2 * self.share", "delta / 2"),),
        "tests/certified/test_surrogate.py",
    ),
    Mutant(
        "all of delta for how often a model and its surrogate differ",
        (
            (
                "certificates/_surrogate.py",
                "bound_by_share(self.disagreement, delta, 2)",
                "self.disagreement.bound(delta)",
            ),
        ),
        "tests/certified/test_surrogate.py",
    ),
    Mutant(
        "a mean loss whose message is sent for nothing",
        (("certificates/_losses.py", "nats = message_nats + (", "nats = 0.0 + ("),),
        "tests/certificates/test_losses.py",
    ),
    Mutant(
        "a mean loss whose set is sent for nothing",
        (("certificates/_losses.py", "set_nats(n_samples, size) + integer_nats(size) if by_set", "0.0 if by_set"),),
        "tests/certificates/test_losses.py",
    ),
    Mutant(
        "errors beyond the largest counted as none",
        (
            (
                "certificates/_losses.py",
                "np.where(distances <= largest, distances, largest)",
                "np.nan_to_num(distances)",
            ),
        ),
        "tests/certificates/test_losses.py",
    ),
    Mutant(
        "a monitor that stakes everything anew at every batch",
        (("monitor/_evidence.py", "staked = 1 / (before + 1) - 1 / (now + 1)", "staked = 1.0"),),
        "tests/monitor -k wealth",
    ),
    Mutant(
        "a monitor that is paid more than its bets win",
        (("monitor/_evidence.py", "np.log(odds) - np.log(grown), -np.log(grown)", "np.log(odds), -np.log(grown)"),),
        "tests/monitor -k fair",
    ),
    Mutant(
        "intervals of lines whose rules were chosen for nothing",
        (("monitor/_lines.py", "return occam_bound(m - d, nats, ", "return occam_bound(m - d, 0.0, "),),
        "tests/monitor -k intervals",
    ),
    Mutant(
        "a monitor that counts rows again that another process has fed meanwhile",
        (
            (
                "monitor/_state.py",
                "if not seen.isdisjoint(self.marks if",
                "if False and not seen.isdisjoint(self.marks if",
            ),
        ),
        "tests/monitor -k two_calls",
    ),
    Mutant(
        "a journal that nobody locks",
        (("_journal.py", "fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)", "pass"),),
        "tests/test_journal.py -k threads",
    ),
)


def spoil(source: Path, mutant: Mutant) -> None:
    """Apply the edits to a copy of ``src/laconic``; each text must be there exactly once."""
    for name, old, new in mutant.edits:
        file = source / name
        text = file.read_text()
        if text.count(old) != 1:
            raise ValueError(
                f"{mutant.name}: {old!r} is {text.count(old)} times in {name}; bring the mutant up to date."
            )
        file.write_text(text.replace(old, new))


def hunt(mutant: Mutant | None, mutants: Sequence[Mutant]) -> tuple[bool, str]:
    """Run the tests of some mutants against a copy that one of them spoiled; give whether any failed, and the first."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place)
        for part in ("src", "tests", "docs"):
            shutil.copytree(ROOT / part, copy / part)  # with what numba has compiled
        shutil.copy(ROOT / "pyproject.toml", copy)
        if mutant is not None:
            spoil(copy / "src" / "laconic", mutant)
        tests = " ".join(sorted({one.tests for one in mutants if " -k " not in one.tests or len(mutants) == 1}))
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
        found = subprocess.run(
            command + tests.split(),
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    failed = [line for line in found.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if found.returncode not in (0, 1):
        raise RuntimeError(f"{mutant}: pytest could not run\n{found.stdout[-2000:]}{found.stderr[-2000:]}")
    return found.returncode == 1, failed[0].split(" - ")[0].removeprefix("FAILED ") if failed else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the names of those to try; all by default")
    arguments = parser.parse_args()
    mutants = [mutant for mutant in MUTANTS if arguments.only in mutant.name]
    table, n_caught = Table("mutant", "caught by"), 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        (healthy_fails, first), *results = pool.map(_told, [None, *mutants], [mutants, *([one] for one in mutants)])
    if healthy_fails:
        Console().print(f"The tests fail without any mutant: {first}")
        return 1
    for mutant, (caught, test) in zip(mutants, results, strict=True):
        table.add_row(mutant.name, test if caught else "[bold red]nothing: it survived[/]")
        n_caught += caught
    Console(width=150).print(table)
    Console().print(f"{n_caught} of {len(mutants)} mutants caught")
    return 0 if n_caught == len(mutants) else 1


def _told(mutant: Mutant | None, mutants: Sequence[Mutant]) -> tuple[bool, str]:
    """Hunt, and say at once what came of it: all together take an hour."""
    caught, test = hunt(mutant, mutants)
    name = "no mutant" if mutant is None else mutant.name
    Console(stderr=True).print(f"{name}: {f'caught by {test}' if caught else 'not caught'}", markup=False)
    return caught, test


if __name__ == "__main__":
    sys.exit(main())
