"""The text of the spec as people keep it: one style (`gpuplan fmt`), and old spellings made new (`gpuplan migrate`).

Texts are edited, never dumped from data: comments and what an author laid out by hand stay.
"""
