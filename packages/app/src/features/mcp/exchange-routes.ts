/** MCP servers to and from other programs, and their sign-ins. */
import { type Json, type JsonObject } from "@margay/core";
import { sha256 } from "@margay/core/internal";
import { changedMeanwhile } from "../../host/api/etag.ts";
import { configOf, invalid, patchOf } from "./draft.ts";
import { readServers, writeServers } from "./exchange.ts";
import { createSignIns } from "./sign-in.ts";
import { commandLine } from "./view.ts";
import { route, type Route } from "../../host/api/route.ts";
import { McpExport, McpImportBody, McpImportResult, OAuthQuery, OAuthStart } from "./schema.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { settingsHash } from "../../host/settings/view.ts";
import { viewOf } from "./routes.ts";
import { filled } from "../../host/api/words.ts";
import type { Text } from "../../texts/text.ts";
import { TEXT } from "./api-texts.ts";

export const MCP_EXCHANGE_ROUTES: readonly Route[] = [
  route({
    id: "importMcpServers",
    method: "POST",
    path: "/mcp/import",
    scope: "owner",
    summary:
      "Servers in the JSON of other programs: first what would change, then, with that answer's token, the change.",
    body: McpImportBody,
    response: McpImportResult,
    errors: ["mcp.invalid", "settings.invalid", "precondition.failed"],
    handle: async (call) => {
      const { services, body } = call;
      const { servers, warnings } = readServers(body.mcpServers);
      const loaded = services.app.inside.loaded();
      const patch = Object.fromEntries(
        Object.entries(servers).map(([name, draft]) => [name, patchOf(draft, loaded.config.mcpServers[name])]),
      );
      const edits = patchEdits({ mcpServers: patch as Json } as JsonObject, call);
      const changed = new Set(edits.map(({ names }) => names[1]));
      const shown = Object.entries(servers).map(([name, draft]) => ({
        name,
        transport: draft.command === undefined ? ("http" as const) : ("stdio" as const),
        what: draft.url ?? commandLine(configOf(draft, undefined)),
        action: !Object.hasOwn(loaded.config.mcpServers, name)
          ? ("add" as const)
          : changed.has(name)
            ? ("change" as const)
            : ("same" as const),
      }));
      const token = sha256(JSON.stringify([servers, settingsHash(loaded)])).slice(0, 32);
      if (body.token !== undefined && body.token !== token) throw changedMeanwhile(token);
      await changeSettings(edits, call, { dryRun: body.token === undefined });
      return { body: { servers: shown, warnings, token, applied: body.token !== undefined } };
    },
  }),
  route({
    id: "exportMcpServers",
    method: "GET",
    path: "/mcp/export",
    scope: "read",
    summary: "The servers in the JSON of other programs; secrets are names of variables.",
    response: McpExport,
    handle: ({ services }) => ({ body: { mcpServers: writeServers(services.app.inside.loaded().config) } }),
  }),
  route({
    id: "startMcpSignIn",
    method: "POST",
    path: "/mcp/servers/{name}/oauth/start",
    scope: "admin",
    summary: "Begins a sign-in: the page to open, within ten minutes.",
    response: OAuthStart,
    errors: ["mcp.not-found", "mcp.invalid"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { services } = call;
      const { name, transport } = viewOf(call);
      if (transport === "stdio") throw invalid("", filled(TEXT.programOnMachine, { name }));
      const { publicUrl } = services.app.inside.loaded().config.gateway;
      const origin = publicUrl === null ? services.origin() : new URL(publicUrl).origin;
      return { body: await services.once(createSignIns).start(name, `${origin}/api/v1/mcp/oauth/callback`) };
    },
  }),
  route({
    id: "finishMcpSignIn",
    method: "GET",
    path: "/mcp/oauth/callback",
    scope: "public",
    summary: "Where the browser comes back to after a sign-in; its `state` is good for once.",
    query: OAuthQuery,
    errors: ["mcp.state-used"],
    handle: ({ services, query }) => {
      const params = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]): readonly [string, string][] =>
          typeof value === "string" ? [[name, value]] : [],
        ),
      );
      const ok = services.once(createSignIns).finish(params);
      return {
        status: ok ? 200 : 410,
        raw: ok ? page(TEXT.youCanClose) : page(TEXT.signInUsed),
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        },
      };
    },
  }),
];

/** Nothing of the request is in it. */
function page({ en, "zh-CN": zh }: Text): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>margay</title></head><body><main><h1>margay</h1><p>${en}</p><p lang="zh-CN">${zh}</p></main></body></html>\n`;
}
