// write_file: the whole content of a file, at once or not at all (R98).
import type { JsonObject } from "../../contract/base.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { show } from "../../machine/files/refusal.ts";
import type { SafeFiles } from "../../machine/files/safe-files.ts";
import { defineTool } from "../../tools/define.ts";
import { objectSchema } from "../../tools/schema.ts";
import { orRefused } from "./refused.ts";
import { withDetails } from "../../tools/untrusted.ts";

interface Input {
  readonly path: string;
  readonly content: string;
}

/** A file about to be written. */
export interface Write {
  /** As `FoundFile.real`. */
  readonly real: string;
  /** The whole new content. */
  readonly data: Uint8Array;
  readonly part: "whole" | "part";
  /** Directories that were made for it, as `real`. */
  readonly made: readonly string[];
}
export type BeforeWrite = (write: Write, context: ToolContext) => void | Promise<void>;
/** The same. @returns details of the result. */
export type ToldWrite = (write: Write, context: ToolContext) => Promise<JsonObject | undefined>;

export function writeFileTool(files: SafeFiles, beforeWrite: ToldWrite): Tool {
  return defineTool<Input>({
    name: "write_file",
    description: "Write a whole file, making parent directories. To change a part, use edit_file.",
    input: objectSchema<Input>({
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
    }),
    effect: "idempotent",
    execute: ({ path, content }, context) =>
      orRefused(async () => {
        const bytes = Buffer.from(content, "utf8");
        let details: JsonObject | undefined;
        await files.write(path, bytes, {
          before: async (real, made) => {
            details = await beforeWrite({ real, data: bytes, part: "whole", made }, context);
          },
        });
        return withDetails(`Wrote ${bytes.length} bytes to ${show(path)}.`, details);
      }),
  });
}
