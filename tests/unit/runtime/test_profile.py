"""Profiles: what does not fit is told in the words of profiles, whatever way a profile is made."""

from __future__ import annotations

import datetime as dt
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from etlgen_runtime import PlanError, Profile
from etlgen_runtime.limits import Limits
from etlgen_runtime.profile import KEYS, ProfileError, ProfileFault


def test_one_target_is_for_one_contract() -> None:
    Profile().require_own_targets()
    with pytest.raises(PlanError) as refused:
        Profile(name="production", target="out").require_own_targets()
    assert refused.value.diagnostic.code == "PMPLAN111"
    assert "`target` of profile `production`" in refused.value.diagnostic.message


def test_the_keys_are_those_of_a_profile() -> None:
    assert {"name", *KEYS} == set(Profile.model_fields)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"engin": "polars"}, "profile `production` has the unknown key `engin`: expected one of `engine`, `root`"),
        (
            {"limits": {"record_byte": 1}},
            "profile `production` has the unknown key `limits.record_byte`: expected one of `record_bytes`, `columns`",
        ),
        ({"name": "other"}, "profile `production` has the unknown key `name`"),
        ({"dry_run": "perhaps"}, "the value of `dry_run` in profile `production` does not fit: expected true or false"),
        ({"sensitive": "show"}, "does not fit: expected `redact`, `omit` or `keep`"),
        ({"as_of": "yesterday"}, "the value of `as_of` in profile `production` does not fit: expected a time in ISO"),
        ({"as_of": "9999-12-31T23:00:00-02:00"}, "the value of `as_of` in profile `production` does not fit"),
        ({"root": "a\0b"}, "the value of `root` in profile `production` does not fit: expected a folder"),
        ({"target": "a\0b"}, "the value of `target` in profile `production` does not fit: expected a path"),
        ({"assets": ["a"]}, "the value of `assets` in profile `production` does not fit: expected a table of paths"),
        (
            {"limits": {"columns": 0}},
            "the value of `limits.columns` in profile `production` does not fit: expected a table of",
        ),
        (
            {"limits": {"record_bytes": "64 MiB"}},
            "the value of `limits.record_bytes` in profile `production` does not fit",
        ),
        ({"limits": 7}, "with the keys `record_bytes`, `columns`, `unpacked_bytes`"),
        ({"limits": 7}, "the value of `limits` in profile `production` does not fit"),
        ({"assets": {"orders": 1}}, "the value of `assets.orders` in profile `production` does not fit"),
    ],
)
def test_a_wrong_profile_names_the_key_and_what_it_holds(values: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError) as refused:
        Profile.load("production", values)
    diagnostic = refused.value.diagnostic
    assert diagnostic.code == "PMPLAN103"
    assert said in diagnostic.message
    assert diagnostic.help
    assert "Input should" not in str(refused.value)


def test_every_fault_is_told() -> None:
    with pytest.raises(ProfileError) as refused:
        Profile.load("p", {"dryrun": True, "target": 5, "assets": {"a": 1, "b": 2}})
    assert set(refused.value.faults) == {
        ProfileFault("p", "dryrun", known=False),
        ProfileFault("p", "target", known=True),
        ProfileFault("p", "assets.a", known=True),
        ProfileFault("p", "assets.b", known=True),
    }


def test_a_profile_made_in_python_is_refused_in_the_same_words() -> None:
    with pytest.raises(ProfileError, match="PMPLAN103: profile `eu` has the unknown key `engin`"):
        Profile.model_validate({"name": "eu", "engin": "polars"})
    with pytest.raises(ProfileError, match="profile `development` is no table of keys and values"):
        Profile.model_validate(["engine"])


def test_a_time_without_zone_is_in_utc() -> None:
    assert Profile.load("p", {"as_of": "2024-03-01"}).as_of == dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
    assert Profile.load("p", {"as_of": "2024-03-01T01:00:00+01:00"}).as_of == dt.datetime(2024, 3, 1, tzinfo=dt.UTC)


def test_limits_that_are_not_given_have_their_defaults() -> None:
    limits = Profile.load("p", {"limits": {"columns": 5}}).limits
    assert (limits.columns, limits.record_bytes, limits.unpacked_bytes) == (5, 64 << 20, 16 << 30)


def test_the_page_shows_the_default_limits() -> None:
    page = (Path(__file__).parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    block = page.partition("```toml\n")[2].partition("```")[0]
    written = tomllib.loads(block)["tool"]["etlgen"]["profiles"]["production"]["limits"]
    assert written == Limits().model_dump()


def test_the_error_hides_no_cause_with_values() -> None:
    with pytest.raises(ProfileError) as refused:
        Profile.load("p", {"target": {"password": "hunter2"}})
    assert not isinstance(refused.value.__cause__, ValidationError)
    assert "hunter2" not in str(refused.value)
