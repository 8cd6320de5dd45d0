"""Which rules a machine or a list is made of, in a file: those that hold no machine, so that nothing holds itself."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from laconic._kept import MOST_RULES, Kept
from laconic.rules._atoms import Clause, Literal, Stump, Term
from laconic.rules._balls import Ball, SoftBall
from laconic.rules._base import Rule
from laconic.rules._halfspaces import Halfspace
from laconic.rules._kmers import Kmer

AnyRule: TypeAlias = Annotated[Rule, Kept(Stump | Literal | Clause | Term | Ball | SoftBall | Halfspace | Kmer)]
Rules: TypeAlias = Annotated[tuple[AnyRule, ...], Meta(max_length=MOST_RULES)]
