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

# The manifest is the newest leaf of its day in the log (17.3), and the proof leads from it to a root (19.2).
manifest=$(sha256 <"$day.manifest.json")
[ "$(grep "^$day " ../log | tail -n 1)" = "$day $manifest" ] || fail 'the log has another manifest'
sed '1,/^$/d' "$day.tlog-proof" >"$tmp/checkpoint"
index=$(sed -n '2s/^index //p' "$day.tlog-proof") size=$(sed -n 2p "$tmp/checkpoint")
hash=$(printf '\0daysignal-day-v1\n%s\n%s\n' "$day" "$manifest" | sha256) last=$((size - 1))
for line in $(sed '/^$/,$d' "$day.tlog-proof" | tail -n +3); do
  other=$(echo "$line" | base64 -d | xxd -p -c 32)
  if [ $((index % 2)) = 1 ] || [ "$index" = "$last" ]; then
    hash=$(node "$other" "$hash")
    while [ $((index % 2)) = 0 ] && [ "$index" != 0 ]; do index=$((index / 2)) last=$((last / 2)); done
  else hash=$(node "$hash" "$other"); fi
  index=$((index / 2)) last=$((last / 2))
done
[ "$last" = 0 ] && [ "$hash" = "$(sed -n 3p "$tmp/checkpoint" | base64 -d | xxd -p -c 32)" ] || fail 'the proof does not lead to the root'

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
