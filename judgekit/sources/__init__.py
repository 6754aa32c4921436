"""Where judgments come from: recorded data sets, the simulator, local runs."""
