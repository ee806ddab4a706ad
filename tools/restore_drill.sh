#!/usr/bin/env bash
# A restore drill with the program as it is installed: what one home was told, another one answers from its backup.
set -euo pipefail

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
unset "${!NIANNIAN_@}"
export NIANNIAN_PERSON_LANG=en NIANNIAN_BACKUP_PASSPHRASE="a drill at night"

counted() { niannian doctor --home "$1" | grep '^ok: database intact'; }

printf '%s\n' "remember the car is on B2" "todo water the plants" "remember: we decided to use SQLite because one file is easy to back up" |
    niannian chat --home "$folder/home" >/dev/null
printf '%s\n' "remember launch on Friday" | niannian chat --group Team --home "$folder/home" >/dev/null
niannian backup "$folder/a.age" --home "$folder/home"
niannian restore "$folder/a.age" --home "$folder/there"
rm -rf "$folder/home.was" && mv "$folder/home" "$folder/home.was"

niannian ask "where is the car" --home "$folder/there" | grep -q "on B2"
niannian ask "why SQLite" --home "$folder/there" | grep -q "easy to back up"
niannian ask "when is the launch" --group Team --home "$folder/there" | grep -q "Friday"
[ "$(counted "$folder/there")" = "$(counted "$folder/home.was")" ]
counted "$folder/there"

# A file with one byte less, or another passphrase, changes nothing.
head -c -1 "$folder/a.age" >"$folder/cut.age"
before="$(cksum "$folder/there/device.db")"
if niannian restore "$folder/cut.age" --home "$folder/there"; then exit 1; fi
if NIANNIAN_BACKUP_PASSPHRASE="another one" niannian restore "$folder/a.age" --home "$folder/there"; then exit 1; fi
[ "$before" = "$(cksum "$folder/there/device.db")" ]
niannian ask "where is the car" --home "$folder/there" | grep -q "on B2"
echo "the drill went well"
