/** The wire to the process of a plugin: four bytes of length, then JSON. */
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

export type Frame = Readonly<Record<string, unknown>>;

/** The largest thing that a plugin may say at once: 5 MB of bytes as base64, and room. */
export const MAX_FRAME_BYTES: number = 8 * 1024 * 1024;
const HEADER_BYTES = 4;

export function encodeFrame(frame: Frame): Buffer {
  const body = Buffer.from(JSON.stringify(frame), "utf8");
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/**
 * Takes what arrives and hands out whole frames.
 * @param broken Called once, with the reason: a frame is too long or none. Nothing is read after that.
 */
export function frameReader(take: (frame: Frame) => void, broken: (why: string) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isBroken = false;
  const fail = (why: string): void => {
    isBroken = true;
    chunks = [];
    broken(why);
  };
  const head = (): number => {
    if (chunks[0] !== undefined && chunks[0].length < HEADER_BYTES) chunks = [Buffer.concat(chunks)];
    return HEADER_BYTES + (chunks[0]?.readUInt32BE() ?? 0);
  };
  return (chunk) => {
    if (isBroken) return;
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes >= HEADER_BYTES) {
      const end = head();
      // guard: what is said of the length is believed before anything of that length is kept.
      if (end > MAX_FRAME_BYTES) return fail(`it gave more than ${MAX_FRAME_BYTES / 1024 / 1024} MB at once`);
      if (bytes < end) return;
      const all = Buffer.concat(chunks);
      const frame = parseJson(all.toString("utf8", HEADER_BYTES, end));
      chunks = [all.subarray(end)];
      bytes -= end;
      if (!isRecord(frame)) return fail("it said what nobody understands");
      take(frame);
    }
  };
}
