"""Markers: what they say, where they hold, what their falsehood implies; checked against packaging."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.markers import Marker as PackagingMarker
from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as PackagingRequirement
from packaging.specifiers import SpecifierSet

from optdep_lint.metadata import (
    KNOWN_VERSIONS,
    MarkerFacts,
    Requirement,
    marker_can_be_false,
    marker_facts,
    marker_holds,
)
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.environments import can_all_be_false, supported_versions
from optdep_lint.metadata.markers import (
    MarkerSyntaxError,
    marker_text,
    parse_marker,
    split_extras,
)
from optdep_lint.metadata.requirement_facts import absence_facts

COMPARISONS = st.one_of(
    st.builds(
        "{} {} '{}'".format,
        st.just("python_version"),
        st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "~="]),
        st.sampled_from(["3.8", "3.9", "3.10", "3.11", "3.14"]),
    ),
    st.builds(
        "python_full_version {} '{}'".format,
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
        st.sampled_from(["3.10.0", "3.11.4", "3.12", "3.9.99"]),
    ),
    st.builds(
        "{} {} '{}'".format,
        st.sampled_from(["sys_platform", "platform_system", "os_name", "platform_machine"]),
        st.sampled_from(["==", "!=", "in", "not in"]),
        st.sampled_from(["win32", "linux", "Linux", "nt", "posix", "x86_64", "darwin linux"]),
    ),
    st.builds(
        "'{}' {} sys_platform".format,
        st.sampled_from(["win", "linux"]),
        st.sampled_from(["==", "!=", "in", "not in"]),
    ),
    st.sampled_from(["python_version == '3.*'", "python_version != '3.11.*'"]),
)
MARKERS = st.recursive(
    COMPARISONS,
    lambda inner: st.builds(
        lambda left, joint, right: f"({left}) {joint} ({right})",
        inner,
        st.sampled_from(["and", "or"]),
        inner,
    ),
    max_leaves=5,
)
SYSTEMS = {"linux": ("Linux", "posix", "x86_64"), "win32": ("Windows", "nt", "AMD64")}


def environment(python: tuple[int, int], platform: str, extra: str = "") -> dict[str, str]:
    system, os_name, machine = SYSTEMS[platform]
    return {
        "python_version": f"{python[0]}.{python[1]}",
        "python_full_version": f"{python[0]}.{python[1]}.0",
        "sys_platform": platform,
        "platform_system": system,
        "os_name": os_name,
        "platform_machine": machine,
        "extra": extra,
    }


@given(MARKERS, st.sampled_from(KNOWN_VERSIONS), st.sampled_from(sorted(SYSTEMS)))
def test_a_marker_holds_where_packaging_says_so(marker: str, python: tuple[int, int], platform: str) -> None:
    expected = PackagingMarker(marker).evaluate(environment(python, platform))
    assert marker_holds(marker, python, platform) is expected


@given(MARKERS)
def test_what_is_written_parses_to_the_same(marker: str) -> None:
    tree = parse_marker(marker)
    assert parse_marker(marker_text(tree)) == tree
    PackagingMarker(marker_text(tree))


@given(
    st.recursive(
        st.one_of(COMPARISONS, st.sampled_from(["extra == 'a'", "extra == 'b'", "'a' == extra"])),
        lambda inner: st.builds(
            lambda left, joint, right: f"({left}) {joint} ({right})",
            inner,
            st.sampled_from(["and", "or"]),
            inner,
        ),
        max_leaves=5,
    ),
    st.sampled_from(KNOWN_VERSIONS),
    st.sampled_from(sorted(SYSTEMS)),
    st.sampled_from(["", "a", "b"]),
)
def test_splitting_off_extras_changes_no_answer(
    marker: str, python: tuple[int, int], platform: str, extra: str
) -> None:
    expected = PackagingMarker(marker).evaluate(environment(python, platform, extra))
    found = any(
        marker_holds(None if rest is None else marker_text(rest), python, platform)
        for under, rest in split_extras(parse_marker(marker))
        if under is None or under == extra
    )
    assert found is expected


@given(MARKERS, st.sampled_from(KNOWN_VERSIONS), st.sampled_from(sorted(SYSTEMS)))
def test_facts_are_true_wherever_the_requirement_is_absent(marker: str, python: tuple[int, int], platform: str) -> None:
    if marker_holds(marker, python, platform):
        return
    facts = marker_facts(requirement(marker))
    assert facts.python_min is None or python >= facts.python_min
    assert facts.python_max is None or python <= facts.python_max
    assert platform not in facts.platforms_excluded
    assert facts.platforms_only is None or platform in facts.platforms_only


@pytest.mark.parametrize(
    ("marker", "pairs"),
    [
        ("extra == 'x'", [("x", None)]),
        ("extra == 'a' or extra == 'b'", [("a", None), ("b", None)]),
        ("python_version < '3.11' and extra == 'x'", [("x", 'python_version < "3.11"')]),
        (
            "python_version < '3.11' or extra == 'x'",
            [(None, 'python_version < "3.11"'), ("x", None)],
        ),
        (
            "(extra == 'a' or extra == 'b') and sys_platform == 'win32'",
            [("a", 'sys_platform == "win32"'), ("b", 'sys_platform == "win32"')],
        ),
        (
            "(os_name == 'nt' or os_name == 'java') and python_version > '3.9' and extra == 'x'",
            [("x", '(os_name == "nt" or os_name == "java") and python_version > "3.9"')],
        ),
        ("extra == 'a' and extra == 'b'", []),
        ("python_version < '3.11'", [(None, 'python_version < "3.11"')]),
    ],
)
def test_extra_clauses_are_split_off(marker: str, pairs: list[tuple[str | None, str | None]]) -> None:
    found = split_extras(parse_marker(marker))
    assert [(extra, rest and marker_text(rest)) for extra, rest in found] == pairs


@pytest.mark.parametrize(
    "marker",
    ["", "python_version", "python_version < 3.8", "nonsense == 'x'", "(os_name == 'nt'", "a ~ 'b'"],
)
def test_a_bad_marker_is_refused(marker: str) -> None:
    with pytest.raises(MarkerSyntaxError):
        parse_marker(marker)


def requirement(marker: str | None) -> Requirement:
    return Requirement("tomli", "", marker, None, None, ("tomli",), "guess", "pyproject.toml", 1)


@pytest.mark.parametrize(
    ("marker", "facts"),
    [
        (None, MarkerFacts()),
        ('python_version < "3.11"', MarkerFacts(python_min=(3, 11))),
        ('python_version <= "3.10"', MarkerFacts(python_min=(3, 11))),
        ('python_full_version <= "3.11.0a6"', MarkerFacts(python_min=(3, 11))),
        ('python_full_version < "3.11.4"', MarkerFacts(python_min=(3, 11))),
        ('python_version >= "3.11"', MarkerFacts(python_max=(3, 10))),
        ('python_version > "3.10"', MarkerFacts(python_max=(3, 10))),
        ('python_version != "3.11"', MarkerFacts(python_min=(3, 11), python_max=(3, 11))),
        ('python_version == "3.11"', MarkerFacts()),
        ('sys_platform == "win32"', MarkerFacts(platforms_excluded=frozenset({"win32"}))),
        ('platform_system == "Windows"', MarkerFacts(platforms_excluded=frozenset({"win32"}))),
        ('os_name == "nt"', MarkerFacts(platforms_excluded=frozenset({"win32"}))),
        ('sys_platform != "win32"', MarkerFacts(platforms_only=frozenset({"win32"}))),
        (
            'sys_platform == "win32" or sys_platform == "darwin"',
            MarkerFacts(platforms_excluded=frozenset({"win32", "darwin"})),
        ),
        ('sys_platform == "win32" and python_version < "3.11"', MarkerFacts()),
        ('platform_machine == "x86_64"', MarkerFacts()),
        ('implementation_name == "pypy"', MarkerFacts()),
        (
            'sys_platform == "win32" or python_version < "3.11"',
            MarkerFacts(python_min=(3, 11), platforms_excluded=frozenset({"win32"})),
        ),
    ],
)
def test_facts_of_absence(marker: str | None, facts: MarkerFacts) -> None:
    assert marker_facts(requirement(marker)) == facts


def test_several_requirements_of_one_root_are_absent_together() -> None:
    markers = ['python_version < "3.10"', 'sys_platform == "win32"']
    assert absence_facts(markers, KNOWN_VERSIONS) == MarkerFacts(
        python_min=(3, 10), platforms_excluded=frozenset({"win32"})
    )
    assert not can_all_be_false(['python_version < "3.10"', 'python_version >= "3.10"'], KNOWN_VERSIONS)
    assert not can_all_be_false(['platform_machine == "arm64"', 'platform_machine != "arm64"'], KNOWN_VERSIONS)
    assert absence_facts([], KNOWN_VERSIONS) == MarkerFacts()


@pytest.mark.parametrize(
    ("marker", "versions", "expected"),
    [
        (None, KNOWN_VERSIONS, False),
        ('python_version < "3.11"', KNOWN_VERSIONS, True),
        ('python_version < "3.11"', [(3, 9), (3, 10)], False),
        ('python_version >= "3.7"', KNOWN_VERSIONS, False),
        ('platform_python_implementation != "PyPy"', [(3, 11)], True),
        ('platform_release >= "20"', [(3, 11)], True),
        ('platform_machine in "x86_64 arm64"', [(3, 11)], True),
        ('sys_platform != "emscripten"', [(3, 11)], True),
    ],
)
def test_a_marker_can_be_false(marker: str | None, versions: list[tuple[int, int]], expected: bool) -> None:
    assert marker_can_be_false(requirement(marker), versions) is expected


@pytest.mark.parametrize(
    "specifier",
    [">=3.9", ">=3.8,<3.12", "~=3.9", ">=3.8, !=3.10.*", "==3.11.*", ">3.10.5", "<=3.9", "~=3.9.2"],
)
def test_supported_versions_are_those_with_a_fitting_patch_release(specifier: str) -> None:
    allowed = SpecifierSet(specifier)
    expected = tuple(
        one for one in KNOWN_VERSIONS if any(f"{one[0]}.{one[1]}.{patch}" in allowed for patch in range(40))
    )
    assert supported_versions(specifier) == expected


@pytest.mark.parametrize("specifier", [None, "", "nonsense", ">=2.7"])
def test_a_specifier_that_says_nothing_admits_all(specifier: str | None) -> None:
    assert supported_versions(specifier) == KNOWN_VERSIONS


@pytest.mark.parametrize(
    "text",
    [
        "torch",
        "Foo.Bar_baz >=1.0, <2 ",
        "uvicorn[standard, x]>=0.2; python_version < '3.11'",
        "a (>=1.0,!=1.5)",
        "pip @ https://example.com/pip-1.0.zip",
        "pip @ git+https://example.com/pip@main#egg=x ; os_name == 'nt'",
        "name[]",
        "a==1.*",
        "a ~= 1.4.2",
    ],
)
def test_dependencies_parse_as_packaging_parses_them(text: str) -> None:
    found, expected = parse_dependency(text), PackagingRequirement(text)
    assert found.name == expected.name
    assert set(found.extras) == expected.extras
    assert (found.marker is None) is (expected.marker is None)
    if expected.url:
        assert found.specifier == f"@ {expected.url}"
    else:
        assert SpecifierSet(found.specifier) == expected.specifier


@pytest.mark.parametrize("text", ["", "-x", "a b", "a >> 1", "a[b", "a[!]", "a; os_name", "a @ "])
def test_bad_dependencies_are_refused_as_packaging_refuses_them(text: str) -> None:
    with pytest.raises(InvalidRequirement):
        PackagingRequirement(text)
    with pytest.raises(DependencySyntaxError):
        parse_dependency(text)
