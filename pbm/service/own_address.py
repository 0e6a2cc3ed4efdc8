"""The server's own address, as the settings have it."""

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, SeparatorError, ServerAddress


def own_address(settings: Settings) -> ServerAddress:
    """Read PBM_ADDRESS and PBM_SEPARATOR. Raises OperatorError where one can't work."""
    try:
        return ServerAddress(settings.address, settings.separator)
    except SeparatorError as error:
        raise OperatorError(f"PBM_SEPARATOR: {error}") from error
    except AddressError as error:
        raise OperatorError(f"PBM_ADDRESS: {error}") from error
