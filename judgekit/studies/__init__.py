"""One file a study: pure functions from judgments to tidy frames."""
