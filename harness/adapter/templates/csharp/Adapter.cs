// An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.
//
// It reads and writes null, bool, int and float by itself. Call your library in Decode and Encode. Then add type by
// type to ToJson, FromJson and Hello.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;

/// The library says no to this packet or value: throw it for the exceptions that your library throws for that.
class Refused : Exception
{
    public Refused(string why) : base(why) { }
}

static class Adapter
{
    const string Dialect = "godot-4.4"; // ENGINES; `conform new-adapter --help` names others

    // "types": only these are tested. All names, with the engine's names: TYPES
    // "ints", "reals": ints come as {"int":"7"}, floats as {"float":"0x3fe0000000000000"}, since JSON has no NaN.
    // Add "text":"hex" with the type string: texts come as {"string":{"utf8":"c3a9"}}, since a C# string is no UTF-8.
    // If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
    // "framing": put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions
    // of your library that do so in DecodeFramed and EncodeFramed; if it has none, delete this.
    const string Hello =
        "{\"protocol\":1,\"name\":\"my-adapter\",\"version\":\"0.1.0\",\"language\":\"c#\",\"dialects\":[\"" + Dialect + "\"]," +
        "\"ops\":[\"decode\",\"encode\",\"reencode\"],\"types\":[\"null\",\"bool\",\"int\",\"float\"]," +
        "\"ints\":\"strings\",\"reals\":\"bits\",\"framing\":[\"u32le\"]}";

    /// The library's own value of a packet, and how many bytes of it were read.
    static object Decode(byte[] packet, out int used)
    {
        uint header = BitConverter.ToUInt32(Part(packet, 0, 4), 0);
        bool wide = (header >> 16 & 1) == 1;
        used = (header & 0xff) == 0 ? 4 : wide && (header & 0xff) != 1 ? 12 : 8;
        byte[] body = (header & 0xff) > 3 ? null : Part(packet, 4, used - 4);
        switch (header & 0xff)
        {
            case 0: return null;
            case 1: return BitConverter.ToUInt32(body, 0) != 0;
            case 2: return wide ? BitConverter.ToInt64(body, 0) : (long)BitConverter.ToInt32(body, 0);
            case 3: return wide ? BitConverter.ToDouble(body, 0) : (double)BitConverter.ToSingle(body, 0);
            default: throw new Refused("type " + (header & 0xff));
        }
    }

    /// The packet of the library's own value.
    static byte[] Encode(object value)
    {
        if (value == null) return Packet(0);
        if (value is bool) return Packet(1, BitConverter.GetBytes((bool)value ? 1 : 0));
        if (value is long)
        {
            long number = (long)value;
            if (number == (int)number) return Packet(2, BitConverter.GetBytes((int)number));
            return Packet(2 | 1 << 16, BitConverter.GetBytes(number));
        }
        double real = (double)value;
        if ((double)(float)real == real) return Packet(3, BitConverter.GetBytes((float)real));
        return Packet(3 | 1 << 16, BitConverter.GetBytes(real)); // a NaN never equals itself, and stays wide
    }

    /// The library's own value as the protocol writes it.
    static string ToJson(object value)
    {
        if (value == null) return "{\"null\":null}";
        if (value is bool) return (bool)value ? "{\"bool\":true}" : "{\"bool\":false}";
        if (value is long) return "{\"int\":\"" + ((long)value).ToString(CultureInfo.InvariantCulture) + "\"}";
        return "{\"float\":\"0x" + BitConverter.DoubleToInt64Bits((double)value).ToString("x16") + "\"}";
    }

    static object FromJson(XElement value)
    {
        XElement body = value.Elements().First();
        switch (body.Name.LocalName)
        {
            case "bool": return body.Value == "true";
            case "int": return long.Parse(body.Value, CultureInfo.InvariantCulture);
            case "float":
                return BitConverter.Int64BitsToDouble(long.Parse(body.Value.Substring(2), NumberStyles.HexNumber));
            case "null": return null;
            default: throw new InvalidOperationException("FromJson does not know " + body.Name.LocalName);
        }
    }

    static object DecodeFramed(byte[] packet, out int used)
    {
        uint length = BitConverter.ToUInt32(Part(packet, 0, 4), 0);
        if (length > packet.Length - 4) throw new Refused("the length is beyond the end");
        object value = Decode(Part(packet, 4, (int)length), out used);
        used = 4 + (int)length;
        return value;
    }

    static byte[] EncodeFramed(object value)
    {
        byte[] packet = Encode(value);
        return Packet(packet.Length, packet);
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
        bool framed = request.Element("options") != null && request.Element("options").Element("framing") != null;
        if (dialect != Dialect) return Reason("unsupported", "the dialect " + dialect);
        try
        {
            int used = 0;
            if (op == "encode") return Written(FromJson(request.Element("value")), framed);
            if (op != "decode" && op != "reencode") return Reason("unsupported", "the operation " + op);
            byte[] packet = FromHex(Text(request, "bytes"));
            object value = framed ? DecodeFramed(packet, out used) : Decode(packet, out used);
            return op == "reencode" ? Written(value, framed) : "\"value\":" + ToJson(value) + ",\"used\":" + used;
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

    static string Written(object value, bool framed)
    {
        byte[] packet = framed ? EncodeFramed(value) : Encode(value);
        return "\"bytes\":\"" + BitConverter.ToString(packet).Replace("-", "").ToLowerInvariant() + "\"";
    }

    // Messages of exceptions may have line breaks; a reply is one line.
    static string Reason(string kind, string why)
    {
        var letters = why.Select(letter => letter < ' ' || letter == '"' || letter == '\\' ? ' ' : letter);
        return "\"" + kind + "\":\"" + new string(letters.ToArray()) + "\"";
    }

    static string Text(XElement request, string key)
    {
        XElement found = request.Element(key);
        return found == null ? "" : found.Value;
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
