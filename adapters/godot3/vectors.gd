extends Reference
# Everything made of 32-bit floats: vectors, matrices, colours, and packed arrays of them.
#
# What is made of vectors is shown as the packed array of its vectors. The order is the order of meaning: Basis.x is
# where the x axis goes, whatever the order in a packet. A function build_LAYOUT gives null for a list that does not fit.

const Floats = preload("floats.gd")

var floats = Floats.new()


func show_vector2(value):
	return _show_vector2s(PoolVector2Array([value]))


func build_vector2(json):
	return _build_vector2s(json, 1)[0]


func show_rect2(value):
	return _show_vector2s(PoolVector2Array([value.position, value.size]))


func build_rect2(json):
	var v = _build_vector2s(json, 2)
	return Rect2(v[0], v[1])


func show_transform2d(value):
	return _show_vector2s(PoolVector2Array([value.x, value.y, value.origin]))


func build_transform2d(json):
	var v = _build_vector2s(json, 3)
	return Transform2D(v[0], v[1], v[2])


func show_vector3(value):
	return _show_vector3s(PoolVector3Array([value]))


func build_vector3(json):
	return _build_vector3s(json, 1)[0]


func show_aabb(value):
	return _show_vector3s(PoolVector3Array([value.position, value.size]))


func build_aabb(json):
	var v = _build_vector3s(json, 2)
	return AABB(v[0], v[1])


func show_basis(value):
	return _show_vector3s(PoolVector3Array([value.x, value.y, value.z]))


func build_basis(json):
	var v = _build_vector3s(json, 3)
	return Basis(v[0], v[1], v[2])


func show_transform(value):
	var basis = value.basis
	return _show_vector3s(PoolVector3Array([basis.x, basis.y, basis.z, value.origin]))


func build_transform(json):
	var v = _build_vector3s(json, 4)
	return Transform(v[0], v[1], v[2], v[3])


func show_plane(value):
	var normal = value.normal
	return floats.to_bits([normal.x, normal.y, normal.z, value.d], value)


func build_plane(json):
	if not _start(json, 4):
		return null
	return floats.exact(Plane(floats.next(), floats.next(), floats.next(), floats.next()))


func show_quaternion(value):
	return floats.to_bits([value.x, value.y, value.z, value.w], value)


func build_quaternion(json):
	if not _start(json, 4):
		return null
	return floats.exact(Quat(floats.next(), floats.next(), floats.next(), floats.next()))


func show_color(value):
	return _show_colors(PoolColorArray([value]))


func build_color(json):
	return _build_colors(json, 1)[0]


func _show_vector2s(vectors):
	var numbers = []
	for vector in vectors:
		numbers.append(vector.x)
		numbers.append(vector.y)
	return floats.to_bits(numbers, vectors)


func _build_vector2s(list, count):
	if not _start(list, 2 * count):
		return null
	var vectors = PoolVector2Array()
	for _i in count:
		vectors.append(Vector2(floats.next(), floats.next()))
	return floats.exact(vectors)


func _show_vector3s(vectors):
	var numbers = []
	for vector in vectors:
		numbers.append(vector.x)
		numbers.append(vector.y)
		numbers.append(vector.z)
	return floats.to_bits(numbers, vectors)


func _build_vector3s(list, count):
	if not _start(list, 3 * count):
		return null
	var vectors = PoolVector3Array()
	for _i in count:
		vectors.append(Vector3(floats.next(), floats.next(), floats.next()))
	return floats.exact(vectors)


func _show_colors(colors):
	var numbers = []
	for color in colors:
		numbers.append(color.r)
		numbers.append(color.g)
		numbers.append(color.b)
		numbers.append(color.a)
	return floats.to_bits(numbers, colors)


func _build_colors(list, count):
	if not _start(list, 4 * count):
		return null
	var colors = PoolColorArray()
	for _i in count:
		colors.append(Color(floats.next(), floats.next(), floats.next(), floats.next()))
	return floats.exact(colors)


func _start(list, count):
	if list.size() != count:
		return false
	floats.start(list)
	return true


func show_float32_array(value):
	return floats.to_bits(value, value)


func build_float32_array(json):
	floats.start(json)
	var value = PoolRealArray()
	for _i in json.size():
		value.append(floats.next())
	return floats.exact(value)


func show_vector2_array(value):
	return _in_lists_of(2, _show_vector2s(value))


func build_vector2_array(json):
	return _build_vector2s(_flat(json), json.size())


func show_vector3_array(value):
	return _in_lists_of(3, _show_vector3s(value))


func build_vector3_array(json):
	return _build_vector3s(_flat(json), json.size())


func show_color_array(value):
	return _in_lists_of(4, _show_colors(value))


func build_color_array(json):
	return _build_colors(_flat(json), json.size())


func _in_lists_of(size, list):
	var lists = []
	for start in range(0, list.size(), size):
		lists.append(list.slice(start, start + size - 1))
	return lists


func _flat(lists):
	var all = []
	for list in lists:
		for item in list:
			all.append(item)
	return all
