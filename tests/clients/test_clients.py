"""Every public estimator with every client: it works, or the refusal is listed with its reason."""

import pytest

from tests.clients.commands import command
from tests.clients.page import PAGE, written
from tests.clients.refusals import REFUSALS, listed
from tests.clients.registry import CLIENTS
from tests.clients.trials import fitted, public_estimators, table, targets_of


def cases():
    """Return all triples; where a target is not fitted, that alone is tried."""
    for name in public_estimators():
        for target in targets_of(name):
            refused = listed(REFUSALS, name, target, "fit")
            yield from ((name, target, each) for each in CLIENTS if target in each.targets and not refused)
            if refused:
                yield name, target, next(each for each in CLIENTS if each.name == "fit")


CASES = list(cases())


def parameters():
    for name, target, client in CASES:
        marks = [pytest.mark.slow] if client.slow else []
        yield pytest.param(name, target, client, id=f"{name}-{target}-{client.name}", marks=marks)


def outcome(name, target, client):
    """Return the message of what was refused or failed; None where the client works."""
    try:
        client.use(fitted(name, target))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "target", "client"), list(parameters()))
def test_it_works_or_is_listed(name, target, client, record_property):
    if not client.is_here:
        pytest.skip(f"{client.needs} is not installed; make clients has it")
    record_property("client", (client.name, name, target))
    found, known = outcome(name, target, client), listed(REFUSALS, name, target, client.name)
    record_property("refused", found)
    if known is None:
        assert found is None
    else:
        assert found is not None, f"it works, so that it need not be listed: {known}"
        assert known.message in found


@pytest.mark.parametrize("line", REFUSALS, ids=range(len(REFUSALS)))
def test_every_line_covers_a_case_and_says_why(line):
    assert any(line.covers(name, target, client.name) for name, target, client in CASES)
    assert line.reason


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["two", "three", "numbers"])
def test_all_are_compared(target, tmp_path):
    X, y = table(target)
    X.assign(target=y).to_csv(tmp_path / "rows.csv", index=False)
    assert len(command("compare", tmp_path / "rows.csv", "--target", "target", "--cv", "2").splitlines()) > 5


def test_the_page_says_what_is_listed():
    assert PAGE.read_text(encoding="utf-8") == written(), "write it again: python -m tests.clients.page"
