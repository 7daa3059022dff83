// Frames of the long connection, as the platform writes and reads them: Frame and Header of its protocol buffer.

export interface Frame {
  readonly seq: bigint;
  readonly log: bigint;
  readonly service: number;
  readonly method: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

const NAMES = { 1: "seq", 2: "log", 3: "service", 4: "method" } as const;

export function write({ seq, log, service, method, headers, payload }: Frame): Buffer {
  const numbers = [seq, log, BigInt(service), BigInt(method)];
  return Buffer.concat([
    ...numbers.flatMap((value, index) => [varint(BigInt((index + 1) << 3)), varint(value)]),
    ...Object.entries(headers).map(([key, value]) => block(5, Buffer.concat([block(1, key), block(2, value)]))),
    block(8, payload),
    block(9, `log-${seq}`),
  ]);
}

/** @throws for what is no frame, or lacks what is required of one. */
export function read(bytes: Buffer): Frame {
  const frame: Record<string, bigint> = {};
  const headers: Record<string, string> = {};
  let payload = "";
  for (const [field, value] of fields(bytes)) {
    if (typeof value === "bigint") frame[NAMES[field as 1]] = value; // others have no numbers
    else if (field === 5) {
      const pair = new Map(fields(value));
      headers[String(pair.get(1))] = String(pair.get(2));
    } else if (field === 8) payload = value.toString("utf8");
  }
  const { seq, log, service, method } = frame;
  if (seq === undefined || log === undefined || service === undefined || method === undefined)
    throw new Error("a frame lacks SeqID, LogID, service or method");
  return { seq, log, service: Number(service), method: Number(method), headers, payload };
}

function* fields(bytes: Buffer): Generator<readonly [number, bigint | Buffer]> {
  let at = 0;
  const number = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(number());
    if ((tag & 7) === 0) yield [tag >> 3, number()];
    else if ((tag & 7) === 2) {
      const end = Number(number()) + at;
      if (end > bytes.length) throw new Error("a frame is cut off");
      yield [tag >> 3, bytes.subarray(at, end)];
      at = end;
    } else throw new Error(`a field of type ${tag & 7}`);
  }
}

function block(field: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string); // it takes both
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    if (rest <= 127n) return Buffer.from(bytes);
  }
}
