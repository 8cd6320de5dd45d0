"""Fitted models in other forms: SQL, ONNX, PMML, plain Python, rules as JSON, and networks."""

from laconic.export._json import to_json_rules
from laconic.export._network import CascadeNetwork, cascade_network
from laconic.export._onnx import to_onnx
from laconic.export._pipelines import register_converters
from laconic.export._pmml import to_pmml
from laconic.export._python import to_python
from laconic.export._sql import to_sql

__all__ = [
    "CascadeNetwork",
    "cascade_network",
    "register_converters",
    "to_json_rules",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sql",
]
