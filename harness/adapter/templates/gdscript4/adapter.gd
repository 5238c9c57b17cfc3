extends SceneTree
# An adapter between conform and an engine of Godot 4: a line of JSON in, a line of JSON out, until the input ends.
#
# It tests the engine that runs it, with null, bool, int and float. To test a codec of your own, call it in _read and _write.
# Then add type by type to _to_json, _from_json and _hello.

const DIALECT = "godot-4.4"  # ENGINES; `conform new-adapter --help` names others
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
	if request.get("dialect") == DIALECT and request.get("op") in OPS:
		answer = _answer(request)
	# A number of JSON is a float here; made an int again, it is printed with all its digits.
	answer["seq"] = int(request.get("seq", 0))
	return answer


# GDScript's JSON changes large ints and floats, so they travel as strings and bits.
func _hello() -> Dictionary:
	return {
		"protocol": 1, "name": "my-adapter", "version": Engine.get_version_info().string, "language": "gdscript",
		"dialects": [DIALECT], "ops": OPS,
		# Only these are tested. All names, with the engine's names: TYPES
		"types": ["null", "bool", "int", "float"],
		"ints": "strings",
		"reals": "bits",
		# If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
		# put_var and store_var write the length of the packet before it, var_to_bytes does not. If your codec has no
		# functions that do so, delete this.
		"framing": ["u32le"],
	}


func _answer(request: Dictionary) -> Dictionary:
	var framed: bool = request.get("options", {}).has("framing")
	if request.op == "encode":
		return {"bytes": _write(_from_json(request.value), framed).hex_encode()}
	var packet: PackedByteArray = request.get("bytes", "").hex_decode()
	var read = _read(packet, framed)
	if read.is_empty():
		return {"refused": "not a variant"}
	if request.op == "reencode":
		return {"bytes": _write(read.value, framed).hex_encode()}
	var shown = _to_json(read.value)
	return {"unsupported": "_to_json lacks a type"} if shown.is_empty() else {"value": shown, "used": read.used}


# The value of a packet, and how many bytes of it were read; nothing if it is refused.
func _read(packet: PackedByteArray, framed: bool) -> Dictionary:
	var inner = packet.slice(4, 4 + packet.decode_u32(0)) if framed and packet.size() >= 4 else packet
	if framed and (packet.size() < 4 or inner.size() != packet.decode_u32(0)) or not inner.has_encoded_var(0):
		return {}
	return {"value": inner.decode_var(0), "used": 4 + inner.size() if framed else inner.decode_var_size(0)}


func _write(value, framed: bool) -> PackedByteArray:
	if not framed:
		return var_to_bytes(value)
	var stream = StreamPeerBuffer.new()
	stream.put_var(value)
	return stream.data_array


func _to_json(value) -> Dictionary:
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


func _from_json(value: Dictionary):
	var body = value.values()[0]
	match value.keys()[0]:
		"bool":
			return body
		"int":
			return body.to_int()
		"float":
			var bits: PackedByteArray = body.trim_prefix("0x").hex_decode()
			bits.reverse()
			return bits.decode_double(0)
	return null
