"""Values to text: findings, tables and pages for people and programs. Only this package knows rich and jinja2."""
