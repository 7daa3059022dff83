/** What a request carries of a tool, and what that costs. */
import type { Tool } from "@margay/core";
import type { TokenCounter } from "@margay/core/internal";

/** As context/tokens.ts counts the frame of one definition. */
const FRAME_TOKENS = 12;

export function schemaOf(tool: Tool): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = tool.input["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  return schema;
}

/** Estimated, in each request. */
export function tokensOf(
  { name, description, schema }: { readonly name: string; readonly description: string; readonly schema: object },
  counter: TokenCounter,
): number {
  return FRAME_TOKENS + counter.text(`${name} ${description} ${JSON.stringify(schema)}`);
}
