extends SceneTree
# Godot 4 as a conformance adapter: requests and answers are lines of JSON on standard input and output.
#
# This file speaks the protocol; values.gd turns JSON into values and back, with vectors.gd, text.gd and reals.gd.
# Only bytes_to_var and var_to_bytes are judged (get_var and put_var, with a length in front), so nothing else here may use the engine's own serialization of values.

const Values = preload("values.gd")

const DIALECT = "godot-4.4"
const OPS = ["decode", "encode", "reencode"]
const LINE_BYTES = 1 << 24
const MOST_LEVELS = 200  # of a value that is shown: no case that is compared has more

var values = Values.new()


func _initialize():
	# A refused packet that is nested deep would print thousands of lines.
	Engine.print_error_messages = false
	while true:
		var line = OS.read_string_from_stdin(LINE_BYTES)
		if line.is_empty():  # the input has ended; conform sends no empty line
			break
		var json = JSON.new()
		if json.parse(line) == OK and json.data is Dictionary:
			print(JSON.stringify(_reply(json.data), "", false))
	quit()


func _reply(request: Dictionary) -> Dictionary:
	if request.get("op") == "hello":
		return _hello()
	var answer = _perform(request)
	# A number of JSON is a float here; made an int again, it is printed with all its digits.
	answer["seq"] = int(request.get("seq", 0))
	return answer


# The language's JSON cannot be trusted with large integers, floats and all text: hence strings, bits and hex.
func _hello() -> Dictionary:
	return {
		"protocol": 1,
		"name": "godot",
		"version": _version(),
		"engine": _number(),
		"language": "gdscript",
		"dialects": [DIALECT],
		"ops": OPS,
		"options": ["objects"],
		"framing": ["u32le", "u32be"],
		"limits": ["path-names"],
		"ints": "strings",
		"reals": "bits",
		"text": "hex",
	}


# As `godot --version` prints it.
func _version() -> String:
	var info = Engine.get_version_info()
	return "%s.%s.%s" % [_number(), info.status, info.build]


func _number() -> String:
	var info = Engine.get_version_info()
	return "%d.%d.%d" % [info.major, info.minor, info.patch] if info.patch > 0 else "%d.%d" % [info.major, info.minor]


func _perform(request: Dictionary) -> Dictionary:
	if not request.get("op") in OPS:
		return {"unsupported": "unknown op"}
	if request.get("dialect") != DIALECT:
		return {"unsupported": "this engine speaks " + DIALECT + " only"}
	var options = request.get("options", {})
	var objects = bool(options.get("objects", false))
	var framing = options.get("framing")
	if request.op == "encode":
		return _encode(request.get("value"), objects, framing)
	var packet = _packet(request.get("bytes"))
	if packet == null:
		return {"unsupported": "bytes is no hex"}
	var read = _read(packet, objects) if framing == null else _read_frame(packet, objects, framing)
	if read == null:
		return {"refused": "no variant"}
	if request.op == "reencode":
		return _bytes_of(read.value, objects, framing)
	if _is_deep(read.value, MOST_LEVELS):
		return {"unsupported": "nested too deep for JSON; ask for reencode"}
	return {"value": values.show(read.value), "used": read.used}


func _is_deep(value, left: int) -> bool:
	if left == 0:
		return true
	if value is Array:
		return value.any(func(item): return _is_deep(item, left - 1))
	if value is Dictionary:
		return value.keys().any(func(key): return _is_deep(key, left - 1) or _is_deep(value[key], left - 1))
	return false


func _packet(hex):
	if not hex is String or hex.length() % 2 == 1 or not (hex.is_empty() or hex.is_valid_hex_number()):
		return null
	return hex.hex_decode()


# bytes_to_var gives null for what it refuses, so whether it does is asked first. Null in place of an answer: refused.
func _read(packet: PackedByteArray, objects: bool):
	if not packet.has_encoded_var(0, objects):
		return null
	var value = bytes_to_var_with_objects(packet) if objects else bytes_to_var(packet)
	return {"value": value, "used": packet.decode_var_size(0, objects)}


# As a stream has it: the packet's length in front. get_var, too, gives null for what it refuses; a null that it read is
# one that bytes_to_var reads there.
func _read_frame(bytes: PackedByteArray, objects: bool, framing: String):
	var stream = _stream(framing)
	stream.data_array = bytes
	var value = stream.get_var(objects)
	var used = stream.get_position()
	if value == null:
		stream.seek(0)
		var read = _read(bytes.slice(4, used), objects) if stream.get_u32() + 4 == used else null
		if read == null or read.value != null:
			return null
	return {"value": value, "used": used}


func _stream(framing: String) -> StreamPeerBuffer:
	var stream = StreamPeerBuffer.new()
	stream.big_endian = framing == "u32be"
	return stream


func _encode(json, objects: bool, framing) -> Dictionary:
	values.allow_objects = objects
	var value = values.build(json)
	if values.problem != "":
		return {"unsupported": values.problem}
	return _bytes_of(value, objects, framing)


func _bytes_of(value, objects: bool, framing) -> Dictionary:
	var packet: PackedByteArray
	if framing != null:
		var stream = _stream(framing)
		stream.put_var(value, objects)
		packet = stream.data_array
	else:
		packet = var_to_bytes_with_objects(value) if objects else var_to_bytes(value)
	return {"refused": "no packet for this value"} if packet.is_empty() else {"bytes": packet.hex_encode()}
