"""Sliders where somebody can drag them, and the same picture, drawn once, where nobody can."""

import os
from collections.abc import Callable, Mapping
from typing import Any

# Jupyter servers name the session to the kernel; papermill and the batch start kernels without one.
SESSION = "JPY_SESSION_NAME"


def drag(draw: Callable[..., Any], ranges: Mapping[str, tuple[float | int, ...]]) -> Any:
    """Draw with sliders in a live notebook, and once, at the starting values, anywhere else.

    Parameters
    ----------
    draw : callable
        Takes the sliders' values by name and draws.
    ranges : mapping of str to (low, high, step, start)
        One slider a name; whole numbers give whole steps.

    Returns
    -------
    What `draw` returned where nobody can drag; None where the sliders show it.
    """
    starts = {name: values[3] for name, values in ranges.items()}
    if SESSION not in os.environ:
        return draw(**starts)
    import ipywidgets
    from matplotlib import pyplot

    def redraw(**values: float) -> None:
        draw(**values)
        pyplot.show()

    kinds = {
        name: ipywidgets.IntSlider if all(isinstance(v, int) for v in values) else ipywidgets.FloatSlider
        for name, values in ranges.items()
    }
    sliders = {
        name: kinds[name](
            value=start,
            min=low,
            max=high,
            step=step,
            description=name.replace("_", " "),
            continuous_update=False,
        )
        for name, (low, high, step, start) in ranges.items()
    }
    for name, slider in sliders.items():
        slider.style.description_width = "initial"
        if kinds[name] is ipywidgets.FloatSlider:
            # Two digits, the widget's own choice, would show a step of 0.005 as 0.01.
            slider.readout_format = f".{len(str(float(ranges[name][2])).partition('.')[2])}f"
    ipywidgets.interact(redraw, **sliders)
    return None
