"""Every public estimator with every client: it works, or the refusal is listed with its reason."""

import pytest

from tests.clients.refusals import REFUSALS, listed
from tests.clients.registry import CLIENTS
from tests.clients.trials import fitted, public_estimators, targets_of

CASES = [
    pytest.param(
        name, target, client, id=f"{name}-{target}-{client.name}", marks=[pytest.mark.slow] if client.slow else []
    )
    for name in public_estimators()
    for target in targets_of(name)
    for client in CLIENTS
    if client.is_here and (client.name == "fit" or listed(name, target, "fit") is None)
]


def outcome(name, target, client):
    """Return the message of what was refused or failed; None where the client works."""
    try:
        client.use(fitted(name, target))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "target", "client"), CASES)
def test_it_works_or_is_listed(name, target, client):
    found, known = outcome(name, target, client), listed(name, target, client.name)
    if known is None:
        assert found is None
    else:
        assert found is not None, f"it works, so that it need not be listed: {known}"
        assert known.message in found


def test_every_line_covers_a_case():
    names = {client.name for client in CLIENTS}
    cases = [(name, target, each) for name in public_estimators() for target in targets_of(name) for each in names]
    for line in REFUSALS:
        assert any(line.covers(*case) for case in cases), line
        assert line.reason
