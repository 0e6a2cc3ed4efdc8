"""Questions to people, commands that wait for an answer, and consent to later moves."""
