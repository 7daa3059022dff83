/** The tools of a server as a person chooses from them: with what each costs in every request. */
import { createTokenCounter, visible } from "@margay/core/internal";
import type { z } from "zod";
import type { CatalogTool } from "./client/tools.ts";
import type { McpToolsSchema } from "./schema.ts";
import { schemaOf, tokensOf } from "../../host/api/tool-definition.ts";

type ToolLine = z.infer<typeof McpToolsSchema>[number];

/** @param redact Takes secrets out: a server may quote the key it was given. */
export function toolLines(catalog: readonly CatalogTool[], redact: (text: string) => string): ToolLine[] {
  const counter = createTokenCounter();
  return catalog.map(({ own, enabled, tool }) => {
    const { name, effect } = tool;
    const description = redact(tool.description);
    const schema = JSON.parse(redact(JSON.stringify(schemaOf(tool)))) as ToolLine["schema"];
    return {
      name,
      own, // it is sent back as it is
      enabled,
      effect,
      description: visible(description),
      schema,
      tokens: tokensOf({ name, description, schema }, counter),
    };
  });
}
