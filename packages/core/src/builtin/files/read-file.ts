// read_file: the text of a file, a window of it, or a picture.
import type { BlobStore } from "../../contract/services.ts";
import type { Tool, ToolResult } from "../../contract/tool.ts";
import { isSensitivePath } from "../../lib/paths/sensitive-path.ts";
import { show } from "../../machine/files/refusal.ts";
import type { FoundFile, SafeFiles } from "../../machine/files/safe-files.ts";
import { defineTool, toolError } from "../../tools/define.ts";
import { objectSchema } from "../../tools/schema.ts";
import { detect, HEAD_BYTES } from "../../lib/paths/file-type.ts";
import { LITTLE_BYTES, readWindow, type Window } from "./read-window.ts";
import { orRefused } from "./refused.ts";
import { encodingOf } from "./text-encoding.ts";
import { withConfidentiality } from "../../tools/untrusted.ts";
import type { MarkedFile } from "./marks.ts";

export interface ReadFileOptions {
  readonly files: SafeFiles;
  /** Where pictures go; without it they are refused like other binary files. */
  readonly blobs?: BlobStore;
  /** `tools.maxResultChars`. */
  readonly maxResultChars: number;
  readonly marked: MarkedFile;
}

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_LINES = 2000;
/** Room for the lines that say how to go on. */
const NOTE_CHARS = 200;

interface Input {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

export function readFileTool(options: ReadFileOptions): Tool {
  return defineTool<Input>({
    name: "read_file",
    description: "Read a text or image file. A cut result ends with the offset that continues it.",
    input: objectSchema<Input>({
      properties: {
        path: { type: "string" },
        offset: { type: "integer", minimum: 1, description: "First line" },
        limit: { type: "integer", minimum: 1, maximum: MAX_LINES },
      },
      required: ["path"],
    }),
    effect: "read",
    bounded: true,
    execute: ({ path, offset = 1, limit = MAX_LINES }, { signal }) =>
      orRefused(async () => {
        using file = await options.files.read(path);
        const mark = await options.marked(file, signal);
        const result = await read(file, path, { offset, limit }, options);
        const sensitive = withConfidentiality(result, isSensitivePath(file.real) ? "sensitive" : "personal");
        return mark(sensitive);
      }),
  });
}

async function read(
  file: FoundFile,
  path: string,
  range: { readonly offset: number; readonly limit: number },
  options: ReadFileOptions,
): Promise<ToolResult> {
  const bytes = Number(file.stats.size);
  const head = Buffer.allocUnsafe(Math.min(HEAD_BYTES, bytes + LITTLE_BYTES));
  const start = head.subarray(0, await file.read(head, 0));
  const type = detect(start);
  if (type?.image !== undefined && options.blobs !== undefined && bytes <= MAX_IMAGE_BYTES)
    return picture(file, path, type.image, bytes, options.blobs);
  if (type !== undefined)
    return toolError(`${show(path)} is not text (${type.name}, ${bytes} bytes)`, "use exec with a suitable program");
  const window = await readWindow(file, encodingOf(start), {
    ...range,
    maxChars: options.maxResultChars,
    cutChars: options.maxResultChars - NOTE_CHARS,
  });
  if (range.offset > Math.max(1, window.lines))
    return toolError(
      `${show(path)} has ${window.lines} lines, so there is none at offset ${range.offset}`,
      `use an offset up to ${Math.max(1, window.lines)}`,
    );
  return describe(window);
}

function describe(window: Window): string {
  const notes = [
    ...(window.latin1 ? ["[not UTF-8: shown as Latin-1; edit_file cannot change it]"] : []),
    ...(window.cutLine
      ? [`[line ${window.from} is longer: cut after ${window.text.length} characters. Use exec for the rest of it.]`]
      : []),
    ...(window.to < window.lines
      ? [`[lines ${window.from}–${window.to} of ${window.lines}. Continue with offset=${window.to + 1}.]`]
      : []),
  ];
  if (notes.length === 0) return window.text;
  return `${window.text}${window.text === "" || window.text.endsWith("\n") ? "" : "\n"}${notes.join("\n")}`;
}

async function picture(
  file: FoundFile,
  path: string,
  mediaType: string,
  bytes: number,
  blobs: BlobStore,
): Promise<ToolResult> {
  const data = Buffer.allocUnsafe(bytes);
  const bytesRead = await file.read(data, 0);
  const blob = await blobs.put(data.subarray(0, bytesRead));
  const name = file.real.slice(file.real.lastIndexOf("/") + 1);
  return {
    parts: [
      { type: "text", text: `${show(path)} (${mediaType}, ${bytesRead} bytes)` },
      { type: "media", mediaType, blob, name },
    ],
  };
}
