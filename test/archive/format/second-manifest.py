"""An independent checker of snapshots and manifests, written from FORMAT.md sections 1, 3 to 8, 15.4 and 18 alone.

Reads a JSON array of questions from standard input, [kind, text] or ["leaves", manifest, leaves], and prints an array of
answers: null, or what is wrong.
"""

import datetime
import hashlib
import json
import re
import sys

COUNTERS = (
    "messages message_bytes directories active_directories investigations observations "
    "attempts corrections results reuses sources reviews"
).split()
TYPES = {"wav": "audio/wav", "mp4": "video/mp4", "png": "image/png"}
HASH = re.compile(r"[0-9a-f]{64}\Z")
REASONS = ("service_not_running", "read_only", "feature_disabled", "counter_failed")
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
    need(encoded(written) == data, "not canonical")
    return value


def encoded(text):
    """1.3: no lone surrogates."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Bad("a lone surrogate")


def is_count(value):
    return isinstance(value, str) and COUNT.match(value) and int(value) < 1 << 64


def is_time(value):
    """1.2. datetime knows no year 0, in which no time of a valid snapshot can be."""
    if not (isinstance(value, str) and TIME.match(value) and is_day(value[:10])):
        return False
    hours, minutes, seconds = value[11:23].split(":")
    return int(hours) < 24 and int(minutes) < 60 and float(seconds) < 60


def milliseconds(time):
    moment = datetime.datetime.fromisoformat(time[:-1])
    return (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)


def check_snapshot(snapshot, day):
    """Sections 3 to 7."""
    names = ["protocol_version", "day", "from", "to", "generated_at", "counters", "availability"]
    names += ["coverage", "clock", "conclusion", "previous"] + ["records"]
    properties(snapshot, *names)
    need(snapshot["protocol_version"] == 1 and snapshot["day"] == day, "version or day")
    need(type(snapshot["protocol_version"]) is int, "version")
    need(is_day(day) and "1970-01-01" <= day <= "2149-06-06", "a day that no archive has")
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
    need(isinstance(coverage["reasons"], list), "reasons")
    for reason in coverage["reasons"]:
        properties(reason, "code", "from", "to")
        need(reason["code"] in REASONS and is_time(reason["from"]) and is_time(reason["to"]), "reason")
        need(start <= reason["from"] < reason["to"] <= end, "a reason's interval")
    properties(snapshot["clock"], "status")
    need(snapshot["clock"]["status"] in ("unverified", "ok", "stepped"), "clock")
    check_previous(snapshot["previous"], day)
    check_records(snapshot["records"])
    check_contradictions(snapshot)
    need(snapshot["conclusion"] == conclusion(snapshot), "conclusion")


def check_previous(previous, day):
    """10.1."""
    if previous is not None:
        properties(previous, "day", "sha256")
        need(is_day(previous["day"]) and previous["day"] < day, "previous day")
        need(HASH.match(previous["sha256"]), "previous hash")


def check_records(records):
    """18.1 and 18.3."""
    properties(records, "count", "first_message_id", "last_message_id", "root")
    ids = [records["first_message_id"], records["last_message_id"]]
    need(is_count(records["count"]) and HASH.match(records["root"]), "records")
    count = int(records["count"])
    if count == 0:
        need(ids == [None, None] and records["root"] == sha256(b""), "records of no message")
        return
    need(all(is_count(id) and 1 <= int(id) < 1 << 63 for id in ids), "an id")
    first, last = map(int, ids)
    need(last - first + 1 >= count and (count > 1 or first == last), "room for the messages")


def check_contradictions(snapshot):
    """3.4, 5.2, 5.4, 6.3 and 18.3."""
    coverage, clock = snapshot["coverage"], snapshot["clock"]["status"]
    status, reasons = coverage["status"], coverage["reasons"]
    need(snapshot["generated_at"] >= snapshot["to"], "taken too early")
    spans = [(milliseconds(r["from"]), milliseconds(r["to"]), r["code"]) for r in reasons]
    missing = sum(end - start for start, end, code in spans if code == "service_not_running")
    expected = "none" if missing == 86400000 else "complete" if missing < 60000 else "partial"
    need(status == expected, "coverage status")
    need(coverage["observed_seconds"] == (86400000 - missing) // 1000, "observed seconds")
    need(clock != "unverified" or status == "none", "an unverified clock")
    need(clock != "ok" or status != "none", "a good clock")
    if spans and spans[-1][2] == "counter_failed":
        need(spans.pop()[:2] == (milliseconds(snapshot["from"]), milliseconds(snapshot["to"])), "span")
    need("counter_failed" not in [code for _, _, code in spans], "counter_failed is not last")
    need([start for start, _, _ in spans] == sorted(start for start, _, _ in spans), "order")
    for index, one in enumerate(spans):
        for other in spans[:index]:
            if one[2] == other[2]:
                need(one[0] > other[1] or other[0] > one[1], "two of one code")
            elif "service_not_running" in (one[2], other[2]):
                need(one[0] >= other[1] or other[0] >= one[1], "observed and not observed")
    messages = snapshot["counters"]["messages"]
    if messages is not None:
        need(int(messages) <= int(snapshot["records"]["count"]), "more messages than records")


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
    need(type(manifest["manifest_version"]) is int, "version")
    check_snapshot(manifest["snapshot"], day)
    file = manifest["snapshot_file"]
    properties(file, "sha256", "bytes", "url")
    need(HASH.match(file["sha256"]) and file["url"] == f"/transmissions/{day}.json", "snapshot_file")
    need(is_size(file["bytes"]), "size of the snapshot")
    check_tools(manifest["rendered_with"])
    properties(manifest["media"], "wav", "mp4", "png")
    for kind, medium in manifest["media"].items():
        check_medium(medium, kind, day)


def is_size(value):
    return type(value) is int and value >= 1


def check_tools(tools):
    """8.4."""
    properties(tools, "renderer", "node", "sharp", "ffmpeg")
    need(isinstance(tools["renderer"], str), "renderer")
    need(re.fullmatch("[1-9][0-9]*", tools["renderer"]), "renderer")
    for name in ("node", "sharp", "ffmpeg"):
        version = tools[name]
        is_none = name == "ffmpeg" and version is None
        need(is_none or (isinstance(version, str) and 1 <= len(version) <= 200), "a version")


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
    need(is_size(medium["bytes"]), "bytes")
    if kind != "png":
        seconds = medium["duration_seconds"]
        need(type(seconds) in (int, float) and seconds > 0, "duration_seconds")
    if kind != "wav":
        need(is_size(medium["width"]) and is_size(medium["height"]), "width or height")
    if "rendered_with" in medium:
        check_tools(medium["rendered_with"])


def states(manifest):
    """15.4: the manifest as it may have been, by hash, with the reasons of the unavailable media."""
    found = {}
    choices = []
    for kind, medium in manifest["media"].items():
        reasons = ("ffmpeg_not_found", "render_failed") if medium["available"] else ()
        before = [{"available": False, "reason": reason} for reason in reasons]
        choices.append([(kind, one) for one in [medium, *before]])
    for wav in choices[0]:
        for mp4 in choices[1]:
            for png in choices[2]:
                media = dict([wav, mp4, png])
                text = json.dumps({**manifest, "media": media}, indent=2, ensure_ascii=False) + "\n"
                digest = sha256(text.encode("utf-8"))
                found[digest] = [None if m["available"] else m["reason"] for m in media.values()]
    return found


def check_leaves(manifest, leaves):
    """15.4: each leaf is the one before with more available media."""
    known = states(manifest)
    need(all(leaf in known for leaf in leaves), "a leaf that the manifest does not explain")
    for before, after in zip(leaves, leaves[1:]):
        pairs = list(zip(known[before], known[after]))
        need(before != after, "the same leaf twice")
        need(all(new is None or new == old for old, new in pairs), "not an upgrade")


def answer(kind, text, leaves=None):
    try:
        value = canonical(encoded(text))
        if kind == "snapshot":
            check_snapshot(value, value["day"])
        else:
            check_manifest(value, value["day"])
        if leaves:
            check_leaves(value, leaves)
        return None
    except (Bad, ValueError, KeyError, TypeError, AttributeError) as error:
        return str(error) or "wrong"


if __name__ == "__main__":
    json.dump([answer(*question) for question in json.load(sys.stdin)], sys.stdout)
