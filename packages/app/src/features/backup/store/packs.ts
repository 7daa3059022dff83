/** Pack files: sealed chunks one behind the other, then the sealed list of them and its length. The name is the hash of all. */
import { createHash } from "node:crypto";
import { seal, unseal } from "./seal.ts";

/** Where a chunk lies. */
export interface Place {
  readonly pack: string;
  readonly at: number;
  readonly bytes: number;
}

/** Chunks of a pack in order: name and sealed length. */
export type Content = readonly (readonly [id: string, bytes: number])[];

export interface Pack {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly content: Content;
}

const LENGTH_BYTES = 4;
const TRAILER = "pack";

export function makePack(key: Uint8Array, chunks: readonly (readonly [id: string, sealed: Uint8Array])[]): Pack {
  const content = chunks.map(([id, sealed]) => [id, sealed.length] as const);
  const trailer = seal(key, TRAILER, Buffer.from(JSON.stringify(content)));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(trailer.length);
  const bytes = Buffer.concat([...chunks.map(([, sealed]) => sealed), trailer, length]);
  return { name: packName(bytes), bytes, content };
}

export function packName(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What a pack says of itself. @returns undefined when it is not whole. */
export function contentOf(key: Uint8Array, name: string, bytes: Uint8Array): Content | undefined {
  if (packName(bytes) !== name || bytes.length < LENGTH_BYTES) return undefined;
  const end = bytes.length - LENGTH_BYTES;
  const from = end - Buffer.from(bytes.subarray(end)).readUInt32BE();
  const trailer = from < 0 ? undefined : unseal(key, TRAILER, bytes.subarray(from, end));
  return trailer === undefined ? undefined : (JSON.parse(trailer.toString("utf8")) as Content); // sealed by us
}

export function* placesIn(pack: string, content: Content): Generator<readonly [id: string, place: Place]> {
  let at = 0;
  for (const [id, bytes] of content) {
    yield [id, { pack, at, bytes }];
    at += bytes;
  }
}
