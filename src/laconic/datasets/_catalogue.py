"""Which tables are shipped: those with classes in full here, those with numbers to predict from a file next door."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from laconic.datasets._description import UCI, Description
from laconic.datasets._regression_catalogue import REGRESSION_TABLES

_CLASS_TABLES = (
    Description(
        name="breast_cancer_wisconsin",
        file="breast_cancer_wisconsin.csv",
        sha256="ac9798070863fbdf3057c700bd346d8c75df1ff38ce6b7c42dcc4f8a16822cba",
        title="Breast Cancer Wisconsin (Original): nine cytology scores from 1 to 10 per biopsy",
        source="W. H. Wolberg, University of Wisconsin Hospitals, Madison; UCI repository, 1992",
        licence=UCI,
        target="class",
        classes=(("benign", "the mass is benign"), ("malignant", "the mass is malignant")),
        rows=699,
        paper_rows=683,
        notes=(
            "bare_nuclei is missing in 16 rows. Without the sample number, which is not shipped, "
            "236 rows repeat an earlier one. This is not the 30-column table of scikit-learn."
        ),
    ),
    Description(
        name="house_votes",
        file="house_votes_84.csv",
        sha256="540c54e33f0f83066c0c69f1e0013f5839e2651da5db530a733b22b42badd9b0",
        title="Congressional voting records, 1984: sixteen votes of each member of the US House",
        source="Congressional Quarterly Almanac, 98th Congress; donated to UCI by J. Schlimmer, 1987",
        licence=UCI,
        target="party",
        classes=(("democrat", "member of the Democratic party"), ("republican", "of the Republican party")),
        rows=435,
        paper_rows=232,
        notes=(
            "'?' means that neither yes nor no was recorded (present, abstained, absent), so it is a third "
            "value and not a missing one; only paper=True takes it for missing, which leaves 232 rows. "
            "The paper reports 52 votes (18 and 34), a number that cannot be derived from the data. "
            "One column, physician_fee_freeze, tells the parties apart almost alone: "
            "physician_fee_freeze=False leaves it out, and the task is harder."
        ),
        unknown="?",
    ),
    Description(
        name="pima",
        file="pima_diabetes.csv",
        sha256="2ee2a2075e3b9c579cc7e0637d5e0a1b3e491fd54cbe4aaf1f44d66825b0b707",
        title="Pima Indians diabetes: eight measurements of women of Pima heritage, aged 21 or more",
        source="US National Institute of Diabetes; UCI repository, 1990, since withdrawn there",
        licence="no terms known from the first publisher; a widely used copy is marked CC0",
        target="class",
        classes=(("negative", "no diabetes within five years"), ("positive", "diabetes within five years")),
        rows=768,
        paper_rows=768,
        notes=(
            "No cell is empty, but zeros that cannot be measurements stand for missing values: "
            "plasma_glucose 5, diastolic_bp 35, triceps_skin 227, serum_insulin 374, bmi 11. They are left "
            "as they are, also with paper=True. There are 268 positive and 500 negative rows; the paper "
            "counts 269 and 499, which cannot be derived from the data."
        ),
    ),
    Description(
        name="haberman",
        file="haberman.csv",
        sha256="ade14e6f2c39307022b9740b0d8f5fbb30057bcae3b736f859b382125fa94cae",
        title="Haberman's survival: age, year and positive nodes of patients operated on for breast cancer",
        source="S. J. Haberman, University of Chicago Billings Hospital, 1958-1970; UCI repository, 1999",
        licence=UCI,
        target="survival_status",
        classes=((1, "survived five years or longer"), (2, "died within five years")),
        rows=306,
        paper_rows=294,
        notes=(
            "Six pairs of rows have equal attributes and different labels. paper=True drops both rows of "
            "each, which gives the paper's 219 and 75. Rows repeated with the same label stay."
        ),
    ),
    Description(
        name="bupa",
        file="bupa.csv",
        sha256="0d12d8ff73c6bfcd8d57a11561a14184e13e5ff41b8f49c59ede25570edd81de",
        title="BUPA liver disorders: five blood tests of men and their daily drinks",
        source="BUPA Medical Research Ltd; donated to UCI by R. S. Forsyth, 1990",
        licence=UCI,
        target="selector",
        classes=((1, "first part of the collectors' split"), (2, "second part of the collectors' split")),
        rows=345,
        paper_rows=345,
        notes=(
            "The target is often taken for a diagnosis, and the paper takes it so. It is not: the collectors "
            "used it to split the rows into training and test (McDermott and Forsyth, 2016). Use it to "
            "reproduce published numbers, not to learn about livers. Four rows repeat an earlier one."
        ),
    ),
    Description(
        name="glass2",
        file="glass2.csv",
        sha256="9aa39506d1426082c952ee2d74f034917eb68cdd56076baddd5c8d2e5603e12a",
        title="Window glass: refractive index and eight oxides of splinters, float-processed or not",
        source=(
            "B. German, Home Office Forensic Science Service; donated to UCI by V. Spiehler, 1987; "
            "this two-class selection is R. Holte's"
        ),
        licence=UCI,
        target="class",
        classes=(
            ("float", "float-processed window glass"),
            ("non_float", "window glass not float-processed"),
        ),
        rows=163,
        paper_rows=163,
        notes=(
            "Types 1 and 3 of the glass table (building and vehicle windows) are 'float', type 2 is "
            "'non_float', the others are left out. One row repeats an earlier one."
        ),
    ),
    Description(
        name="credit",
        file="crx.csv",
        sha256="d6fa350bf94fe9d795c59a95046c1d1a26ca7bd986d06a0efeb1a1a1a0004e63",
        title="Credit approval: fifteen disguised attributes of applications for a credit card",
        source="Confidential; submitted to UCI by J. R. Quinlan, 1987",
        licence=UCI,
        target="class",
        classes=(("+", "approved"), ("-", "refused")),
        rows=690,
        paper_rows=653,
        notes=(
            "Names and values were disguised by the donor. 37 rows miss a value in A1, A2, A4, A5, A6, A7 or "
            "A14. Some copies in circulation lost the decimal points of A2, A3 and A8; this one has them. "
            "The meaning of the labels is the usual reading; the donor does not state it."
        ),
    ),
    Description(
        name="heart",
        file="heart_cleveland.csv",
        sha256="17f805b1f42394e9d6020996e82d7deeb6b75780057f2b7c7c4dbaed430c36de",
        title="Heart disease, Cleveland: thirteen findings of patients sent for angiography",
        source=(
            "R. Detrano, V.A. Medical Center, Long Beach and Cleveland Clinic Foundation; "
            "donated to UCI by D. W. Aha, 1988"
        ),
        licence=f"{UCI}; the donor asks that publications name R. Detrano",
        target="disease",
        classes=((0, "no heart disease (num is 0)"), (1, "heart disease (num is 1 to 4)")),
        rows=303,
        paper_rows=297,
        notes=(
            "The values are those of UCI's processed.cleveland.data, its num turned into two classes and the "
            "numbers of five columns into words. The codes of these words are positions in sorted order and not "
            "UCI's numbers. Six rows miss a value: ca in 4, thal in 2. The paper is the PAC-Bayes one, which "
            "has 297 rows. The 270 rows of the Statlog heart table are among them."
        ),
    ),
    Description(
        name="glass",
        file="glass.csv",
        sha256="3e8ecacaf1e3b436181b6892878de84faf38e6136e5a8a152d2601c61b876bc4",
        title="Glass identification: refractive index and eight oxides of splinters of six types",
        source="B. German, Home Office Forensic Science Service; donated to UCI by V. Spiehler, 1987",
        licence=UCI,
        target="type",
        classes=(
            (1, "building windows, float-processed"),
            (2, "building windows, not float-processed"),
            (3, "vehicle windows, float-processed"),
            (5, "containers"),
            (6, "tableware"),
            (7, "headlamps"),
        ),
        rows=214,
        paper_rows=214,
        notes=(
            "Type 4, vehicle windows not float-processed, has no row. One row repeats an earlier one. The paper is "
            "the PAC-Bayes one, which has 214 rows and two classes and does not say which: type 1 against the "
            "rest is our guess, the one of five that comes nearest to its figures. glass2 has the two-class task of "
            "the set covering machine paper."
        ),
        paper_classes=(("building_float", (1,)), ("other", (2, 3, 5, 6, 7))),
    ),
    Description(
        name="kr_vs_kp",
        file="kr_vs_kp.csv",
        sha256="a3e5eee1290e27fef745dcb1b98c42e300476271b1a352a06961d211588543a5",
        title="Chess end-game: white king and rook against black king and a pawn on a7, white to move",
        source="A. D. Shapiro, via P. Clark, Turing Institute, Glasgow; donated to UCI by R. C. Holte, 1989",
        licence=UCI,
        target="class",
        classes=(("nowin", "white cannot win"), ("won", "white can win")),
        rows=3196,
        paper_rows=3196,
        notes=(
            "A chess expert chose the 36 attributes with a decision tree learner in mind. All are categories: "
            "katri has three (b, n, w), dwipd g and l, wtoeg n and t, every other column f and t. No value is "
            "missing and no two rows are equal. The paper is the one on neural decision lists, which has one "
            "input per attribute, as the arrays here do; it does not say which numbers it wrote for the letters."
        ),
    ),
)

CATALOGUE: Mapping[str, Description] = MappingProxyType(
    {entry.name: entry for entry in (*_CLASS_TABLES, *REGRESSION_TABLES)}
)


def list_datasets() -> tuple[str, ...]:
    """Name the tables that come with the library.

    Returns
    -------
    tuple of str
        Names for :func:`load` and :func:`describe`.

    Examples
    --------
    >>> list_datasets()[:3]
    ('breast_cancer_wisconsin', 'house_votes', 'pima')
    """
    return tuple(CATALOGUE)


def describe(name: str) -> Description:
    """Say what a table is, without reading it.

    Parameters
    ----------
    name : str
        One of :func:`list_datasets`.

    Returns
    -------
    Description
        Title, source, licence, classes, row counts and notes.

    Raises
    ------
    ValueError
        If there is no such table.

    Examples
    --------
    >>> describe("haberman").paper_rows
    294
    >>> describe("habermann")
    Traceback (most recent call last):
        ...
    ValueError: no dataset is called 'habermann': did you mean 'haberman'? Names: breast_cancer_wisconsin, ...
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    near = get_close_matches(str(name), CATALOGUE, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"no dataset is called {name!r}: {hint}Names: {', '.join(CATALOGUE)}")
