/* An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
 *
 * It reads and writes null, bool, int and float by itself. Put your library into decode and encode, list its types in
 * HELLO, and leave the rest as it is.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The real standard output; `main` sends what the library prints to standard error. */
static FILE *replies;

/* Only the types listed in "types" are tested. Ints come as {"int":"7"}, floats as {"float":"0x3fe0000000000000"}. */
static const char HELLO[] =
    "{\"protocol\":1,\"name\":\"my-adapter\",\"version\":\"0.1.0\",\"language\":\"c\",\"dialects\":[\"godot-3\"],"
    "\"ops\":[\"decode\",\"encode\",\"reencode\"],\"types\":[\"null\",\"bool\",\"int\",\"float\"],"
    "\"ints\":\"strings\",\"reals\":\"bits\"}";

/* A piece of a line. Strings lack their quotes and keep their escapes: nothing that matters here has any. */
struct span {
    const char *from;
    size_t length;
};

static uint32_t word_at(const uint8_t *packet, size_t at) {
    return packet[at] | (uint32_t)packet[at + 1] << 8 | (uint32_t)packet[at + 2] << 16 | (uint32_t)packet[at + 3] << 24;
}

static bool is(struct span span, const char *text) {
    return span.length == strlen(text) && memcmp(span.from, text, span.length) == 0;
}

/* Writes the value of a packet as JSON, or why there is none. Returns how many bytes were read: 0 if it is refused. */
static size_t decode(const uint8_t *packet, size_t length, char *value, size_t room) {
    if (length < 4) {
        snprintf(value, room, "the packet ends too early");
        return 0;
    }
    uint32_t header = word_at(packet, 0), type = header & 0xff;
    bool wide = header >> 16 & 1;
    size_t size = type == 0 ? 4 : type == 1 || !wide ? 8 : 12;
    if (type > 3) {
        snprintf(value, room, "type %" PRIu32, type);
        return 0;
    }
    if (length < size) {
        snprintf(value, room, "the packet ends too early");
        return 0;
    }
    uint64_t bits = size > 4 ? word_at(packet, 4) : 0;
    if (size == 12)
        bits |= (uint64_t)word_at(packet, 8) << 32;
    if (type == 0) {
        snprintf(value, room, "{\"null\":null}");
    } else if (type == 1) {
        snprintf(value, room, "{\"bool\":%s}", bits ? "true" : "false");
    } else if (type == 2) {
        snprintf(value, room, "{\"int\":\"%" PRId64 "\"}", size == 12 ? (int64_t)bits : (int64_t)(int32_t)(uint32_t)bits);
    } else {
        if (size == 8) {
            uint32_t narrow = (uint32_t)bits;
            float single;
            memcpy(&single, &narrow, sizeof single);
            double number = single;
            memcpy(&bits, &number, sizeof bits);
        }
        snprintf(value, room, "{\"float\":\"0x%016" PRIx64 "\"}", bits);
    }
    return size;
}

static int put(uint32_t *words, uint32_t header, uint64_t body, int count) {
    words[0] = header;
    words[1] = (uint32_t)body;
    words[2] = (uint32_t)(body >> 32);
    return count;
}

/* Writes the packet of a value. Returns how many words it has: 0 if there is none. */
static int encode(struct span layout, struct span body, uint32_t words[3]) {
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(body.length < 31 ? body.length : 31), body.from);
    if (is(layout, "null"))
        return put(words, 0, 0, 1);
    if (is(layout, "bool"))
        return put(words, 1, is(body, "true"), 2);
    if (is(layout, "int")) {
        int64_t number = strtoll(text, NULL, 10);
        bool narrow = number >= INT32_MIN && number <= INT32_MAX;
        return put(words, narrow ? 2 : 2 | 1 << 16, (uint64_t)number, narrow ? 2 : 3);
    }
    if (is(layout, "float")) {
        uint64_t bits = strtoull(text, NULL, 16);
        double number;
        memcpy(&number, &bits, sizeof number);
        float single = (float)number;
        uint32_t narrow;
        memcpy(&narrow, &single, sizeof narrow);
        /* a NaN is never equal, and stays wide */
        return (double)single == number ? put(words, 3, narrow, 2) : put(words, 3 | 1 << 16, bits, 3);
    }
    return 0;
}

static void print_packet(struct span layout, struct span body) {
    uint32_t words[3];
    int count = encode(layout, body, words);
    if (count == 0) {
        fprintf(replies, "\"refused\":\"cannot write such a value\"");
        return;
    }
    fprintf(replies, "\"bytes\":\"");
    for (int i = 0; i < 4 * count; i++)
        fprintf(replies, "%02x", (unsigned)(words[i / 4] >> 8 * (i % 4) & 0xff));
    fprintf(replies, "\"");
}

/* Just enough JSON for a request. Each function returns where its piece ends, or NULL if it is invalid. */

static const char *space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *text(const char *at, struct span *span) {
    if (*at++ != '"')
        return NULL;
    span->from = at;
    for (; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    span->length = (size_t)(at - span->from);
    return *at ? at + 1 : NULL;
}

/* Any value, with everything in it. */
static const char *value(const char *at, struct span *span) {
    if (*at == '"')
        return text(at, span);
    int depth = 0;
    struct span inner;
    span->from = at;
    while (*at) {
        if (*at == '"') {
            at = text(at, &inner);
            if (!at)
                return NULL;
            continue;
        }
        if (depth == 0 && strchr(",}] \t\r\n", *at))
            break;
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
        if (depth == 0 && (at[-1] == '}' || at[-1] == ']'))
            break;
    }
    span->length = (size_t)(at - span->from);
    return span->length ? at : NULL;
}

/* The next key of an object and its value; NULL at its end. */
static const char *member(const char *at, struct span *key, struct span *body) {
    at = space(at);
    if (*at != '{' && *at != ',')
        return NULL;
    at = text(space(at + 1), key);
    if (!at || *(at = space(at)) != ':')
        return NULL;
    return value(space(at + 1), body);
}

static int digit(char c) {
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Prints the rest of a reply to `decode`, or to `reencode` if the value is to be `sent_on`. */
static void reply_to_packet(const uint8_t *packet, size_t length, bool sent_on) {
    char value[64];
    struct span layout, body;
    size_t used = decode(packet, length, value, sizeof value);
    if (used == 0)
        fprintf(replies, "\"refused\":\"%s\"", value);
    else if (sent_on && member(value, &layout, &body))
        print_packet(layout, body);
    else
        fprintf(replies, "\"value\":%s,\"used\":%zu", value, used);
}

static void decode_hex(struct span hex, bool sent_on) {
    uint8_t *packet = malloc(hex.length / 2 + 1);
    size_t count = 0;
    bool fine = packet && hex.from && hex.length % 2 == 0;
    for (; fine && 2 * count < hex.length; count++) {
        int high = digit(hex.from[2 * count]), low = digit(hex.from[2 * count + 1]);
        fine = high >= 0 && low >= 0;
        packet[count] = (uint8_t)(high << 4 | low);
    }
    if (fine)
        reply_to_packet(packet, count, sent_on);
    else
        fprintf(replies, "\"unsupported\":\"bytes is not hex\"");
    free(packet);
}

static void answer(const char *line) {
    struct span key, body, seq = {"", 0}, op = {"", 0}, dialect = {"", 0}, bytes = {NULL, 0}, argument = {"", 0};
    if (*space(line) != '{')
        return;
    for (const char *at = line; (at = member(at, &key, &body));) {
        if (is(key, "seq"))
            seq = body;
        else if (is(key, "op"))
            op = body;
        else if (is(key, "dialect"))
            dialect = body;
        else if (is(key, "bytes"))
            bytes = body;
        else if (is(key, "value"))
            argument = body;
    }
    if (is(op, "hello")) {
        fprintf(replies, "%s\n", HELLO);
        return;
    }
    if (seq.length == 0)
        return;
    fprintf(replies, "{\"seq\":%.*s,", (int)seq.length, seq.from);
    if (!is(dialect, "godot-3"))
        fprintf(replies, "\"unsupported\":\"no such dialect\"");
    else if (is(op, "decode") || is(op, "reencode"))
        decode_hex(bytes, is(op, "reencode"));
    else if (is(op, "encode") && member(argument.from, &key, &body))
        print_packet(key, body);
    else
        fprintf(replies, "\"unsupported\":\"no such request\"");
    fprintf(replies, "}\n");
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    if (!(replies = fdopen(dup(1), "w")) || dup2(2, 1) < 0)
        return 1;
    while (getline(&line, &room, stdin) > 0) {
        answer(line);
        fflush(replies);
    }
    free(line);
    return 0;
}
