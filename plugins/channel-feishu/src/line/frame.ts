/** Frames of the long connection: nine fields of a protocol buffer, written and read here. Pure. */

export interface Frame {
  readonly seq: bigint;
  readonly log: bigint;
  readonly service: number;
  readonly method: number;
  readonly headers: readonly (readonly [key: string, value: string])[];
  /** How the payload is packed, what it is, the newer number in the platform's logs: handed back as they came. */
  readonly encoding?: string;
  readonly kind?: string;
  readonly logNew?: string;
  readonly payload?: Uint8Array;
}

/** What `method` says. */
export const CONTROL = 0;
export const DATA = 1;

const VARINT = 0;
const BYTES = 2;
const text = new TextDecoder("utf-8", { fatal: true });

export function headerOf({ headers }: Frame, key: string): string | undefined {
  return headers.find(([name]) => name === key)?.[1];
}

export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const { seq, log, service, method, headers, encoding, kind, payload, logNew } = frame;
  const parts = [
    ...numberField(1, seq),
    ...numberField(2, log),
    ...numberField(3, BigInt.asUintN(64, BigInt(service))),
    ...numberField(4, BigInt.asUintN(64, BigInt(method))),
    ...headers.flatMap(([key, value]) => bytesField(5, Buffer.concat([...textField(1, key), ...textField(2, value)]))),
    ...(encoding === undefined ? [] : textField(6, encoding)),
    ...(kind === undefined ? [] : textField(7, kind)),
    ...(payload === undefined ? [] : bytesField(8, payload)),
    ...(logNew === undefined ? [] : textField(9, logNew)),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

/** @throws RangeError, TypeError for what is no frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const numbers = new Map<number, bigint>();
  const blobs = new Map<number, Uint8Array>();
  const headers: [string, string][] = [];
  for (const [field, value] of fieldsOf(bytes)) {
    if (typeof value === "bigint") numbers.set(field, value);
    else if (field === 5) headers.push(readHeader(value));
    else blobs.set(field, value);
  }
  const [encoding, kind, logNew] = [6, 7, 9].map((field) => readText(blobs.get(field)));
  const payload = blobs.get(8);
  const service = numbers.get(3);
  const method = numbers.get(4);
  if (service === undefined || method === undefined) throw new TypeError("a frame without service or method");
  return {
    seq: numbers.get(1) ?? 0n,
    log: numbers.get(2) ?? 0n,
    service: Number(BigInt.asIntN(32, service)),
    method: Number(BigInt.asIntN(32, method)),
    headers,
    ...(encoding !== undefined && { encoding }),
    ...(kind !== undefined && { kind }),
    ...(logNew !== undefined && { logNew }),
    ...(payload !== undefined && { payload }),
  };
}

function readHeader(bytes: Uint8Array): [string, string] {
  const found = new Map(fieldsOf(bytes));
  const [key, value] = [found.get(1), found.get(2)].map((part) =>
    readText(typeof part === "bigint" ? undefined : part),
  );
  return [key ?? "", value ?? ""];
}

function readText(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : text.decode(bytes);
}

function* fieldsOf(bytes: Uint8Array): Generator<readonly [field: number, value: bigint | Uint8Array]> {
  const place = { at: 0 };
  while (place.at < bytes.length) {
    const tag = Number(readVarint(bytes, place));
    const wire = tag & 7;
    if (wire === VARINT) yield [tag >> 3, readVarint(bytes, place)];
    else if (wire === BYTES) {
      const length = Number(readVarint(bytes, place));
      if (length > bytes.length - place.at) throw new RangeError("a frame that ends too early");
      yield [tag >> 3, bytes.subarray(place.at, place.at + length)];
      place.at += length;
    } else throw new TypeError(`a field of type ${wire}`);
  }
}

function readVarint(bytes: Uint8Array, place: { at: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[place.at];
    if (byte === undefined) throw new RangeError("a frame that ends too early");
    place.at += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new RangeError("a number that is too long");
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest > 0x7fn;
    bytes.push(Number(rest & 0x7fn) | (more ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

function numberField(field: number, value: bigint): readonly Buffer[] {
  return [varint(BigInt((field << 3) | VARINT)), varint(value)];
}

function bytesField(field: number, value: Uint8Array): readonly Uint8Array[] {
  return [varint(BigInt((field << 3) | BYTES)), varint(BigInt(value.length)), value];
}

function textField(field: number, value: string): readonly Uint8Array[] {
  return bytesField(field, Buffer.from(value));
}
