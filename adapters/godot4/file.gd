extends RefCounted
# Planes and quaternions with a NaN in them: GDScript has their numbers only one by one, as doubles, and widening a float
# sets the quiet bit of a signalling NaN. The engine's binary resource files hold floats as they are, and a value saved
# last stands at the very end of the file, before a closing mark of four bytes. There its bytes are read, or written
# before loading.

const MARK_BYTES = 4

var path = "user://nan-%d.res" % OS.get_process_id()


func bytes_of(value, size: int) -> PackedByteArray:
	_save(value)
	var bytes = FileAccess.get_file_as_bytes(path)
	DirAccess.remove_absolute(path)
	return bytes.slice(bytes.size() - MARK_BYTES - size, bytes.size() - MARK_BYTES)


func with_bytes(value, bytes: PackedByteArray):
	_save(value)
	var file = FileAccess.open(path, FileAccess.READ_WRITE)
	file.seek(file.get_length() - MARK_BYTES - bytes.size())
	file.store_buffer(bytes)
	file.close()
	var loaded = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE).get_meta("value")
	DirAccess.remove_absolute(path)
	return loaded


func _save(value):
	var holder = Resource.new()
	holder.set_meta("value", value)
	if ResourceSaver.save(holder, path) != OK:
		printerr("godot4 adapter: cannot write ", ProjectSettings.globalize_path(path), ", which NaNs need")
