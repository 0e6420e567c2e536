"""Helpers of ``transformers``: model, prompts, sampling, likelihood."""
