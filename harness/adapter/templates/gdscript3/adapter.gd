extends MainLoop
# An adapter between conform and an engine of Godot 3: a line of JSON in, a line of JSON out, over a connection to
# CONFORM_CONNECT, because GDScript 3 cannot read standard input.
#
# It tests the engine that runs it, with null, bool, int and float. To test a codec of your own, call it in _read and _write.
# Then add type by type to _to_json, _from_json and _hello.

const DIALECT = "godot-3"  # ENGINES; `conform new-adapter --help` names others
const OPS = ["decode", "encode", "reencode"]

var peer = StreamPeerTCP.new()
var buffer = StreamPeerBuffer.new()
var failed = false  # whether the last _read or _write failed


# The engine calls this for every frame. All work is done in the first one; true means quit.
func _idle(_delta):
	OS.exit_code = 0 if _connect() else 3
	if OS.exit_code == 0:
		_send({"token": OS.get_environment("CONFORM_TOKEN")})
		_serve()
	return true


func _connect():
	var address = OS.get_environment("CONFORM_CONNECT").split(":")
	if address.size() != 2 or peer.connect_to_host(address[0], int(address[1])) != OK:
		printerr("CONFORM_CONNECT must be HOST:PORT, as conform sets it")
		return false
	while peer.get_status() == StreamPeerTCP.STATUS_CONNECTING:
		OS.delay_msec(1)
	peer.set_no_delay(true)
	buffer.big_endian = true  # so that its digits read like the bits of a float
	return peer.get_status() == StreamPeerTCP.STATUS_CONNECTED


# Sleeps until something arrives, and replies to every complete line; returns at the end of the input.
func _serve():
	var unfinished = PoolByteArray()
	while true:
		var first = peer.get_data(1)
		if first[0] != OK:
			return
		var chunk = first[1]
		chunk.append_array(peer.get_partial_data(1 << 16)[1])
		# In UTF-8 no other character contains the byte of a line end.
		var end = chunk.get_string_from_ascii().find_last("\n")
		if end < 0:
			unfinished.append_array(chunk)
			continue
		unfinished.append_array(chunk.subarray(0, end))
		for line in unfinished.get_string_from_utf8().split("\n", false):
			var request = parse_json(line)
			if typeof(request) == TYPE_DICTIONARY:
				_send(_reply(request))
		unfinished = chunk.subarray(end + 1, -1) if end + 1 < chunk.size() else PoolByteArray()


func _send(reply):
	peer.put_data((to_json(reply) + "\n").to_utf8())


func _reply(request):
	if request.get("op") == "hello":
		return _hello()
	var answer = {"unsupported": "no such request"}
	if request.get("op") in OPS and request.get("dialect") == DIALECT:
		answer = _answer(request, request.get("options", {}).has("framing"))
	if answer == null:  # a GDScript function that meets an error returns null
		answer = {"unsupported": "not the form of a request"}
	answer["seq"] = int(request.get("seq", 0))
	return answer


# GDScript's JSON changes large ints and floats, so they travel as strings and bits.
func _hello():
	return {
		"protocol": 1, "name": "my-adapter", "version": Engine.get_version_info().string, "language": "gdscript",
		"dialects": [DIALECT], "ops": OPS,
		# Only these are tested. All names, with the engine's names: TYPES
		"types": ["null", "bool", "int", "float"],
		"ints": "strings",
		"reals": "bits",
		# If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
		# put_var and store_var write the length of the packet before it, var2bytes does not. If your codec has no functions
		# that do so, delete this.
		"framing": ["u32le"],
	}


func _answer(request, framed):
	if request.op == "encode":
		return _written(_from_json(request.value), framed)
	var packet = _bytes(request.bytes)
	if packet == null:
		return {"unsupported": "bytes is not hex"}
	var value = _read(packet, framed)
	# GDScript 3 does not report how many bytes it read, so there is no "used".
	if failed:
		return {"refused": "not a variant"}
	if request.op == "reencode":
		return _written(value, framed)
	var shown = _to_json(value)
	return {"unsupported": "_to_json lacks a type"} if shown == null else {"value": shown}


func _written(value, framed):
	var packet = _write(value, framed)
	return {"refused": "not written"} if failed else {"bytes": packet.hex_encode()}


func _to_json(value):
	match typeof(value):
		TYPE_NIL:
			return {"null": null}
		TYPE_BOOL:
			return {"bool": value}
		TYPE_INT:
			return {"int": str(value)}
		TYPE_REAL:
			buffer.clear()
			buffer.put_double(value)
			return {"float": "0x" + buffer.data_array.hex_encode()}
	return null


func _from_json(value):
	var body = value.values()[0]
	match value.keys()[0]:
		"bool":
			return body
		"int":
			return int(body)
		"float":
			buffer.data_array = _bytes(body.substr(2, -1))
			buffer.seek(0)
			return buffer.get_double()
	return null


# Bytes from hex digits, or null; Godot 3 has no function for it.
func _bytes(hex):
	var packet = PoolByteArray()
	packet.resize(hex.length() / 2)
	for i in packet.size():
		var high = "0123456789abcdef".find(hex[2 * i])
		var low = "0123456789abcdef".find(hex[2 * i + 1])
		if high < 0 or low < 0:
			return null
		packet[i] = high << 4 | low
	return packet


# When a function that reads or writes fails, the function that called it ends there and returns null. That is why there is a
# flag, and why these functions do nothing else.

func _read(packet, framed):
	failed = true
	var length = 0
	if framed:
		for i in 4:
			length |= packet[i] << 8 * i  # fails where the length itself is cut
		if length > packet.size() - 4:
			return null
		packet = packet.subarray(4, 3 + length)  # fails where nothing is left
	var value = bytes2var(packet)
	failed = false
	return value


func _write(value, framed):
	failed = true
	var stream = StreamPeerBuffer.new()
	if framed:
		stream.put_var(value)
	var packet = stream.data_array if framed else var2bytes(value)
	failed = false
	return packet
