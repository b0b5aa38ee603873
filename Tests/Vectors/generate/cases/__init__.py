"""The cases, one module a kind or two. Each `cases()` yields (kind, name, expect, comment, fields)."""
