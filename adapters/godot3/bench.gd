extends MainLoop
# How long the engine itself takes for packets: `conform bench` runs this with a file that has a line a group, its name
# and then each packet in Base64. A line of JSON a group says how many packets the engine reads and writes back as they
# are, and the microseconds of the fastest pass over them: decode, encode, and decode, encode and compare.

const PASSES = 9
const LEAST_USEC = 20000  # a pass goes over the packets until it took as long

var failed = false


func _idle(_delta):
	var file = File.new()
	if file.open(OS.get_environment("CONFORM_BENCH"), File.READ) != OK:
		printerr("bench.gd: CONFORM_BENCH names no file")
		OS.exit_code = 3
		return true
	while not file.eof_reached():
		var words = file.get_line().split(" ", false)
		if words.size() > 1:
			print(to_json(_group(words)))
	return true


func _group(words):
	var packets = []
	var values = []
	for i in range(1, words.size()):
		var packet = Marshalls.base64_to_raw(words[i])
		failed = true
		var value = _survives(packet)
		if not failed:
			packets.append(packet)
			values.append(value)
	var turns = 1
	var empty = _fastest("_pass_nothing", packets, turns)
	while _fastest("_pass_both", packets, turns) < LEAST_USEC and turns < 4096:
		turns *= 2
	empty = _fastest("_pass_nothing", packets, turns)
	var times = {"group": words[0], "packets": packets.size()}
	times["decode"] = (_fastest("_pass_decode", packets, turns) - empty) / float(turns)
	times["encode"] = (_fastest("_pass_encode", values, turns) - empty) / float(turns)
	times["both"] = (_fastest("_pass_both", packets, turns) - empty) / float(turns)
	return times


# A packet that bytes2var refuses ends this function, and `failed` stays.
func _survives(packet):
	var value = bytes2var(packet)
	failed = var2bytes(value) != packet
	return value


func _fastest(pass_name, items, turns):
	var best = -1
	for _i in PASSES:
		var from = OS.get_ticks_usec()
		for _turn in turns:
			call(pass_name, items)
		var took = OS.get_ticks_usec() - from
		best = took if best < 0 or took < best else best
	return best


func _pass_nothing(items):
	for item in items:
		pass


func _pass_decode(items):
	for packet in items:
		bytes2var(packet)


func _pass_encode(items):
	for value in items:
		var2bytes(value)


func _pass_both(items):
	for packet in items:
		if var2bytes(bytes2var(packet)) != packet:
			failed = true
