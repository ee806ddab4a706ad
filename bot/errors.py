"""The bot's own errors; they hang under the families of `store/errors.py`.

Rejected
└── ConfigError    niannian.toml or the environment cannot be used as it stands
"""

from __future__ import annotations

from store.errors import Rejected


class ConfigError(Rejected):
    """A setting cannot be used. Its facts name the place and what would be right, never the value.

    | code                      | facts                   | happened                                     |
    | ------------------------- | ----------------------- | -------------------------------------------- |
    | error-config-file         | path                    | a settings or secret file cannot be read     |
    | error-config-toml         | path, line              | the file is not TOML (line 0: not known)     |
    | error-config-section      | section, line           | a section is a plain value                   |
    | error-config-type         | key, line               | the value is no text                         |
    | error-config-choice       | key, line, choices      | not one of the allowed words                 |
    | error-config-url          | key, line               | not an http or https address                 |
    | error-config-zone         | key, line, nearest      | no such time zone ("" when none is near)     |
    | error-config-twice        | key, one, other         | a secret and its file are both given         |

    `key` is `section.key`. `line` is 0 when the value came from the environment.
    """

    code = "error-config"
