"""Pools of LLM judges: the reproducible companion to JudgeMoE and to role-conditioned allocation."""
