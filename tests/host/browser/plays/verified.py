"""Verified: what somebody with a terminal does with the archive that the site offers."""

from pathlib import Path

from click.testing import CliRunner

from quintain.cli.main import cli


def verified(archive: Path, *, checkpoint: Path, receipt: Path) -> str:
    """What ``quintain verify`` says about an archive; it must find nothing wrong."""
    kept = ["--checkpoint", str(checkpoint), "--receipt", str(receipt)]
    done = CliRunner().invoke(cli, ["verify", str(archive), "--workers", "1", *kept])
    assert done.exit_code == 0, done.output
    return done.output
