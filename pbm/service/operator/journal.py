"""Everything that was changed by the operator, whatever it concerned."""

from pbm.service.operator.office import Office
from pbm.store.values.running import Change


def newest_changes(office: Office, most: int) -> tuple[Change, ...]:
    """The newest changes, the newest last."""
    with office.look() as work:
        return work.changes.newest(most)
