"""The steps of ``score``: shards, facts of the collection, measures, summary, items."""
