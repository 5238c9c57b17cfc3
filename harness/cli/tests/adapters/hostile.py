"""Says everything that a page, a terminal or a file format might obey."""
import json
import sys

SAYINGS = [
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "<!--<script>",
    "\"><img src=x onerror='window.pwned = 3'>",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "]]> &amp; &#0; \u0000\u0008\u001b[31mred",
    "| a | b |\n|---|---|\n# heading\n```\n::error::no",
    "right\u202eto\u2066left\u2028end",
    "javascript:window.pwned=4",
    "'; rm -rf / #",
]


def answer(request, saying):
    if request["op"] == "encode":
        return {"refused": {"kind": saying, "text": saying}}
    if request["seq"] % 3 == 0:
        return {"value": {"string": saying}, "used": 4}
    return {"refused": saying} if request["seq"] % 3 == 1 else {"unsupported": saying}


for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {
            "protocol": 1, "name": SAYINGS[1], "version": SAYINGS[3], "language": SAYINGS[7],
            "dialects": ["godot-3"], "ops": ["decode", "encode"],
        }
    else:
        saying = SAYINGS[request["seq"] % len(SAYINGS)]
        print(saying.replace("\u2028", ""), file=sys.stderr, flush=True)
        if request.get("bytes") == "0100000001000000":
            print("<b>dying</b> words", file=sys.stderr, flush=True)
            sys.exit(7)
        reply = {"seq": request["seq"], **answer(request, saying)}
    print(json.dumps(reply), flush=True)
