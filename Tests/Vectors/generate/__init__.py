"""Makes the test vectors from docs/spec and proto/ alone. Run as `python -m generate` in Tests/Vectors."""
