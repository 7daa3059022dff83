// The file tools answer with a refusal where the file layer throws one.
import type { ToolResult } from "../../contract/tool.ts";
import { hasCode } from "../../lib/errors/errors.ts";
import { errorText } from "../../tools/define.ts";

/** A refused path is a result with status `error`; anything else stays an exception and may be tried again. */
export async function orRefused(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, "tool.refused")) return errorText(`Error: ${error.message}`);
    throw error;
  }
}
