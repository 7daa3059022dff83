/** Cuts bytes where their content says so: what is inserted or appended changes the chunks around it alone. */

export interface ChunkSizes {
  readonly min: number;
  /** One position in so many ends a chunk: a power of two. */
  readonly usual: number;
  readonly max: number;
}

const KIB = 1024;
export const FILE_CHUNKS: ChunkSizes = { min: 256 * KIB, usual: 1024 * KIB, max: 2048 * KIB };
/** Of the list of files: a changed line costs little. */
export const LIST_CHUNKS: ChunkSizes = { min: 16 * KIB, usual: 64 * KIB, max: 256 * KIB };

/**
 * A gear hash over the last 32 bytes (Xia et al., FastCDC, USENIX ATC 2016), with a table of the key.
 * @returns where the first chunk ends; `bytes.length` when there is no end in it.
 */
export function firstCut(bytes: Uint8Array, table: Uint32Array, { min, usual, max }: ChunkSizes): number {
  const end = Math.min(bytes.length, max);
  const shift = 32 - Math.log2(usual);
  let hash = 0;
  for (let at = Math.max(0, min - 32); at < end; at++) {
    hash = ((hash << 1) + (table[bytes[at] ?? 0] ?? 0)) | 0;
    if (at >= min && hash >>> shift === 0) return at + 1;
  }
  return end;
}

/** The chunks of a stream, in order; none of an empty one. */
export async function* chunksOf(
  parts: AsyncIterable<Uint8Array>,
  table: Uint32Array,
  sizes: ChunkSizes,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array = new Uint8Array();
  for await (const part of parts) {
    waiting = waiting.length === 0 ? part : Buffer.concat([waiting, part]);
    while (waiting.length >= sizes.max) {
      const cut = firstCut(waiting, table, sizes);
      yield waiting.subarray(0, cut);
      waiting = waiting.subarray(cut);
    }
  }
  while (waiting.length > 0) {
    const cut = firstCut(waiting, table, sizes);
    yield waiting.subarray(0, cut);
    waiting = waiting.subarray(cut);
  }
}
