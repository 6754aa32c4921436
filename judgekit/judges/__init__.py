"""Running judges: protocols, exact label probabilities, backends, the runner."""
