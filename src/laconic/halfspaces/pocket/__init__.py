"""The pocket algorithm: a halfspace of few digits for classes that overlap (paper 5)."""
