"""Headless notebook runs that can be trusted: stamps, atomic outputs, loud failures."""

import sys

# As it is imported, nbformat's validator compiles the grammar of a kind of address that no notebook has. That
# takes over a second in each process of a batch; where the package is absent, the validator does without.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
