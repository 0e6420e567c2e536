"""serve: bots over HTTP, OpenAI-compatible."""
