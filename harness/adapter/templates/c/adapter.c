/* An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
 *
 * It reads and writes null, bool, int and float by itself. Call your library in decode and encode. Then add type by
 * type to to_json, from_json and HELLO.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIALECT "godot-4.4" /* ENGINES; `conform new-adapter --help` names others */

/* "types": only these are tested. All names, with the engine's names: TYPES
 * "ints", "reals": ints come as {"int":"7"}, floats as {"float":"0x3fe0000000000000"}, since JSON has no NaN.
 * If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
 * "framing": put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions of
 * your library that do so where `framed` is true; if it has none, delete this. */
static const char HELLO[] =
    "{\"protocol\":1,\"name\":\"my-adapter\",\"version\":\"0.1.0\",\"language\":\"c\",\"dialects\":[\"" DIALECT "\"],"
    "\"ops\":[\"decode\",\"encode\",\"reencode\"],\"types\":[\"null\",\"bool\",\"int\",\"float\"],"
    "\"ints\":\"strings\",\"reals\":\"bits\",\"framing\":[\"u32le\"]}";

/* The library's own values: yours are here instead. */
struct value {
    enum { NIL, BOOL, INT, REAL } type;
    int64_t number;
    double real;
};

static const char EARLY[] = "the packet ends too early";
static FILE *replies; /* the real standard output: `main` sends what the library prints to standard error */

static uint32_t word(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Reads the library's own value of a packet, and how many bytes it used. Returns why it is refused, or NULL. */
static const char *decode(const uint8_t *packet, size_t length, struct value *value, size_t *used) {
    uint32_t header = length < 4 ? 0 : word(packet), type = header & 0xff;
    *used = type == NIL ? 4 : type != BOOL && header >> 16 & 1 ? 12 : 8;
    if (type > REAL)
        return "a type that it does not know";
    if (length < *used)
        return EARLY;
    uint32_t narrow = *used > 4 ? word(packet + 4) : 0;
    uint64_t wide = *used > 8 ? narrow | (uint64_t)word(packet + 8) << 32 : 0;
    float single;
    memcpy(&single, &narrow, sizeof single);
    value->type = type;
    value->number = type == BOOL ? narrow != 0 : *used > 8 ? (int64_t)wide : (int32_t)narrow;
    value->real = single;
    if (*used > 8)
        memcpy(&value->real, &wide, sizeof wide);
    return NULL;
}

/* Writes the packet of the library's own value. Returns its length: 0 if there is none. */
static size_t encode(const struct value *value, uint8_t packet[12]) {
    float single = (float)value->real;
    /* a NaN is never equal, and stays wide */
    bool is_narrow = value->type == REAL ? (double)single == value->real : (int32_t)value->number == value->number;
    uint32_t words[3] = {value->type | (is_narrow ? 0 : 1 << 16), (uint32_t)value->number, (uint32_t)(value->number >> 32)};
    if (value->type == REAL)
        memcpy(words + 1, is_narrow ? (void *)&single : (void *)&value->real, is_narrow ? 4 : 8); /* little-endian */
    size_t length = value->type == NIL ? 4 : is_narrow ? 8 : 12;
    for (size_t i = 0; i < length; i++)
        packet[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    return length;
}

/* Just enough JSON: the end of a string or of any other character. */
static const char *past(const char *at) {
    if (*at != '"')
        return at + 1;
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* Where the value of a key of this object begins; a string after its quote. NULL if there is no such key. */
static const char *get(const char *at, const char *key) {
    size_t length = strlen(key);
    for (int depth = 0; *at; at = past(at)) {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (depth == 0)
            return NULL;
        if (depth == 1 && *at == '"' && strncmp(at + 1, key, length) == 0 && at[length + 1] == '"' && *past(at) == ':')
            return past(at) + 1 + (past(at)[1] == '"');
    }
    return NULL;
}

static bool is(const char *line, const char *key, const char *text) {
    const char *found = get(line, key);
    return found && strncmp(found, text, strlen(text)) == 0 && found[strlen(text)] == '"';
}

/* Prints the library's own value as the protocol writes it. */
static void to_json(const struct value *value) {
    uint64_t bits;
    memcpy(&bits, &value->real, sizeof bits);
    if (value->type == NIL)
        fprintf(replies, "{\"null\":null}");
    else if (value->type == BOOL)
        fprintf(replies, "{\"bool\":%s}", value->number ? "true" : "false");
    else if (value->type == INT)
        fprintf(replies, "{\"int\":\"%" PRId64 "\"}", value->number);
    else
        fprintf(replies, "{\"float\":\"0x%016" PRIx64 "\"}", bits);
}

static struct value from_json(const char *json) {
    struct value value = {NIL, 0, 0};
    const char *body;
    if ((body = get(json, "bool"))) {
        value = (struct value){BOOL, *body == 't', 0};
    } else if ((body = get(json, "int"))) {
        value = (struct value){INT, strtoll(body, NULL, 10), 0};
    } else if ((body = get(json, "float"))) {
        uint64_t bits = strtoull(body, NULL, 16);
        value.type = REAL;
        memcpy(&value.real, &bits, sizeof bits);
    }
    return value;
}

static void print_packet(const struct value *value, bool framed) {
    uint8_t packet[12];
    size_t length = encode(value, packet);
    fprintf(replies, framed ? "\"bytes\":\"%02x000000" : "\"bytes\":\"", (unsigned)length);
    for (size_t i = 0; i < length; i++)
        fprintf(replies, "%02x", packet[i]);
    fprintf(replies, "\"");
}

/* The value of a hex digit; -1 for another letter. */
static int digit(char letter) {
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Prints everything in a reply except its seq. */
static void answer(const char *line) {
    const char *hex = get(line, "bytes"), *json = get(line, "value"), *options = get(line, "options"), *why;
    bool framed = options && get(options, "framing");
    struct value value;
    size_t length = 0, used;
    if (!is(line, "dialect", DIALECT) || !(is(line, "op", "encode") ? json : hex)) {
        fprintf(replies, "\"unsupported\":\"no such request\"");
        return;
    }
    if (is(line, "op", "encode")) {
        value = from_json(json);
        print_packet(&value, framed);
        return;
    }
    uint8_t *packet = malloc(strlen(hex) / 2 + 1), *at = packet;
    if (!packet)
        exit(1);
    for (int high, low; (high = digit(hex[2 * length])) >= 0 && (low = digit(hex[2 * length + 1])) >= 0; length++)
        packet[length] = (uint8_t)(16 * high + low);
    if (framed) {
        length = length >= 4 && word(packet) <= length - 4 ? word(packet) : 0;
        at = packet + 4;
    }
    why = decode(at, length, &value, &used);
    if (why) {
        fprintf(replies, "\"refused\":\"");
        for (; *why; why++) /* It may have line breaks; a reply is one line. */
            fputc((unsigned char)*why < ' ' || *why == '"' || *why == '\\' ? ' ' : *why, replies);
        fprintf(replies, "\"");
    } else if (is(line, "op", "reencode")) {
        print_packet(&value, framed);
    } else if (is(line, "op", "decode")) {
        fprintf(replies, "\"used\":%zu,\"value\":", framed ? 4 + length : used);
        to_json(&value);
    } else {
        fprintf(replies, "\"unsupported\":\"no such operation\"");
    }
    free(packet);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    if (!(replies = fdopen(dup(1), "w")) || dup2(2, 1) < 0)
        return 1;
    while (getline(&line, &room, stdin) > 0) {
        const char *seq = *line == '{' ? get(line, "seq") : NULL;
        if (*line == '{' && is(line, "op", "hello")) {
            fprintf(replies, "%s\n", HELLO);
        } else if (seq) {
            fprintf(replies, "{\"seq\":%.*s,", (int)strspn(seq, "0123456789"), seq);
            answer(line);
            fprintf(replies, "}\n");
        }
        fflush(replies);
    }
    free(line);
    return 0;
}
