extends RefCounted
# Text as the hex of its UTF-8 form, and back: strings, string names, arrays of strings, node paths.
#
# A function build_LAYOUT gives null for what this engine has no value for, and leaves the reason in `problem`.

var problem = ""


func show_string(value):
	return {"utf8": value.to_utf8_buffer().hex_encode()}


# The engine's own reader drops a byte order mark: that is put back.
func build_string(json):
	if json is String:
		return json
	var text = json.utf8.hex_decode().get_string_from_utf8()
	if json.utf8.begins_with("efbbbf"):
		text = char(0xfeff) + text
	if text.to_utf8_buffer().hex_encode() != json.utf8.to_lower():
		problem = "no string of this engine has the UTF-8 form " + json.utf8
		return null
	return text


func show_string_name(value):
	return show_string(str(value))


func build_string_name(json):
	var text = build_string(json)
	return null if text == null else StringName(text)


func show_node_path(value):
	var names = []
	for i in value.get_name_count():
		names.append(show_string_name(value.get_name(i)))
	var subnames = []
	for i in value.get_subname_count():
		subnames.append(show_string_name(value.get_subname(i)))
	return {"absolute": value.is_absolute(), "names": names, "subnames": subnames}


# GDScript can make a path only from its text, so names with "/" or ":" in them are out of reach.
func build_node_path(json):
	var path = "/" if json.get("absolute", false) else ""
	path += "/".join(json.get("names", []).map(build_string))
	for subname in json.get("subnames", []):
		path += ":" + build_string(subname)
	var node_path = NodePath(path)
	var shown = show_node_path(node_path)
	for part in ["names", "subnames"]:
		if str(shown[part]) != str(json.get(part, [])):
			problem = "no text makes a NodePath with these names"
			return null
	return node_path


func show_string_array(value):
	return Array(value).map(show_string)


func build_string_array(json):
	var value = PackedStringArray()
	for item in json:
		var text = build_string(item)
		if text == null:
			return null
		value.append(text)
	return value
