
-- What follows is the same for every dialect: `dialect` above has the differences.

local proto = Proto(dialect.id, dialect.title)
local HIGH_BIT = 0x80000000
local FLAG_1 = 0x10000
-- Wireshark draws no tree of more than 500 levels: values that are deeper are listed below the last one that is drawn.
local DRAWN = 200

local type_names = {}
for id, layout in pairs(dialect.types) do type_names[id] = layout.name end

---- fields ------------------------------------------------------------------------------------------------------------

local f = {}
local function field(kind, name, title, ...)
    local made = ProtoField[kind](dialect.id .. "." .. name, title, ...)
    proto.fields = { made }
    return made
end

for _, name in ipairs { "value", "item", "key", "name", "subname", "property", "class", "script", "element" } do
    f[name] = field("none", name, name)
end
f.packet_length = field("uint32", "packet_length", "packet length")
f.header = field("uint32", "header", "header", base.HEX)
f.type = field("uint32", "type", "type", base.DEC, type_names)
f.type_name = field("string", "type_name", "name of the type")
f.flags = field("uint32", "flags", "flags", base.HEX)
f.element_type = field("uint32", "element_type", "type of the elements", base.DEC, type_names)
f.count = field("uint32", "count", "count", base.DEC, nil, 0x7fffffff)
f.shared = field("bool", "shared", "shared", 32, nil, HIGH_BIT)
f.signed_count = field("int32", "signed_count", "count")
f.name_count = field("uint32", "name_count", "name count", base.DEC, nil, 0x7fffffff)
f.subname_count = field("uint32", "subname_count", "subname count")
f.path_flags = field("uint32", "path_flags", "flags of the path", base.HEX)
f.length = field("uint32", "length", "length")
f.text = field("string", "text", "text")
f.nul = field("bytes", "nul", "nul")
f.padding = field("bytes", "padding", "padding")
f.bytes = field("bytes", "bytes", "bytes")
f.bool = field("bool", "bool.value", "value")
f.int = field("int64", "int.value", "value")
f.float4 = field("float", "float.value", "value")
f.float8 = field("double", "float.value", "value")

local KINDS = { byte = "uint8", int32 = "int32", int64 = "int64", float32 = "float", float64 = "double", word = "uint32", id = "uint64" }
local WIDTHS = { byte = 1, int32 = 4, int64 = 8, float32 = 4, float64 = 8, word = 4, id = 8 }

-- The field of a number, by its kind: one name, whatever its width.
local numbers = {}
local function number_field(layout, name, kind)
    local key = layout .. "." .. name
    numbers[key] = numbers[key] or {}
    numbers[key][kind] = numbers[key][kind] or field(KINDS[kind], key, name)
end
local function kinds_of(layout)
    return layout.of == "by_flag_1" and { "float32", "float64" } or { layout.of }
end
for _, layout in pairs(dialect.types) do
    for _, name in ipairs(layout.numbers or {}) do
        for _, kind in ipairs(kinds_of(layout)) do number_field(layout.name, name, kind) end
    end
end


-- Forms that have no field of their own.
local BARE = { flag = true, permission = true, value = true, type = true, values = true }

-- The fields of a record, by the path to them: those of choices belong to it, those of elements have its name in front.
local record_fields = {}
local function each_record_field(layout, prefix, list)
    for _, each in ipairs(list) do
        local name = prefix .. each.name
        local key = layout .. "." .. name
        local kinds = kinds_of { of = each.form }
        if each.form == "choice" then
            for _, chosen in pairs(each.of) do each_record_field(layout, prefix, chosen) end
            each_record_field(layout, prefix, each.otherwise)
        elseif WIDTHS[kinds[1]] then
            for _, kind in ipairs(kinds) do number_field(layout, name, kind) end
        elseif not BARE[each.form] then
            local holds_bytes = each.form == "bytes" or each.form == "padding"
            record_fields[key] = record_fields[key] or field(holds_bytes and "bytes" or "none", key, name)
        end
        if each.form == "repeat" then each_record_field(layout, name .. ".", each.of) end
    end
end
for _, layout in pairs(dialect.types) do each_record_field(layout.name, "", layout.record or {}) end

local malformed = ProtoExpert.new(dialect.id .. ".malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { malformed }

---- reading -----------------------------------------------------------------------------------------------------------

local STOP = {}
local Reader = {}
Reader.__index = Reader

function Reader:left() return self.size - self.at end

-- Says what is wrong with the field at `at`, and ends the dissection.
function Reader:refuse(tree, at, why)
    local length = math.min(4, self.size - at)
    local item = length > 0 and tree:add(f.value, self.tvb(at, length)) or tree:add(f.value)
    item:set_text(why):add_proto_expert_info(malformed, why .. " at offset " .. at)
    error(STOP)
end

function Reader:take(tree, length)
    if length > self:left() then self:refuse(tree, self.at, "truncated") end
    local range = self.tvb(self.at, length)
    self.at = self.at + length
    return range
end

-- A field of this many bytes, unless there are none.
function Reader:bytes(tree, kind, length)
    if length > 0 then tree:add(kind, self:take(tree, length)) end
end

function Reader:word(tree, kind)
    local range = self:take(tree, 4)
    tree:add_le(kind, range)
    return range:le_uint()
end

function Reader:peek(tree)
    local at = self.at
    local word = self:take(tree, 4):le_uint()
    self.at = at
    return word
end

-- A count or length of things of `size` bytes, all of which must fit.
function Reader:length(tree, kind, size)
    local at, length = self.at, self:word(tree, kind)
    if length >= HIGH_BIT or length > math.floor(self:left() / size) then self:refuse(tree, at, "a length beyond the packet") end
    return length
end

function Reader:pad(tree, length, optional)
    local size = -length % 4
    self:bytes(tree, f.padding, optional and math.min(size, self:left()) or size)
end

local function continues(text, at, count)
    for i = at + 1, at + count do
        local byte = text:byte(i)
        if byte == nil or byte < 0x80 or byte > 0xbf then return false end
    end
    return true
end

-- Whether bytes are UTF-8, by Unicode's definition.
local function is_utf8(text)
    local at = 1
    while at <= #text do
        local lead, second = text:byte(at, at + 1)
        local count = lead < 0x80 and 0 or lead < 0xc2 and 4 or lead < 0xe0 and 1 or lead < 0xf0 and 2 or lead < 0xf5 and 3 or 4
        if count == 4 or not continues(text, at, count) then return false end
        if lead == 0xe0 and second < 0xa0 or lead == 0xed and second > 0x9f then return false end
        if lead == 0xf0 and second < 0x90 or lead == 0xf4 and second > 0x8f then return false end
        at = at + count + 1
    end
    return true
end

-- The bytes of a text. A NUL may end it, and a byte order mark is no part of it.
function Reader:content(tree, length)
    if length == 0 then return "" end
    local at, range = self.at, self:take(tree, length)
    local text = range:raw()
    if dialect.text_ends_at_nul then text = text:match("^[^%z]*") end
    if dialect.text_drops_bom then text = text:gsub("^\xef\xbb\xbf", "", 1) end
    tree:add(f.text, range, text)
    if dialect.utf8 == "strict" and not is_utf8(text) then self:refuse(tree, at, "text that is not UTF-8") end
    return text
end

-- A text with its length and padding. With `nul`, the length may count a NUL at its end.
function Reader:text(tree, optional, nul)
    local length = self:length(tree, f.length, 1)
    local has_nul = nul and length > 0 and self.tvb(self.at + length - 1, 1):uint() == 0
    local text = self:content(tree, has_nul and length - 1 or length)
    if has_nul then self:bytes(tree, f.nul, 1) end
    self:pad(tree, length, optional)
    return text
end

-- A text in a tree of its own.
function Reader:named(tree, kind, optional)
    local item = tree:add(kind, self.tvb(self.at))
    local from, text = self.at, self:text(item, optional)
    item:set_len(self.at - from)
    item:append_text(": " .. text)
    return text
end

function Reader:number(tree, layout, name, kind)
    local range = self:take(tree, WIDTHS[kind])
    tree:add_le(numbers[layout .. "." .. name][kind], range)
end

local function kind_of(layout, flags)
    if layout.of ~= "by_flag_1" then return layout.of end
    return bit.band(flags, FLAG_1) ~= 0 and "float64" or "float32"
end

-- A count of elements of at least `least` bytes.
function Reader:count(tree, bit_31, least)
    local at, high = self.at, self:peek(tree) >= HIGH_BIT
    if high and bit_31 == "empty" then
        self:word(tree, f.signed_count)
        return 0
    end
    local count = self:word(tree, f.count) % HIGH_BIT
    if high and bit_31 ~= "ignored" or count > math.floor(self:left() / least) then self:refuse(tree, at, "a count beyond the packet") end
    return count
end

function Reader:container_count(tree, least)
    if dialect.shared_bit and self:left() >= 4 then tree:add_le(f.shared, self.tvb(self.at, 4)) end
    return self:count(tree, "ignored", least)
end

-- What the elements of a container are, as two bits of the header say.
function Reader:element(tree, flags, part)
    local kind = bit.band(bit.rshift(flags, 16), 3)
    if kind == 0 then return end
    local item = tree:add(f.element, self.tvb(self.at)):append_text(": " .. part)
    local from = self.at
    if kind == 1 then
        local id = self:word(item, f.element_type)
        if dialect.types[id] == nil then self:refuse(item, from, "a type that there is not") end
    elseif kind == 2 then
        self:named(item, f.class, dialect.text_padding_optional)
    else
        self:named(item, f.script, dialect.text_padding_optional)
    end
    item:set_len(self.at - from)
end

function Reader:items(tree, count, depth)
    for _ = 1, count do self:value(tree, depth + 1) end
end

---- shapes: what follows the header ----------------------------------------------------------------------------------

local shapes = {}

function shapes.empty() end

function shapes.bool(r, tree) r:word(tree, f.bool) end

function shapes.int(r, tree, layout, flags)
    local wide = dialect.wide_numbers and bit.band(flags, FLAG_1) ~= 0
    tree:add_le(f.int, r:take(tree, wide and 8 or 4))
end

function shapes.float(r, tree, layout, flags)
    local wide = dialect.wide_numbers and bit.band(flags, FLAG_1) ~= 0
    tree:add_le(wide and f.float8 or f.float4, r:take(tree, wide and 8 or 4))
end

function shapes.text(r, tree)
    tree:append_text(": " .. r:text(tree, dialect.text_padding_optional))
end

function shapes.fields(r, tree, layout, flags)
    local kind = kind_of(layout, flags)
    for _, name in ipairs(layout.numbers) do r:number(tree, layout.name, name, kind) end
end

function shapes.bytes(r, tree)
    local length = r:length(tree, f.count, 1)
    r:bytes(tree, f.bytes, length)
    r:pad(tree, length, dialect.byte_padding_optional)
end

function shapes.packed(r, tree, layout, flags)
    local kind = kind_of(layout, flags)
    local size = WIDTHS[kind] * #layout.numbers
    local count = r:length(tree, f.count, size)
    for i = 1, count do
        local item = #layout.numbers > 1 and tree:add(f.item, r.tvb(r.at, size)):append_text(" " .. i - 1) or tree
        for _, name in ipairs(layout.numbers) do r:number(item, layout.name, name, kind) end
    end
end

function shapes.packed_text(r, tree)
    for _ = 1, r:count(tree, dialect.negative_count_is_empty and "empty", 4) do
        local item, from = tree:add(f.item, r.tvb(r.at)), r.at
        item:append_text(": " .. r:text(item, dialect.text_padding_optional, dialect.string_array_nul))
        item:set_len(r.at - from)
    end
end

function shapes.array(r, tree, layout, flags, depth)
    if layout.typed then r:element(tree, flags, "items") end
    r:items(tree, r:container_count(tree, 4), depth)
end

function shapes.dictionary(r, tree, layout, flags, depth)
    if layout.typed then
        r:element(tree, flags, "keys")
        r:element(tree, bit.rshift(flags, 2), "values")
    end
    for _ = 1, r:container_count(tree, 8) do
        r:value(tree, depth + 1, f.key, "key")
        r:value(tree, depth + 1)
    end
end

local function old_node_path(r, tree)
    if dialect.old_node_path == "refused" then r:refuse(tree, r.at, "a node path in its old form") end
    local length = r:length(tree, f.length, 1)
    r:content(tree, length)
    if dialect.old_node_path == "read" then r:pad(tree, length, dialect.text_padding_optional) end
end

function shapes.node_path(r, tree)
    if r:peek(tree) < HIGH_BIT then return old_node_path(r, tree) end
    local at, names = r.at, r:word(tree, f.name_count) % HIGH_BIT
    local subnames, flags = r:word(tree, f.subname_count), r:word(tree, f.path_flags)
    local room = math.floor(r:left() / 4)
    if names > room or subnames > room - names then r:refuse(tree, at, "a count beyond the packet") end
    local one_more = bit.band(flags, 2) ~= 0
    for _ = 1, names do r:named(tree, f.name) end
    for _ = 1, subnames + (one_more and not dialect.own_property and 1 or 0) do r:named(tree, f.subname) end
    if one_more and dialect.own_property then r:named(tree, f.property) end
end

function shapes.unsupported(r, tree) r:refuse(tree, r.at - 4, "a type that is no part of the format") end

local function read_record(r, tree, layout, flags, depth, prefix, list, seen)
    for _, each in ipairs(list) do
        local name = prefix .. each.name
        local kind = record_fields[layout.name .. "." .. name]
        if each.form == "choice" then
            read_record(r, tree, layout, flags, depth, prefix, each.of[seen[each.by]] or each.otherwise, seen)
        elseif each.form == "flag" then
            seen[each.name] = bit.band(flags, FLAG_1) ~= 0 and 1 or 0
        elseif each.form == "word" then
            seen[each.name] = r:peek(tree)
            r:number(tree, layout.name, name, "word")
        elseif each.form == "text" then
            seen[each.name] = #r:named(tree, kind, dialect.text_padding_optional)
        elseif each.form == "permission" then -- a dissector runs nothing
        elseif each.form == "value" then
            r:value(tree, depth + 1, f.value, each.name)
        elseif each.form == "type" then
            local id, at = r:word(tree, f.element_type) % HIGH_BIT, r.at
            if id == each.object and bit.band(flags, FLAG_1) == 0 and r:value(tree, depth + 1, f.class, "class") ~= each.class then
                r:refuse(tree, at, "a class that is no text")
            end
        elseif each.form == "values" then
            r:items(tree, r:count(tree, each.bit_31, 4), depth)
        elseif each.form == "bytes" then
            local length = r:length(tree, f.length, 1)
            r:bytes(tree, kind, length)
            r:pad(tree, length, dialect.byte_padding_optional)
        elseif each.form == "padding" then
            r:bytes(tree, kind, each.bytes)
        elseif each.form == "repeat" then
            for _ = 1, r:count(tree, each.bit_31, each.least) do
                local drawn, from = depth <= DRAWN, r.at
                local item = drawn and tree:add(kind, r.tvb(from)) or tree
                read_record(r, item, layout, flags, depth, name .. ".", each.of, {})
                if drawn then item:set_len(r.at - from) end
            end
        else
            r:number(tree, layout.name, name, kind_of({ of = each.form }, flags))
        end
    end
end

function shapes.record(r, tree, layout, flags, depth)
    read_record(r, tree, layout, flags, depth, "", layout.record, {})
end

-- A value in a tree of its own; returns the name of its type.
function Reader:value(tree, depth, kind, part)
    if self:left() < 4 then self:refuse(tree, self.at, "truncated") end
    local from = self.at
    local drawn = depth <= DRAWN
    local item = drawn and tree:add(kind or f.value, self.tvb(from)) or tree
    if dialect.depth and depth > dialect.depth then self:refuse(item, from, "too deep") end
    local range = self:take(item, 4)
    local word = range:le_uint()
    local id = dialect.id_mask == 0xffffffff and word or word % (dialect.id_mask + 1)
    local layout, flags = dialect.types[id], word - id
    local header = item:add_le(f.header, range)
    header:add(f.type, range, id)
    header:add(f.flags, range, flags)
    if layout == nil then self:refuse(header, from, "a type that there is not") end
    header:add(f.type_name, range, layout.name)
    if dialect.refuses_flags and bit.band(flags, bit.bnot(layout.flags)) ~= 0 then self:refuse(header, from, "a flag that there is not") end
    if drawn then item:set_text((part and part .. ", " or "") .. layout.name) end
    shapes[layout.shape](self, item, layout, flags, depth)
    if drawn then item:set_len(self.at - from) end
    return layout.name
end

---- packets -----------------------------------------------------------------------------------------------------------

proto.prefs.tcp_ports = Pref.range("TCP ports", "", "Streams of packets", 65535)
proto.prefs.udp_ports = Pref.range("UDP ports", "", "Datagrams, each with one packet", 65535)
proto.prefs.framed = Pref.bool("Length prefix", false, "Each packet has a length prefix: 32 bits, little-endian (u32le)")
proto.prefs.heuristic = Pref.bool("Try other ports", false, "Look at every TCP and UDP payload: is it a packet from its first byte to its last?")

-- The packet in these bytes, and how many it takes; nil if it is malformed.
local function packet(tvb, tree)
    local reader = setmetatable({ tvb = tvb, at = 0, size = tvb:len() }, Reader)
    local good, why = pcall(Reader.value, reader, tree, 1)
    if not good and why ~= STOP then error(why, 0) end
    return good and reader.at or nil
end

local function show(tvb, info, tree)
    info.cols.protocol = dialect.name
    local item = tree:add(proto, tvb())
    packet(tvb, item)
    return tvb:len()
end

local function framed_length(tvb, _, offset) return 4 + tvb(offset, 4):le_uint() end

local function show_framed(tvb, info, tree)
    info.cols.protocol = dialect.name
    local item = tree:add(proto, tvb())
    if tvb:len() < 4 then return tvb:len() end
    item:add_le(f.packet_length, tvb(0, 4))
    local length = tvb(0, 4):le_uint()
    if length > tvb:len() - 4 then
        item:add_proto_expert_info(malformed, "a length beyond the packet at offset 0")
    elseif length > 0 then
        packet(tvb(4, length):tvb(), item)
    else
        item:add_proto_expert_info(malformed, "truncated at offset 4")
    end
    return 4 + length
end

function proto.dissector(tvb, info, tree)
    if tvb:len() == 0 then return 0 end
    if not proto.prefs.framed then return show(tvb, info, tree) end
    if info.can_desegment > 0 then
        dissect_tcp_pdus(tvb, tree, 4, framed_length, show_framed)
        return tvb:len()
    end
    return show_framed(tvb, info, tree)
end

-- A tree that shows nothing: each of its functions returns it.
local nowhere = {}
setmetatable(nowhere, { __index = function() return function() return nowhere end end })

local function guess(tvb, info, tree)
    if not proto.prefs.heuristic then return false end
    local head = proto.prefs.framed and 4 or 0
    if tvb:len() < head + 4 or head > 0 and tvb(0, 4):le_uint() ~= tvb:len() - 4 then return false end
    if packet(tvb(head):tvb(), nowhere) ~= tvb:len() - head then return false end
    proto.dissector(tvb, info, tree)
    return true
end
proto:register_heuristic("tcp", guess)
proto:register_heuristic("udp", guess)

local registered = { tcp = "", udp = "" }
local function register(transport, ports)
    local tables = DissectorTable.get(transport .. ".port")
    if registered[transport] ~= "" then tables:remove(registered[transport], proto) end
    if ports ~= "" then tables:add(ports, proto) end
    registered[transport] = ports
end
function proto.prefs_changed()
    register("tcp", proto.prefs.tcp_ports)
    register("udp", proto.prefs.udp_ports)
end
DissectorTable.get("tcp.port"):add_for_decode_as(proto)
DissectorTable.get("udp.port"):add_for_decode_as(proto)
