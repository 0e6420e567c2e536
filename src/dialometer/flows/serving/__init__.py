"""The parts of serve: requests read and limited, bots asked in batches, answers spelt, the server and its stop."""
