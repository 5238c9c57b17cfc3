extends Reference
# Bytes from hex digits. (Bytes to hex is PoolByteArray.hex_encode; Godot 3 has no way back.)

var high = []  # by character: the digit's value as the upper four bits
var low = []


func _init():
	for code in 256:
		var digit = max(0, "0123456789abcdef".find(char(code).to_lower())) if code > 0 else 0
		low.append(int(digit))
		high.append(int(digit) << 4)


func bytes(hex):
	var digits = hex.to_ascii()
	var result = PoolByteArray()
	result.resize(digits.size() / 2)
	var at = 0
	for i in result.size():
		result[i] = high[digits[at]] | low[digits[at + 1]]
		at += 2
	return result
