from judgekit.report.results import Results

OUTPUT = "tables/roles/table03_policy_comparison.csv"


def test_committed_results_are_from_the_repository(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03})
    evidence = Results("recorded", reports / "recorded").evidence(OUTPUT)
    assert (evidence.state, evidence.notebook, evidence.data) == (
        "repository",
        "04_role_routing",
        ("llmbar",),
    )
    assert evidence.words == "from the repository, not rebuilt here (built 2026-11-29)"


def test_this_machines_record_makes_them_rebuilt_here(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03}, here=True)
    results = Results("recorded", reports / "recorded")
    assert results.evidence(OUTPUT).words == "rebuilt here, 2026-11-29 10:12 UTC"
    assert results.notebooks() == ["04_role_routing"]


def test_an_altered_table_is_not_passed_off(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03}, here=True)
    path = reports / "recorded" / OUTPUT
    path.write_text(path.read_text().replace("0.121243", "0.021243"))
    assert Results("recorded", reports / "recorded").evidence(OUTPUT).state == "altered"


def test_without_a_manifest_nothing_is_claimed(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03}, manifest=False)
    evidence = Results("recorded", reports / "recorded").evidence(OUTPUT)
    assert evidence.state == "unstamped"
    assert evidence.words == "from the repository, not rebuilt here"


def test_a_damaged_manifest_counts_as_none(write_results, recorded_table03):
    reports = write_results("recorded", {"table03_policy_comparison": recorded_table03})
    (reports / "recorded" / "manifest.json").write_text('{"notebooks": {"04')
    assert Results("recorded", reports / "recorded").evidence(OUTPUT).state == "unstamped"


def test_absent_and_unreadable_tables_are_none(tmp_path):
    results = Results("recorded", tmp_path)
    assert results.table("roles", "table03_policy_comparison") is None
    path = tmp_path / OUTPUT
    path.parent.mkdir(parents=True)
    path.write_text("")
    assert results.table("roles", "table03_policy_comparison") is None
    assert results.figure("roles", "figure01_regimes") is None
