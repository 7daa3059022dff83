// The binary framing of AWS event streams, written from its specification so that the library's reader meets another hand.
import { crc32 } from "node:zlib";

/**
 * One message: two lengths and their CRC, string headers, payload, CRC of it all.
 * @see smithy.io, "Amazon Event Stream Specification" (2026-11-21)
 */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const total = 4 + 4 + 4 + head.length + body.length + 4;
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(head.length, 4);
  const start = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([start, checksum(start)]);
}

/** `{"messageStop": {…}}` as Bedrock sends it. */
export function eventFrame(event: Readonly<Record<string, unknown>>): Buffer {
  const [type = "", payload] = Object.entries(event)[0] ?? [];
  return frame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify(payload),
  );
}

export function exceptionFrame(type: string, message: string): Buffer {
  return frame({ ":exception-type": type, ":message-type": "exception" }, JSON.stringify({ message }));
}

const STRING = 7;

function header(name: string, value: string): Buffer {
  const key = Buffer.from(name);
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([STRING]), length, text]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
