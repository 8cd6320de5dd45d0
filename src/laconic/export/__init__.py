"""Fitted models in other forms: SQL, ONNX, PMML, plain Python, rules as JSON, and networks."""

from laconic.export._network import CascadeNetwork, cascade_network
from laconic.export._onnx import to_onnx
from laconic.export._python import to_python
from laconic.export._sql import to_sql

__all__ = ["CascadeNetwork", "cascade_network", "to_onnx", "to_python", "to_sql"]
