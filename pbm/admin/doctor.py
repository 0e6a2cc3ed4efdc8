"""`pbm-admin doctor`."""

import click

from pbm.admin.console import Console, pass_console
from pbm.admin.upkeep import print_findings
from pbm.service.operator import doctor as service


def _host_port(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65535:
        raise click.BadParameter("it is not host:port, such as mx.example.org:25.")
    return host.strip("[]"), int(port)


@click.command()
@click.option(
    "--front",
    required=True,
    metavar="HOST:PORT",
    callback=_host_port,
    help="Where your mail server takes mail from the world.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=service.ARRIVAL_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long the probe may be on its way.",
)
@pass_console
def doctor(console: Console, front: tuple[str, int], wait: float) -> None:
    """Try whether your mail server's word on senders can be believed.

    Sends a mail with forged Authentication-Results through it to the running pbm, where they
    must not arrive. Only after that the results of PBM_AUTHSERV_ID count. Ends with status 1
    on a FAIL; nothing of that server counts then.
    """
    with console.office() as office:
        print_findings(service.examine_front(console.settings, office, *front, wait))
