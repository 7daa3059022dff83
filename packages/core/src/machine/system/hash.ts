import { createHash, hash } from "node:crypto";
import { readFrom } from "../files/files.ts";
import type { OpenFile } from "../files/open-file.ts";

const PART_BYTES = 256 * 1024;

/** The same of what comes in parts. */
export function hashing(): { add(part: Uint8Array): void; readonly bytes: number; end(): string } {
  const all = createHash("sha256");
  let bytes = 0;
  let hex: string | undefined;
  return {
    add: (part) => {
      all.update(part);
      bytes += part.length;
    },
    get bytes() {
      return bytes;
    },
    end: () => (hex ??= all.digest("hex")),
  };
}

/** Of a file that may be large: a piece at a time. */
export async function fileHash(
  file: Pick<OpenFile, "read">,
): Promise<{ readonly hash: string; readonly size: number }> {
  const all = hashing();
  for await (const part of partsOf(file, Infinity)) all.add(part);
  return { hash: all.end(), size: all.bytes };
}

/** At most so many bytes of it, all in the same memory: for whoever is done with each before the next is read. */
export async function* partsOf(file: Pick<OpenFile, "read">, bytes: number): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(PART_BYTES);
  for (let at = 0, count = PART_BYTES; count === PART_BYTES; at += count) {
    count = await file.read(memory.subarray(0, bytes - at), at);
    yield memory.subarray(0, count);
  }
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** `{"crc":"xxxxxxxx",…}`: CRC-32 of the rest of the line, so that a flipped bit is found and a file of them stays JSON lines. */
export function checkedLine(value: object): Buffer {
  const line = Buffer.from(`${HEAD}${JSON.stringify(value).slice(1)}\n`);
  line.write(crcOf(line.subarray(HEAD.length, -1)), CRC_AT, "latin1");
  return line;
}

const HEAD = '{"crc":"00000000",';
const CRC_AT = HEAD.indexOf("0");

const CRC = /^\{"crc":"([0-9a-f]{8})",/;

/** What such a line holds, given without its newline; undefined when it is not what we wrote. */
export function readChecked(line: string): unknown {
  const [head = "", crc] = CRC.exec(line) ?? [];
  const body = line.slice(head.length);
  if (crc !== crcOf(body)) return undefined;
  try {
    return JSON.parse(`{${body}`); // the checksum proves that we wrote it
  } catch {
    return undefined; // a checksum over something else
  }
}

/** Loading zlib costs a start two milliseconds, as much as summing so many bytes here: what one answer writes is less. */
const SUMMED_HERE = 131_072;
let summed = 0;

function crcOf(text: string | Uint8Array): string {
  summed += text.length;
  const sum = summed < SUMMED_HERE ? crc32(text) : process.getBuiltinModule("node:zlib").crc32(text);
  return sum.toString(16).padStart(8, "0");
}

/** As zlib, PNG and Ethernet do it: the polynomial 0xEDB88320, reflected. */
function crc32(text: string | Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of typeof text === "string" ? Buffer.from(text) : text)
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** So much in front of a place tells a file from another one: its last lines, with their times. */
const HASHED_BYTES = 65_536;

/** Of what stands in front of a place in a file. @returns undefined when it does not reach that far. @throws the file system's error. */
export function hashBefore(path: string, position: number): string | undefined {
  const from = Math.max(0, position - HASHED_BYTES);
  const before = readFrom(path, from, position - from);
  return before?.length === position - from ? sha256(before) : undefined;
}
