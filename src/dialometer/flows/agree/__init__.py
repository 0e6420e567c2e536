"""agree: do the raters agree, and which of them?"""
