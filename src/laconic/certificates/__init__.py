"""Risk bounds (pure functions of numbers), prefix codes, compression schemes and the certificate itself."""

from laconic._row_texts import row_digests, row_texts
from laconic._rows import order_by_value
from laconic.certificates._about import Band, OneOf
from laconic.certificates._apart import SetApart, reading_nats, rows_apart
from laconic.certificates._bags import VoteOfBags
from laconic.certificates._bands import Residuals
from laconic.certificates._bounds import (
    compression_bound,
    drouin_kmer_bound,
    marchand_ball_bound,
    marchand_compression_bound,
    occam_bound,
    occam_sample_size,
)
from laconic.certificates._carried import carried_certificates, change_certificates
from laconic.certificates._certificate import (
    ASSUMPTIONS,
    BAND_ASSUMPTIONS,
    CLASSIFIER_ASSUMPTIONS,
    HELD_OUT_DRAWN,
    Certificate,
)
from laconic.certificates._classes import ln_conjunctions, ln_decision_lists, ln_normal_forms, ln_term_normal_forms
from laconic.certificates._codes import (
    COUNTS_FUNCTIONS,
    check_distinct,
    choice_nats,
    choices_nats,
    decimal_nats,
    either_nats,
    integer_nats,
    kinds_nats,
    left_out_nats,
    pairing_nats,
    power_nats,
    repeats_nats,
    set_nats,
    signed_nats,
    subset_nats,
    unordered_nats,
    weight_nats,
)
from laconic.certificates._inversion import binomial_tail_inversion, kl_inverse
from laconic.certificates._losses import Loss, LossPromise, mean_loss_promise
from laconic.certificates._pac_bayes import GibbsBalls, pac_bayes_ball_bound
from laconic.certificates._percentages import confidence, percent, percent_down, percent_up
from laconic.certificates._perceptron import (
    online_bound,
    perceptron_bound,
    perceptron_mistake_bound,
    perceptron_sample_size,
)
from laconic.certificates._preferent import PreferentCompression, preferent_bound
from laconic.certificates._prices import Item, Nats, SentRow, itemised, priced, total
from laconic.certificates._promise import Answered, ClassPromise, LinePromise, Promise
from laconic.certificates._promised import Promised
from laconic.certificates._scheme import Encoding, Examples, Scheme, choose_examples
from laconic.certificates._sealing import Sealed, certify, certify_apart, certify_counts, certify_errors, seal
from laconic.certificates._shares import SHARE_OF_LIMITS, share_limit, share_nats
from laconic.certificates._statements import (
    FiniteClass,
    SampleCompression,
    Statement,
    smallest_bound,
)
from laconic.certificates._surrogate import BySurrogate
from laconic.certificates._tolerance import beyond, tolerance_text
from laconic.certificates._wanted import Promises
from laconic.certificates._wording import Account

__all__ = [
    "ASSUMPTIONS",
    "BAND_ASSUMPTIONS",
    "CLASSIFIER_ASSUMPTIONS",
    "COUNTS_FUNCTIONS",
    "HELD_OUT_DRAWN",
    "SHARE_OF_LIMITS",
    "Account",
    "Answered",
    "Band",
    "BySurrogate",
    "Certificate",
    "ClassPromise",
    "Encoding",
    "Examples",
    "FiniteClass",
    "GibbsBalls",
    "Item",
    "LinePromise",
    "Loss",
    "LossPromise",
    "Nats",
    "OneOf",
    "PreferentCompression",
    "Promise",
    "Promised",
    "Promises",
    "Residuals",
    "SampleCompression",
    "Scheme",
    "Sealed",
    "SentRow",
    "SetApart",
    "Statement",
    "VoteOfBags",
    "beyond",
    "binomial_tail_inversion",
    "carried_certificates",
    "certify",
    "certify_apart",
    "certify_counts",
    "certify_errors",
    "change_certificates",
    "check_distinct",
    "choice_nats",
    "choices_nats",
    "choose_examples",
    "compression_bound",
    "confidence",
    "decimal_nats",
    "drouin_kmer_bound",
    "either_nats",
    "integer_nats",
    "itemised",
    "kinds_nats",
    "kl_inverse",
    "left_out_nats",
    "ln_conjunctions",
    "ln_decision_lists",
    "ln_normal_forms",
    "ln_term_normal_forms",
    "marchand_ball_bound",
    "marchand_compression_bound",
    "mean_loss_promise",
    "occam_bound",
    "occam_sample_size",
    "online_bound",
    "order_by_value",
    "pac_bayes_ball_bound",
    "pairing_nats",
    "percent",
    "percent_down",
    "percent_up",
    "perceptron_bound",
    "perceptron_mistake_bound",
    "perceptron_sample_size",
    "power_nats",
    "preferent_bound",
    "priced",
    "reading_nats",
    "repeats_nats",
    "row_digests",
    "row_texts",
    "rows_apart",
    "seal",
    "set_nats",
    "share_limit",
    "share_nats",
    "signed_nats",
    "smallest_bound",
    "subset_nats",
    "tolerance_text",
    "total",
    "unordered_nats",
    "weight_nats",
]
