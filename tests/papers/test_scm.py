import pytest

from laconic.papers import figure1


def shows_the_claim(points):
    """The text: the cover is substantially better on both the positive and the negative testing examples."""
    cover = [p for p in points if p.learner == "cover"]
    margin = [p for p in points if p.learner == "margin"]
    assert len(cover) == len(margin) > 0
    for ours, theirs in zip(cover, margin, strict=True):
        assert ours.n_samples == theirs.n_samples
        assert ours.positive_error < theirs.positive_error
        assert ours.negative_error < theirs.negative_error


def test_figure_1_quick():
    shows_the_claim(figure1(sizes=(60, 140), n_sets=8, n_test=4000))


@pytest.mark.slow
def test_figure_1_in_full(capsys):
    points = figure1()
    with capsys.disabled():
        print("\nfigure 1   size   error on positives   on negatives")
        for point in points:
            print(f"{point.learner:8} {point.n_samples:6} {point.positive_error:20.4f} {point.negative_error:14.4f}")
    shows_the_claim(points)
