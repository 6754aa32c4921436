import pytest

from judgekit.batch.layout import Layout
from judgekit.batch.profiles import Entry, read_profiles
from judgekit.errors import InvalidInput

GOOD = """
simulated:
  00_start_here:
  04_role_routing:
    parameters: {seeds: 3}
    tables: [roles/table03]
    figures: [roles/figure01]
recorded:
  04_role_routing: {needs: [llmbar], tables: [roles/table03]}
"""


@pytest.fixture
def read(tmp_path):
    def read(profiles=GOOD, smoke="04_role_routing: {seeds: 1}"):
        (tmp_path / "profiles.yaml").write_text(profiles)
        (tmp_path / "smoke.yaml").write_text(smoke)
        return read_profiles(tmp_path)

    return read


def test_entries_are_read_in_file_order(read):
    profiles = read()
    assert profiles.entries == (
        Entry("simulated", "00_start_here"),
        Entry("simulated", "04_role_routing", {"seeds": 3}, (), ("roles/table03",), ("roles/figure01",)),
        Entry("recorded", "04_role_routing", {}, ("llmbar",), ("roles/table03",)),
    )
    assert profiles.entries[1].outputs == ("tables/roles/table03.csv", "figures/roles/figure01.svg")
    assert profiles.of("recorded") == profiles.entries[2:]
    assert profiles.of("simulated", ["04_role_routing"]) == profiles.entries[1:2]
    assert profiles.smoke == {"04_role_routing": {"seeds": 1}}


@pytest.mark.parametrize(
    "study",
    ["04", "4", "04_role_routing", "role_routing", "04_role_routing.ipynb", "notebooks/04_role_routing.py"],
)
def test_study_goes_by_number_name_or_file(read, study):
    assert read().resolve(study) == "04_role_routing"


@pytest.mark.parametrize("study", ["", "5", "role", "_", "04_", "04_role_routing.txt", "٤"])
def test_unknown_study_is_refused_with_the_list(read, study):
    with pytest.raises(InvalidInput, match="STUDY: allowed is one of 00_start_here, 04_role_routing"):
        read().resolve(study)


@pytest.mark.parametrize(
    ("profiles", "says"),
    [
        ("simulated: [", "profiles.yaml: allowed is readable YAML"),
        ("simulated: {01_a: {}, 01_a: {}}", "01_a stands twice"),
        ("simulated: {}\nsimulated: {}", "simulated stands twice"),
        ("- simulated", "profiles.yaml: allowed is a mapping"),
        ("real: {}", "keys simulated, recorded, local; given real"),
        ("simulated: {start_here: {}}", "a notebook's name such as 04_role_routing"),
        ("simulated: {1: {}}", "names as keys; given 1"),
        (
            "simulated: {01_a: {table: [a]}}",
            "simulated.01_a: allowed is keys parameters, needs, tables, figures",
        ),
        ("simulated: {01_a: [a]}", "simulated.01_a: allowed is a mapping"),
        ("simulated: {01_a: {tables: a}}", "simulated.01_a.tables: allowed is a list of names; given a"),
        ("simulated: {01_a: {tables: [1]}}", "a list of names"),
        ("simulated: {01_a: {tables: [a, a]}}", "each name once"),
        ("simulated: {01_a: {tables: [../a]}}", "names such as roles/table03; given ../a"),
        ("simulated: {01_a: {figures: [a.svg]}}", "figures: allowed is names such as"),
        ("simulated: {01_a: {parameters: {profile: recorded}}}", "which the batch itself passes"),
        (
            "simulated: {01_a: {reads_tables: later}}",
            "reads_tables: allowed is true or false; given later",
        ),
        ("simulated: {01_a: {parameters: [a]}}", "01_a.parameters: allowed is a mapping"),
        ("simulated: {01_a: {tables: [a]}, 02_b: {tables: [a]}}", "each output from one notebook"),
    ],
)
def test_malformed_profiles_are_one_clear_line(read, profiles, says):
    with pytest.raises(InvalidInput, match=says) as error:
        read(profiles, smoke="")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("smoke", "says"),
    [
        ("05_other: {n: 1}", "smoke.yaml: allowed is keys 00_start_here, 04_role_routing; given 05_other"),
        ("04_role_routing: 3", "smoke.yaml: 04_role_routing: allowed is a mapping"),
        ("04_role_routing: {profile: local}", "which the batch itself passes"),
    ],
)
def test_malformed_smoke_sizes_are_one_clear_line(read, smoke, says):
    with pytest.raises(InvalidInput, match=says):
        read(smoke=smoke)


def test_absent_file_is_named(tmp_path):
    with pytest.raises(
        InvalidInput, match=f"profiles.yaml: allowed is a file in {tmp_path.name}/; given none"
    ):
        read_profiles(tmp_path)


def test_same_output_may_come_from_one_notebook_per_profile(read):
    read("simulated: {01_a: {tables: [a]}}\nlocal: {02_b: {tables: [a]}}", smoke="")


def test_the_projects_own_settings_are_well_formed():
    profiles = read_profiles(Layout.of_checkout().nbconfig)
    assert {entry.profile for entry in profiles.entries} >= {"simulated", "recorded"}
