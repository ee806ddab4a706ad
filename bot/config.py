"""Reads the settings once, from `niannian.toml` and the environment, into a frozen `Config`.

`load` looks at nothing but its two arguments (and the files they name). The environment wins over the
file. An empty value counts as no value in both. `SETTINGS` is the one list of keys: what `load` accepts,
what `config explain` explains and what `docs/configuration.md` must describe.

A default of None means "ask the machine": the login name, the system zone, the host name. That is
done where the value is used, because this file asks nobody.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.errors import ConfigError

FILE_BYTES_MAX = 64 * 1024
"""Of the settings file and of a secret's file; more is a mistaken path."""

ENV_PREFIX = "NIANNIAN_"
ENV_NOT_SETTINGS = frozenset({"NIANNIAN_HOME"})
"""Variables of ours that are no setting: they say where the settings are."""


class SettingType(StrEnum):
    TEXT = "text"
    SECRET = "secret"
    URL = "url"
    CHOICE = "choice"
    ZONE = "zone"
    PORT = "port"
    FILE = "file"


class Source(StrEnum):
    """Where a value came from."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    SECRET_FILE = "secret-file"


@dataclass(frozen=True, slots=True)
class Setting:
    section: str
    key: str
    type: SettingType
    default: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def env(self) -> str:
        return f"{ENV_PREFIX}{self.section}_{self.key}".upper()

    @property
    def env_file(self) -> str | None:
        """The variable that names a file holding the value; secrets only."""
        return f"{self.env}_FILE" if self.type is SettingType.SECRET else None


SETTINGS: tuple[Setting, ...] = (
    Setting("telegram", "token", SettingType.SECRET),
    Setting("telegram", "base_url", SettingType.URL, "https://api.telegram.org"),
    Setting("feishu", "app_id", SettingType.TEXT),
    Setting("feishu", "app_secret", SettingType.SECRET),
    Setting("feishu", "base_url", SettingType.URL, "https://open.feishu.cn"),
    Setting("llm", "base_url", SettingType.URL),
    Setting("llm", "model", SettingType.TEXT),
    Setting("llm", "api_key", SettingType.SECRET),
    Setting("embedder", "kind", SettingType.CHOICE, "none", ("none", "e5", "use", "url")),
    Setting("embedder", "base_url", SettingType.URL),
    Setting("embedder", "model", SettingType.TEXT),
    Setting("embedder", "api_key", SettingType.SECRET),
    Setting("person", "name", SettingType.TEXT),
    Setting("person", "zone", SettingType.ZONE),
    Setting("person", "lang", SettingType.CHOICE, None, ("zh", "en")),
    Setting("device", "name", SettingType.TEXT),
    Setting("health", "port", SettingType.PORT, "7717"),
    Setting("mcp", "token", SettingType.SECRET),
    Setting("mcp", "port", SettingType.PORT, "7718"),
    Setting("backup", "passphrase", SettingType.SECRET),
    Setting("backup", "passphrase_file", SettingType.FILE),
    Setting("backup", "folder", SettingType.TEXT),
)


class Secret:
    """A text that hides itself from repr, str, format and pickle.

    `reveal` is the only way out; call it where the vendor is called and nowhere else.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


@dataclass(frozen=True, slots=True)
class Telegram:
    token: Secret | None
    base_url: str


@dataclass(frozen=True, slots=True)
class Feishu:
    app_id: str | None
    app_secret: Secret | None
    base_url: str


@dataclass(frozen=True, slots=True)
class LLM:
    base_url: str | None
    model: str | None
    api_key: Secret | None


@dataclass(frozen=True, slots=True)
class Embedder:
    kind: str
    base_url: str | None
    """With `model` for the kind `url`; looked at for no other."""
    model: str | None
    api_key: Secret | None


@dataclass(frozen=True, slots=True)
class Person:
    """Seeds a new home only; afterwards the person's own settings rule."""

    name: str | None
    zone: str | None
    lang: str | None


@dataclass(frozen=True, slots=True)
class Device:
    name: str | None


@dataclass(frozen=True, slots=True)
class Health:
    port: str
    """0 to 65535, on loopback, for `/livez` and `/readyz`; 0 switches them off."""


@dataclass(frozen=True, slots=True)
class MCP:
    token: Secret | None
    """For HTTP; None for one that is made once and kept in the home."""
    port: str


@dataclass(frozen=True, slots=True)
class Backup:
    passphrase: Secret | None
    """As it was given; `secret` also looks into `passphrase_file`."""
    passphrase_file: str | None
    """The variable that names it is the one that names the file of `passphrase`: both mean the same."""
    folder: str | None
    """For the nightly ones; None for `backups/nightly` in the home. What is relative is so to the home."""

    def secret(self) -> Secret | None:
        """Asked only where a backup is made or opened: no other command needs the file. Raises ConfigError."""
        if self.passphrase is not None or self.passphrase_file is None:
            return self.passphrase
        if text := _read(Path(self.passphrase_file).expanduser()).strip():
            return Secret(text)
        raise ConfigError("error-config-file", path=self.passphrase_file)


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key, section or variable that we do not know; shown in the sentence of `code`."""

    name: str
    nearest: str | None
    line: int
    """0 for a variable of the environment."""

    @property
    def code(self) -> str:
        if self.line:
            return "warning-config-unknown-near" if self.nearest else "warning-config-unknown"
        return "warning-variable-unknown-near" if self.nearest else "warning-variable-unknown"

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"name": self.name, "nearest": self.nearest or "", "line": self.line}


@dataclass(frozen=True, slots=True)
class Config:
    telegram: Telegram
    feishu: Feishu
    llm: LLM
    embedder: Embedder
    person: Person
    device: Device
    health: Health
    mcp: MCP
    backup: Backup
    warnings: tuple[UnknownKey, ...]
    sources: Mapping[str, Source]
    """`section.key` → where its value came from, for every setting."""


def load(path: Path, env: Mapping[str, str]) -> Config:
    """The settings in `path` (which may be absent) and `env`. Raises `ConfigError`."""
    text = _read(path, missing="")
    tables = _parse(text, path)
    lines = _Lines(text)
    warnings = [*_unknown_in_file(tables, lines), *_unknown_in_env(env)]

    values: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for setting in SETTINGS:
        value, source = _value_of(setting, tables, env, lines)
        line = lines.of(setting.section, setting.key) if source is Source.FILE else 0
        if value is not None and source is not Source.DEFAULT:
            _check(setting, value, line)
        values[setting.name] = _hidden(value) if setting.type is SettingType.SECRET else value
        sources[setting.name] = source
    if values["embedder.kind"] == "url":
        _check_given(values, "embedder.base_url", "embedder.model", because="embedder.kind")

    return Config(
        telegram=Telegram(token=values["telegram.token"], base_url=values["telegram.base_url"]),
        feishu=Feishu(
            app_id=values["feishu.app_id"],
            app_secret=values["feishu.app_secret"],
            base_url=values["feishu.base_url"],
        ),
        llm=LLM(base_url=values["llm.base_url"], model=values["llm.model"], api_key=values["llm.api_key"]),
        embedder=Embedder(
            kind=values["embedder.kind"],
            base_url=values["embedder.base_url"],
            model=values["embedder.model"],
            api_key=values["embedder.api_key"],
        ),
        person=Person(name=values["person.name"], zone=values["person.zone"], lang=values["person.lang"]),
        device=Device(name=values["device.name"]),
        health=Health(port=values["health.port"]),
        mcp=MCP(token=values["mcp.token"], port=values["mcp.port"]),
        backup=_backup(values, sources),
        warnings=tuple(warnings),
        sources=MappingProxyType(sources),
    )


def _backup(values: Mapping[str, Any], sources: Mapping[str, Source]) -> Backup:
    given, named = sources["backup.passphrase"], sources["backup.passphrase_file"]
    if given is Source.FILE and named is Source.FILE:
        raise ConfigError("error-config-twice", key="backup.passphrase", one="passphrase", other="passphrase_file")
    return Backup(values["backup.passphrase"], values["backup.passphrase_file"], values["backup.folder"])


def without_secrets(path: Path) -> bytes | None:
    """What a backup keeps of the settings file: the settings we know, without any secret. None when nothing is left.

    What we do not know stays out: a mistyped `tokn` holds a token all the same. Raises `ConfigError`.
    """
    tables = _parse(_read(path, missing=""), path)
    lines: list[str] = []
    section = ""
    for setting in SETTINGS:
        table = tables.get(setting.section)
        value = table.get(setting.key) if isinstance(table, dict) else None
        if type(value) not in (str, int) or setting.type in (SettingType.SECRET, SettingType.FILE):
            continue  # a secret, or where one stands on this machine
        if (setting.type is SettingType.URL and "@" in str(value)) or not str(value).isprintable():
            continue
        if section != setting.section:
            section = setting.section
            lines += ([""] if lines else []) + [f"[{section}]"]
        lines.append(f"{setting.key} = {json.dumps(value, ensure_ascii=False)}")
    return ("\n".join(lines) + "\n").encode() if lines else None


def find(name: str) -> Setting | None:
    """The setting called `section.key`, or by its variable's name."""
    for setting in SETTINGS:
        if name in (setting.name, setting.env, setting.env_file):
            return setting
    return None


def nearest(name: str) -> str | None:
    """The setting that someone who wrote `name` most likely meant."""
    return _nearest(name, [setting.name for setting in SETTINGS])


def _read(path: Path, *, missing: str | None = None) -> str:
    """The file's text. `from None`: a decoding error carries the whole file, tokens included."""
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_BYTES_MAX + 1)
        if len(raw) > FILE_BYTES_MAX:
            raise ConfigError("error-config-file", path=str(path))
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        if missing is None:
            raise ConfigError("error-config-file", path=str(path)) from None
        return missing
    except (OSError, ValueError):
        raise ConfigError("error-config-file", path=str(path)) from None


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # 3.11 and 3.12 give the place only inside the sentence.
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1 if "end of document" in str(error) else 0
        raise ConfigError("error-config-toml", path=str(path), line=line) from None
    except RecursionError:
        raise ConfigError("error-config-toml", path=str(path), line=0) from None


def _value_of(
    setting: Setting, tables: Mapping[str, Any], env: Mapping[str, str], lines: _Lines
) -> tuple[str | None, Source]:
    direct = env.get(setting.env) or None
    named = env.get(setting.env_file) or None if setting.env_file else None
    if direct and named:
        raise ConfigError("error-config-twice", key=setting.name, one=setting.env, other=setting.env_file or "")
    if direct:
        return direct, Source.ENVIRONMENT
    if named:
        # A file written with an editor ends in a newline that is no part of the secret.
        if text := _read(Path(named)).strip():
            return text, Source.SECRET_FILE
        raise ConfigError("error-config-file", path=named)

    table = tables.get(setting.section, {})
    if not isinstance(table, dict):
        raise ConfigError("error-config-section", section=setting.section, line=lines.of(None, setting.section))
    value = table.get(setting.key)
    if value is None or value == "":
        return setting.default, Source.DEFAULT
    if setting.type is SettingType.PORT and type(value) is int:
        return str(value), Source.FILE
    if not isinstance(value, str):
        raise ConfigError("error-config-type", key=setting.name, line=lines.of(setting.section, setting.key))
    return value, Source.FILE


def _check(setting: Setting, value: str, line: int) -> None:
    match setting.type:
        case SettingType.CHOICE if value not in setting.choices:
            choices = ", ".join(setting.choices)
            raise ConfigError("error-config-choice", key=setting.name, line=line, choices=choices)
        case SettingType.URL if not re.fullmatch(r"https?://[^\s/]\S*", value):
            raise ConfigError("error-config-url", key=setting.name, line=line)
        case SettingType.ZONE if not _is_zone(value):
            near = _nearest(value, sorted(available_timezones())) or ""
            raise ConfigError("error-config-zone", key=setting.name, line=line, nearest=near)
        case SettingType.PORT if not re.fullmatch(r"[0-9]{1,5}", value) or int(value) > 65535:
            raise ConfigError("error-config-port", key=setting.name, line=line)
        case _:
            pass


def _check_given(values: Mapping[str, Any], *names: str, because: str) -> None:
    for name in names:
        setting = find(name)
        assert setting is not None
        if values[name] is None:
            raise ConfigError(
                "error-config-needs", key=because, choice=values[because], needed=name, variable=setting.env
            )


def _hidden(value: str | None) -> Secret | None:
    return None if value is None else Secret(value)


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # "Asia" is a folder, "../x" is refused
        return False
    return True


def _unknown_in_file(tables: Mapping[str, Any], lines: _Lines) -> list[UnknownKey]:
    sections = sorted({setting.section for setting in SETTINGS})
    found: list[UnknownKey] = []
    for section, table in tables.items():
        if section not in sections:
            near = _nearest(section, sections) if isinstance(table, dict | list) else nearest(section)
            found.append(UnknownKey(name=section, nearest=near, line=lines.of(None, section)))
        elif isinstance(table, dict):
            known = [setting.key for setting in SETTINGS if setting.section == section]
            for key in table:
                if key not in known:
                    near = _nearest(key, known)
                    found.append(
                        UnknownKey(
                            name=f"{section}.{key}",
                            nearest=f"{section}.{near}" if near else nearest(f"{section}.{key}"),
                            line=lines.of(section, key),
                        )
                    )
    return found


def _unknown_in_env(env: Mapping[str, str]) -> list[UnknownKey]:
    known = [setting.env for setting in SETTINGS] + [s.env_file for s in SETTINGS if s.env_file] + [*ENV_NOT_SETTINGS]
    return [
        UnknownKey(name=name, nearest=_nearest(name, known), line=0)
        for name in sorted(env)
        if name.startswith(ENV_PREFIX) and name not in known
    ]


def _nearest(name: str, known: list[str]) -> str | None:
    folded = {candidate.casefold(): candidate for candidate in known}
    matches = difflib.get_close_matches(name.casefold()[:80], list(folded), n=1)
    return folded[matches[0]] if matches else None


class _Lines:
    """On which line of the text a section or key stands; 0 when it cannot be told.

    tomllib keeps no positions. A scan by lines is enough to point a finger: inside a multi-line text it
    may point one key too early, and the value read is never affected.
    """

    def __init__(self, text: str) -> None:
        self._at: dict[tuple[str | None, str], int] = {}
        section: str | None = None
        for number, line in enumerate(text.splitlines(), start=1):
            if header := re.match(r"""\s*\[\[?\s*["']?([^\]"'.]+?)["']?\s*[\].]""", line):
                section = header[1]
                self._at.setdefault((None, section), number)
            elif dotted := re.match(r"""\s*["']?([^\s"'=.#]+)["']?\s*\.\s*["']?([^\s"'=.#]+)["']?\s*=""", line):
                self._at.setdefault((None, dotted[1]), number)
                self._at.setdefault((section or dotted[1], dotted[2] if section is None else dotted[1]), number)
            elif key := re.match(r"""\s*["']?([^\s"'=#]+)["']?\s*=""", line):
                self._at.setdefault((section, key[1]), number)

    def of(self, section: str | None, key: str) -> int:
        return self._at.get((section, key)) or self._at.get((None, section or key), 0)
