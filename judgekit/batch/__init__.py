"""Headless notebook runs that can be trusted: stamps, atomic outputs, loud failures."""
