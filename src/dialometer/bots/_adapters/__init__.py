"""Bots outside this process: an OpenAI client, child processes, rate limits, usage."""
