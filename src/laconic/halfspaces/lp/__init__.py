"""Linear programmes over rows: densest subsets that one halfspace can cut away, and separability."""
