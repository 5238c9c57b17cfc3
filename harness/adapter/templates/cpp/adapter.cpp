// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Call your library in decode and encode. Then add type by
// type to to_json, from_json and HELLO.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#define DIALECT "godot-4.4" // ENGINES; `conform new-adapter --help` names others

// "types": only these are tested. All names, with the engine's names: TYPES
// "ints", "reals": ints come as {"int":"7"}, floats as {"float":"0x3fe0000000000000"}, since JSON has no NaN.
// If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
// "framing": put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions of
// your library that do so in decode_framed and encode_framed; if it has none, delete this.
const char HELLO[] = R"({"protocol":1,"name":"my-adapter","version":"0.1.0","language":"c++","dialects":[")" DIALECT R"("],
"ops":["decode","encode","reencode"],"types":["null","bool","int","float"],
"ints":"strings","reals":"bits","framing":["u32le"]})";

// The library's own values: yours are here instead.
using Value = std::variant<std::monostate, bool, std::int64_t, double>;
struct Decoded {
    Value value;
    std::size_t used;
};

// The library says no to this packet or value: throw it for the errors that your library throws for that.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A number in a packet, little-endian.
template <class Number> Number number_at(std::string_view packet, std::size_t at) {
    if (packet.size() < at + sizeof(Number)) throw Refused("the packet ends too early");
    Number number;
    std::memcpy(&number, packet.data() + at, sizeof number);
    return number;
}

template <class Number> std::string bytes_of(Number number) {
    return {reinterpret_cast<const char *>(&number), sizeof number};
}

// The library's own value of a packet, and how many bytes of it were read.
Decoded decode(std::string_view packet) {
    const auto header = number_at<std::uint32_t>(packet, 0);
    const bool wide = header >> 16 & 1;
    switch (header & 0xff) {
    case 0: return {{}, 4};
    case 1: return {number_at<std::uint32_t>(packet, 4) != 0, 8};
    case 2:
        if (wide) return {number_at<std::int64_t>(packet, 4), 12};
        return {std::int64_t{number_at<std::int32_t>(packet, 4)}, 8};
    case 3:
        if (wide) return {number_at<double>(packet, 4), 12};
        return {double{number_at<float>(packet, 4)}, 8};
    default: throw Refused("a type that it does not know");
    }
}

// The packet of the library's own value.
std::string encode(const Value &value) {
    const auto packet = [](std::uint32_t header, const std::string &body) { return bytes_of(header) + body; };
    if (const auto *flag = std::get_if<bool>(&value)) return packet(1, bytes_of(std::uint32_t{*flag}));
    if (const auto *number = std::get_if<std::int64_t>(&value)) {
        const auto narrow = static_cast<std::int32_t>(*number);
        return narrow == *number ? packet(2, bytes_of(narrow)) : packet(2 | 1 << 16, bytes_of(*number));
    }
    if (const auto *number = std::get_if<double>(&value)) {
        const auto narrow = static_cast<float>(*number); // a NaN is never equal, and stays wide
        return narrow == *number ? packet(3, bytes_of(narrow)) : packet(3 | 1 << 16, bytes_of(*number));
    }
    return packet(0, "");
}

// The library's own value as the protocol writes it.
std::string to_json(const Value &value) {
    if (const auto *flag = std::get_if<bool>(&value)) return *flag ? R"({"bool":true})" : R"({"bool":false})";
    if (const auto *number = std::get_if<std::int64_t>(&value)) return R"({"int":")" + std::to_string(*number) + "\"}";
    if (const auto *number = std::get_if<double>(&value)) {
        std::uint64_t bits;
        std::memcpy(&bits, number, sizeof bits);
        char text[19];
        std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(bits));
        return std::string(R"({"float":")") + text + "\"}";
    }
    return R"({"null":null})";
}

// The value of a key of the outermost object, as it is written; empty if there is none. Replace it by a JSON library.
std::string get(const std::string &json, const std::string &key) {
    const auto past = [&](std::size_t at) { // the end of a string, or of any other character
        if (json[at] == '"')
            for (at++; at < json.size() && json[at] != '"'; at++) at += json[at] == '\\';
        return at + 1;
    };
    std::size_t depth = 0, from = 0;
    for (std::size_t at = 0; at < json.size(); at = past(at)) {
        const char c = json[at];
        if (from && depth == 1 && (c == ',' || c == '}')) return json.substr(from, at - from);
        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
        const bool is_key = !from && depth == 1 && json.compare(at, key.size() + 3, '"' + key + "\":") == 0;
        if (is_key) from = at + key.size() + 3;
    }
    return "";
}

std::string unquoted(const std::string &json) {
    return json.size() < 2 ? "" : json.substr(1, json.size() - 2);
}

Value from_json(const std::string &json) {
    if (const auto body = get(json, "bool"); !body.empty()) return body == "true";
    if (const auto body = get(json, "int"); !body.empty()) return std::int64_t{std::stoll(unquoted(body))};
    if (const auto body = get(json, "float"); !body.empty()) {
        const std::uint64_t bits = std::stoull(unquoted(body), nullptr, 16);
        return number_at<double>(bytes_of(bits), 0);
    }
    return {};
}

Decoded decode_framed(std::string_view packet) {
    const auto length = number_at<std::uint32_t>(packet, 0);
    if (length > packet.size() - 4) throw Refused("the length is beyond the end");
    return {decode(packet.substr(4, length)).value, 4 + std::size_t{length}};
}

std::string encode_framed(const Value &value) {
    const auto packet = encode(value);
    return bytes_of(static_cast<std::uint32_t>(packet.size())) + packet;
}

std::string from_hex(const std::string &hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return bytes;
}

std::string to_hex(const std::string &bytes) {
    std::string hex;
    for (const unsigned char byte : bytes) hex += "0123456789abcdef"[byte >> 4], hex += "0123456789abcdef"[byte & 15];
    return "\"bytes\":\"" + hex + '"';
}

// Everything in a reply except its seq.
std::string answer(const std::string &request) {
    const auto op = unquoted(get(request, "op"));
    if (get(request, "dialect") != "\"" DIALECT "\"" || (op != "encode" && op != "decode" && op != "reencode"))
        return R"("unsupported":"no such operation or dialect")";
    const bool framed = !get(request, "options").empty();
    const auto read = framed ? decode_framed : decode;
    const auto write = framed ? encode_framed : encode;
    try {
        if (op == "encode") return to_hex(write(from_json(get(request, "value"))));
        const auto decoded = read(from_hex(unquoted(get(request, "bytes"))));
        if (op == "reencode") return to_hex(write(decoded.value));
        return "\"value\":" + to_json(decoded.value) + ",\"used\":" + std::to_string(decoded.used);
    } catch (const Refused &why) {
        // A message may have line breaks; a reply is one line.
        std::string text = why.what();
        for (char &letter : text)
            if (static_cast<unsigned char>(letter) < ' ' || letter == '"' || letter == '\\') letter = ' ';
        return R"("refused":")" + text + '"';
    } catch (const std::exception &bug) { // never a refusal: that would hide it
        return R"("unsupported":"internal error")";
    }
}

int main() {
    std::ostream replies(std::cout.rdbuf()); // replies have standard output for themselves
    std::cout.rdbuf(std::cerr.rdbuf());
    std::string hello;
    for (const char c : HELLO)
        if (c && c != '\n') hello += c;
    for (std::string line; std::getline(std::cin, line);) {
        const auto seq = line.rfind('{', 0) == 0 ? get(line, "seq") : "";
        if (get(line, "op") == "\"hello\"") replies << hello << std::endl;
        else if (!seq.empty()) replies << "{\"seq\":" << seq << ',' << answer(line) << '}' << std::endl;
    }
}
