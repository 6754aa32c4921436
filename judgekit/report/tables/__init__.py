"""Tidy study frames into the printed columns of a paper's tables; rounding is left to the display."""
