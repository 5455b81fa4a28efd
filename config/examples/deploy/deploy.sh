#!/bin/sh
# A local tool for jp-tui: deploy.sh ACTION VERSION TARGET HAS_TOKEN NOTES, the password on stdin.
#
# It asks for what is missing, one question a run, and is run again with the answers so far. A real one would send
# something somewhere in `publish`; this one writes releases/VERSION-TARGET.json and keeps the password to itself.
# Values are never put into JSON by hand: the version is checked first, the notes come as JSON already.
set -eu

action=$1 version=$2 target=${3-} has_token=${4-false} notes=${5-}

fail() { # a message without quotes and backslashes
  printf '{"type": "error", "message": "%s", "trace": [], "transient": false}\n' "$1"
  exit 0
}

ask() { # a question as JSON
  printf '{"type": "needs_input", "question": %s}\n' "$1"
  exit 0
}

publish() { # reads the password on its input, so that it stands in no argument
  IFS= read -r token || :
  [ -n "$token" ] || fail 'The password is empty.'
  set -C # never write over a file
  printf '{"version": "%s", "target": "%s", "notes": %s}\n' "$version" "$target" "$notes" 2>/dev/null >"$file" ||
    fail "$file cannot be written, or is there already."
}

case $version in
  '' | -* | .* | *[!0-9A-Za-z.-]*) fail 'The version may hold digits, letters, dots and dashes only.' ;;
esac
[ "${#version}" -le 40 ] || fail 'The version is too long.'

if [ "$action" = format_arguments ]; then
  printf 'deploy version %s\n' "$version"
  exit 0
fi

case $target in
  staging | production) ;;
  '') ask '{"id": "target", "text": "Deploy version '"$version"' where?", "exclusive": true,
    "answer_type": {"type": "select", "options": [
      {"value": "staging", "description": "for trying it out", "recommended": true},
      {"value": "production", "description": "for everybody"}]}}' ;;
  *) fail 'There is no such target.' ;;
esac

file=releases/$version-$target.json
[ ! -L releases ] || fail 'releases is a link, and is not followed.'
[ ! -e "$file" ] || fail "Version $version was deployed to $target already."

[ "$has_token" = true ] || ask '{"id": "token", "text": "Password for '"$target"'?", "persistence": "none",
  "answer_type": {"type": "secret"}}'

[ -n "$notes" ] || ask '{"id": "notes", "text": "Release notes for version '"$version"'?", "persistence": "none",
  "context": "They are stored with the release as they are written here.",
  "default": {"title": "Version '"$version"'", "changes": []},
  "answer_type": {"type": "schema", "schema": {"type": "object", "additionalProperties": false,
    "required": ["title", "changes"], "properties": {
      "title": {"type": "string", "minLength": 1, "maxLength": 80},
      "changes": {"type": "array", "items": {"type": "string"}, "description": "one line a change"}}}}}'

mkdir -p releases
publish
printf '{"type": "success", "content": "Deployed version %s to %s; the release is %s."}\n' "$version" "$target" "$file"
