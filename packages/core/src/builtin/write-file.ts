// write_file: the whole content of a file, at once or not at all (R98).
import type { Tool } from "../contract/tool.ts";
import { show } from "../platform/refusal.ts";
import type { SafeFiles } from "../platform/safe-files.ts";
import { defineTool } from "../tools/define.ts";
import { objectSchema } from "../tools/schema.ts";
import { orRefused } from "./refused.ts";

interface Input {
  readonly path: string;
  readonly content: string;
}

export function writeFileTool(files: SafeFiles): Tool {
  return defineTool<Input>({
    name: "write_file",
    description: "Write a whole file, making parent directories. To change a part, use edit_file.",
    input: objectSchema<Input>({
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
    }),
    effect: "idempotent",
    execute: ({ path, content }) =>
      orRefused(async () => {
        const bytes = Buffer.from(content, "utf8");
        await files.write(path, bytes);
        return `Wrote ${bytes.length} bytes to ${show(path)}.`;
      }),
  });
}
