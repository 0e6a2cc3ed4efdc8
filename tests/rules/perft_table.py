"""How many sequences of 1, 2 and 3 moves there are from each start."""

STARTS = {
    ("standard", 2): [44, 1936, 98912],
    ("standard", 3): [40, 1587, 62440],
    ("standard", 4): [34, 1101, 36992],
    ("standard", 5): [34, 1101, 36992],
    ("standard", 6): [36, 1172, 37693],
    ("bowl", 2): [52, 2692, 149322],
    ("bowl", 3): [42, 1742, 71316],
    ("bowl", 4): [26, 670, 17420],
    ("bowl", 5): [21, 432, 8829],
    ("bowl", 6): [16, 263, 4326],
    ("official", 4): [43, 1696, 71767],
    ("german", 2): [80, 6244, 493480],
}

TEAM_STARTS = {
    "official": [43, 1696, 71767],
    "bowl": [26, 670, 17420],
}

DEPTH_4 = {"standard": 5045110, "bowl": 8270666}
"""Of games for two."""
