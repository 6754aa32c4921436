"""Sliders where somebody can drag them, one still picture elsewhere."""

import pytest

from judgekit.report import live


def test_without_a_notebook_session_it_draws_once_at_the_start(monkeypatch):
    monkeypatch.delenv(live.SESSION, raising=False)
    seen = []
    result = live.drag(
        lambda m, rho: seen.append((m, rho)) or "axes", {"m": (1, 9, 1, 3), "rho": (0.0, 1.0, 0.1, 0.5)}
    )
    assert seen == [(3, 0.5)]
    assert result == "axes"


def test_in_a_notebook_session_it_offers_a_slider_a_name(monkeypatch):
    ipywidgets = pytest.importorskip("ipywidgets")
    monkeypatch.setenv(live.SESSION, "a session")
    shown = {}
    monkeypatch.setattr(ipywidgets, "interact", lambda draw, **sliders: shown.update(sliders))
    assert live.drag(lambda m, rho: None, {"m": (1, 9, 1, 3), "rho": (0.0, 1.0, 0.1, 0.5)}) is None
    assert isinstance(shown["m"], ipywidgets.IntSlider)
    assert isinstance(shown["rho"], ipywidgets.FloatSlider)
    assert (shown["m"].value, shown["rho"].value) == (3, 0.5)


def test_a_slider_shows_as_many_digits_as_its_steps_have(monkeypatch):
    ipywidgets = pytest.importorskip("ipywidgets")
    monkeypatch.setenv(live.SESSION, "a session")
    shown = {}
    monkeypatch.setattr(ipywidgets, "interact", lambda draw, **sliders: shown.update(sliders))
    live.drag(lambda tau, rho: None, {"tau": (0.0, 0.03, 0.0025, 0.005), "rho": (0.0, 1.0, 0.1, 0.5)})
    assert (shown["tau"].readout_format, shown["rho"].readout_format) == (".4f", ".1f")
