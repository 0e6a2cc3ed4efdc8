"""Recognises plain sentences by word lists: answers, requests, and moves among other words."""
