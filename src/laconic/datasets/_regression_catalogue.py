"""The tables of the minimal complexity paper: numbers to predict, what they are and what to beware of."""

from __future__ import annotations

from laconic.datasets._description import UCI, Description, NumericTarget

REGRESSION_TABLES = (
    Description(
        name="auto_mpg",
        file="auto_mpg.csv",
        sha256="49817aa9f017a561686ab1e145a177a3e00e0ff8aab2cda73190846acfeeac67",
        title="Auto MPG: how far cars of 1970 to 1982 drive on a gallon, from seven attributes",
        source="StatLib library, Carnegie Mellon University; donated to UCI by R. Quinlan, 1993",
        licence=UCI,
        target="mpg",
        classes=(),
        rows=398,
        paper_rows=392,
        notes=(
            "horsepower is missing in 6 rows. The names of the cars are not shipped. The paper counts 398 rows and "
            "does not say what it did with those 6; paper=True drops them. Its errors, 0.31 to 0.36, are in the "
            "scale of origin, UCI's last column, and not of mpg, so mpg must be one of its attributes: paper=True "
            "does the same. origin is a code for three regions, so regression on it is a way to compare figures and "
            "no more."
        ),
        measures="miles per US gallon",
        paper_target=NumericTarget("origin", "region of the maker: 1 America, 2 Europe, 3 Japan"),
    ),
    Description(
        name="yacht",
        file="yacht.csv",
        sha256="08dcf256d57a38c1e31bb3602d82f4e6ff0ceb5926e180f1df7e633519389d89",
        title="Yacht hydrodynamics: drag of model hulls in a towing tank, from shape and speed",
        source=(
            "J. Gerritsma, R. Onnink and A. Versluis, Ship Hydromechanics Laboratory, Delft; "
            "donated to UCI by R. Lopez, 2013"
        ),
        licence=UCI,
        target="residuary_resistance",
        classes=(),
        rows=308,
        paper_rows=308,
        notes=(
            "22 hulls at 14 speeds each (froude_number), so the rows are no independent draws: folds over rows see "
            "every hull in training. The target grows steeply with speed, from 0.01 to 62.42. Some copies lack the "
            "first row, taken for a header; this one has it."
        ),
        measures="residuary resistance per unit weight of displacement",
    ),
    Description(
        name="auto_price",
        file="auto_price.csv",
        sha256="2e4048fc1bcf7eab6079c53094f8cb4b5f9f291ed2465938d15a81bbdbbed6a6",
        title="Auto price: list prices of cars imported to the US in 1985, from fifteen numbers",
        source="Ward's Automotive Yearbook and insurance reports, 1985; donated to UCI by J. C. Schlimmer, 1987",
        licence=UCI,
        target="price",
        classes=(),
        rows=159,
        paper_rows=159,
        notes=(
            "The 159 of 205 rows of UCI's automobile table without a missing value, and of its 25 attributes the 14 "
            "measured ones and symboling, an insurance risk class from -2 to 3. Four pairs of rows have equal "
            "attributes and different prices; all stay. The paper's errors are mean squares in millions of dollars "
            "squared."
        ),
        measures="US dollars of 1985",
    ),
    Description(
        name="machine_cpu",
        file="machine_cpu.csv",
        sha256="51172e5b53b1b89adfd9416bc269256996aac46a469353b045d8304418b524d4",
        title="Machine CPU: published relative performance of computers, from six technical data",
        source="P. Ein-Dor and J. Feldmesser, Tel Aviv University; donated to UCI by D. W. Aha, 1987",
        licence=UCI,
        target="PRP",
        classes=(),
        rows=209,
        paper_rows=209,
        notes=(
            "Cycle time in ns (MYCT), least and largest main memory in kB (MMIN, MMAX), cache in kB (CACH), least "
            "and largest number of channels (CHMIN, CHMAX). Some copies have ERP as target, which is the collectors' "
            "own estimate by linear regression; this is the published figure. 19 rows have the attributes of an "
            "earlier one and another target; all stay. The paper's errors are mean squares in thousands."
        ),
        measures="published performance relative to an IBM 370/158-3",
    ),
    Description(
        name="baseball",
        file="baseball.csv",
        sha256="c6505f82b3a63155dca9acae9f4f4403233563f7fe3975751a576da48bfe82c9",
        title="Baseball salaries: pay of players in 1992, from the season before and their contracts",
        source="M. R. Watnik, Journal of Statistics Education 6(2), 1998; the journal's data archive",
        licence="no formal terms; the archive was made for teaching and research",
        target="salary",
        classes=(),
        rows=337,
        paper_rows=337,
        notes=(
            "Everyone but pitchers who played in the major leagues in both seasons; names are not shipped. The last "
            "four attributes are flags, 0 or 1, on freedom to change teams, and are numbers here. The paper's "
            "errors, 0.78 to 1.78, are mean squares in millions of these units squared."
        ),
        measures="thousands of US dollars",
    ),
    Description(
        name="boston_housing",
        file="boston_housing.csv",
        sha256="2e9ed5fb7666cd29a47dd3c87ea1c5bea2390b2dd12caa21a46d6ff6447b0233",
        title="Boston housing: median value of homes in the census tracts around Boston, 1970",
        source="D. Harrison and D. L. Rubinfeld, 1978; StatLib library; UCI repository, 1993, since withdrawn there",
        licence="no terms known; StatLib states none",
        target="MEDV",
        classes=(),
        rows=506,
        paper_rows=506,
        notes=(
            "Retired elsewhere, and shipped only so that published figures can be compared: scikit-learn removed it "
            "in version 1.2. Its column B is 1000 (b - 0.63)^2, where b is the share of Black residents, so that the "
            "table has its authors' theory of how segregation moves prices built in, and a model that uses B prices "
            "homes by race. The theory cannot be checked with it either: below 136.9 two different shares give the "
            "same B, and the study, which was on clean air, does not show that the formula holds. Draw no conclusions "
            "about homes from it; scikit-learn's fetch_california_housing is a table for that. MEDV is cut off at "
            "50, which 16 rows have, and is not corrected for the errors found in it later. The paper writes 506 x "
            "13, the attributes alone."
        ),
        measures="thousands of US dollars",
    ),
    Description(
        name="energy",
        file="energy_heating.csv",
        sha256="fbe8cb33b36297feb31a32904d8fec2c4cdf0cb7ec19cd0f2da52034048f6fe7",
        title="Energy efficiency: heating and cooling load of simulated buildings, from eight attributes",
        source="A. Xifara and A. Tsanas, University of Oxford; UCI repository, 2012",
        licence=UCI,
        target="heating_load",
        classes=(),
        rows=768,
        paper_rows=768,
        notes=(
            "A designed experiment and no sample: 12 shapes in 4 orientations with 16 kinds of glazing, computed "
            "without noise. orientation (2 to 5) and glazing_area_distribution (0 to 5) are codes and are numbers "
            "here, as in the source. The paper does not say which load it predicts; its errors are those of heating. "
            "It writes 768 x 8, the attributes alone."
        ),
        measures="heating load of the building",
        other_targets=(
            NumericTarget(
                column="cooling_load",
                measures="cooling load of the building (target='cooling')",
                file="energy_cooling.csv",
                sha256="4667c4d2b6093488a2368309ae83d26d8aac77a5e5fd612a962ec15d8b04697d",
            ),
        ),
    ),
)
