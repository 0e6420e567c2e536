"""The steps of ``compare``: who is compared, on what, by which numbers; openers, study and ratings."""
