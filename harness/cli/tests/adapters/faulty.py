"""The Python codec of adapters/python, right but for one fault: faulty.py HOW WHERE.

WHERE: `packet` (one packet of aabb), `aabb` (whatever is about aabb), `count` (every count of 2^31 - 1), `packed` (every packed
array), `long` (every packet of more than 100 kB), `each` (every request), `tenth` (every tenth request of a process), `end`
(the end of its input), `never`. HOW: see HOWS and HELLOS.
"""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../adapters/python"))
import adapter  # noqa: E402

HOW, WHERE = sys.argv[1:3]
AABB = "0b0000000000803f000000c000004040000080400000a0400000003f"
PACKED = range(20, 27)


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def children():
    """Forks forty that share its pages and sleep."""
    for _ in range(40):
        if os.fork() == 0:
            devnull = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(devnull, fd)
            time.sleep(300)
            os._exit(0)


def sanitizer(_):
    print("==7==ERROR: LeakSanitizer: detected memory leaks\nSUMMARY: AddressSanitizer: 64 byte(s) leaked in 1 allocation(s).\n"
          + "a line of a log\n" * 1000, file=sys.stderr)


HOWS = {
    "hang": lambda reply: time.sleep(600),
    "crash": lambda reply: os.abort(),
    "exit": lambda reply: os._exit(9),
    "mid-reply": lambda reply: (write(reply[:len(reply) // 2]), os._exit(9)),
    "sanitizer": sanitizer,
    "pool": lambda reply: children(),
    "pool-hang": lambda reply: (children(), time.sleep(600)),
    "pool-crash": lambda reply: (children(), os.abort()),
    "stay": lambda reply: time.sleep(600),
    "long-line": lambda reply: [write(reply[:9] + "x" * 1_000_000) for _ in range(200)] and write("\n"),
    "deep": lambda reply: write('{"seq":%d,"value":%s}\n' % (json.loads(reply)["seq"], "[" * 100_000 + "]" * 100_000)),
    "echo": lambda reply: write('{"seq":%d,"bytes":"%s"}\n' % (json.loads(reply)["seq"], request.get("bytes", ""))),
    "echo-only": lambda reply: write('{"seq":%d,"bytes":"%s"}\n' % (json.loads(reply)["seq"], request.get("bytes", ""))),
    "null": lambda reply: write('{"seq":%d,"value":{"null":null}}\n' % json.loads(reply)["seq"]),
}

# What else its handshake reply says.
HELLOS = {"engine": {"engine": "banana"}, "old-engine": {"engine": "2.1", "dialects": ["godot-3"]}, "rough-engine": {"engine": "3"},
          "echo-only": {"ops": ["reencode"]}}

# Each of these has replied.
REPLIED = ("long-line", "deep", "echo", "echo-only", "null")


def is_there(request):
    packet = request.get("bytes", "")
    if WHERE == "packet":
        return packet == AABB and request["op"] == "decode"
    if WHERE == "aabb":
        return packet.startswith("0b000000") or "aabb" in request.get("value", ())
    if WHERE == "count":
        return "ffffff7f" in packet
    if WHERE == "long":
        return len(packet) > 200_000
    if WHERE == "each":
        return True
    if WHERE == "tenth":
        return count % 10 == 0
    if WHERE == "packed":
        return any(packet.startswith("%02x000000" % of) for of in PACKED)
    return False


count = 0
for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    reply = adapter.answer_line(line.encode()).decode().rstrip("\n")
    if request.get("op") == "hello":
        reply = json.dumps({**json.loads(reply), **HELLOS.get(HOW, {})})
    else:
        count += 1
        if is_there(request):
            HOWS[HOW](reply)
            if HOW in REPLIED:
                continue
    write(reply + "\n")
if WHERE == "end":
    HOWS[HOW]("")
