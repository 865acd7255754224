"""An independent checker of snapshots and manifests, written from FORMAT.md sections 1 and 3 to 8 alone."""

import datetime
import hashlib
import json
import re

COUNTERS = (
    "messages message_bytes directories active_directories investigations observations "
    "attempts corrections results reuses sources reviews"
).split()
TYPES = {"wav": "audio/wav", "mp4": "video/mp4", "png": "image/png"}
HASH = re.compile(r"[0-9a-f]{64}\Z")
COUNT = re.compile(r"(0|[1-9][0-9]*)\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")


class Bad(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Bad(what)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def is_day(text):
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except (TypeError, ValueError):
        return False


def properties(value, *names):
    need(isinstance(value, dict) and list(value) == list(names), "not the properties " + str(names))


def canonical(data):
    """1.3 and 1.4. Repeated properties are caught too, because json keeps only the last one."""
    value = json.loads(data.decode("utf-8"))
    written = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    need(written.encode("utf-8") == data, "not canonical")
    return value


def is_count(value):
    return isinstance(value, str) and COUNT.match(value) and int(value) < 1 << 64


def is_time(value):
    return isinstance(value, str) and TIME.match(value) and is_day(value[:10])


def check_snapshot(snapshot, day):
    """Sections 3 to 7."""
    names = ["protocol_version", "day", "from", "to", "generated_at", "counters", "availability"]
    names += ["coverage", "clock", "conclusion", "previous"] + ["records"] * ("records" in snapshot)
    properties(snapshot, *names)
    need(snapshot["protocol_version"] == 1 and snapshot["day"] == day, "version or day")
    after = (datetime.date.fromisoformat(day) + datetime.timedelta(1)).isoformat()
    start, end = snapshot["from"], snapshot["to"]
    need((start, end) == (day + "T00:00:00.000Z", after + "T00:00:00.000Z"), "from or to")
    need(is_time(snapshot["generated_at"]), "generated_at")
    counters = snapshot["counters"]
    properties(counters, *COUNTERS)
    need(all(value is None or is_count(value) for value in counters.values()), "a counter")
    properties(snapshot["availability"], *COUNTERS)
    for name in COUNTERS:
        need(snapshot["availability"][name] is (counters[name] is not None), "availability")
    coverage = snapshot["coverage"]
    properties(coverage, "status", "observed_seconds", "reasons")
    need(type(coverage["observed_seconds"]) is int, "observed_seconds")
    need(0 <= coverage["observed_seconds"] <= 86400, "observed_seconds")
    for reason in coverage["reasons"]:
        properties(reason, "code", "from", "to")
        need(start <= reason["from"] < reason["to"] <= end, "a reason's interval")
    properties(snapshot["clock"], "status")
    need(snapshot["conclusion"] == conclusion(snapshot), "conclusion")


def conclusion(snapshot):
    counters = snapshot["counters"]
    whole = (snapshot["coverage"]["status"], snapshot["clock"]["status"]) == ("complete", "ok")
    if None in counters.values() or not whole:
        return "inconclusive"
    quiet = counters["messages"] == counters["directories"] == "0"
    return "quiet" if quiet else "active"


def check_manifest(manifest, day):
    """Section 8."""
    names = ["manifest_version", "day", "snapshot", "snapshot_file", "media", "rendered_with"]
    properties(manifest, *names)
    need(manifest["manifest_version"] == 1 and manifest["day"] == day, "version or day")
    check_snapshot(manifest["snapshot"], day)
    file = manifest["snapshot_file"]
    properties(file, "sha256", "bytes", "url")
    need(HASH.match(file["sha256"]) and file["url"] == f"/transmissions/{day}.json", "snapshot_file")
    properties(manifest["media"], "wav", "mp4", "png")
    for kind, medium in manifest["media"].items():
        check_medium(medium, kind, day)


def check_medium(medium, kind, day):
    if medium.get("available") is False:
        properties(medium, "available", "reason")
        return need(medium["reason"] in ("ffmpeg_not_found", "render_failed"), "reason")
    names = ["available", "sha256", "bytes", "content_type", "filename", "url"]
    names += ["duration_seconds"] * (kind != "png") + ["width", "height"] * (kind != "wav")
    properties(medium, *names, *["rendered_with"] * ("rendered_with" in medium))
    name = f"{medium['sha256']}.{kind}"
    need(HASH.match(medium["sha256"]) and medium["filename"] == name, "filename")
    need(medium["content_type"] == TYPES[kind], "content_type")
    need(medium["url"] == f"/transmission-media/{day}/{name}", "url")
