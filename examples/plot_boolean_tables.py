"""
Votes and chess as short formulas
=================================

Two tables of flags and categories: the votes of 435 members of the House (y, n or ? on 16 questions) and 3196 chess
end-games described by 36 flags. Does a formula of a class agree with every row? If not, which rows say so? And if a few
errors are allowed, how short does it get, and what is its error on new rows?
"""

import importlib.util

from sklearn.model_selection import StratifiedKFold, cross_val_score

from laconic import DecisionListClassifier, NormalFormClassifier
from laconic.certificates import percent_up
from laconic.datasets import load_house_votes, load_kr_vs_kp
from laconic.exceptions import NoConsistentConcept

STRICT = {
    "conjunction": NormalFormClassifier(),
    "2-CNF": NormalFormClassifier(k=2),
    "2-DNF": NormalFormClassifier("dnf", k=2),
    "decision list": DecisionListClassifier(),
    "2-decision list": DecisionListClassifier(k=2),
}
TOLERANT = {
    "conjunction": NormalFormClassifier(penalty=3, max_rules=5),
    "2-CNF": NormalFormClassifier(k=2, penalty=3, max_rules=5),
    "decision list": DecisionListClassifier(penalty=3, max_rules=5),
    "2-decision list": DecisionListClassifier(k=2, penalty=10, max_rules=10),
}


def main():
    found, allowed = {}, {}
    for table, load in {"votes": load_house_votes, "chess": load_kr_vs_kp}.items():
        X, y = load(return_X_y=True, as_frame=True)
        print(f"{table}: which formula agrees with all of {len(y)} rows?")
        for name, model in STRICT.items():
            try:
                found[table, name] = len(model.fit(X, y).rules_)
                print(f"  {name:<16} one of {found[table, name]} rules")
            except NoConsistentConcept as refusal:
                found[table, name] = None
                print(f"  {name:<16} none: {len(refusal.rows)} rows prove it, {refusal.rows[0]} for one")
        print(f"{table}: a few errors allowed   rules   wrong  five folds  certified")
        for name, model in TOLERANT.items():
            score = cross_val_score(model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean()
            certificate = model.fit(X, y).certificate_
            allowed[table, name] = 1 - score, certificate.risk_bound
            print(
                f"  {name:<28} {len(model.rules_):5}  {certificate.empirical_risk:6.1%}  {1 - score:10.1%}  "
                f"{percent_up(certificate.risk_bound):>9}"
            )
        print(DecisionListClassifier(penalty=10, max_rules=6).fit(X, y).rules_text())
        print()
    return found, allowed


def draw(allowed):
    """Draw what the formulas with a few errors are promised, and how they did on folds held out."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import PercentFormatter

    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), sharey=True, layout="constrained")
    for ax, table in zip(axes, ("votes", "chess"), strict=True):
        for place, name in enumerate(TOLERANT):
            error, bound = allowed[table, name]
            certified = ax.barh(place, bound, height=0.6, color="tab:blue", alpha=0.45)
            (folds,) = ax.plot(error, place, "D", color="tab:red", markersize=8)
        ax.set(title=table, yticks=range(len(TOLERANT)), yticklabels=list(TOLERANT), xlim=(0, None))
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    axes[0].invert_yaxis()
    figure.supxlabel("error")
    figure.legend([certified, folds], ["certified", "five folds"], loc="outside upper center", ncols=2, frameon=False)


if __name__ == "__main__":
    found = main()
    if importlib.util.find_spec("matplotlib"):
        draw(found[1])
