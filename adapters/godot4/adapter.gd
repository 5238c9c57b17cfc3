extends SceneTree
# Godot 4 as a conformance adapter: requests and answers are lines of JSON on standard input and output.
#
# This file speaks the protocol; values.gd turns JSON into values and back, with vectors.gd, text.gd and reals.gd.
# Only bytes_to_var and var_to_bytes are judged, so nothing else here may use the engine's own serialization of values.

const Values = preload("values.gd")

const DIALECT = "godot-4.4"
const OPS = ["decode", "encode", "reencode"]
const LINE_BYTES = 1 << 24

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
		"language": "gdscript",
		"dialects": [DIALECT],
		"ops": OPS,
		"options": ["objects"],
		"ints": "strings",
		"reals": "bits",
		"text": "hex",
	}


# As `godot --version` prints it.
func _version() -> String:
	var info = Engine.get_version_info()
	var number = "%d.%d" % [info.major, info.minor]
	if info.patch > 0:
		number += ".%d" % info.patch
	return "%s.%s.%s" % [number, info.status, info.build]


func _perform(request: Dictionary) -> Dictionary:
	if not request.get("op") in OPS:
		return {"unsupported": "unknown op"}
	if request.get("dialect") != DIALECT:
		return {"unsupported": "this engine speaks " + DIALECT + " only"}
	var objects = bool(request.get("options", {}).get("objects", false))
	if request.op == "encode":
		return _encode(request.get("value"), objects)
	var packet = _packet(request.get("bytes"))
	if packet == null:
		return {"unsupported": "bytes is no hex"}
	if not packet.has_encoded_var(0, objects):
		return {"refused": "no variant"}
	return _decode(packet, objects) if request.op == "decode" else _reencode(packet, objects)


func _packet(hex):
	if not hex is String or hex.length() % 2 == 1 or not (hex.is_empty() or hex.is_valid_hex_number()):
		return null
	return hex.hex_decode()


func _decode(packet: PackedByteArray, objects: bool) -> Dictionary:
	var value = bytes_to_var_with_objects(packet) if objects else bytes_to_var(packet)
	return {"value": values.show(value), "used": packet.decode_var_size(0, objects)}


func _encode(json, objects: bool) -> Dictionary:
	values.allow_objects = objects
	var value = values.build(json)
	if values.problem != "":
		return {"unsupported": values.problem}
	return _bytes_of(value, objects)


func _reencode(packet: PackedByteArray, objects: bool) -> Dictionary:
	return _bytes_of(bytes_to_var_with_objects(packet) if objects else bytes_to_var(packet), objects)


func _bytes_of(value, objects: bool) -> Dictionary:
	var packet = var_to_bytes_with_objects(value) if objects else var_to_bytes(value)
	return {"refused": "no packet for this value"} if packet.is_empty() else {"bytes": packet.hex_encode()}
