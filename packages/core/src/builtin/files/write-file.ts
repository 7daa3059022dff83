// write_file: the whole content of a file, at once or not at all.
import type { JsonObject } from "../../contract/base.ts";
import type { ToldWrite, Tool } from "../../contract/tool.ts";
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

export function writeFileTool(files: SafeFiles, beforeWrite: ToldWrite): Tool {
  return defineTool<Input>({
    name: "write_file",
    description: "Write a whole file, making parent directories. To change a part, use edit_file.",
    input: objectSchema<Input>({
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
    }),
    effect: "idempotent",
    waitsForStart: true,
    execute: ({ path, content }, context) =>
      orRefused(async () => {
        const bytes = Buffer.from(content, "utf8");
        let details: JsonObject | undefined;
        await files.write(path, bytes, {
          before: async (real, made) => {
            const write = { real, data: bytes, part: "whole", made } as const;
            [details] = await Promise.all([beforeWrite(write, context), context.started?.()]);
          },
        });
        return withDetails(`Wrote ${bytes.length} bytes to ${show(path)}.`, details);
      }),
  });
}
