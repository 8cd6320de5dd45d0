"""Halfspaces: the perceptron (paper 2), and linear separability with a proof either way."""

from laconic.halfspaces.estimators import MarginPerceptronClassifier
from laconic.halfspaces.separation import Separation, separate

__all__ = ["MarginPerceptronClassifier", "Separation", "separate"]
