"""The steps of ``meta``: a study of metrics beside people, its tables, its pictures, and what may be concluded."""
