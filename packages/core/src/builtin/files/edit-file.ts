// edit_file: replaces exactly what it was shown, or changes nothing.
import type { BigIntStats } from "node:fs";
import type { JsonObject } from "../../contract/base.ts";
import type { Tool, ToolResult } from "../../contract/tool.ts";
import { show } from "../../machine/files/refusal.ts";
import type { SafeFiles } from "../../machine/files/safe-files.ts";
import { defineTool, parameterError, toolError } from "../../tools/define.ts";
import { objectSchema } from "../../tools/schema.ts";
import { closestLine } from "./closest-line.ts";
import { type Edit, findEdit } from "./edit-text.ts";
import { detect, HEAD_BYTES } from "../../lib/paths/file-type.ts";
import { orRefused } from "./refused.ts";
import { decodeWhole, encodeWhole, encodingOf } from "./text-encoding.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { withDetails } from "../../tools/untrusted.ts";
import type { MarkedFile } from "./marks.ts";
import type { ToldWrite } from "../../contract/tool.ts";

interface Input {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

const MAX_DIFF_LINES = 40;
const MAX_LISTED = 20;

export function editFileTool(files: SafeFiles, beforeWrite: ToldWrite, marked: MarkedFile): Tool {
  return defineTool<Input>({
    name: "edit_file",
    description:
      "Replace text in a file. old_text must be an exact copy and occur once, unless replace_all. Read the file first.",
    input: objectSchema<Input>({
      properties: {
        path: { type: "string" },
        old_text: { type: "string" },
        new_text: { type: "string" },
        replace_all: { type: "boolean" },
      },
      required: ["path", "old_text", "new_text"],
    }),
    effect: "write",
    waitsForStart: true,
    execute: async (input, context) => {
      if (input.old_text.trim() === "") return parameterError("old_text must not be blank");
      if (input.old_text === input.new_text) return parameterError("new_text must differ from old_text");
      return orRefused(async () => {
        using file = await files.read(input.path);
        const bytes = await file.bytes();
        const mark = await marked(file, context.signal); // what it was until now: lines of it are in the answer
        const write = async (real: string, data: Uint8Array): Promise<JsonObject | undefined> => {
          const told = beforeWrite({ real, data, part: "part", before: bytes, made: [] }, context);
          const [details] = await Promise.all([told, context.started?.()]);
          return details;
        };
        return mark(await edit(files, input, { stats: file.stats, bytes }, write));
      });
    },
  });
}

async function edit(
  files: SafeFiles,
  input: Input,
  { stats, bytes }: { readonly stats: BigIntStats; readonly bytes: Buffer },
  before: (real: string, data: Uint8Array) => Promise<JsonObject | undefined>,
): Promise<ToolResult> {
  const path = show(input.path);
  const head = bytes.subarray(0, HEAD_BYTES);
  const type = detect(head);
  if (type !== undefined)
    return toolError(`${path} is not text (${type.name}, ${bytes.length} bytes)`, "use exec with a suitable program");
  const encoding = encodingOf(head);
  const text = decodeWhole(bytes, encoding);
  if (text === undefined) return toolError(`${path} is not UTF-8 text`, "use exec with a suitable program");

  const found = findEdit(text, input.old_text, input.new_text);
  if (found.at.length === 0) return notFound(path, text, input.old_text);
  if (found.at.length > 1 && input.replace_all !== true) return ambiguous(path, text, found);
  const after = splice(text, found);
  const data = encodeWhole(after, encoding);
  let details: JsonObject | undefined;
  await files.write(input.path, data, {
    unchanged: stats,
    before: async (real) => {
      details = await before(real, data);
    },
  });
  const diff = unifiedDiff(path, text, after, found, MAX_DIFF_LINES);
  return withDetails(`Edited ${path}: ${found.at.length} replacement(s).\n${diff}`, details);
}

function splice(text: string, { at, from, to }: Edit): string {
  const pieces: string[] = [];
  let position = 0;
  for (const index of at) {
    pieces.push(text.slice(position, index), to);
    position = index + from.length;
  }
  return pieces.join("") + text.slice(position);
}

function notFound(path: string, text: string, wanted: string): ToolResult {
  const closest = closestLine(text, wanted);
  const hint = closest === undefined ? "the file is empty" : `closest is line ${closest.line}: ${closest.text}`;
  const differs = closest?.differs === undefined ? "" : ` Only ${closest.differs} differs there.`;
  return {
    parts: [{ type: "text", text: `Error: old_text not found in ${path}. Next: copy it exactly; ${hint}.${differs}` }],
    isError: true,
  };
}

function ambiguous(path: string, text: string, { at }: Edit): ToolResult {
  const lines: number[] = [];
  let line = 1;
  let position = 0;
  for (const index of at.slice(0, MAX_LISTED)) {
    line += text.slice(position, index).split("\n").length - 1;
    position = index;
    lines.push(line);
  }
  const listed = `${lines.join(", ")}${at.length > MAX_LISTED ? ", …" : ""}`;
  return toolError(`old_text occurs ${at.length} times in ${path} (lines ${listed})`, "add context or set replace_all");
}
