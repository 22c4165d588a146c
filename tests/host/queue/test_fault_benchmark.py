"""The benchmark of faults, as small as it can be: one kill, two submissions."""

from benchmarks.host.fault_stage import make_stage
from benchmarks.host.faults import run


def test_the_benchmark_of_faults_runs(tmp_path, capsys):
    stage = make_stage(tmp_path / "site", 1, database="", lease=1.0)
    try:
        assert run(stage, submissions=2, kills=1, seed=3) == []
    finally:
        stage.site.close()
    assert "| uploads accepted | 2 |" in capsys.readouterr().out
