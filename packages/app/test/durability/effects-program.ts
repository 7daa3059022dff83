// An MCP server with one tool, which appends what it is told to a file. argv: the file.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file = ""] = process.argv.slice(2);
const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly id?: string } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Request; // of the protocol
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method, params) })}\n`);
}

function resultOf(method: string | undefined, params: Request["params"]): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "effects", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "note", description: "Notes an id.", inputSchema }] };
    case "tools/call":
      appendFileSync(file, `${params?.arguments?.id ?? ""}\n`);
      return { content: [{ type: "text", text: "noted" }] };
    default:
      return {};
  }
}
