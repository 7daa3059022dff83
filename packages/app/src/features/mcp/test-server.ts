/** "Test this server": address → connection → tools. Nothing is registered, nothing pinned. */
import type { z } from "zod";
import type { McpServerConfig } from "../../config/config.ts";
import { probeServer, type ProbeResult } from "./service.ts";
import { reach, reasonOf } from "../../models/connection.ts";
import type { Call } from "../../host/api/route.ts";
import type { McpToolsSchema } from "./schema.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { runSteps, StepFault } from "../../host/api/test-steps.ts";
import { words } from "../../host/api/words.ts";
import { toolLines } from "./tool-lines.ts";
import { commandLine } from "./view.ts";

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
  const say = (en: string, zh: string, values: Readonly<Record<string, string | number>> = {}): string =>
    words(language, { en, "zh-CN": zh }, values);
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
        title: { en: "Address or command", "zh-CN": "地址或命令" },
        run: async (stop) => {
          if (config.command !== undefined) return commandLine(config);
          const url = URL.parse(config.url ?? "");
          if (url === null) throw new StepFault("mcp.invalid", say("The address is none.", "地址无效。"));
          return reach(url, AbortSignal.any([stop, AbortSignal.timeout(REACH_MS)])).catch((error: unknown) => {
            throw new StepFault(
              "mcp.failed",
              say("{host} was not reached: {reason}", "无法连接 {host}：{reason}", {
                host: url.host,
                reason: reasonOf(error),
              }),
            );
          });
        },
      },
      {
        id: "connect",
        title: { en: "It speaks MCP", "zh-CN": "支持 MCP 协议" },
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
        title: { en: "Its tools", "zh-CN": "提供的工具" },
        run: () => {
          const { tools = [], warnings = [] } = found ?? {};
          return [say("{count} tools", "{count} 个工具", { count: tools.length }), ...warnings].join("\n");
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
