"""The mutants fit the code as it is; ``make mutants`` shows that each is caught."""

import shutil

import pytest

from tests.mutants import MUTANTS, ROOT, spoil


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_made(mutant, tmp_path):
    source = tmp_path / "laconic"
    for name in {name for name, _, _ in mutant.edits}:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "src" / "laconic" / name, source / name)
    before = {name: (source / name).read_text() for name, _, _ in mutant.edits}
    spoil(source, mutant)
    for name, text in before.items():
        assert (source / name).read_text() != text
        compile((source / name).read_text(), name, "exec")
