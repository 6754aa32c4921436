"""The claim ledger: every published claim, bound to rebuilt tables, with a verdict and what it rests on."""
