extends Reference
# Text as the hex of its UTF-8 form, and back: strings, arrays of strings, node paths.
#
# A function build_LAYOUT gives null for what this engine has no value for, and leaves the reason in `problem`.

const Hex = preload("hex.gd")

var problem = ""
var hex = Hex.new()
var nul = parse_json("\"\\u0000\"")  # the only way to a string with U+0000


func show_string(value):
	return {"utf8": _digits(value)}


# The engine's own reader drops a byte order mark and ends at a NUL; then the string is put together from characters.
func build_string(json):
	if typeof(json) == TYPE_STRING:
		return json
	var digits = json.utf8.to_lower()
	var utf8 = hex.bytes(digits)
	var text = utf8.get_string_from_utf8()
	if _digits(text) != digits:
		text = _join_characters(utf8)
	if _digits(text) != digits:
		problem = "no string of this engine has the UTF-8 form " + digits
		return null
	return text


func _digits(text):
	return text.to_utf8().hex_encode()


func _join_characters(utf8):
	var text = ""
	var at = 0
	while at < utf8.size():
		var size = _character_size(utf8[at])
		text += _character(utf8.subarray(at, int(min(at + size, utf8.size())) - 1))
		at += size
	return text


func _character_size(lead):
	return 1 if lead < 0xc0 else 2 if lead < 0xe0 else 3 if lead < 0xf0 else 4


func _character(utf8):
	if utf8[0] == 0:
		return nul
	if utf8.hex_encode() == "efbbbf":
		return char(0xfeff)
	return utf8.get_string_from_utf8()


func show_node_path(value):
	var names = []
	for i in value.get_name_count():
		names.append(show_string(value.get_name(i)))
	var subnames = []
	for i in value.get_subname_count():
		subnames.append(show_string(value.get_subname(i)))
	return {"absolute": value.is_absolute(), "names": names, "subnames": subnames}


# GDScript can make a path only from its text, so names with "/" or ":" in them are out of reach.
func build_node_path(json):
	var text = "/" if json.get("absolute", false) else ""
	var names = build_string_array(json.get("names", []))
	var subnames = build_string_array(json.get("subnames", []))
	text += names.join("/")
	for subname in subnames:
		text += ":" + subname
	var path = NodePath(text)
	if not _has_parts(path, names, subnames):
		problem = "no text makes a NodePath with these names"
		return null
	return path


func _has_parts(path, names, subnames):
	if path.get_name_count() != names.size() or path.get_subname_count() != subnames.size():
		return false
	for i in names.size():
		if path.get_name(i) != names[i]:
			return false
	for i in subnames.size():
		if path.get_subname(i) != subnames[i]:
			return false
	return true


func show_string_array(value):
	var list = []
	for text in value:
		list.append(show_string(text))
	return list


func build_string_array(json):
	var value = PoolStringArray()
	for item in json:
		var text = build_string(item)
		if text == null:
			return null
		value.append(text)
	return value
