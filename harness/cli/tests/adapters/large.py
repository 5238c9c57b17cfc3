"""Answers everything of godot-3 with legal replies of as many bytes as its argument says."""
import json
import sys

SIZE = int(sys.argv[1])
HELLO = {"protocol": 1, "name": "large", "version": "1", "language": "python", "dialects": ["godot-3"],
         "ops": ["decode", "encode"]}
VALUES = ['{"array":[%s]}' % ",".join(['{"null":null}'] * (SIZE // 14)), '{"string":"%s"}' % ("x" * SIZE),
          '{"packed_byte_array":"%s"}' % ("00" * (SIZE // 2))]
BYTES = '{"seq":%d,"bytes":"%s"}\n'
VALUE = '{"seq":%d,"value":%s,"used":4}\n'
PACKET = "13000000" + "00" * (SIZE // 2)

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        sys.stdout.write(json.dumps(HELLO) + "\n")
    elif request["op"] == "encode":
        sys.stdout.write(BYTES % (request["seq"], PACKET))
    else:
        sys.stdout.write(VALUE % (request["seq"], VALUES[request["seq"] % 3]))
    sys.stdout.flush()
