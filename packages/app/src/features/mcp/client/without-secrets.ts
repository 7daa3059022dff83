/** What a server says of itself, without what we told it: it may quote the key it was given. */
import type { Definition, Offer } from "./types.ts";

/** `raw` stays, and goes back to the server alone. */
export function withoutSecrets({ definitions, instructions }: Offer, redact: (text: string) => string): Offer {
  return {
    definitions: definitions.map((one): Definition => ({
      ...one,
      description: redact(one.description),
      ...(one.inputSchema !== undefined && {
        inputSchema: JSON.parse(redact(JSON.stringify(one.inputSchema))) as unknown,
      }),
    })),
    instructions: redact(instructions),
  };
}
