#!/bin/sh
# Checks one day with sha256sum, jq, xxd and openssl: sh check-day.sh ARCHIVE DAY VKEY. VKEY is the key of the log.
set -eu
cd "$1/$2" && day=$2 vkey=$3 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$day: $1" >&2 && exit 1; }
sha256() { sha256sum | cut -c 1-64; }
node() { printf %s "01$1$2" | xxd -r -p | sha256; }

# The manifest names the snapshot and the media files (FORMAT.md 8), and contains the snapshot.
jq -r '"\(.snapshot_file.sha256)  \(.day).json", (.media[] | select(.available) | "\(.sha256)  \(.filename)")' \
  "$day.manifest.json" | sha256sum --check --strict --quiet || fail 'a file is not the one that the manifest names'
jq .snapshot "$day.manifest.json" | cmp -s - "$day.json" || fail 'the manifest contains another snapshot'

# The manifest is the newest leaf of its day among those that the checkpoint counts (15.3).
cp ../checkpoint "$tmp/checkpoint"
size=$(sed -n 2p "$tmp/checkpoint")
head -n "$size" ../log >"$tmp/log"
[ "$(grep "^$day " "$tmp/log" | tail -n 1)" = "$day $(sha256 <"$day.manifest.json")" ] || fail 'the log has another manifest'

# They have its root (15.2): pairs are hashed, level by level, and an odd one at the end goes up as it is.
while read -r one hash; do printf '\0daysignal-day-v1\n%s\n%s\n' "$one" "$hash" | sha256; done <"$tmp/log" >"$tmp/level"
while [ "$(wc -l <"$tmp/level")" -gt 1 ]; do
  paste -d ' ' - - <"$tmp/level" | while read -r left right; do
    if [ "$right" ]; then node "$left" "$right"; else echo "$left"; fi
  done >"$tmp/next" && mv "$tmp/next" "$tmp/level"
done
[ "$(cat "$tmp/level")" = "$(sed -n 3p "$tmp/checkpoint" | base64 -d | xxd -p -c 32)" ] || fail 'the log has another root'

# The key has signed the checkpoint (18): SPKI around its 32 bytes, and the signature behind the 4 bytes of its id.
name=${vkey%%+*} id=${vkey#*+} && key=${id#*+} id=${id%%+*}
{ echo 302a300506032b6570032100 && echo "$key" | base64 -d | xxd -p -c 33 | cut -c 3-; } | xxd -r -p >"$tmp/key"
for line in $(sed -n "s|^— $name ||p" "$tmp/checkpoint"); do
  echo "$line" | base64 -d >"$tmp/line" && tail -c +5 "$tmp/line" >"$tmp/signature"
  [ "$(head -c 4 "$tmp/line" | xxd -p)" = "$id" ] && sed '/^$/,$d' "$tmp/checkpoint" >"$tmp/text" && break
done
openssl pkeyutl -verify -pubin -keyform DER -inkey "$tmp/key" -rawin -in "$tmp/text" -sigfile "$tmp/signature" >/dev/null 2>&1 ||
  fail 'the key has not signed the checkpoint'
echo "$day: sealed in a log of $size leaves"
