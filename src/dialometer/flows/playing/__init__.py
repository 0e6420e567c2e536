"""The steps of play: openers, who meets whom, the journal of a block, and the numbers of a run."""
