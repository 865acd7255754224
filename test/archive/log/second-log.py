"""An independent implementation of the log, written from FORMAT.md sections 15 to 18 alone.

Reads a JSON list of questions from standard input and writes the list of answers:
{"log": text, "origin": name, "index": n} -> {"leaf", "root", "checkpoint"}
{"messages": [...]}                       -> {"leaves", "records"}
"""

import base64
import hashlib
import json
import sys


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf_hash(data):
    return sha256(b"\x00" + data)


def split(n):
    """The largest power of two smaller than n."""
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def root(leaves):
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return sha256(b"\x01" + root(leaves[:k]) + root(leaves[k:]))


def base(data):
    return base64.b64encode(data).decode("ascii")


def day_leaf(line):
    day, digest = line.split(" ")
    return leaf_hash("daysignal-day-v1\n{}\n{}\n".format(day, digest).encode("utf-8"))


def answer_log(question):
    lines = question["log"].split("\n")
    assert lines.pop() == ""
    leaves = [day_leaf(line) for line in lines]
    top = root(leaves)
    index = question["index"]
    return {
        "leaf": leaves[index].hex(),
        "root": top.hex(),
        "checkpoint": "{}\n{}\n{}\n".format(question["origin"], len(leaves), base(top)),
    }


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def message_leaf(message):
    entry = message["entry"]
    text = ""
    if entry is not None:
        order = ["investigation_id", "kind", "title", "sources", "links"]
        text = compact({name: entry[name] for name in order})
    lines = [
        "daysignal-message-v1",
        str(message["id"]),
        message["directory"],
        sha256(message["body"].encode("utf-8")).hex(),
        message["received_at"],
        message["publish_at"],
        sha256(message["author_label"].encode("utf-8")).hex(),
        sha256(text.encode("utf-8")).hex(),
        message["salt"],
    ]
    return "".join(line + "\n" for line in lines)


def answer_messages(question):
    messages = sorted(question["messages"], key=lambda message: message["id"])
    data = [message_leaf(message) for message in messages]
    leaves = [leaf_hash(text.encode("utf-8")) for text in data]
    ids = [str(message["id"]) for message in messages]
    return {
        "leaves": data,
        "records": {
            "count": str(len(ids)),
            "first_message_id": ids[0] if ids else None,
            "last_message_id": ids[-1] if ids else None,
            "root": root(leaves).hex(),
        },
    }


def answer(question):
    return answer_log(question) if "log" in question else answer_messages(question)


if __name__ == "__main__":
    json.dump([answer(question) for question in json.load(sys.stdin)], sys.stdout)
