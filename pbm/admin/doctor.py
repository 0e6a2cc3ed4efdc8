"""The command `pbm-admin doctor`, which tries the mail server in front."""

import click

from pbm.admin.console import Console, pass_console

ARRIVAL_SECONDS = 60.0


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
    default=ARRIVAL_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long the probe may be on its way.",
)
@pass_console
def doctor(console: Console, front: tuple[str, int], wait: float) -> None:
    """Test if your server's Authentication-Results can be trusted.

    Sends a mail with forged Authentication-Results through your mail server to the running pbm.
    The forged results must not arrive. The results of the server PBM_AUTHSERV_ID count only if
    this test is passed. Ends with status 1 on a FAIL; no result of that server counts then.
    """
    from pbm.admin.state import print_results
    from pbm.service.operator.doctor import examine_front

    with console.session() as session:
        print_results(examine_front(console.settings, session, *front, wait))
