extends MainLoop
# Godot 3 as a conformance adapter: requests and answers are lines of JSON on a TCP connection to CONFORM_CONNECT.
#
# This file speaks the protocol; values.gd turns JSON into values and back; floats.gd moves floats as bits.
# Only bytes2var and var2bytes are judged, so nothing else here may use the engine's own serialization of values.

const Values = preload("values.gd")

const OPS = ["decode", "encode", "reencode"]
const CONNECT_MSEC = 5000
const READ_BYTES = 1 << 16
const MOST_LEVELS = 200  # of a value that is shown: no case that is compared has more
const HOLD_MSEC = 50  # answers wait for others of the same batch, but not longer than this

var values = Values.new()
var peer = StreamPeerTCP.new()
var unfinished = PoolByteArray()  # the beginning of a line whose end has not come yet
var failed = false  # whether the last bytes2var or var2bytes failed
var used = null  # how many bytes the last frame took


# The engine calls this for every frame. All work is done in the first one; true means quit.
func _idle(_delta):
	OS.exit_code = 0 if _connect() else 3
	if OS.exit_code == 0:
		_send([to_json({"token": OS.get_environment("CONFORM_TOKEN")})])
		_serve()
	return true


func _connect():
	var address = OS.get_environment("CONFORM_CONNECT").split(":")
	if address.size() != 2:
		return _complain("CONFORM_CONNECT must be HOST:PORT; `conform run godot3` sets it")
	if peer.connect_to_host(address[0], int(address[1])) != OK:
		return _complain("cannot connect to CONFORM_CONNECT=" + address.join(":"))
	var deadline = OS.get_ticks_msec() + CONNECT_MSEC
	while peer.get_status() == StreamPeerTCP.STATUS_CONNECTING and OS.get_ticks_msec() < deadline:
		OS.delay_msec(1)
	if peer.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		return _complain("nobody listens at CONFORM_CONNECT=" + address.join(":"))
	peer.set_no_delay(true)
	return true


func _complain(sentence):
	printerr("godot3 adapter: ", sentence)
	return false


func _serve():
	while true:
		var lines = _read_lines()
		if lines == null:
			return
		_answer_all(lines)


# Sleeps until something arrives; null at the end of the input.
func _read_lines():
	var first = peer.get_data(1)
	if first[0] != OK:
		return null
	var chunk = first[1]
	chunk.append_array(peer.get_partial_data(READ_BYTES)[1])
	# In UTF-8 no other character contains the byte of a line end, so the search may take bytes for characters.
	var end = chunk.get_string_from_ascii().find_last("\n")
	if end < 0:
		unfinished.append_array(chunk)
		return []
	unfinished.append_array(chunk.subarray(0, end))
	var text = unfinished.get_string_from_utf8()
	unfinished = chunk.subarray(end + 1, -1) if end + 1 < chunk.size() else PoolByteArray()
	return text.split("\n", false)


func _answer_all(lines):
	var answers = []
	var started = OS.get_ticks_msec()
	for line in lines:
		var request = parse_json(line)
		if typeof(request) == TYPE_DICTIONARY:
			answers.append(to_json(_answer(request)))
		if OS.get_ticks_msec() - started > HOLD_MSEC:
			_send(answers)
			answers = []
			started = OS.get_ticks_msec()
	_send(answers)


func _send(lines):
	if not lines.empty():
		peer.put_data((PoolStringArray(lines).join("\n") + "\n").to_utf8())


func _answer(request):
	if request.get("op") == "hello":
		return _hello()
	var answer = _perform(request)
	if answer == null:  # a function of GDScript that meets an error gives null
		answer = {"unsupported": "not the form of a request"}
	answer["seq"] = int(request.get("seq", 0))
	return answer


# The language's JSON cannot be trusted with large integers, floats and all text: hence strings, bits and hex.
func _hello():
	return {
		"protocol": 1,
		"name": "godot",
		"version": _version(),
		"engine": _number(),
		"language": "gdscript",
		"dialects": ["godot-3"],
		"ops": OPS,
		"options": ["objects"],
		"framing": ["u32le", "u32be"],
		"limits": ["path-names"],
		"ints": "strings",
		"reals": "bits",
		"text": "hex",
	}


# As `godot --version` prints it.
func _version():
	var info = Engine.get_version_info()
	return "%s.%s.%s" % [_number(), info.status, info.build]


func _number():
	var info = Engine.get_version_info()
	return "%d.%d.%d" % [info.major, info.minor, info.patch] if info.patch > 0 else "%d.%d" % [info.major, info.minor]


func _perform(request):
	var op = request.get("op")
	if not op in OPS:
		return {"unsupported": "unknown op"}
	if request.get("dialect") != "godot-3":
		return {"unsupported": "Godot 3 speaks godot-3 only"}
	var options = request.get("options", {})
	return call("_" + op, request, bool(options.get("objects", false)), options.get("framing"))


func _decode(request, objects, framing):
	var value = _read(values.bytes(request.bytes), objects, framing)
	if failed:
		return {"refused": "bytes2var or get_var failed"}
	if _is_deep(value, MOST_LEVELS):
		return {"unsupported": "nested too deep for JSON; ask for reencode"}
	var answer = {"value": values.show(value)}
	if framing != null:
		answer["used"] = used
	values.free_objects()
	return answer


func _is_deep(value, left):
	if left == 0:
		return true
	if typeof(value) == TYPE_ARRAY:
		for item in value:
			if _is_deep(item, left - 1):
				return true
	elif typeof(value) == TYPE_DICTIONARY:
		for key in value:
			if _is_deep(key, left - 1) or _is_deep(value[key], left - 1):
				return true
	return false


func _encode(request, objects, framing):
	values.allow_objects = objects
	var value = values.build(request.value)
	if values.problem != "":
		values.free_objects()
		return {"unsupported": values.problem}
	return _bytes_of(value, objects, framing)


func _reencode(request, objects, framing):
	var value = _read(values.bytes(request.bytes), objects, framing)
	if failed:
		return {"refused": "bytes2var or get_var failed"}
	return _bytes_of(value, objects, framing)


func _read(packet, objects, framing):
	return _bytes2var(packet, objects) if framing == null else _get_var(packet, objects, framing)


# As a stream has it: the packet's length in front. get_var gives null for what it refuses; a null that it read is one
# that bytes2var reads there.
func _get_var(bytes, objects, framing):
	var stream = _stream(framing)
	stream.data_array = bytes
	var value = stream.get_var(objects)
	used = stream.get_position()
	failed = false
	if value == null:
		stream.seek(0)
		failed = used <= 4 or stream.get_u32() + 4 != used
		if not failed:
			value = _bytes2var(bytes.subarray(4, used - 1), objects)
			failed = failed or value != null
	return value


func _stream(framing):
	var stream = StreamPeerBuffer.new()
	stream.big_endian = framing == "u32be"
	return stream


func _bytes_of(value, objects, framing):
	var packet
	if framing == null:
		packet = _var2bytes(value, objects)
	else:
		var stream = _stream(framing)
		stream.put_var(value, objects)
		packet = stream.data_array
		failed = false
	values.free_objects()
	return {"refused": "var2bytes failed"} if failed else {"bytes": packet.hex_encode()}


# When bytes2var or var2bytes fails, the function that called it ends there and gives null: hence the flag, and
# functions with nothing else in them.

func _bytes2var(packet, objects):
	failed = true
	var value = bytes2var(packet, objects)
	failed = false
	return value


func _var2bytes(value, objects):
	failed = true
	var packet = var2bytes(value, objects)
	failed = false
	return packet
