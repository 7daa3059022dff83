/** All of standard input as text. */
import type { Terminal } from "./output.ts";

export async function readAll(terminal: Terminal): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of terminal.input)
    chunks.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
