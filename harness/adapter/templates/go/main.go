// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Call your library in decode and encode. Then add type by
// type to toJSON, fromJSON and hello.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
)

const dialect = "godot-4.4" // ENGINES; `conform new-adapter --help` names others

type object = map[string]any

var hello = object{
	"protocol": 1, "name": "my-adapter", "version": "0.1.0", "language": "go", "dialects": []string{dialect},
	"ops": []string{"decode", "encode", "reencode"},
	// Only these are tested. All names, with the engine's names: TYPES
	"types": []string{"null", "bool", "int", "float"},
	"ints":  "strings", // ints come as {"int":"7"}
	"reals": "bits",    // floats come as {"float":"0x3fe0000000000000"}; those of a Vector2 have 8 digits
	// If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
	// put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions of your
	// library that do so in decodeFramed and encodeFramed; if it has none, delete this.
	"framing": []string{"u32le"},
}

// Every error of decode and encode is a refusal: the library cannot read this packet, or cannot write this value.
var errShort = errors.New("the packet ends too early")

// The library's own value of a packet, and how many bytes of it were read.
func decode(packet []byte) (any, int, error) {
	if len(packet) < 4 {
		return nil, 0, errShort
	}
	header := binary.LittleEndian.Uint32(packet)
	kind, size := header&0xff, 8
	if kind == 0 {
		return nil, 4, nil
	} else if kind > 3 {
		return nil, 0, fmt.Errorf("type %d", kind)
	} else if kind != 1 && header>>16&1 == 1 {
		size = 12
	}
	if len(packet) < size {
		return nil, 0, errShort
	}
	word := binary.LittleEndian.Uint32(packet[4:])
	switch {
	case kind == 1:
		return word != 0, size, nil
	case kind == 2 && size == 8:
		return int64(int32(word)), size, nil
	case kind == 2:
		return int64(binary.LittleEndian.Uint64(packet[4:])), size, nil
	case size == 8:
		return float64(math.Float32frombits(word)), size, nil
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(packet[4:])), size, nil
}

// The packet of the library's own value.
func encode(value any) ([]byte, error) {
	switch value := value.(type) {
	case nil:
		return words(0), nil
	case bool:
		if value {
			return words(1, 1), nil
		}
		return words(1, 0), nil
	case int64:
		if value == int64(int32(value)) {
			return words(2, uint32(value)), nil
		}
		return words(2|1<<16, uint32(value), uint32(value>>32)), nil
	case float64:
		if float64(float32(value)) == value { // a NaN never is, and stays wide
			return words(3, math.Float32bits(float32(value))), nil
		}
		bits := math.Float64bits(value)
		return words(3|1<<16, uint32(bits), uint32(bits>>32)), nil
	}
	return nil, fmt.Errorf("cannot write %T", value)
}

// The library's own value as the protocol writes it.
func toJSON(value any) object {
	switch value := value.(type) {
	case bool:
		return object{"bool": value}
	case int64:
		return object{"int": strconv.FormatInt(value, 10)}
	case float64:
		return object{"float": fmt.Sprintf("0x%016x", math.Float64bits(value))}
	}
	return object{"null": nil}
}

func fromJSON(value object) any {
	if body, ok := value["int"].(string); ok {
		number, _ := strconv.ParseInt(body, 10, 64)
		return number
	}
	if body, ok := value["float"].(string); ok {
		bits, _ := strconv.ParseUint(body, 0, 64)
		return math.Float64frombits(bits)
	}
	return value["bool"] // nil for null
}

func words(words ...uint32) []byte {
	packet := make([]byte, 4*len(words))
	for place, word := range words {
		binary.LittleEndian.PutUint32(packet[4*place:], word)
	}
	return packet
}

func decodeFramed(packet []byte) (any, int, error) {
	if len(packet) < 4 || uint64(binary.LittleEndian.Uint32(packet)) > uint64(len(packet)-4) {
		return nil, 0, errShort
	}
	length := int(binary.LittleEndian.Uint32(packet))
	value, _, err := decode(packet[4 : 4+length])
	return value, 4 + length, err
}

func encodeFramed(value any) ([]byte, error) {
	packet, err := encode(value)
	return append(words(uint32(len(packet))), packet...), err
}

// A request; other keys are ignored.
type request struct {
	Op, Dialect, Bytes string
	Seq                json.Number
	Value              object
	Options            struct{ Framing string }
}

// The reply with everything except its seq.
func answer(request request) (reply object) {
	defer func() {
		if bug := recover(); bug != nil { // a panic is a bug, and no refusal
			reply = object{"unsupported": fmt.Sprint("panic: ", bug)}
		}
	}()
	read, write := decode, encode
	if request.Options.Framing != "" {
		read, write = decodeFramed, encodeFramed
	}
	packet, err := hex.DecodeString(request.Bytes)
	if err != nil || request.Dialect != dialect {
		return object{"unsupported": "not hex, or the dialect " + request.Dialect}
	}
	var value any
	used := 0
	switch request.Op {
	case "decode", "reencode":
		value, used, err = read(packet)
	case "encode":
		value = fromJSON(request.Value)
	default:
		return object{"unsupported": "the operation " + request.Op}
	}
	if err == nil && request.Op == "decode" {
		return object{"value": toJSON(value), "used": used}
	} else if err == nil {
		packet, err = write(value)
	}
	if err != nil {
		return object{"refused": err.Error()}
	}
	return object{"bytes": hex.EncodeToString(packet)}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout) // writes a line for each value, without a buffer
	os.Stdout = os.Stderr                // what the library prints is no reply
	for {
		line, end := input.ReadBytes('\n')
		var received request
		if json.Unmarshal(line, &received) == nil {
			reply := hello
			if received.Op != "hello" {
				reply = answer(received)
				reply["seq"] = received.Seq
			}
			output.Encode(reply)
		}
		if end != nil {
			return
		}
	}
}
