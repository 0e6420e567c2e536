"""What retrieval bots share: the pool of replies, exclusion of the target, recall, training of the dual encoder."""
