"""Certificates in a model file, with the statements that they rest on."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct, structs

from laconic import certificates
from laconic.exceptions import BadModelFile
from laconic.model_file._plain import Count, Number, Part, Text, Typed, Vector, number, refusal, tidy

Fraction: TypeAlias = Annotated[float, Meta(ge=0, le=1)]


class SampleCompression(Typed, frozen=True, tag=True):
    """See `laconic.certificates.SampleCompression`."""

    n_samples: Count
    size: Count
    errors_outside: Count
    message_nats: Number


class FiniteClass(Typed, frozen=True, tag=True):
    """See `laconic.certificates.FiniteClass`."""

    n_samples: Count
    errors_outside: Count
    message_nats: Number


class GibbsBalls(Typed, frozen=True, tag=True):
    """See `laconic.certificates.GibbsBalls`."""

    n_samples: Count
    size: Count
    gibbs_risk: Fraction
    widths: Vector
    max_radius: Number
    message_nats: Number
    vote: bool


class OneOf(Typed, frozen=True, tag=True):
    """See `laconic.certificates.OneOf`."""

    statement: SampleCompression | FiniteClass | GibbsBalls
    among: Annotated[int, Meta(ge=1, le=2**40)]


class Certificate(Part, frozen=True):
    """See `laconic.certificates.Certificate`."""

    risk_bound: Fraction
    delta: Annotated[float, Meta(gt=0, le=1)]
    empirical_risk: Fraction
    n_samples: Count
    compression_size: Count
    message_nats: Number
    method: Text
    assumptions: Annotated[list[Text], Meta(max_length=100)]
    notes: Annotated[list[Text], Meta(max_length=100)]
    outcome: Text
    statements: Annotated[list[SampleCompression | FiniteClass | GibbsBalls | OneOf], Meta(max_length=100)]
    majority_error: Fraction | None = None  # since version 2


KNOWN: dict[type[Struct], type] = {
    SampleCompression: certificates.SampleCompression,
    FiniteClass: certificates.FiniteClass,
    GibbsBalls: certificates.GibbsBalls,
    OneOf: certificates.OneOf,
}


def written_certificate(certificate: certificates.Certificate | None) -> dict[str, Any] | None:
    """Write a certificate down."""
    if certificate is None:
        return None
    if certificate.promised_delta is not None:
        raise ValueError("The certificate was read at another delta, in hindsight; a model file holds the promise.")
    kept = {name: getattr(certificate, name) for name in Certificate.__struct_fields__ if name != "statements"}
    return tidy(kept, "The certificate") | {"statements": [_written(each) for each in certificate.statements]}


def _written(statement: Any) -> dict[str, Any]:
    if type(statement) not in KNOWN.values():
        raise ValueError(refusal(statement, "What the certificate rests on"))
    parts = {field.name: getattr(statement, field.name) for field in fields(statement)}
    if isinstance(statement, certificates.OneOf):
        if isinstance(statement.statement, certificates.OneOf):
            raise ValueError(
                "The certificate paid for two choices, one after the other; pay for both by one_of(a * b)."
            )
        parts["statement"] = _written(statement.statement)
    return {"type": type(statement).__name__} | tidy(parts, "A statement")


def read_certificate(part: Certificate) -> certificates.Certificate:
    """Make the certificate, and see that its statements say what it says and can be explained."""
    kept = {name: _read(value) for name, value in structs.asdict(part).items()}
    certificate = certificates.Certificate(**kept)
    try:
        if certificate.statements:
            bound, _ = certificates.smallest_bound(certificate.statements, certificate.delta)
            if not math.isclose(bound, certificate.risk_bound, rel_tol=1e-6, abs_tol=1e-12):
                raise BadModelFile(f"Its certificate promises {certificate.risk_bound}, and rests on {bound}.")
        certificate.explain()
        certificate.summary()
    except (ArithmeticError, ValueError) as error:
        raise BadModelFile(f"Its certificate makes no sense: {error}") from None
    return certificate


def _read(part: Any) -> Any:
    if isinstance(part, list):
        return tuple(map(_read, part))
    if type(part) in KNOWN:
        return KNOWN[type(part)](**{name: _read(value) for name, value in structs.asdict(part).items()})
    return number(part)
