"""The words of people: other names of algorithms, terms in two languages, and Portuguese for the learning commands.

terms.py     aliases and terms, and what the lecture notes call messages      terms.toml
language.py  the language of the command line                                 pt.toml
essays.py    what the algorithms' files say at their heads, in Portuguese     essays/
"""
