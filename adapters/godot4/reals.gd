extends RefCounted
# Reals as bits ("0x3f800000"), both ways, without loss.
#
# A number of GDScript is a double, and widening a float sets the quiet bit of a signalling NaN. So floats go as they stand
# in memory: packed arrays give their bytes, and take them. Where a value has no packed array and holds a NaN, see file.gd.

const PREFIX = "0x"


# The bits of little-endian floats, `digits` hex digits each.
func to_bits(bytes: PackedByteArray, digits: int) -> Array:
	bytes.reverse()
	var hex = bytes.hex_encode()
	var bits = []
	for end in range(hex.length(), 0, -digits):
		bits.append(PREFIX + hex.substr(end - digits, digits))
	return bits


# The little-endian bytes of a list of bits.
func to_bytes(bits: Array) -> PackedByteArray:
	var hex = PackedStringArray()
	for i in range(bits.size() - 1, -1, -1):
		hex.append(bits[i].trim_prefix(PREFIX))
	var bytes = "".join(hex).hex_decode()
	bytes.reverse()
	return bytes


func show_double(value: float) -> String:
	return to_bits(PackedFloat64Array([value]).to_byte_array(), 16)[0]


func build_double(bits: String) -> float:
	var bytes = to_bytes([bits])
	return bytes.decode_double(0) if bytes.size() == 8 else bytes.decode_float(0)
