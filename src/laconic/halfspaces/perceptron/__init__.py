"""The perceptron, its mistakes and its margin (paper 2)."""
