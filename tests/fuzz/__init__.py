"""Fuzz: thousands of hostile command lines and files; each ends in a result or a refusal, quickly and in little memory.

A case is a command line and the files it stands on, made from its number alone. What is attacked comes from the commands of the
command line and from the catalogue, so a new option, metric, bot, encoder, tokeniser or format is attacked without a line here.

    python -m tests.fuzz --cases 1000        run that many and print a summary
    python -m tests.fuzz --case 1234         make, print and run one
"""
