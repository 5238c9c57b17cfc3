extends RefCounted
# Floats, and what consists of numbers: vectors, matrices, colors, and packed arrays of them.

const Reals = preload("reals.gd")
const File = preload("file.gd")

var reals = Reals.new()
var file = File.new()


func show_float(value):
	return reals.show_double(value)


func build_float(json):
	return reals.build_double(json)


# ---- vectors, and all that can be put together from them bit for bit ----

func show_vector2(value):
	return _of_vector2s([value])


func build_vector2(json):
	return _vector2s(json)[0]


func show_rect2(value):
	return _of_vector2s([value.position, value.size])


func build_rect2(json):
	var parts = _vector2s(json)
	return Rect2(parts[0], parts[1])


func show_transform2d(value):
	return _of_vector2s([value.x, value.y, value.origin])


func build_transform2d(json):
	var parts = _vector2s(json)
	return Transform2D(parts[0], parts[1], parts[2])


func show_vector3(value):
	return _of_vector3s([value])


func build_vector3(json):
	return _vector3s(json)[0]


func show_aabb(value):
	return _of_vector3s([value.position, value.size])


func build_aabb(json):
	var parts = _vector3s(json)
	return AABB(parts[0], parts[1])


func show_basis(value):
	return _of_vector3s([value.x, value.y, value.z])


func build_basis(json):
	var parts = _vector3s(json)
	return Basis(parts[0], parts[1], parts[2])


func show_transform(value):
	return _of_vector3s([value.basis.x, value.basis.y, value.basis.z, value.origin])


func build_transform(json):
	var parts = _vector3s(json)
	return Transform3D(parts[0], parts[1], parts[2], parts[3])


func show_vector4(value):
	return _of_vector4s([value])


func build_vector4(json):
	return _vector4s(json)[0]


func show_projection(value):
	return _of_vector4s([value.x, value.y, value.z, value.w])


func build_projection(json):
	var parts = _vector4s(json)
	return Projection(parts[0], parts[1], parts[2], parts[3])


func show_color(value):
	return reals.to_bits(PackedColorArray([value]).to_byte_array(), 8)


func build_color(json):
	return reals.to_bytes(json).to_color_array()[0]


# ---- what is made of single numbers: a NaN among them goes through a file ----

func show_plane(value):
	return _shown([value.normal.x, value.normal.y, value.normal.z, value.d], value)


func build_plane(json):
	var numbers = reals.to_bytes(json).to_float32_array()
	return _exact(Plane(numbers[0], numbers[1], numbers[2], numbers[3]), json, numbers)


func show_quaternion(value):
	return _shown([value.x, value.y, value.z, value.w], value)


func build_quaternion(json):
	var numbers = reals.to_bytes(json).to_float32_array()
	return _exact(Quaternion(numbers[0], numbers[1], numbers[2], numbers[3]), json, numbers)


func _shown(numbers, value):
	var bytes = PackedFloat32Array(numbers).to_byte_array()
	return reals.to_bits(file.bytes_of(value, bytes.size()) if numbers.any(is_nan) else bytes, 8)


func _exact(value, json, numbers):
	return file.with_bytes(value, reals.to_bytes(json)) if Array(numbers).any(is_nan) else value


# ---- integers ----

func show_vector2i(value):
	return [str(value.x), str(value.y)]


func build_vector2i(json):
	return Vector2i(json[0].to_int(), json[1].to_int())


func show_rect2i(value):
	return show_vector2i(value.position) + show_vector2i(value.size)


func build_rect2i(json):
	return Rect2i(build_vector2i(json.slice(0, 2)), build_vector2i(json.slice(2)))


func show_vector3i(value):
	return [str(value.x), str(value.y), str(value.z)]


func build_vector3i(json):
	return Vector3i(json[0].to_int(), json[1].to_int(), json[2].to_int())


func show_vector4i(value):
	return [str(value.x), str(value.y), str(value.z), str(value.w)]


func build_vector4i(json):
	return Vector4i(json[0].to_int(), json[1].to_int(), json[2].to_int(), json[3].to_int())


# ---- packed arrays ----

func show_float32_array(value):
	return reals.to_bits(value.to_byte_array(), 8)


func build_float32_array(json):
	return reals.to_bytes(json).to_float32_array()


func show_float64_array(value):
	return reals.to_bits(value.to_byte_array(), 16)


func build_float64_array(json):
	return reals.to_bytes(json).to_float64_array()


func show_vector2_array(value):
	return _in_lists_of(2, _of_vector2s(value))


func build_vector2_array(json):
	return _vector2s(_flat(json))


func show_vector3_array(value):
	return _in_lists_of(3, _of_vector3s(value))


func build_vector3_array(json):
	return _vector3s(_flat(json))


func show_vector4_array(value):
	return _in_lists_of(4, _of_vector4s(value))


func build_vector4_array(json):
	return _vector4s(_flat(json))


func show_color_array(value):
	return _in_lists_of(4, reals.to_bits(value.to_byte_array(), 8))


func build_color_array(json):
	return reals.to_bytes(_flat(json)).to_color_array()


func _of_vector2s(list):
	return reals.to_bits(PackedVector2Array(list).to_byte_array(), 8)


func _vector2s(json):
	return reals.to_bytes(json).to_vector2_array()


func _of_vector3s(list):
	return reals.to_bits(PackedVector3Array(list).to_byte_array(), 8)


func _vector3s(json):
	return reals.to_bytes(json).to_vector3_array()


func _of_vector4s(list):
	return reals.to_bits(PackedVector4Array(list).to_byte_array(), 8)


func _vector4s(json):
	return reals.to_bytes(json).to_vector4_array()


func _in_lists_of(size, list):
	var lists = []
	for start in range(0, list.size(), size):
		lists.append(list.slice(start, start + size))
	return lists


func _flat(lists):
	var all = []
	for list in lists:
		all.append_array(list)
	return all
