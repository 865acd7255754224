"""An independent verifier of archives in folders, written from FORMAT.md alone.

Performs the checks of 12.1, except for the content of media. Takes folders and prints a line of JSON for each: "days"
has the fault of each bad day, "archive" the fault of the archive as a whole, or null.
"""

import base64
import datetime
import hashlib
import json
import os
import re
import runpy
import stat
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LOG = runpy.run_path(os.path.join(HERE, "..", "log", "second-log.py"))
FORMAT = runpy.run_path(os.path.join(HERE, "..", "format", "second-manifest.py"))
ED25519 = runpy.run_path(os.path.join(HERE, "ed25519.py"))

Bad, need, sha256 = FORMAT["Bad"], FORMAT["need"], FORMAT["sha256"]

# 2.4: the names that belong to the writer.
OWN = re.compile(r"\.(writing|incoming|refused|pipeline\.lock(-journal|-wal|-shm)?)\Z")
COUNT = re.compile(r"(0|[1-9][0-9]*)\Z")


def read(*names):
    """Reads a regular file that is no larger than the largest bound (2.7)."""
    path = os.path.join(*names)
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        raise Bad("missing: " + path)
    need(stat.S_ISREG(status.st_mode) and status.st_size <= 64 << 20, "no file: " + path)
    with open(path, "rb") as file:
        return file.read()


def from_base64(text):
    """1.2: padded, with unused bits 0."""
    data = base64.b64decode(text, validate=True)
    need(LOG["base"](data) == text, "base64")
    return data


def check_day(folder, day, hashes):
    """12.1. Adds to `hashes` what the next day, the log and SHA256SUMS must agree with."""
    place = os.path.join(folder, day)
    data = read(place, f"{day}.manifest.json")
    hashes[day] = {"manifest": sha256(data), "value": None}
    manifest = FORMAT["canonical"](data)
    FORMAT["check_manifest"](manifest, day)
    hashes[day]["value"] = manifest
    written = read(place, f"{day}.json")
    hashes[day]["snapshot"] = sha256(written)
    file = manifest["snapshot_file"]
    need((file["sha256"], file["bytes"]) == (sha256(written), len(written)), "snapshot_file")
    need(FORMAT["canonical"](written) == manifest["snapshot"], "the snapshots differ")
    previous = manifest["snapshot"]["previous"]
    if previous:
        FORMAT["properties"](previous, "day", "sha256")
        known = hashes.get(previous["day"])
        need(known and previous["day"] < day, "previous")
        # Nothing is known of a snapshot that could not be read.
        need(known.get("snapshot", previous["sha256"]) == previous["sha256"], "previous")
    sums = [(sha256(written), f"{day}.json"), (sha256(data), f"{day}.manifest.json")]
    for medium in manifest["media"].values():
        if medium["available"]:
            bytes_ = read(place, medium["filename"])
            need((sha256(bytes_), len(bytes_)) == (medium["sha256"], medium["bytes"]), "medium")
            sums.append((medium["sha256"], medium["filename"]))
    derived = {f"{day}.sha256"} | check_leaves(place, day, manifest, hashes)
    lines = [f"{digest}  {name}\n" for digest, name in sums]
    hashes[day]["check file"] = lines
    missing = [kind for kind, medium in manifest["media"].items() if not medium["available"]]
    for name in set(os.listdir(place)) - derived - {name for _, name in sums}:
        arriving = re.match(r"[0-9a-f]{64}\.(\w+)\Z", name)
        need(arriving and arriving[1] in missing, "stray: " + name)


def check_sums(folder, days, hashes):
    """14.2: a file that lacks lines is not wrong, and nothing is known of a damaged day."""
    # Lines that were right before a medium became available.
    formerly = {(line[:10], line[11:]) for line in log_lines(folder)}
    all_lines = {f"{digest}  {day}/{day}.manifest.json\n" for day, digest in formerly}
    for day in days:
        known = hashes.get(day, {}).get("check file")
        path = os.path.join(folder, day, f"{day}.sha256")
        if known and os.path.exists(path):
            lines = set(read(path).decode().splitlines(keepends=True))
            former = {f"{digest}  {day}.manifest.json\n" for one, digest in formerly if one == day}
            need(lines <= set(known) | former, "check file of " + day)
        all_lines |= {line[:66] + day + "/" + line[66:] for line in known or []}
    if os.path.exists(os.path.join(folder, "SHA256SUMS")):
        lines = read(folder, "SHA256SUMS").decode().splitlines(keepends=True)
        damaged = {day for day in days if "check file" not in hashes.get(day, {})}
        lines = {line for line in lines if line[66:76] not in damaged}
        noted = {f"# {day}: damaged\n" for day in days}
        need(lines <= all_lines | noted, "SHA256SUMS")


def log_lines(folder):
    path = os.path.join(folder, "log")
    return read(path).decode().splitlines() if os.path.isfile(path) else []


def check_leaves(place, day, manifest, hashes):
    """24. Returns the name of the file if the day has messages, and compares the ids with those of the days before."""
    name = f"{day}.leaves"
    records = manifest["snapshot"]["records"]
    count = int(records["count"])
    yesterday = (datetime.date.fromisoformat(day) - datetime.timedelta(1)).isoformat()
    if yesterday not in hashes:
        hashes["gap"] = True
    if count == 0:
        return set()
    first, last = int(records["first_message_id"]), int(records["last_message_id"])
    hashes[day]["ids"] = True
    former, hashes["last"] = hashes.get("last"), last
    lines = read(place, name).split(b"\n")
    need(lines.pop() == b"" and all(re.match(rb"[0-9a-f]{64}\Z", line) for line in lines), "leaves")
    leaves = [bytes.fromhex(line.decode()) for line in lines]
    need(len(leaves) == count and LOG["root"](leaves).hex() == records["root"], "root of the leaves")
    # An archived day that is missing may have had the ids in between.
    unknown = hashes.get("gap") and former is not None and first > former
    hashes["gap"] = False
    need(last - first + 1 == count and (unknown or former in (None, first - 1)), "ids")
    return {name}


def logged_days(folder):
    """The days that the log names; none if it cannot be read, which check_log reports."""
    try:
        return {line[:10] for line in log_lines(folder)}
    except (Bad, ValueError):
        return set()


def is_own(folder, name):
    """12.3: what a writer may leave; its lock is a file."""
    is_lock = name.startswith(".pipeline.lock")
    return OWN.match(name) and not (is_lock and os.path.isdir(os.path.join(folder, name)))


def is_folder(folder, name):
    """2.2: whether this is the folder of a day, and no link to one."""
    path = os.path.join(folder, name)
    return FORMAT["is_day"](name) and os.path.isdir(path) and not os.path.islink(path)


def is_day(folder, name, logged):
    """2.3: a folder that has at most a snapshot, leaves and media files is no day yet, unless the log names it."""
    if not is_folder(folder, name):
        return False
    if name in logged:
        return True
    begun = re.compile(f"{name}\\.(json|leaves)\\Z|[0-9a-f]{{64}}\\.(wav|mp4|png)\\Z")
    return not all(begun.match(one) for one in os.listdir(os.path.join(folder, name)))


def check_log(folder, days, hashes, faults):
    """12.5. Reads the checkpoint before the log."""
    keys = [parse_key(line) for line in read(folder, "key").decode().split("\n")[:-1]]
    size, root = open_checkpoint(read(folder, "checkpoint").decode("utf-8"), keys)
    lines = read(folder, "log").decode().split("\n")
    need(lines.pop() == "" and len(lines) == size, "lines that are not signed")
    leaves = [LOG["day_leaf"](line) for line in lines]
    need(root == LOG["root"](leaves), "rewritten")
    newest = {line[:10]: line[11:] for line in lines}
    need(set(newest) <= set(days), "a leaf without its day")
    for day in days:
        if hashes.get(day, {}).get("manifest") != newest.get(day):
            faults[day] = "not the newest leaf"
            continue
        try:
            own = [line[11:] for line in lines if line[:10] == day]
            if hashes[day]["value"]:
                FORMAT["check_leaves"](hashes[day]["value"], own)
        except Bad as error:
            faults[day] = str(error)


def open_checkpoint(note, keys):
    """16.1 and 16.2. Returns the number of leaves and the root, signed by a known key."""
    text, signatures = note.split("\n\n")
    need(signatures.endswith("\n"), "the end of a note")
    _, size, root = (text + "\n").split("\n")[:3]
    need(COUNT.match(size), "a size")
    check_signatures((text + "\n").encode(), signatures[:-1], keys)
    return int(size), from_base64(root)


def parse_key(line):
    """16.4, split at the first two `+`."""
    name, number, rest = line.split("+", 2)
    key = from_base64(rest)
    need(len(key) == 33 and key[0] == 1, "key")
    need(sha256(name.encode() + b"\n" + key)[:8] == number, "id of a key")
    return name, bytes.fromhex(number), key[1:]


def check_signatures(text, signatures, keys):
    """16.1. Signatures by unknown keys are ignored; an invalid one by a known key, or none at all, is a fault."""
    good = 0
    for line in signatures.split("\n"):
        match = re.match("\u2014 (\\S+) (\\S+)\\Z", line)
        need(match, "a line of signatures")
        signature = from_base64(match[2])
        for name, number, key in keys:
            if (name, number) == (match[1], signature[:4]):
                need(ED25519["verify"](key, text, signature[4:]), "wrong signature")
                good += 1
    need(good > 0, "unknown signer")


def verify(folder):
    faults, fault, hashes = {}, None, {}
    entries = sorted(name for name in os.listdir(folder) if not is_own(folder, name))
    logged = logged_days(folder)
    days = [name for name in entries if is_day(folder, name, logged)]
    begun = [name for name in entries if is_folder(folder, name) and name not in days]
    for day in days:
        try:
            check_day(folder, day, hashes)
        except (Bad, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            faults[day] = str(error)
            # It may have had the ids between those of its neighbours.
            hashes["gap"] = hashes.get("gap") or "ids" not in hashes.get(day, {})
    known = {"log", "checkpoint", "key", "SHA256SUMS", "index.html"}
    try:
        check_sums(folder, days, hashes)
        need(days and not set(entries) - set(days) - set(begun) - known, "stray")
        if known.intersection(entries) & {"log", "checkpoint", "key"}:
            check_log(folder, days, hashes, faults)
    except (Bad, ValueError) as error:
        fault = str(error)
    return {"days": faults, "archive": fault}


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        print(json.dumps(verify(folder)))
