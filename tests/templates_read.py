"""Imported where programs are forked from: the templates are read there, for all of them."""

from pbm.mail.writing.render import Renderer

Renderer().load()
