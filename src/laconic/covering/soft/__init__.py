"""The PAC-Bayes set covering machine: balls whose radii are drawn from intervals (paper 3)."""
