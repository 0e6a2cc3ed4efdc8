"""Recognises plain sentences by word lists: answers, wishes, and moves among other words."""
