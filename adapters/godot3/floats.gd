extends Reference
# 32-bit floats as bits ("0x3f800000"), both ways, without loss.
#
# A number of GDScript is a double, and widening a float sets the quiet bit of a signalling NaN. So values with a NaN
# in them make a detour: the engine's binary resource files hold floats as they are, and a value saved last stands at
# the very end of the file, before a closing mark of four bytes. There its bits are read, or written before loading.

const Hex = preload("hex.gd")

const BITS_LENGTH = 10  # of "0x3f800000"
const MARK_BYTES = 4
const NAMES = {"nan": NAN, "inf": INF, "-inf": -INF}

var hex = Hex.new()
var path = "user://nan-%d.res" % OS.get_process_id()
var buffer = StreamPeerBuffer.new()
var has_nan = false


func _init():
	buffer.big_endian = true  # so that a hex dump of the buffer reads like the bits


# The bits of `numbers`, which were taken in this order from `source`, a value or packed array of 32-bit floats.
func to_bits(numbers, source):
	has_nan = false
	buffer.clear()
	for number in numbers:
		buffer.put_float(number)
		if number != number:
			has_nan = true
	var bytes = _read_from_file(source, buffer.get_size()) if has_nan else buffer.data_array
	return _split(bytes.hex_encode())


func double_to_bits(number):
	buffer.clear()
	buffer.put_double(number)
	return "0x" + buffer.data_array.hex_encode()


# Makes the floats of a list (bits, numbers or names) ready for next().
func start(list):
	has_nan = false
	var all = PoolStringArray()
	for real in list:
		var bits = real if typeof(real) == TYPE_STRING and real.length() == BITS_LENGTH else _float_to_bits(number(real))
		if bits > "0x7f800000" and (bits < "0x8" or bits > "0xff800000"):
			has_nan = true
		all.append(bits)
	buffer.data_array = hex.bytes(all.join("").replace("0x", ""))
	buffer.seek(0)


func next():
	return buffer.get_float()


# `value` was built from all the floats of the list: the same value, but with exactly the list's bits.
func exact(value):
	return _write_through_file(value, buffer.data_array) if has_nan else value


# One real as a double. Here 8 digits are the bits of a float that is widened.
func number(real):
	if typeof(real) != TYPE_STRING:
		return float(real)
	if not real.begins_with("0x"):
		return NAMES.get(real, _minus_zero())
	buffer.data_array = hex.bytes(real.substr(2, -1))
	buffer.seek(0)
	return buffer.get_float() if real.length() == BITS_LENGTH else buffer.get_double()


# GDScript reads the literal -0.0 as 0.0 in places.
func _minus_zero():
	return -1.0 / INF


func _float_to_bits(number):
	buffer.clear()
	buffer.put_float(number)
	return "0x" + buffer.data_array.hex_encode()


func _split(digits):
	var all = []
	for start in range(0, digits.length(), 8):
		all.append("0x" + digits.substr(start, 8))
	return all


func _read_from_file(value, size):
	if not _save(value):
		return null
	var file = File.new()
	file.open(path, File.READ)
	file.seek(file.get_len() - MARK_BYTES - size)
	var bytes = file.get_buffer(size)
	file.close()
	_remove()
	return _swapped(bytes)


func _write_through_file(value, bytes):
	if not _save(value):
		return null
	var file = File.new()
	file.open(path, File.READ_WRITE)
	file.seek(file.get_len() - MARK_BYTES - bytes.size())
	file.store_buffer(_swapped(bytes))
	file.close()
	var loaded = ResourceLoader.load(path, "", true).get_meta("value")
	_remove()
	return loaded


func _save(value):
	var holder = Resource.new()
	holder.set_meta("value", value)
	if ResourceSaver.save(path, holder) == OK:
		return true
	printerr("godot3 adapter: cannot write ", ProjectSettings.globalize_path(path), ", which NaNs need")
	return false


func _remove():
	Directory.new().remove(path)


# Resource files are little-endian, the buffer is big-endian.
func _swapped(bytes):
	var swapped = PoolByteArray()
	for start in range(0, bytes.size(), 4):
		for i in [3, 2, 1, 0]:
			swapped.append(bytes[start + i])
	return swapped
