"""Intersections and unions of halfspaces (paper 5)."""
