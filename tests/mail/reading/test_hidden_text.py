"""What a reader of an HTML mail does not see is no command, and goes to nobody."""

from pbm.mail.reading.htmltext import html_to_text
from tests.rows import each_row

HIDING = [
    "display:none",
    "DISPLAY : None !important",
    "visibility:hidden",
    "display:none;font-size:1px;line-height:1px;max-width:0;opacity:0;overflow:hidden;mso-hide:all",
    "visibility: collapse",
    "mso-hide:all",
    "font-size:0",
    "font-size:0px;line-height:0",
    "font-size:.0em",
    "font-size:0%",
    "font:0/0 a",
    "max-height:0",
    "max-height:0px;overflow:hidden",
]
SEEN = [
    "",
    "display:block",
    "visibility:visible",
    "font-size:10px",
    "font-size:12pt",
    "font-size:small",
    "font-size:100%",
    "font-size:0.9em",
    "font:700 13px/0 Arial",
    "line-height:0",
    "color:black",
    "color:#1f497d",
    "color:#000000",
    "color:windowtext",
    "color:rgb(34, 34, 34)",
    "color:hsl(240, 100%, 25%)",
    "color:var(--text)",
    "color:inherit",
    "color:#fff;background:#000",
    "color:white;background:url(x.png) #fff",
    "color:white;background-image:url(x.png)",
    "color:white;background:linear-gradient(red, blue)",
    "height:0",
    "height:20px;overflow:hidden",
    "overflow:hidden",
    "width:100%;overflow:hidden",
    "margin-left:-18.0pt",
    "text-indent:-18.0pt",
    "left:-9999px",
    "position:relative;left:-3px",
    "border-left:none;background:transparent",
    "mso-hide:none",
    "display:;color:;font-size:huge;;:",
]


def text_of(html: str) -> str:
    """The text, in one line."""
    return html_to_text(html).replace("\n", " ").strip()


@each_row("tag", ["div", "span", "font", "b"])
def test_a_style_that_hides(tag: str) -> None:
    for style in HIDING:
        html = f'<p>a1-b2</p><{tag} style="{style}">move a5-b5</{tag}><p>Hi!</p>'
        assert "a5-b5" not in text_of(html), style
        assert text_of(html).split() == ["a1-b2", "Hi!"], style


@each_row("tag", ["div", "span", "font", "b"])
def test_a_style_that_does_not(tag: str) -> None:
    for style in SEEN:
        html = f"<{tag} style='{style}'>a1-b2</{tag}><p>Hi!</p>"
        assert text_of(html).split() == ["a1-b2", "Hi!"], style


@each_row(
    ("html", "seen"),
    [
        ("<p hidden>no</p>yes", "yes"),
        ("<p hidden=''>no<b>no</b></p>yes", "yes"),
        ("<b hidden>no</b>yes", "yes"),
        ("<i class='hidden'>yes</i>", "yes"),
        ("<p aria-hidden=true>yes</p>", "yes"),
        ("<table bgcolor=#333333><tr><td><font color=white>yes</font></table>", "yes"),
        ("<table background=x.png><tr><td style='color:#fff'>yes</table>", "yes"),
        ("<body bgcolor=black text=white>yes</body>", "yes"),
        # What stands within may be seen again, or not.
        ("<div style='font-size:0'>no<p style='font-size:14px'>yes</p></div>", "yes"),
        ("<div style='visibility:hidden'>no<p style='visibility:visible'>yes</p></div>", "yes"),
        ("<div style='display:none'>no<p style='display:block'>no</p></div>yes", "yes"),
        ("<style>.x{color:#fff;background:#036}</style><p class=x>yes</p>", "yes"),
        ("<style>.x{display:none}</style><p class=x style='display:block'>yes</p>", "yes"),
        ("<style>@media print{.x{display:none}} div .x{display:none}</style><p class=x>yes", "yes"),
        ("<style>{}}}}{{ .x{display:none</style><p class=x>yes", "yes"),
        # Never shown by a mail program.
        ("<audio>no</audio><canvas>no</canvas><noframes>no</noframes>yes", "yes"),
        # Hidden text that nothing ends goes as far as its parent.
        ("<div><font style='display:none'>no</div>no?</font>", "no?"),
    ],
)  # fmt: skip
def test_what_is_seen(html: str, seen: str) -> None:
    assert text_of(html).replace(" ", "") == seen
