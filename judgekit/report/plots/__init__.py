"""Figures: each function takes a tidy frame and returns its Axes; none loads, computes, saves or styles."""
