"""One colour and one marker for every policy and role, in every figure; markers tell them apart in grey."""

POLICY_NAMES = {
    "single_best": "single best",
    "single_best_sliced": "single best, slice tables",
    "flat_all": "all judges, flat",
    "global_panel": "role plan, global stop",
    "global_panel_sliced": "global panel, slice tables",
    "role_routed": "role plan, routed",
    "role_strict": "role plan, strict routes",
    "role_strict_sliced": "strict routes, slice tables",
    "top_k": "top k",
    "low_correlation_k": "low-correlation k",
    "family_spread_k": "family-spread k",
    "matched_non_role": "matched panel",
    "full_stack": "full stack",
    "slice_stack": "slice-aware stack",
    "reliability_jury": "reliability jury",
    "dawid_skene": "Dawid-Skene",
    "frugal_cascade": "frugal cascade",
    "best_subset": "best subset",
    "role_shrunk": "shrunk slice tables",
    "role_strict_shrunk": "strict routes, shrunk tables",
    "role_crossfit": "cross-fitted gains",
    "role_steady": "steady plan",
    "role_stable": "stable calls",
}

BLACK, BLUE, SKY, GREEN, ORANGE, VERMILION, PURPLE, GREY = (
    "#222222", "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#767676",
)  # fmt: skip

POLICY_STYLE: dict[str, tuple[str, str]] = {
    "single_best": (BLACK, "|"),
    "single_best_sliced": (BLACK, "x"),
    "flat_all": (ORANGE, "s"),
    "global_panel": (SKY, "o"),
    "global_panel_sliced": (SKY, "D"),
    "role_routed": (BLUE, "o"),
    "role_strict": (BLUE, "v"),
    "role_strict_sliced": (BLUE, "D"),
    "top_k": (GREY, "<"),
    "low_correlation_k": (GREY, ">"),
    "family_spread_k": (GREY, "^"),
    "matched_non_role": (GREY, "p"),
    "full_stack": (VERMILION, "^"),
    "slice_stack": (VERMILION, "*"),
    "reliability_jury": (PURPLE, "P"),
    "dawid_skene": (PURPLE, "h"),
    "frugal_cascade": (GREEN, "X"),
    "best_subset": (GREEN, "d"),
    "role_shrunk": (SKY, "v"),
    "role_strict_shrunk": (SKY, "^"),
    "role_crossfit": (PURPLE, "o"),
    "role_steady": (PURPLE, "D"),
    "role_stable": (PURPLE, "v"),
}

# Drawn open, so that no two round marks of one figure look alike in grey.
HOLLOW = frozenset({"global_panel"})
# Lines of what makes the calls of another policy and only refits its tables by slice.
DASHED = frozenset({"single_best_sliced", "global_panel_sliced"})
