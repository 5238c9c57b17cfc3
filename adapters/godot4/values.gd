extends RefCounted
# Values of the engine as the protocol's JSON, and back.
#
# For every layout there is a function show_LAYOUT(value), giving what stands behind the layout's name in JSON, and
# a function build_LAYOUT(json): here, in vectors.gd or in text.gd. They repair nothing: what the engine holds is shown,
# and what it cannot hold exactly is a `problem`.

const Text = preload("text.gd")
const Vectors = preload("vectors.gd")

# By the engine's own type numbers.
const LAYOUTS = [
	"null", "bool", "int", "float", "string",
	"vector2", "vector2i", "rect2", "rect2i", "vector3", "vector3i", "transform2d", "vector4", "vector4i",
	"plane", "quaternion", "aabb", "basis", "transform", "projection",
	"color", "string_name", "node_path", "rid", "object", "callable", "signal", "dictionary", "array",
	"byte_array", "int32_array", "int64_array", "float32_array", "float64_array", "string_array",
	"vector2_array", "vector3_array", "color_array", "vector4_array",
]

var problem = ""  # why the last build() has no result, or ""
var allow_objects = false

var text = Text.new()
var vectors = Vectors.new()
var elsewhere = {}  # layout → the object that has its functions, unless it is this one


func _init():
	for part in [text, vectors]:
		for layout in LAYOUTS:
			if part.has_method("show_" + layout):
				elsewhere[layout] = part


func show(value):
	var layout = LAYOUTS[typeof(value)]
	return {layout: elsewhere.get(layout, self).call("show_" + layout, value)}


func build(json):
	problem = ""
	text.problem = ""
	return _build(json)


# A function that gives null in place of a value means that there is no such value, or that the JSON was not of the
# expected form.
func _build(json):
	if not json is Dictionary or json.size() != 1:
		return _fail("a value is an object with one key, the layout")
	var layout = json.keys()[0]
	if not layout in LAYOUTS:
		return _fail("Godot 4 has no " + str(layout))
	var value = elsewhere.get(layout, self).call("build_" + layout, json[layout])
	if value == null and not layout in ["null", "object"]:
		_fail(text.problem if text.problem != "" else "not the form of a " + layout)
	return value


# The first problem is the one to tell.
func _fail(sentence):
	if problem == "":
		problem = sentence
	return null


# ---- simple values ----

func show_null(_value):
	return null


func build_null(_json):
	return null


func show_bool(value):
	return value


func build_bool(json):
	return bool(json)


func show_int(value):
	return str(value)


func build_int(json):
	return str(json).to_int()


# ---- references ----

func show_rid(value):
	return _unsigned(value.get_id())


func build_rid(json):
	return _fail("Godot 4 has no RID without an id") if json == null else rid_from_int64(_from_unsigned(str(json)))


func show_callable(value):
	return null if value.is_null() else {"method": str(value.get_method())}


func build_callable(_json):
	return Callable()


func show_signal(value):
	return {"name": text.show_string_name(value.get_name()), "object": _unsigned(value.get_object_id())}


func build_signal(json):
	if text.build_string(json.name) == "" and str(json.object) == "0":
		return Signal()
	return _fail("GDScript makes a Signal only of an object that lives, and it chooses the id")


func show_object(value):
	if value == null:
		return null
	if value is EncodedObjectAsID:
		return {"id": _unsigned(value.object_id)}
	var properties = []
	for property in value.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:  # what the engine would write of an object
			properties.append([text.show_string(property.name), show(value.get(property.name))])
	return {"class": text.show_string(value.get_class()), "properties": properties}


func build_object(json):
	if json == null:
		return null
	if json.has("id"):
		var reference = EncodedObjectAsID.new()
		reference.object_id = _from_unsigned(str(json.id))
		return reference
	if not allow_objects:
		return _fail("whole objects only with the option \"objects\"")
	var name = text.build_string(json["class"])
	if not ClassDB.can_instantiate(name):
		return _fail("the engine cannot make a " + str(name))
	var object = ClassDB.instantiate(name)
	for property in json.properties:
		object.set(text.build_string(property[0]), _build(property[1]))
	return object


# An int has a sign, an id has not.
func _unsigned(number):
	if number >= 0:
		return str(number)
	var tenth = ((number >> 1) & 0x7fffffffffffffff) / 5
	return str(tenth) + str(number - 10 * tenth)


func _from_unsigned(digits):
	var last = digits.length() - 1
	return digits.left(last).to_int() * 10 + digits.right(1).to_int()


# ---- containers ----

# By position and not by key: a key like NaN is not found again.
func show_dictionary(value):
	var keys = value.keys()
	var values = value.values()
	var entries = []
	for i in keys.size():
		entries.append([show(keys[i]), show(values[i])])
	if not value.is_typed():
		return entries
	var shown = {"entries": entries}
	if value.is_typed_key():
		shown["key"] = _show_type(
			value.get_typed_key_builtin(), value.get_typed_key_class_name(), value.get_typed_key_script()
		)
	if value.is_typed_value():
		shown["value"] = _show_type(
			value.get_typed_value_builtin(), value.get_typed_value_class_name(), value.get_typed_value_script()
		)
	return shown


func build_dictionary(json):
	var value = {}
	for entry in json.entries if json is Dictionary else json:
		value[_build(entry[0])] = _build(entry[1])
	if not json is Dictionary:
		return value
	var key = _build_type(json.get("key"))
	var of = _build_type(json.get("value"))
	return Dictionary(value, key[0], key[1], key[2], of[0], of[1], of[2])


func show_array(value):
	var items = []
	for item in value:
		items.append(show(item))
	if not value.is_typed():
		return items
	var of = _show_type(value.get_typed_builtin(), value.get_typed_class_name(), value.get_typed_script())
	return {"of": of, "items": items}


func build_array(json):
	var value = []
	for item in json.items if json is Dictionary else json:
		value.append(_build(item))
	if not json is Dictionary:
		return value
	var of = _build_type(json.get("of"))
	return Array(value, of[0], of[1], of[2])


func _show_type(builtin, name, script):
	if script != null:
		return {"script": text.show_string(script.resource_path)}
	if name != &"":
		return {"class": text.show_string(str(name))}
	return LAYOUTS[builtin]


# Type, class and script, as the constructors of containers want them.
func _build_type(json):
	if json == null:
		return [TYPE_NIL, &"", null]
	if json is String:
		return [LAYOUTS.find(json), &"", null]
	if json.has("class"):
		return [TYPE_OBJECT, StringName(text.build_string(json["class"])), null]
	var script = load(text.build_string(json.script))
	return [TYPE_OBJECT, script.get_instance_base_type(), script]


# ---- packed arrays ----

func show_byte_array(value):
	return value.hex_encode()


func build_byte_array(json):
	return json.hex_decode()


func show_int32_array(value):
	return Array(value).map(str)


func build_int32_array(json):
	return PackedInt32Array(json.map(build_int))


func show_int64_array(value):
	return Array(value).map(str)


func build_int64_array(json):
	return PackedInt64Array(json.map(build_int))
