// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Put your library into Decode and Encode, list its types in
// Hello, and leave the rest as it is.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;

/// The library cannot read this packet, or cannot write this value.
class Refused : Exception
{
    public Refused(string why) : base(why) { }
}

static class Adapter
{
    // Only the types listed in "types" are tested. Ints come as {"int":"7"}, floats as {"float":"0x3fe0000000000000"}.
    const string Hello =
        "{\"protocol\":1,\"name\":\"my-adapter\",\"version\":\"0.1.0\",\"language\":\"c#\",\"dialects\":[\"godot-3\"]," +
        "\"ops\":[\"decode\",\"encode\",\"reencode\"],\"types\":[\"null\",\"bool\",\"int\",\"float\"]," +
        "\"ints\":\"strings\",\"reals\":\"bits\"}";

    /// The value of a packet as JSON, and how many bytes of it were read.
    static string Decode(byte[] packet, out int used)
    {
        uint header = BitConverter.ToUInt32(Part(packet, 0, 4), 0);
        bool wide = (header >> 16 & 1) == 1;
        used = wide ? 12 : 8;
        switch (header & 0xff)
        {
            case 0:
                used = 4;
                return "{\"null\":null}";
            case 1:
                used = 8;
                return BitConverter.ToUInt32(Part(packet, 4, 4), 0) != 0 ? "{\"bool\":true}" : "{\"bool\":false}";
            case 2:
                long number = wide ? BitConverter.ToInt64(Part(packet, 4, 8), 0) : BitConverter.ToInt32(Part(packet, 4, 4), 0);
                return "{\"int\":\"" + number.ToString(CultureInfo.InvariantCulture) + "\"}";
            case 3:
                long bits = wide
                    ? BitConverter.ToInt64(Part(packet, 4, 8), 0)
                    : BitConverter.DoubleToInt64Bits(BitConverter.ToSingle(Part(packet, 4, 4), 0));
                return "{\"float\":\"0x" + bits.ToString("x16") + "\"}";
            default:
                throw new Refused("type " + (header & 0xff));
        }
    }

    /// The packet of a value.
    static byte[] Encode(XElement value)
    {
        XElement body = value.Elements().First();
        switch (body.Name.LocalName)
        {
            case "null":
                return Packet(0);
            case "bool":
                return Packet(1, BitConverter.GetBytes(body.Value == "true" ? 1 : 0));
            case "int":
                long number = long.Parse(body.Value, CultureInfo.InvariantCulture);
                return number == (int)number
                    ? Packet(2, BitConverter.GetBytes((int)number))
                    : Packet(2 | 1 << 16, BitConverter.GetBytes(number));
            case "float":
                long bits = long.Parse(body.Value.Substring(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                double real = BitConverter.Int64BitsToDouble(bits);
                // A NaN never equals itself, and stays wide.
                return (double)(float)real == real
                    ? Packet(3, BitConverter.GetBytes((float)real))
                    : Packet(3 | 1 << 16, BitConverter.GetBytes(bits));
            default:
                throw new Refused("cannot write " + body.Name.LocalName);
        }
    }

    static byte[] Packet(int header, params byte[] body)
    {
        return BitConverter.GetBytes(header).Concat(body).ToArray();
    }

    static byte[] Part(byte[] packet, int at, int length)
    {
        if (packet.Length < at + length) throw new Refused("the packet ends too early");
        return packet.Skip(at).Take(length).ToArray();
    }

    /// Everything in a reply except its seq.
    static string Answer(XElement request)
    {
        string op = Text(request, "op"), dialect = Text(request, "dialect");
        if (dialect != "godot-3") return Reason("unsupported", "the dialect " + dialect);
        try
        {
            if (op == "encode") return Written(request.Element("value"));
            if (op != "decode" && op != "reencode") return Reason("unsupported", "the operation " + op);
            int used;
            string value = Decode(FromHex(Text(request, "bytes")), out used);
            if (op == "reencode") return Written(Read(value));
            return "\"value\":" + value + ",\"used\":" + used;
        }
        catch (Refused why)
        {
            return Reason("refused", why.Message);
        }
        catch (Exception bug) // never a refusal: that would hide it
        {
            return Reason("unsupported", bug.GetType().Name);
        }
    }

    static string Written(XElement value)
    {
        return "\"bytes\":\"" + Hex(Encode(value)) + "\"";
    }

    static string Reason(string kind, string why)
    {
        return "\"" + kind + "\":\"" + why.Replace("\\", "").Replace("\"", "") + "\"";
    }

    static string Text(XElement request, string key)
    {
        XElement found = request.Element(key);
        return found == null ? "" : found.Value;
    }

    static string Hex(byte[] bytes)
    {
        return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
    }

    static byte[] FromHex(string hex)
    {
        return Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
    }

    /// JSON as elements: a key is a name, a value its content. Null if it is not JSON.
    static XElement Read(string line)
    {
        try
        {
            byte[] bytes = Encoding.UTF8.GetBytes(line);
            return XElement.Load(JsonReaderWriterFactory.CreateJsonReader(bytes, XmlDictionaryReaderQuotas.Max));
        }
        catch (XmlException)
        {
            return null;
        }
    }

    static void Main()
    {
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { NewLine = "\n" };
        Console.SetOut(Console.Error); // what the library prints is no reply
        string line;
        while ((line = input.ReadLine()) != null)
        {
            XElement request = Read(line);
            if (request == null || (string)request.Attribute("type") != "object") continue;
            output.WriteLine(Text(request, "op") == "hello"
                ? Hello
                : "{\"seq\":" + Text(request, "seq") + "," + Answer(request) + "}");
            output.Flush();
        }
    }
}
