/** The tools of the agent, as they are offered now. */
import { type Tool, type ToolCallPart } from "@margay/core";
import { createTokenCounter, emptyState, type SessionId } from "@margay/core/internal";
import { toolName } from "../../models/tool-name.ts";
import { statsOf } from "../../host/facts/call-stats.ts";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { route, type Route } from "../../host/api/route.ts";
import { ToolList } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { schemaOf, tokensOf } from "../../host/api/tool-definition.ts";

const WEEK_MS = 7 * 86_400_000;

export const TOOL_ROUTES: readonly Route[] = [
  route({
    id: "listTools",
    method: "GET",
    path: "/tools",
    scope: "read",
    summary: "The tools of the agent, with how they were used in the last seven days.",
    response: ToolList,
    handle: async ({ services }) => {
      const { app, once } = services;
      const since = app.clock.now() - WEEK_MS;
      const recent = (await once(openJournalFacts).all()).flatMap(({ calls }) => calls.filter(({ at }) => at >= since));
      const counter = createTokenCounter();
      const items = await Promise.all(
        app.inside.tools.list().map(async (tool) => {
          const { name, description } = tool;
          const schema = schemaOf(tool);
          const { calls, p50Ms } = statsOf(recent.filter((call) => call.name === name));
          return {
            name,
            origin: originOf(name, app),
            effect: tool.effect,
            description,
            schema,
            verdict: await verdictOn(tool, app),
            tokens: tokensOf({ name, description, schema }, counter),
            calls7d: calls,
            p50Ms,
          };
        }),
      );
      return { body: { items } };
    },
  }),
];

/** The longest name that fits: one server's name may begin another's. */
function originOf(name: string, app: Services["app"]): string {
  const servers = Object.keys(app.inside.loaded().config.mcpServers)
    .filter((server) => name.startsWith(toolName(server, "")))
    .toSorted((a, b) => b.length - a.length);
  return servers[0] === undefined ? (name.startsWith("mcp_") ? "mcp" : "builtin") : `mcp:${servers[0]}`;
}

async function verdictOn({ name, effect }: Tool, app: Services["app"]): Promise<"allow" | "ask" | "deny"> {
  const call: ToolCallPart = { type: "tool-call", callId: "shown" as ToolCallPart["callId"], name, input: {} }; // of no turn
  const { kind } = await app.inside.policy.judge(call, {
    state: emptyState("shown" as SessionId), // of no session
    origin: { channel: "web", chat: "shown" },
    attended: true,
    effect,
  });
  return kind;
}
