"""Table 1 of paper 3, judged by a rule that was stated before it was run."""

import pytest

from laconic.papers.pac_bayes import NOT_COMPARABLE, PAPER, SETS, VARIANTS, paper_rows, table1


def spread(pair, digits=1):
    return f"{pair[0]:.{digits}f} ± {pair[1]:.{digits}f}"


def show(row):
    svm, (scm_balls, scm), (soft_balls, margin, soft) = row.paper
    lines = [f"{row.data} {NOT_COMPARABLE.get(row.data, '')}".rstrip()]
    lines.append(f"   SVM {spread(row.svm)} (paper {svm})")
    lines.append(f"   SCM {spread(row.scm)}, balls {spread(row.scm_balls)} (paper {scm}, balls {scm_balls})")
    for (term, refine), (balls, width, vote, draw) in row.soft.items():
        lines.append(
            f"   PB {term}, {'refined' if refine else 'not refined'}: vote {spread(vote)}, one draw {spread(draw)}, "
            f"balls {spread(balls)}, margin {spread(width, 2)} (paper {soft}, balls {soft_balls}, margin {margin:g})"
        )
    return "\n".join(lines)


def test_the_tables_are_those_of_the_paper():
    for name, (_, n_train, n_test) in SETS.items():
        X, positive = paper_rows(name)
        assert len(X) == len(positive)
        assert 0 < positive.sum() < len(positive)
        assert n_train + n_test <= len(X), name
    assert sorted(PAPER) == sorted(SETS)
    votes, _ = paper_rows("USvotes")
    assert set(votes.ravel().tolist()) == {-1.0, 0.0, 1.0}
    assert votes.shape == (435, 16)


def test_table_1_quick():
    (row,) = table1(["haberman"], n_halves=1, variants=[("paper", False)])
    assert row.halves == 1
    for balls, margin, vote, draw in row.soft.values():
        assert 0 <= balls[0] <= 20
        assert 0 <= margin[0] <= 0.3
        # 26 % of all rows are of the smaller class
        assert 25 < vote[0] < 60
        assert draw[0] < 65
    assert "haberman" in show(row)


@pytest.mark.slow
def test_table_1_in_full(capsys):
    """Mean errors of the PAC-Bayes machine are not above those of the hard one on at least five of the seven sets.

    So it is with the margin that was searched for. Refining trades the margin for utility on the training rows, and
    then it is four sets.
    """
    rows = table1(n_halves=20, variants=VARIANTS, n_jobs=2)
    with capsys.disabled():
        print(
            "\ntable 1 of paper 3: test errors over 20 random halves, mean ± deviation\n" + "\n".join(map(show, rows))
        )
    n_won = {variant: sum(row.soft[variant][2][0] <= row.scm[0] for row in rows) for variant in VARIANTS}
    with capsys.disabled():
        print(f"sets, of {len(rows)}, with a mean error not above the SCM's: {n_won}")
    assert n_won["definition", False] >= 5
    assert n_won["paper", False] >= 5
