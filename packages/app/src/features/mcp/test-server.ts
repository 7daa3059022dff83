/** "Test this server": address → connection → tools. Nothing is registered, nothing pinned. */
import type { z } from "zod";
import type { McpServerConfig } from "../../config/config.ts";
import { probeServer, type ProbeResult } from "./service.ts";
import { reach, reasonOf } from "../../models/connection.ts";
import type { Call } from "../../host/api/route.ts";
import type { McpToolsSchema } from "./schema.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { runSteps, StepFault } from "../../host/api/test-steps.ts";
import { sayer } from "../../host/api/words.ts";
import { toolLines } from "./tool-lines.ts";
import { commandLine } from "./view.ts";
import { TEXT } from "./api-texts.ts";

const REACH_MS = 10_000;
const CONNECT_MS = 45_000;

export interface ServerTest extends TestResult {
  tools?: z.infer<typeof McpToolsSchema>;
  manifestHash?: string;
  approved?: boolean;
}

export async function testServer(
  name: string,
  config: McpServerConfig,
  { services, language, signal }: Pick<Call<unknown, unknown>, "services" | "language" | "signal">,
): Promise<ServerTest> {
  const { app, loadOptions } = services;
  const loaded = app.inside.loaded();
  const say = sayer(language);
  let found: ProbeResult | undefined;
  const secrets = [...Object.values(config.env ?? {}), ...Object.values(config.headers ?? {})].filter(
    (value) => value.length >= 8,
  );
  const redact = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), app.inside.redact(text));
  const result = await runSteps(
    [
      {
        id: "reach",
        title: TEXT.addressOrCommand,
        run: async (stop) => {
          if (config.command !== undefined) return commandLine(config);
          const url = URL.parse(config.url ?? "");
          if (url === null) throw new StepFault("mcp.invalid", say(TEXT.addressNone));
          return reach(url, AbortSignal.any([stop, AbortSignal.timeout(REACH_MS)])).catch((error: unknown) => {
            throw new StepFault(
              "mcp.failed",
              say(TEXT.wasNotReached, {
                host: url.host,
                reason: reasonOf(error),
              }),
            );
          });
        },
      },
      {
        id: "connect",
        title: TEXT.speaksMcp,
        run: async (stop) => {
          const draft = { ...loaded.config, mcpServers: { ...loaded.config.mcpServers, [name]: config } };
          found = await probeServer(
            name,
            { ...loaded, config: draft },
            loadOptions.env,
            AbortSignal.any([stop, AbortSignal.timeout(CONNECT_MS)]),
          );
          return undefined;
        },
      },
      {
        id: "tools",
        title: TEXT.itsTools,
        run: () => {
          const { tools = [], warnings = [] } = found ?? {};
          return [say(TEXT.tools, { count: tools.length }), ...warnings].join("\n");
        },
      },
    ],
    {
      language,
      clock: app.clock,
      redact,
      signal,
    },
  );
  if (found === undefined) return result;
  const { catalog, manifestHash, standing } = found;
  return { ...result, tools: toolLines(catalog, redact), manifestHash, approved: standing === "approved" };
}
