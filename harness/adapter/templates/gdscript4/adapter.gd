extends SceneTree
# An adapter between conform and an engine of Godot 4: a line of JSON in, a line of JSON out, until the input ends.
#
# It tests bytes_to_var and var_to_bytes of the engine that runs it, with null, bool, int and float. To test a codec of your
# own, call it in _decode and _encode. List more types in _hello once _show and _build know them.

const OPS = ["decode", "encode", "reencode"]
const LINE_BYTES = 1 << 24


func _initialize():
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
	var answer = {"unsupported": "no such request"}
	if request.get("dialect") == "godot-4.4":
		match request.get("op"):
			"decode":
				answer = _decode(request.get("bytes"))
			"encode":
				answer = _encode(request.get("value"))
			"reencode":
				answer = _reencode(request.get("bytes"))
	# A number of JSON is a float here; made an int again, it is printed with all its digits.
	answer["seq"] = int(request.get("seq", 0))
	return answer


# GDScript's JSON changes large ints and floats, so they travel as strings and bits.
func _hello() -> Dictionary:
	return {
		"protocol": 1,
		"name": "my-adapter",
		"version": Engine.get_version_info().string,
		"language": "gdscript",
		"dialects": ["godot-4.4"],
		"ops": OPS,
		"types": ["null", "bool", "int", "float"],  # only these are tested
		"ints": "strings",
		"reals": "bits",
	}


func _decode(hex) -> Dictionary:
	if not _is_hex(hex):
		return {"unsupported": "bytes is not hex"}
	var packet: PackedByteArray = hex.hex_decode()
	if not packet.has_encoded_var(0):
		return {"refused": "not a variant"}
	var shown = _show(packet.decode_var(0))
	if shown.is_empty():
		return {"unsupported": "a type that _show does not know"}
	return {"value": shown, "used": packet.decode_var_size(0)}


func _reencode(hex) -> Dictionary:
	if not _is_hex(hex):
		return {"unsupported": "bytes is not hex"}
	var packet: PackedByteArray = hex.hex_decode()
	if not packet.has_encoded_var(0):
		return {"refused": "not a variant"}
	return {"bytes": var_to_bytes(packet.decode_var(0)).hex_encode()}


func _is_hex(hex) -> bool:
	return hex is String and hex.length() % 2 == 0 and (hex.is_empty() or hex.is_valid_hex_number())


func _encode(value) -> Dictionary:
	if not value is Dictionary or value.size() != 1:
		return {"unsupported": "not a value"}
	var layout = value.keys()[0]
	return {"bytes": var_to_bytes(_build(layout, value[layout])).hex_encode()}


func _show(value) -> Dictionary:
	match typeof(value):
		TYPE_NIL:
			return {"null": null}
		TYPE_BOOL:
			return {"bool": value}
		TYPE_INT:
			return {"int": str(value)}
		TYPE_FLOAT:
			var bits = PackedByteArray([0, 0, 0, 0, 0, 0, 0, 0])
			bits.encode_double(0, value)
			bits.reverse()
			return {"float": "0x" + bits.hex_encode()}
	return {}


func _build(layout: String, body):
	match layout:
		"bool":
			return body
		"int":
			return body.to_int()
		"float":
			var bits: PackedByteArray = body.trim_prefix("0x").hex_decode()
			bits.reverse()
			return bits.decode_double(0)
	return null
