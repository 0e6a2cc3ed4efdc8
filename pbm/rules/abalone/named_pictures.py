"""The named boards for two players, kept as pictures (rules, section 2).

They are drawn as the board is mailed: `b` moves first and is seat 1, `w` is seat 2.
"""

NAMED_PICTURES = {
    "classic": """
            w w w w w
           w w w w w w
          . . w w w . .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . . b b b . .
           b b b b b b
            b b b b b
    """,
    "belgian": """
            w w . b b
           w w w b b b
          . w w . b b .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . b b . w w .
           b b b w w w
            b b . w w
    """,
    "snakes": """
            b b b b b
           b . . . . .
          b . . . . . .
         b . . b b w w .
        . b . b . w . w .
         . b b w w . . w
          . . . . . . w
           . . . . . w
            w w w w w
    """,
    "alien": """
            b . b . b
           . b w w b .
          . b w b w b .
         . . . b b . . .
        . . . . . . . . .
         . . . w w . . .
          . w b w b w .
           . w b b w .
            w . w . w
    """,
    "checkerboard": """
            . . . . .
           b w b w b w
          . . . . . . .
         w b w b w b w b
        . . . . . . . . .
         b w b w b w b w
          . . . . . . .
           w b w b w b
            . . . . .
    """,
    "duel": """
            . w . b .
           w w w b b b
          . . w . b . .
         b . . . . . . w
        b b . . . . . w w
         b . . . . . . w
          . . w . b . .
           w w w b b b
            . w . b .
    """,
    "dutch": """
            w w . b b
           w b w b w b
          . w w . b b .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . b b . w w .
           b w b w b w
            b b . w w
    """,
    "german": """
            . . . . .
           w w . . b b
          w w w . b b b
         . w w . . b b .
        . . . . . . . . .
         . b b . . w w .
          b b b . w w w
           b b . . w w
            . . . . .
    """,
    "swiss": """
            . . . . .
           w w . . b b
          w b w . b w b
         . w w . . b b .
        . . . . . . . . .
         . b b . . w w .
          b w b . w b w
           b b . . w w
            . . . . .
    """,
    "star": """
            b . . . w
           . w . . b .
          w . b . w . b
         . . . w b . . .
        w b w b . w b w b
         . . . w b . . .
          w . b . w . b
           . w . . b .
            b . . . w
    """,
    "the_wall": """
            . . w . .
           . . . . . .
          . w w w w w .
         w w w w w w w w
        . . . . . . . . .
         b b b b b b b b
          . b b b b b .
           . . . . . .
            . . b . .
    """,
    "the_clearing": """
            b w b w b
           w . . . . w
          . b . . w . b
         b w . . . . . w
        w . . . . . . . b
         b . . . . . b w
          w . b . . w .
           b . . . . b
            w b w b w
    """,
    "papillons": """
            . b . w w
           b . w b . w
          . w . . . b b
         w b . . . . . w
        w . . . . . . . b
         b . . . . . w b
          w w . . . b .
           b . w b . w
            b b . w .
    """,
    "fujiyama": """
            w w w w w
           . w b b w .
          . . w b w . .
         . . . w w . . .
        . . . . . . . . .
         . . . b b . . .
          . . b w b . .
           . b w w b .
            b b b b b
    """,
    "face_to_face": """
            . . . . .
           . . . . . .
          w w . . . b b
         w w w . . b b b
        w w w w . b b b b
         w w w . . b b b
          w w . . . b b
           . . . . . .
            . . . . .
    """,
    "alliances": """
            . . . . .
           . w w b b .
          . w . w b b .
         . w . b w . b .
        . w . b . w . b .
         . w . b w . b .
          . w w b . b .
           . w w b b .
            . . . . .
    """,
    "domination": """
            . . . . .
           w . . . . b
          w w . . . b b
         w w w w . b b b
        . . . b . b . . .
         b b b . w w w w
          b b . . . w w
           b . . . . w
            . . . . .
    """,
    "atomouche": """
            b w . . .
           w . . b w b
          . . b . . . .
         b . w . . . . w
        w . . b . w . . b
         b . . . . b . w
          . . . . w . .
           w b w . . b
            . . . b w
    """,
    "centrifugeuse": """
            . w w w .
           b . . . . b
          b b . w . b b
         b b . . . . b b
        . . . . . . . . .
         w w . . . . w w
          w w . b . w w
           w . . . . w
            . b b b .
    """,
    "snakes_variant": """
            b b b b b
           b . . . . .
          b . . . . . .
         b . w w w w w .
        . b . . . . . w .
         . b b b b b . w
          . . . . . . w
           . . . . . w
            w w w w w
    """,
    "korean_daisy": """
            w w . b b
           w w w b b b
          . w b . w b .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . b w . b w .
           b b b w w w
            b b . w w
    """,
    "infiltration": """
            . b w b .
           . b b b b .
          . b w b w b .
         . b . . . . b .
        . . . . . . . . .
         . w . . . . w .
          . w b w b w .
           . w w w w .
            . w b w .
    """,
    "pyramid": """
            w . . . .
           w w . . . .
          w w w . . . .
         w w w w . . . .
        w w w w . b b b b
         . . . . b b b b
          . . . . b b b
           . . . . b b
            . . . . b
    """,
}
