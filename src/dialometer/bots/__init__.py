"""Bots, one file each: retrieval, generation, rules, and adapters to bots that live elsewhere."""
