"""What players have reported."""

from pbm.service.operator.office import Office
from pbm.store.values.talk import Report


def newest_reports(office: Office, most: int) -> tuple[Report, ...]:
    """The newest reports, the newest last."""
    with office.look() as work:
        return work.reports.newest(most)
