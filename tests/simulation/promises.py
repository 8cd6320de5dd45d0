"""Everything that a certificate promises at the same time: one broken promise breaks the certificate.

What is true is added up over all rows of a world, as its risk is. A cell's bound is then how far the promise that is
nearest to breaking is from it, and its risk is nought.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from laconic import (
    Certified,
    DecisionListClassifier,
    HalfspaceIntersectionClassifier,
    LaconicClassifier,
    MarginPerceptronClassifier,
    MinimalComplexityClassifier,
    NormalFormClassifier,
    PACBayesSetCoveringClassifier,
    PocketClassifier,
    Promises,
    RuleListClassifier,
    RuleVoteClassifier,
    ScoreCardClassifier,
    SetCoveringClassifier,
    SetCoveringClassifierCV,
)
from laconic.rules import first_to_speak
from tests.simulation import adversaries, worlds
from tests.simulation.harness import Cell

COSTS = ((0.0, 1.0), (4.0, 0.5))
EVERYTHING = Promises(classes=True, rules=True, groups=0, costs=True, abstain=0.5)
DECLARED = Promises(classes=True, rules=True, groups=0, costs=COSTS, abstain=0.5)
NO_LINES = Promises(classes=True, groups=0, costs=COSTS)
BY_SET = Promises(classes=True, groups=0)


@dataclass(frozen=True)
class Joint:
    """A world in which a view is judged by the promise that is nearest to breaking."""

    world: Any

    def draw(self, n_samples, rng):
        return self.world.draw(n_samples, rng)

    def risk(self, view):
        return 0.0

    def rows(self):
        """All rows, their chances, and the chances of the classes there."""
        world = self.world
        codes = np.indices([len(values) for values in world.values]).reshape(len(world.values), -1)
        columns = [world.as_column(j)[codes[j]] for j in range(len(codes))]
        chance = np.prod([np.array(world.chances[j])[codes[j]] for j in range(len(codes))], axis=0)
        clean, every = world.clean(columns).astype(int), np.arange(codes.shape[1])
        labels = np.zeros((codes.shape[1], 3 if isinstance(world, worlds.Classes) else 2))
        labels[every, clean] = 1 - world.noise
        labels[every, (clean + 1) % labels.shape[1]] += world.noise
        return world.table(columns), chance, labels, codes[0]


class View:
    """A fitted model, with all that it promises as one figure."""

    def __init__(self, joint, model, delta=None):
        self.joint, self.model = joint, model
        certificate = model.certificate_
        self.delta = certificate.delta if delta is None else delta
        self.promised = certificate if delta is None else certificate.at(delta)
        self.certificate_ = self

    def at(self, delta):
        return View(self.joint, self.model, delta)

    @property
    def risk_bound(self):
        """The smallest distance; what says nothing cannot be broken, and sums of chances are rounded."""
        return min(
            limit - truth + 1e-12
            for truth, limit in truths(self.promised, self.model, *self.joint.rows())
            if limit != 1.0 and truth is not None
        )


def truths(certificate, model, X, chance, labels, groups):
    """Give, for each promise, what is true, None where it never happens, and the upper limit that is promised."""
    predicted = np.searchsorted(model.classes_, model.predict(X))
    n_classes, kinds = labels.shape[1], certificate.promised.kinds
    joint = np.array([(chance[:, None] * labels)[predicted == answer].sum(axis=0) for answer in range(n_classes)]).T
    yield 1 - joint.trace(), certificate.risk_bound
    yield from class_truths(certificate, joint, model.classes_.tolist())
    wrong = chance * (1 - labels[np.arange(len(predicted)), predicted])
    for code, value in enumerate(dict.fromkeys(np.asarray(X)[:, 0].tolist()) if "groups" in kinds else ()):
        yield share(wrong[groups == code].sum(), chance[groups == code].sum()), certificate.by_group(value).high
    declared = certificate.promised.costs
    units = [np.eye(n_classes**2)[i].reshape(n_classes, n_classes) for i in range(n_classes**2)]
    drawn = np.random.default_rng(0).normal(size=(3, n_classes, n_classes))
    for matrix in ([*units, *drawn] if declared is None else [np.array(declared)]) if "costs" in kinds else ():
        yield (joint * matrix).sum(), certificate.cost(matrix)
    if "rules" in kinds:
        yield from line_truths(certificate, model, X, chance, labels)


def share(part, whole):
    return part / whole if whole > 0 else None


def class_truths(certificate, joint, classes):
    for code, label in enumerate(classes):
        promise, row, column = certificate.for_class(label), joint[code], joint[:, code]
        yield share(row.sum() - row[code], row.sum()), promise.missed.high
        yield share(column.sum() - row[code], 1 - row.sum()), promise.false_alarms.high
        yield share(column.sum() - row[code], column.sum()), promise.wrong_answers.high
        for other, taken in promise.taken_for.items():
            yield share(row[classes.index(other)], row.sum()), taken.high


def line_truths(certificate, model, X, chance, labels):
    machine = getattr(model, "machine_", model)
    decided = machine._deciders(machine._read(X))
    answered, right = certificate.answered(), 0.0
    for line in range(len(model.rules_) + 1):
        here = decided == line
        promise = certificate.for_rule(line + 1 if line < len(model.rules_) else None)
        weights = chance[here] @ labels[here]
        for weight, limits in zip(weights, promise.chances, strict=True):
            yield share(weight, weights.sum()), limits.high
            yield share(weights.sum() - weight, weights.sum()), 1 - limits.low
        right += answered.lines[line] * weights[promise.answer]
    reached = chance[np.array(answered.lines)[decided]].sum()
    yield 1 - reached, 1 - answered.share
    yield share(reached - right, reached), 1 - answered.precision


def cell(name, world, n_samples, make, delta_matters=False, fits=None):
    joint = Joint(world)
    return Cell(
        name,
        joint,
        n_samples,
        lambda delta: adversaries.Quiet(make(delta)),
        delta_matters=delta_matters,
        view=lambda model: View(joint, model),
        fits=fits,
    )


def several(name, world, n_samples, make, wanted):
    """An adversary of several fits: weights, penalties and lengths are free."""

    def fits(delta, y, rng):
        made = [make(delta, rng).set_params(promises=wanted) for _ in range(adversaries.N_FITS)]
        return [(adversaries.Quiet(one), adversaries.weights(y, rng)) for one in made]

    return cell(name, world, n_samples, lambda delta: None, fits=fits)


class Reordered(SetCoveringClassifier):
    """The same machine, with its rules shown in another order: the certificate does not know which will come."""

    def __init__(self, order=(), form="disjunction", features="stumps", *, penalty=0.5, max_rules=3, delta=0.05):
        super().__init__(form, features, penalty=penalty, max_rules=max_rules, delta=delta, promises=DECLARED)
        self.order = order

    def _finish(self, training, sealed, rules, decided, path, **more):
        order = [place for place in self.order if place < len(rules)]
        rules, path = [rules[place] for place in order], [path[place] for place in order]
        any_holds = sealed.hypothesis.any_holds
        decided = first_to_speak(rules, lambda rule: rule.holds(training.table) == any_holds, training.table.n_rows)
        return super()._finish(training, sealed, rules, decided, path, **more)


def any_order(delta, y, rng):
    return [(Reordered(order, delta=delta), {}) for order in itertools.permutations(range(3))]


def simple(learner, wanted=DECLARED, **parameters):
    return lambda delta: learner(**parameters, delta=delta, promises=wanted)


class Few(LaconicClassifier):
    """Chooses from few machines."""

    _portfolio = tuple(replace(entry, settings=entry.settings[1:2]) for entry in LaconicClassifier._portfolio[:5])


def chosen(delta):
    return Few(3, delta=delta, promises=DECLARED)


def picks(**parameters):
    return simple(Certified, BY_SET, estimator=DecisionTreeClassifier(max_depth=2), **parameters)


def any_passes(delta, y, rng):
    """The number of passes is paid for: the adversary keeps the worst."""
    return [(adversaries.Quiet(MarginPerceptronClassifier(n, delta=delta, promises=BY_SET)), {}) for n in (1, 2, 3, 6)]


def any_stage(delta, y, rng):
    """So is when picking stopped, where the bound chooses."""
    return [(picks(max_size=n, select="bound", seed_size=8)(delta), {}) for n in (1, 2, 3, 5)]


BOUND = {"features": ["stumps"], "penalties": [0.25, 1, 4], "max_rules": 2, "select": "bound", "cv": 2}
CELLS = [
    cell("set covering machine", worlds.NUMBERS, 60, simple(SetCoveringClassifier, features="stumps", penalty=1.0)),
    cell("the default", worlds.DISC, 40, simple(SetCoveringClassifier)),
    cell(
        "any order of three rules",
        worlds.world([worlds.uniform(*range(4))] * 4, lambda v: True, (0,), noise=0.4),
        40,
        lambda delta: Reordered(delta=delta),
        fits=any_order,
    ),
    cell("chosen by the cost", worlds.NUMBERS, 60, simple(SetCoveringClassifierCV, **BOUND), delta_matters=True),
    cell("chosen, half apart", worlds.NUMBERS, 60, simple(SetCoveringClassifierCV, apart=0.5, **BOUND), True),
    cell("PAC-Bayes, refined", worlds.DISC, 50, simple(PACBayesSetCoveringClassifier, max_rules=2)),
    cell("normal form", worlds.NOISY_BITS, 50, simple(NormalFormClassifier, penalty=1.0, max_rules=3)),
    cell("rule list", worlds.NUMBERS, 50, simple(RuleListClassifier, max_words=4, select=None)),
    cell(
        "rule list, three classes",
        worlds.THREE,
        60,
        simple(RuleListClassifier, EVERYTHING, max_words=4, select=None),
    ),
    cell(
        "decision list, three classes",
        worlds.THREE,
        60,
        simple(DecisionListClassifier, EVERYTHING, penalty=2.0, max_rules=5),
    ),
    cell("intersection", worlds.NOISY_LINE, 60, simple(HalfspaceIntersectionClassifier, max_halfspaces=2), True),
    cell("pocket", worlds.NUMBERS, 50, simple(PocketClassifier, max_epochs=3, random_state=0), True),
    cell("score card", worlds.NUMBERS, 50, simple(ScoreCardClassifier, max_terms=2, cv=2, random_state=0), True),
    cell("votes", worlds.NUMBERS, 60, simple(RuleVoteClassifier, NO_LINES, n_lists=5, max_rules=4, random_state=0)),
    cell("minimal", worlds.NUMBERS, 50, simple(MinimalComplexityClassifier, NO_LINES), True),
    cell("the chosen machine, by line", worlds.NUMBERS, 60, chosen),
    cell("perceptron", worlds.NUMBERS, 60, simple(MarginPerceptronClassifier, BY_SET, max_epochs=5)),
    cell("perceptron, any number of passes", worlds.NOISY_LINE, 60, lambda delta: None, fits=any_passes),
    cell("picks, a rare class", worlds.RARE, 80, picks(max_size=8, batch=2)),
    cell("picks, three classes", worlds.THREE, 60, picks(batch=4, seed_size=0.2)),
    cell("picks, any stage", worlds.NUMBERS, 40, lambda delta: None, True, any_stage),
    several("any of 4: stumps", worlds.NUMBERS, 40, adversaries.cover("stumps", "disjunction"), DECLARED),
    several("any of 4: decision list", worlds.NOISY_BITS, 40, adversaries.rows_in_a_list, EVERYTHING),
    several("any of 4: rule list", worlds.NUMBERS, 40, adversaries.climbed, EVERYTHING),
]
PROMISES = {f"promises: {one.name}": one for one in CELLS}
