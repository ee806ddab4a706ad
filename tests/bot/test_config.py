"""The settings: one pure reader, secrets that hide, mistakes named with their place."""

from __future__ import annotations

import dataclasses
import pickle
import traceback
from pathlib import Path

import pytest

from bot.config import (
    FILE_BYTES_MAX,
    SETTINGS,
    Config,
    Secret,
    Setting,
    SettingType,
    Source,
    UnknownKey,
    find,
    load,
    nearest,
    without_secrets,
)
from bot.errors import ConfigError
from store.errors import Rejected

TOKEN = "5550001:correct-horse-battery"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "niannian.toml"


def read(path: Path, text: str, env: dict[str, str] | None = None) -> Config:
    path.write_text(text, encoding="utf-8")
    return load(path, env or {})


def refused(path: Path, text: str | bytes, env: dict[str, str] | None = None) -> ConfigError:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load(path, env or {})
    return caught.value


def test_without_file_and_environment_everything_is_its_default(path: Path) -> None:
    config = load(path, {})
    assert config.warnings == ()
    assert set(config.sources) == {setting.name for setting in SETTINGS}
    assert set(config.sources.values()) == {Source.DEFAULT}
    for setting in SETTINGS:
        assert getattr(getattr(config, setting.section), setting.key) == setting.default


def test_every_setting_can_be_given_in_the_file_and_in_the_environment(path: Path) -> None:
    samples = {SettingType.TEXT: "a b", SettingType.SECRET: TOKEN, SettingType.URL: "http://127.0.0.1:8/v1"}
    samples |= {
        SettingType.ZONE: "Asia/Shanghai",
        SettingType.PORT: "8080",
        SettingType.FILE: str(path.parent / "secret"),
    }
    (path.parent / "secret").write_text("four quiet herons\n")
    for setting in SETTINGS:
        wanted = samples.get(setting.type) or setting.choices[1]
        from_file = read(path, f'[{setting.section}]\n{setting.key} = "{wanted}"\n')
        from_env = read(path, "", {setting.env: wanted})
        for config, source in ((from_file, Source.FILE), (from_env, Source.ENVIRONMENT)):
            got = getattr(getattr(config, setting.section), setting.key)
            assert (got.reveal() if isinstance(got, Secret) else got) == wanted
            assert config.sources[setting.name] is source
            assert config.warnings == ()


def test_the_passphrase_of_backups_may_stand_in_a_file_that_the_settings_name(path: Path) -> None:
    secret = path.parent / "secret"
    secret.write_text("  four quiet herons\n")
    for config in (
        read(path, f'[backup]\npassphrase_file = "{secret}"\n'),
        read(path, "", {"NIANNIAN_BACKUP_PASSPHRASE_FILE": str(secret)}),
        read(path, '[backup]\npassphrase_file = "/nowhere"\n', {"NIANNIAN_BACKUP_PASSPHRASE_FILE": str(secret)}),
    ):
        found = config.backup.secret()
        assert found is not None and found.reveal() == "four quiet herons"
        assert "heron" not in repr(config)
    with pytest.raises(ConfigError) as caught:
        read(path, f'[backup]\npassphrase_file = "{secret}"\npassphrase = "x"\n')
    assert caught.value.code == "error-config-twice"
    for text in (f'passphrase_file = "{secret}"', 'passphrase = "x"'):
        found = read(path, f"[backup]\n{text}\n", {"NIANNIAN_BACKUP_PASSPHRASE": "y"}).backup.secret()
        assert found == Secret("y"), "the environment wins"
    found = read(path, '[backup]\npassphrase = "x"\n', {"NIANNIAN_BACKUP_PASSPHRASE_FILE": str(secret)}).backup.secret()
    assert found == Secret("four quiet herons")


def test_the_file_of_the_passphrase_is_looked_into_only_where_it_is_needed(path: Path) -> None:
    """A home that was restored on another machine starts without it."""
    secret = path.parent / "secret"
    secret.write_text(" \n")
    for named in (str(secret), "/nowhere/at/all"):
        config = read(path, f'[backup]\npassphrase_file = "{named}"\n')
        with pytest.raises(ConfigError) as caught:
            config.backup.secret()
        assert (caught.value.code, caught.value.facts["path"]) == ("error-config-file", named)
    path.write_text(f'[backup]\npassphrase_file = "{secret}"\nfolder = "/mnt/b"\n')
    assert without_secrets(path) == b'[backup]\nfolder = "/mnt/b"\n'


def test_a_port_may_be_a_number_and_must_be_one(path: Path) -> None:
    assert read(path, "[health]\nport = 0\n").health.port == "0"
    for wrong in ('"seven"', "65536", '"-1"', "1.5", "true"):
        with pytest.raises(ConfigError) as caught:
            read(path, f"[health]\nport = {wrong}\n")
        assert caught.value.facts["key"] == "health.port"
        assert caught.value.facts["line"] == 2


def test_the_environment_wins_over_the_file(path: Path) -> None:
    config = read(path, '[person]\nname = "Lin"\n', {"NIANNIAN_PERSON_NAME": "Noor"})
    assert config.person.name == "Noor"


def test_an_empty_value_is_no_value(path: Path) -> None:
    config = read(path, '[person]\nname = "Lin"\nzone = ""\nlang = ""\n', {"NIANNIAN_PERSON_NAME": ""})
    assert config.person.name == "Lin"
    assert config.person.zone is None
    assert config.sources["person.zone"] is Source.DEFAULT


def test_a_secret_may_stand_in_a_file_of_its_own(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "token"
    kept.write_text(f"{TOKEN}\n")
    config = read(path, "", {"NIANNIAN_TELEGRAM_TOKEN_FILE": str(kept)})
    assert config.telegram.token == Secret(TOKEN)
    assert config.sources["telegram.token"] is Source.SECRET_FILE


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe\xff", b"x" * (FILE_BYTES_MAX + 1)])
def test_a_secret_file_that_holds_no_secret_is_refused(path: Path, tmp_path: Path, content: bytes | None) -> None:
    kept = tmp_path / "token"
    if content is not None:
        kept.write_bytes(content)
    error = refused(path, "", {"NIANNIAN_TELEGRAM_TOKEN_FILE": str(kept)})
    assert error.code == "error-config-file"
    assert error.facts == {"path": str(kept)}


def test_a_secret_given_twice_is_refused(path: Path) -> None:
    error = refused(path, "", {"NIANNIAN_LLM_API_KEY": TOKEN, "NIANNIAN_LLM_API_KEY_FILE": "x"})
    assert error.code == "error-config-twice"
    assert error.facts["key"] == "llm.api_key"


def test_a_secret_hides_itself_wherever_the_config_is_printed(path: Path) -> None:
    config = read(path, f'[telegram]\ntoken = "{TOKEN}"\n[llm]\napi_key = "{TOKEN}"\n')
    secret = config.telegram.token
    assert secret is not None
    shown = [repr(config), str(config), repr(secret), str(secret), f"{secret}", f"{secret!s:>40}", "%s" % secret]  # noqa: UP031
    shown.append(repr(dataclasses.replace(config, warnings=())))
    assert not any("horse" in text for text in shown)
    assert secret.reveal() == TOKEN
    assert secret != TOKEN
    assert len({secret, Secret(TOKEN)}) == 1
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_the_config_is_frozen(path: Path) -> None:
    config = load(path, {})
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.person.name = "x"  # type: ignore[misc]
    with pytest.raises(TypeError):
        config.sources["person.name"] = Source.FILE  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "name", "near", "line"),
    [
        ('[telegram]\ntoken = ""\ntokn = "x"\n', "telegram.tokn", "telegram.token", 3),
        ('\n[telegramm]\ntoken = "x"\n', "telegramm", "telegram", 2),
        ('[llm]\nBase_URL = "http://x"\n', "llm.Base_URL", "llm.base_url", 2),
        ('person.nmae = "x"\n', "person.nmae", "person.name", 1),
        ('"person" . "nmae" = "x"\n', "person.nmae", "person.name", 1),
        ('person = { nmae = "x" }\n', "person.nmae", "person.name", 1),
        ("[person.nmae]\nx = 1\n", "person.nmae", "person.name", 1),
        ('person_name = "x"\n', "person_name", "person.name", 1),
        ("[qqqqqqqq]\n", "qqqqqqqq", None, 1),
        ("[device]\nqqqqqqqq = 1\n", "device.qqqqqqqq", None, 2),
        ("[[device2]]\n", "device2", "device", 1),
    ],
)
def test_an_unknown_key_is_a_warning_with_the_nearest_known_one(
    path: Path, text: str, name: str, near: str | None, line: int
) -> None:
    config = read(path, text)
    assert config.warnings == (UnknownKey(name=name, nearest=near, line=line),)
    (warning,) = config.warnings
    assert warning.code == ("warning-config-unknown-near" if near else "warning-config-unknown")
    assert warning.facts == {"name": name, "nearest": near or "", "line": line}


def test_an_unknown_variable_is_a_warning_too(path: Path) -> None:
    env = {"NIANNIAN_TELEGRAM_TOKN": TOKEN, "NIANNIAN_HOME": "x", "OTHER": "y", "NIANNIAN_PERSON_NAME_FILE": "z"}
    assert [(w.name, w.nearest, w.line) for w in read(path, "", env).warnings] == [
        ("NIANNIAN_PERSON_NAME_FILE", "NIANNIAN_PERSON_NAME", 0),
        ("NIANNIAN_TELEGRAM_TOKN", "NIANNIAN_TELEGRAM_TOKEN", 0),
    ]
    assert {w.code for w in read(path, "", env).warnings} == {"warning-variable-unknown-near"}


@pytest.mark.parametrize("value", ["12345", "true", "[1]", "{a = 1}", "2024-05-27", "1.5"])
def test_a_value_that_is_no_text_is_refused_by_place(path: Path, value: str) -> None:
    error = refused(path, f"# one\n[telegram]\ntoken = {value}\n")
    assert error.code == "error-config-type"
    assert error.facts == {"key": "telegram.token", "line": 3}


@pytest.mark.parametrize("text", ['person = "Lin"\n', "[[person]]\n"])
def test_a_section_that_is_no_table_is_refused(path: Path, text: str) -> None:
    error = refused(path, text)
    assert error.code == "error-config-section"
    assert error.facts == {"section": "person", "line": 1}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[person]\nname = \n", 2),
        ("[person]\n[person]\n", 2),
        ('[person]\nname = "Lin', 2),
        ("a = " + "[" * 5000, None),
    ],
)
def test_a_file_that_is_no_toml_is_refused_with_its_line(path: Path, text: str, line: int | None) -> None:
    error = refused(path, text)
    assert error.code == "error-config-toml"
    assert error.facts["path"] == str(path)
    if line is not None:
        assert error.facts["line"] == line


def test_an_unreadable_file_is_refused_and_quotes_nothing(path: Path) -> None:
    error = refused(path, b'token = "horse\xff"')
    assert error.code == "error-config-file"
    assert "horse" not in "".join(traceback.format_exception(error))
    path.unlink()
    path.mkdir()
    with pytest.raises(ConfigError):
        load(path, {})


def test_the_file_is_read_up_to_its_limit_and_not_one_byte_past(path: Path) -> None:
    assert read(path, "#" * FILE_BYTES_MAX).warnings == ()
    assert refused(path, "#" * (FILE_BYTES_MAX + 1)).code == "error-config-file"


def test_a_windows_file_with_mark_and_crlf_is_read(path: Path) -> None:
    path.write_bytes('\ufeff[person]\r\nname = "林"\r\n'.encode())
    assert load(path, {}).person.name == "林"


@pytest.mark.parametrize(
    ("zone", "near"),
    [("Asia/Shangai", "Asia/Shanghai"), ("Asia", "Asia/Aden"), ("../etc/x", None), ("北京", ""), ("a\0b", "")],
)
def test_an_unknown_zone_is_refused_with_the_nearest_one(path: Path, zone: str, near: str | None) -> None:
    error = refused(path, "", {"NIANNIAN_PERSON_ZONE": zone})
    assert error.code == "error-config-zone"
    assert error.facts["key"] == "person.zone"
    assert error.facts["line"] == 0
    if near in ("", "Asia/Shanghai"):
        assert error.facts["nearest"] == near


def test_a_word_outside_the_choices_is_refused(path: Path) -> None:
    error = refused(path, '[embedder]\nkind = "bert"\n')
    assert error.code == "error-config-choice"
    assert error.facts == {"key": "embedder.kind", "line": 2, "choices": "none, e5, use, url"}


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_an_embedder_at_an_address_needs_the_address_and_the_model(path: Path, missing: str) -> None:
    given = {"base_url": "http://127.0.0.1:8/v1", "model": "m"}
    del given[missing]
    lines = "".join(f'{key} = "{value}"\n' for key, value in given.items())
    error = refused(path, f'[embedder]\nkind = "url"\n{lines}')
    assert error.code == "error-config-needs"
    assert error.facts == {
        "key": "embedder.kind",
        "choice": "url",
        "needed": f"embedder.{missing}",
        "variable": f"NIANNIAN_EMBEDDER_{missing.upper()}",
    }


def test_an_address_is_kept_and_not_asked_for_while_another_embedder_is_chosen(path: Path) -> None:
    config = read(path, '[embedder]\nkind = "e5"\nmodel = "m"\n', {"NIANNIAN_EMBEDDER_API_KEY": TOKEN})
    assert (config.embedder.kind, config.embedder.model, config.embedder.base_url) == ("e5", "m", None)
    assert config.embedder.api_key == Secret(TOKEN)


@pytest.mark.parametrize("url", ["api.example", "ftp://x", "https://", "http:///x", "http://a b"])
def test_an_address_must_be_http(path: Path, url: str) -> None:
    error = refused(path, f'[llm]\nbase_url = "{url}"\n')
    assert error.code == "error-config-url"
    assert error.facts == {"key": "llm.base_url", "line": 2}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_no_refusal_repeats_a_value(path: Path, setting: Setting) -> None:
    """A token pasted on the wrong line must not reach a log through the complaint about it."""
    for text in (f"['{setting.section}']\n{setting.key} = ['{TOKEN}']\n", f"{setting.section} = '{TOKEN}'\n"):
        error = refused(path, text)
        assert isinstance(error, Rejected)
        assert "horse" not in "".join(traceback.format_exception(error)) + repr(error.facts)


def test_a_setting_is_found_by_each_of_its_names() -> None:
    setting = find("telegram.token")
    assert setting is not None
    assert setting.env == "NIANNIAN_TELEGRAM_TOKEN"
    assert find("NIANNIAN_TELEGRAM_TOKEN") is setting
    assert find("NIANNIAN_TELEGRAM_TOKEN_FILE") is setting
    assert find("token") is None
    assert nearest("telegram.tokn") == "telegram.token"
