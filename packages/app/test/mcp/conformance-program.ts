// The client that the protocol's conformance suite drives: our connection and our sign-in, and a browser that agrees.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Json, type JsonObject } from "@margay/core";
import { jsonLog, openFileDocs, systemClock } from "@margay/core/internal";
import { withLogin } from "../../src/features/mcp/client/login.ts";
import { openSignInStore } from "../../src/features/mcp/client/oauth.ts";
import { normalizeSchema } from "../../src/models/tool-schema.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Readonly<Record<string, string>>;
const directory = mkdtempSync(join(tmpdir(), "margay-conformance-"));
const clock = systemClock();
const signal = AbortSignal.timeout(25_000);

const store = openSignInStore(openFileDocs(directory), "signin.json");
if (context["client_id"] !== undefined)
  await store.change({
    client: {
      client_id: context["client_id"],
      ...(context["client_secret"] !== undefined && { client_secret: context["client_secret"] }),
    },
  });

try {
  await withLogin(
    {
      server: "conformance",
      config: { url, enabledTools: ["*"], disabled: false },
      store,
      show: async (address) => {
        await fetch(address);
      },
      // The suite's authorization servers are other ports of this machine.
      allowHosts: ["localhost", "127.0.0.1"],
      clock,
      log: jsonLog({
        level: "debug",
        clock,
        write: (line) => process.stderr.write(`${line}\n`),
        redact: (text) => text,
      }),
      ...(scenario === "auth/basic-cimd" && {
        clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
      }),
      elicit: () => Promise.resolve({ action: "accept", content: {} }),
    },
    async (link) => {
      for (const tool of await link.tools(signal)) {
        const schema = normalizeSchema(tool.inputSchema);
        const result = await link.call(tool, schema.ok ? example(schema.schema) : {}, { signal });
        process.stderr.write(`${tool.name}: ${JSON.stringify(result)}\n`);
      }
    },
    signal,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Some value for each required property. */
function example(schema: JsonObject): JsonObject {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>; // as normalized
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.fromEntries(required.map((name): [string, Json] => [name, valueOf(properties[name]?.["type"])]));
}

function valueOf(type: Json | undefined): Json {
  if (type === "number" || type === "integer") return 3;
  if (type === "boolean") return true;
  return type === "object" ? {} : type === "array" ? [] : "text";
}
