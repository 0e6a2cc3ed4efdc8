"""Robots: how much each of them searches, and which of the found moves it plays."""
