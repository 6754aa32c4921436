"""The fixed axes of every array, declared once; jaxtyping checks them when the tests run."""

import numpy as np
from jaxtyping import Bool, Float, Float64, Int

Probs = Float[np.ndarray, "items judges buckets"]
Pooled = Float[np.ndarray, "items buckets"]
Scores = Float[np.ndarray, "items judges"]
Codes = Int[np.ndarray, "items judges"]
Weights = Float[np.ndarray, "items judges"] | Float[np.ndarray, " judges"]
Support = Float[np.ndarray, " buckets"]
Target = Float64[np.ndarray, " items"]
Mask = Bool[np.ndarray, " items"]
Called = Bool[np.ndarray, "items judges"]
Costs = Float[np.ndarray, " judges"]
