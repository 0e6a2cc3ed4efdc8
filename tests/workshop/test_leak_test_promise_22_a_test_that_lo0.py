import structlog
from pathlib import Path
from tests.table import Table

def test_that_leaks(tmp_path: Path) -> None:
    table = Table(f"sqlite:///{tmp_path / 'x'}")
    structlog.get_logger().info("board sent", to=table.joins("alice").newest.reply_to)
    table.close()

def test_that_does_not(tmp_path: Path) -> None:
    Table(f"sqlite:///{tmp_path / 'x'}").joins("alice")
