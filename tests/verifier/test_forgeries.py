"""No forged file is accepted, and every honest one that a forgery begins with is."""

import pytest

from laconic.verifier import verify
from tests.verifier.forgeries import FORGERIES, HONEST, honest, sealed
from tests.verifier.tables import TARGET, write_table

YES, DIFFERS, UNABLE, _ = range(4)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    return {name: write_table(place / f"{name}.csv", *make()) for name, (make, _) in HONEST.items()}


@pytest.mark.parametrize("name", HONEST)
def test_the_honest_files_are_accepted(name, tables, tmp_path):
    (tmp_path / "model.json").write_text(sealed(honest(name)))
    code, said = verify(tmp_path / "model.json", tables[name], TARGET)
    assert code == YES, said


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forged_file_is_accepted(name, tables, tmp_path):
    forgery = FORGERIES[name]
    (tmp_path / "model.json").write_text(forgery.text())
    code, said = verify(tmp_path / "model.json", tables[forgery.base], TARGET)
    assert code in (DIFFERS, UNABLE), said
