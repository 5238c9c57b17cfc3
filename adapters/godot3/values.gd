extends Reference
# Values of the engine as the protocol's JSON, and back.
#
# For every layout there is a function show_LAYOUT(value), giving what stands behind the layout's name in JSON, and
# a function build_LAYOUT(json): here, in vectors.gd or in text.gd. They repair nothing: what the engine holds is shown,
# and what it cannot hold exactly is a `problem`.

const Floats = preload("floats.gd")
const Hex = preload("hex.gd")
const Text = preload("text.gd")
const Vectors = preload("vectors.gd")

# By the engine's own type numbers.
const LAYOUTS = [
	"null", "bool", "int", "float", "string",
	"vector2", "rect2", "vector3", "transform2d", "plane", "quaternion", "aabb", "basis", "transform",
	"color", "node_path", "rid", "object", "dictionary", "array",
	"byte_array", "int32_array", "float32_array", "string_array", "vector2_array", "vector3_array", "color_array",
]

var problem = ""  # why the last build() has no result, or ""
var allow_objects = false

var floats = Floats.new()
var hex = Hex.new()
var text = Text.new()
var elsewhere = {}  # layout → the object that has its functions, unless it is this one
var unfreed = []  # objects whose references nobody counts


func _init():
	for part in [text, Vectors.new()]:
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


func bytes(digits):
	return hex.bytes(digits)


func free_objects():
	for object in unfreed:
		if is_instance_valid(object):
			object.free()
	unfreed = []


# In GDScript a function that meets an error ends there and gives null. So null in place of a value means that there is
# no such value, or that the JSON was not of the expected form.
func _build(json):
	if typeof(json) != TYPE_DICTIONARY or json.size() != 1:
		return _fail("a value is an object with one key, the layout")
	var layout = json.keys()[0]
	if not layout in LAYOUTS:
		return _fail("Godot 3 has no " + layout)
	var value = elsewhere.get(layout, self).call("build_" + layout, json[layout])
	if value == null and not layout in ["null", "object"]:
		_fail(text.problem if text.problem != "" else "not the form of a " + layout)
	return value


# The first problem is the one to tell.
func _fail(sentence):
	if problem == "":
		problem = sentence


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
	if typeof(json) != TYPE_STRING:
		return int(json)
	var value = int(json)
	return value if str(value) == json else _fail("an int has 64 bits")


func show_float(value):
	return floats.double_to_bits(value)


func build_float(json):
	return floats.number(json)


# ---- references ----

func show_rid(value):
	return null if value.get_id() == 0 else str(value.get_id())


func build_rid(json):
	return RID() if json == null else _fail("GDScript cannot make a RID with an id")


func show_object(value):
	if value == null:
		return null
	if value is EncodedObjectAsID:
		return {"id": _unsigned(value.object_id)}
	var properties = []
	for name in _stored_properties(value):
		var property = value.get(name)
		# A property that holds no object says so in its own way, and it is written as null.
		properties.append([text.show_string(name), show(null if property == null else property)])
	_free_later(value)
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
	if not ClassDB.can_instance(name):
		return _fail("the engine cannot make a " + str(name))
	var object = ClassDB.instance(name)
	_free_later(object)
	for property in json.properties:
		object.set(text.build_string(property[0]), _build(property[1]))
	return object


# What the engine would write of an object.
func _stored_properties(object):
	var names = []
	for property in object.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			names.append(property.name)
	return names


func _free_later(object):
	if not object is Reference:
		unfreed.append(object)


# An int has a sign, an object id has not.
func _unsigned(number):
	if number >= 0:
		return str(number)
	var tenth = ((number >> 1) & 0x7fffffffffffffff) / 5
	return str(tenth) + str(number - 10 * tenth)


func _from_unsigned(digits):
	var last = digits.length() - 1
	return int(digits.left(last)) * 10 + int(digits.right(last))


# ---- containers ----

# By position and not by key: a key like NaN is not found again.
func show_dictionary(value):
	var keys = value.keys()
	var values = value.values()
	var entries = []
	for i in keys.size():
		entries.append([show(keys[i]), show(values[i])])
	return entries


func build_dictionary(json):
	var value = {}
	for entry in json.entries if typeof(json) == TYPE_DICTIONARY else json:
		value[_build(entry[0])] = _build(entry[1])
	return value


func show_array(value):
	var items = []
	for item in value:
		items.append(show(item))
	return items


func build_array(json):
	var value = []
	for item in json.items if typeof(json) == TYPE_DICTIONARY else json:
		value.append(_build(item))
	return value


# ---- packed arrays ----

func show_byte_array(value):
	return value.hex_encode()


func build_byte_array(json):
	return bytes(json)


func show_int32_array(value):
	var list = []
	for number in value:
		list.append(str(number))
	return list


func build_int32_array(json):
	var value = PoolIntArray()
	for item in json:
		var number = build_int(item)
		if number < -0x80000000 or number > 0x7fffffff:
			return _fail("an element of a PoolIntArray has 32 bits")
		value.append(number)
	return value
