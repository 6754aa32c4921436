"""Presenting results: published numbers, tables, plots, the static site."""
