"""A plan for people and programs: one view, prepared once, that terminal, Markdown, HTML and JSON say in their own form.

Plan -> view.view -> View -> terminal | markdown | page | data
"""
