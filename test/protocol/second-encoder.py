"""An independent encoder for protocol V1, written from SPEC.md only: fields or frames in, frames and tone lists out.

Reads one JSON list from standard input; each item is {"fields": {...}} as in vectors/frames.json, or {"frame": "hex"}.
Writes a JSON list of {"frame": "hex", "tones": "hex"}, or {"error": "code"}.
"""
import datetime
import json
import sys

COUNTERS = ("messages message_bytes directories active_directories investigations observations "
            "attempts corrections results reuses sources reviews").split()
COVERAGE = {"none": 0, "partial": 1, "complete": 2}
CLOCK = {"unverified": 0, "ok": 1, "stepped": 2}
CONCLUSION = {"inconclusive": 0, "quiet": 1, "active": 2}


class Rejected(Exception):
    pass


def crc32(data):
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0xEDB88320 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def conclude(fields):
    counters = fields["counters"]
    if None in counters.values() or fields["coverage"] != "complete" or fields["clock"] != "ok":
        return "inconclusive"
    quiet = int(counters["messages"]) == 0 and int(counters["directories"]) == 0
    return "quiet" if quiet else "active"


def day_number(day):
    try:
        date = datetime.date(*map(int, day.split("-")))
    except ValueError:
        raise Rejected from None
    number = (date - datetime.date(1970, 1, 1)).days
    if date.isoformat() != day or not 0 <= number <= 65535:
        raise Rejected
    return number


def make_frame(fields):
    for name, codes in (("coverage", COVERAGE), ("clock", CLOCK), ("conclusion", CONCLUSION)):
        if fields[name] not in codes:
            raise Rejected
    if fields["conclusion"] != conclude(fields):
        raise Rejected
    mask = 0
    counters = b""
    for name in COUNTERS:
        digits = fields["counters"][name]
        value = 0 if digits is None else int(digits)
        if not 0 <= value < 1 << 64:
            raise Rejected
        mask = mask << 1 | (digits is not None)
        counters += value.to_bytes(8, "big")
    head = bytes([1 << 4 | COVERAGE[fields["coverage"]]])
    head += day_number(fields["day"]).to_bytes(2, "big")
    head += (mask << 4 | CLOCK[fields["clock"]]).to_bytes(2, "big")
    head += bytes([CONCLUSION[fields["conclusion"]]])
    content = head + counters
    return content + crc32(content).to_bytes(4, "big")


def generator():
    state = 0x1D872B41
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state


def tables():
    numbers = generator()
    pi = list(range(256))
    for i in range(255, 0, -1):
        j = next(numbers) % (i + 1)
        pi[i], pi[j] = pi[j], pi[i]
    mask = [(next(numbers) >> 8) % 128 for _ in range(256)]
    sync = [(next(numbers) >> 8) % 128 for _ in range(17)]
    return pi, mask, sync


PI, MASK, SYNC = tables()
INFORMATION_BITS = (62, 81, 100, 122, 143, 162, 178)


def weight(position):
    return sum(2 ** (k / 4) for k in range(8) if position >> k & 1)


def transform(word):
    """Returns the codeword (left ^ right, right) recursively (SPEC.md 5.3)."""
    if len(word) == 1:
        return word
    half = len(word) // 2
    left, right = transform(word[:half]), transform(word[half:])
    return [a ^ b for a, b in zip(left, right)] + right


def make_tones(frame):
    bits = [byte >> 7 - k & 1 for byte in frame for k in range(8)]
    labels = [0] * 256
    for count in INFORMATION_BITS:
        positions = sorted(sorted(range(256), key=weight)[-count:])
        level = [0] * 256
        for position in positions:
            level[position] = bits.pop(0)
        labels = [label * 2 + bit for label, bit in zip(labels, transform(level))]
    tones = [None] * 273
    for k, tone in enumerate(SYNC):
        tones[17 * k] = tone
    for i, label in enumerate(labels):
        tones[slot_of(i)] = int(f"{label ^ MASK[i]:07b}"[::-1], 2)
    return bytes(tones)


def slot_of(i):
    return PI[i] + 1 + PI[i] // 16


def encode(item):
    try:
        frame = make_frame(item["fields"]) if "fields" in item else bytes.fromhex(item["frame"])
    except Rejected:
        return {"error": "invalid_fields"}
    return {"frame": frame.hex(), "tones": make_tones(frame).hex()}


if __name__ == "__main__":
    json.dump([encode(item) for item in json.load(sys.stdin)], sys.stdout)
