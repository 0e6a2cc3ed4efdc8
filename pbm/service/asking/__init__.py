"""Questions to people, the commands that wait for an answer, and standing consent."""
