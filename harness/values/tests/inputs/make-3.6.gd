extends SceneTree
var SAVE = {"level": 3, "name": "Ada", "position": Vector2(1.5, -2.0), "items": ["key", "lamp"]}
func ask(hex, objects):
	var s = StreamPeerBuffer.new()
	var b = PoolByteArray()
	for i in range(hex.length() / 2):
		b.append(("0x" + hex.substr(i * 2, 2)).hex_to_int())
	print(hex, " ", objects, " ", bytes2var(b, objects))
func _init():
	var f = File.new()
	f.open("out/store_var-3.6.dat", File.WRITE)
	f.store_var(SAVE)
	f.store_var(Transform())
	f.close()
	f = File.new()
	f.open("out/store_var-big-endian-3.6.dat", File.WRITE)
	f.endian_swap = true
	f.store_var(SAVE)
	f.close()
	f = File.new()
	f.open("out/var2str-3.6.txt", File.WRITE)
	f.store_string(var2str(SAVE))
	f.close()
	f.open("out/object-3.6.dat", File.WRITE)
	f.store_var(Resource.new(), true)
	f.store_var(Resource.new(), false)
	f.close()
	ProjectSettings.set_setting("application/config/name", "Lamp")
	print(ProjectSettings.save_custom("out/project-3.6.binary"))
	print("b64 ", Marshalls.variant_to_base64(SAVE))
	ask("110000000800000052657300", false)
	call_deferred("quit")
