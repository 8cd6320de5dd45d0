"""The covering machine itself: problem, greedy driver, scheme, estimators, cross-validation."""
