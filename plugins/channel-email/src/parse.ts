/** A mail as it comes: read line by line, and its files handed on while they come. It is never whole in memory. */
import type PostalMime from "postal-mime";
import type { Attachment, Email } from "postal-mime";

/** Others wait for the event loop no longer than for one slice of the work. */
const SLICE_MS = 10;
/** So many lines are looked at before the time is. */
const LINES = 256;
/** So many parts of a file, or one so large, are handed on: a decoder makes one of each line, or of a thousand. */
const PARTS = 512;
const LARGE_BYTES = 4096;
/** What is read here, though it may be attached. */
const READ = /^(?:multipart|message)\/|^text\/(?:calendar|rfc822-headers)$|^application\/ics$/;

/**
 * A file of the mail. It has to be taken to its end, or not at all.
 * @param file its `content` stands for it: the same object is in `attachments`.
 * @param mail what its headers say. @throws what the reading of the mail is to throw.
 */
export type TakeFile = (file: Attachment, bytes: AsyncIterable<Uint8Array>, mail: Email) => Promise<void>;

/** What the types of the library leave out. Where one of it is missing one day, the suite fails. */
interface Inside {
  /** Called by `parse`, and waited for. */
  resolveInput(): Promise<ArrayBuffer>;
  processLine(line: Uint8Array, isLast: boolean): Promise<void>;
  /** Undefined behind the last line. */
  readonly currentNode: Part | undefined;
  isInlineTextNode(part: Part): boolean;
  collectAttachment(part: Part, content: ArrayBuffer, related: boolean, tooDeep: boolean): void;
  readonly attachments: Attachment[];
  buildMessage(): Email;
}

interface Part {
  readonly state: string;
  readonly contentType: { readonly parsed: { readonly value: string } };
  /** While the body is read. */
  readonly contentDecoder: Decoder | null;
}

interface Decoder {
  readonly chunks: (string | ArrayBuffer | Uint8Array)[];
  finalize(): Promise<ArrayBuffer>;
}

interface Leaving {
  readonly decoder: Decoder;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly stop: (error: unknown) => Promise<void>;
}

/** The mail may be as it should be: its cause is what `source` or `take` threw. */
export class Interrupted extends Error {}

function interrupted(cause: unknown): never {
  throw new Interrupted("The mail was not read to its end.", { cause });
}

async function* outer(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    interrupted(error);
  }
}

/** @throws Interrupted; what a mail is that cannot be read. */
export async function parseMail(
  Parser: typeof PostalMime,
  source: AsyncIterable<Uint8Array>,
  { othersTurn, take }: { readonly othersTurn: () => Promise<void>; readonly take: TakeFile },
): Promise<Email> {
  const parser = new Parser({ attachmentEncoding: "arraybuffer" });
  const inside = parser as unknown as Inside; // see there
  let known: Part | undefined;
  let leaving: Leaving | undefined;
  const look = (part: Part | undefined): Promise<void> | undefined => {
    if (part?.state !== "body") return undefined;
    if (part !== known) leaving = isFile(inside, part) ? leave(inside, part, take) : undefined;
    known = part;
    const { chunks = [] } = leaving?.decoder ?? {};
    const isEnough = chunks.length >= PARTS || sizeOf(chunks.at(-1)) >= LARGE_BYTES;
    return isEnough ? leaving?.write(taken(chunks)) : undefined;
  };
  inside.resolveInput = async () => {
    const lines = new Lines();
    let [count, begun] = [0, performance.now()];
    const feed = async (line: Uint8Array, isLast: boolean): Promise<void> => {
      count += 1;
      if (count % LINES === 0 && performance.now() - begun > SLICE_MS) {
        await othersTurn();
        begun = performance.now();
      }
      await inside.processLine(line, isLast);
      await look(inside.currentNode);
    };
    for await (const part of outer(source)) for (const line of lines.of(part)) await feed(line, false);
    const ends = lines.end();
    for (const [at, line] of ends.entries()) await feed(line, at === ends.length - 1);
    return new ArrayBuffer(0); // all of it was read
  };
  try {
    return await parser.parse("");
  } catch (error) {
    await leaving?.stop(error);
    throw error;
  }
}

function isFile(inside: Inside, part: Part): boolean {
  return part.contentDecoder !== null && !READ.test(part.contentType.parsed.value) && !inside.isInlineTextNode(part);
}

/** From here on what is decoded of that part goes there, and is kept nowhere else. */
function leave(inside: Inside, part: Part, take: TakeFile): Leaving | undefined {
  const decoder = part.contentDecoder;
  if (decoder === null) return undefined;
  const content = new ArrayBuffer(0);
  inside.collectAttachment(part, content, false, false);
  const file = inside.attachments.pop(); // it comes again when all parts are put in order
  if (file === undefined) return undefined;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const quietly = (done: Promise<unknown>): Promise<void> => done.then(() => {}).catch(() => {}); // `over` says what went wrong
  const over = take(file, readable, inside.buildMessage()).catch(interrupted);
  void quietly(over.finally(() => quietly(writer.abort()))); // nobody wants the rest
  const write = (bytes: Uint8Array): Promise<void> => quietly(writer.write(bytes));
  const finalize = decoder.finalize.bind(decoder);
  decoder.finalize = async () => {
    await write(new Uint8Array(await finalize()));
    await quietly(writer.close());
    await over;
    return content;
  };
  const stop = async (error: unknown): Promise<void> => {
    await quietly(writer.abort(error));
    await quietly(over);
  };
  return { decoder, write, stop };
}

function taken(chunks: Decoder["chunks"]): Uint8Array {
  return Buffer.concat(
    chunks
      .splice(0)
      .map((chunk) =>
        typeof chunk === "string" ? Buffer.from(chunk) : chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk,
      ),
  );
}

function sizeOf(chunk: Decoder["chunks"][number] | undefined): number {
  return typeof chunk === "string" ? chunk.length : (chunk?.byteLength ?? 0);
}

/** Lines without their ends. */
class Lines {
  #rest: Uint8Array = new Uint8Array();
  /** Until something is behind it. */
  #last: Uint8Array | undefined;

  /** Those that are not the last one. */
  *of(part: Uint8Array): Generator<Uint8Array> {
    const all = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    let from = 0;
    for (let end = all.indexOf(LF); end >= 0; end = all.indexOf(LF, from)) {
      if (this.#last !== undefined) yield this.#last;
      this.#last = withoutReturns(all.subarray(from, end));
      from = end + 1;
    }
    this.#rest = all.subarray(from);
  }

  /** No part comes any more. @returns the last one or two. */
  end(): readonly Uint8Array[] {
    return [
      ...(this.#last === undefined ? [] : [this.#last]),
      ...(this.#rest.length === 0 ? [] : [withoutReturns(this.#rest)]),
    ];
  }
}

const LF = 10;
const CR = 13;

function withoutReturns(line: Uint8Array): Uint8Array {
  let end = line.length;
  while (end > 0 && line[end - 1] === CR) end -= 1;
  return line.subarray(0, end);
}
