// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Put your library into decode and encode, list its types in
// hello, and leave the rest as it is.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

var hello = object{
	"protocol": 1,
	"name":     "my-adapter",
	"version":  "0.1.0",
	"language": "go",
	"dialects": []string{"godot-3"},
	"ops":      []string{"decode", "encode", "reencode"},
	"types":    []string{"null", "bool", "int", "float"}, // only these are tested
	"ints":     "strings",                                // ints come as {"int":"7"}
	"reals":    "bits",                                   // floats come as {"float":"0x3fe0000000000000"}
}

type object = map[string]any

// The library cannot read this packet, or cannot write this value.
var errShort = errors.New("the packet ends too early")

// The value of a packet, and how many bytes of it were read.
func decode(packet []byte) (object, int, error) {
	if len(packet) < 4 {
		return nil, 0, errShort
	}
	header := binary.LittleEndian.Uint32(packet)
	size := 8
	if header&0xff == 0 {
		size = 4
	} else if header>>16&1 == 1 && header&0xff != 1 {
		size = 12
	}
	if header&0xff > 3 {
		return nil, 0, fmt.Errorf("type %d", header&0xff)
	}
	if len(packet) < size {
		return nil, 0, errShort
	}
	body := packet[4:size]
	switch header & 0xff {
	case 0:
		return object{"null": nil}, size, nil
	case 1:
		return object{"bool": binary.LittleEndian.Uint32(body) != 0}, size, nil
	case 2:
		number := int64(int32(binary.LittleEndian.Uint32(body)))
		if size == 12 {
			number = int64(binary.LittleEndian.Uint64(body))
		}
		return object{"int": strconv.FormatInt(number, 10)}, size, nil
	default:
		bits := math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(body))))
		if size == 12 {
			bits = binary.LittleEndian.Uint64(body)
		}
		return object{"float": fmt.Sprintf("0x%016x", bits)}, size, nil
	}
}

// The packet of a value.
func encode(value object) ([]byte, error) {
	for layout, body := range value {
		text, _ := body.(string)
		switch layout {
		case "null":
			return words(0), nil
		case "bool":
			if body == true {
				return words(1, 1), nil
			}
			return words(1, 0), nil
		case "int":
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, err
			}
			if number == int64(int32(number)) {
				return words(2, uint32(number)), nil
			}
			return words(2|1<<16, uint32(number), uint32(number>>32)), nil
		case "float":
			bits, err := strconv.ParseUint(text, 0, 64)
			if err != nil {
				return nil, err
			}
			number := math.Float64frombits(bits)
			if float64(float32(number)) == number { // a NaN never is, and stays wide
				return words(3, math.Float32bits(float32(number))), nil
			}
			return words(3|1<<16, uint32(bits), uint32(bits>>32)), nil
		}
		return nil, fmt.Errorf("cannot write %s", layout)
	}
	return nil, errors.New("a value without a layout")
}

func words(words ...uint32) []byte {
	packet := make([]byte, 4*len(words))
	for place, word := range words {
		binary.LittleEndian.PutUint32(packet[4*place:], word)
	}
	return packet
}

// A request; other keys are ignored.
type request struct {
	Op      string      `json:"op"`
	Seq     json.Number `json:"seq"`
	Dialect string      `json:"dialect"`
	Bytes   string      `json:"bytes"`
	Value   object      `json:"value"`
}

func answer(received request) object {
	reply := object{"seq": received.Seq}
	if received.Dialect != "godot-3" {
		reply["unsupported"] = "the dialect " + received.Dialect
		return reply
	}
	switch received.Op {
	case "decode", "reencode":
		packet, err := hex.DecodeString(received.Bytes)
		if err != nil {
			reply["unsupported"] = "bytes: " + err.Error()
		} else if value, used, err := decode(packet); err != nil {
			reply["refused"] = err.Error()
		} else if received.Op == "reencode" {
			write(value, reply)
		} else {
			reply["value"], reply["used"] = value, used
		}
	case "encode":
		write(received.Value, reply)
	default:
		reply["unsupported"] = "the operation " + received.Op
	}
	return reply
}

func write(value object, reply object) {
	if packet, err := encode(value); err != nil {
		reply["refused"] = err.Error()
	} else {
		reply["bytes"] = hex.EncodeToString(packet)
	}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout) // writes a line for each value, without a buffer
	os.Stdout = os.Stderr                // what the library prints is no reply
	for {
		line, end := input.ReadBytes('\n')
		var received request
		if json.Unmarshal(line, &received) == nil {
			if received.Op == "hello" {
				output.Encode(hello)
			} else {
				output.Encode(answer(received))
			}
		}
		if end == io.EOF {
			return
		}
	}
}
