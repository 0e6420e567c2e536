"""meta: do metrics agree with human ratings?"""
