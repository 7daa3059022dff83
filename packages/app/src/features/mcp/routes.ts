/** MCP servers: settings, state, tests, logs. */
import { type JsonObject } from "@margay/core";
import { visible } from "@margay/core/internal";
import { forgetServer } from "./service.ts";
import { announce } from "../../host/live/announce.ts";
import { requireMatch, requireNone, tagOf } from "../../host/api/etag.ts";
import { configOf, invalid, patchOf, refuseNeither, requireConfirmed } from "./draft.ts";
import { NAME_TEXT } from "./exchange.ts";
import { testServer } from "./test-server.ts";
import { toolLines } from "./tool-lines.ts";
import { commandLine, serverView, serverViews } from "./view.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import {
  McpLogSchema,
  McpName,
  McpServerBody,
  McpServerSchema,
  McpServersSchema,
  McpTestBody,
  McpTestResult,
  McpToolsSchema,
  type McpServerView,
} from "./schema.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { removalsBelow } from "../../host/settings/edits.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type Caller = Pick<Call<unknown, unknown>, "services" | "params">;

export const MCP_ROUTES: readonly Route[] = [
  route({
    id: "listMcpServers",
    method: "GET",
    path: "/mcp/servers",
    scope: "read",
    summary: "The configured servers with their state; secrets as masks.",
    response: McpServersSchema,
    handle: ({ services }) => ({ body: serverViews(services) }),
  }),
  route({
    id: "getMcpServer",
    method: "GET",
    path: "/mcp/servers/{name}",
    scope: "read",
    summary: "One server.",
    response: McpServerSchema,
    errors: ["mcp.not-found"],
    handle: (call) => {
      const view = viewOf(call);
      // Its state changes without its settings: nobody has it already.
      return { body: view, headers: { etag: tagOf(view.hash) } };
    },
  }),
  route({
    id: "putMcpServer",
    method: "PUT",
    path: "/mcp/servers/{name}",
    scope: "admin",
    summary: "Configures a server; a program is started only after its exact command line was confirmed.",
    body: McpServerBody,
    response: McpServerSchema,
    errors: ["mcp.invalid", "mcp.exists", "settings.invalid", "precondition.failed", "auth.fresh-required"],
    handle: async (call) => {
      const { services, params, body, headers } = call;
      const name = params["name"] ?? "";
      if (!McpName.safeParse(name).success) throw invalid("", NAME_TEXT);
      const before = serverView(name, services);
      if (before !== undefined && headers["if-none-match"]?.trim() === "*")
        throw new Problem("mcp.exists", told({ detail: TEXT.serverAlready, remedy: TEXT.chooseAnotherName }, { name }));
      if (before === undefined) requireNone(headers, "");
      else requireMatch(headers, before.hash);
      refuseNeither(body);
      const saved = services.app.inside.loaded().config.mcpServers[name];
      requireConfirmed(body, saved, call);
      await changeSettings(patchEdits({ mcpServers: { [name]: patchOf(body, saved) } }, call), call, { dryRun: false });
      announce(services, "mcp", name);
      services.app.audit.record("mcp.changed", { server: name, what: body.url ?? commandLine(configOf(body, saved)) });
      const after = viewOf(call);
      return { body: after, headers: { etag: tagOf(after.hash) } };
    },
  }),
  route({
    id: "deleteMcpServer",
    method: "DELETE",
    path: "/mcp/servers/{name}",
    scope: "admin",
    summary: "Removes a server, its secrets, its sign-in and what was known of its tools.",
    status: 204,
    errors: ["mcp.not-found", "precondition.required", "precondition.failed", "auth.fresh-required"],
    handle: async (call) => {
      const { services, headers } = call;
      const { name, hash, transport } = viewOf(call);
      requireMatch(headers, hash);
      if (transport === "stdio") requireOwner(call, TEXT.removingProgram);
      const edits = removalsBelow(["mcpServers", name], services.app.inside.loaded());
      await changeSettings(edits, call, { dryRun: false });
      await forgetServer(name, services.loadOptions.places);
      announce(services, "mcp", name);
      services.app.audit.record("mcp.removed", { server: name });
      return { status: 204 };
    },
  }),
  route({
    id: "testMcpServer",
    method: "POST",
    path: "/mcp/servers/{name}/test",
    scope: "owner",
    summary: "Connects once and lists the tools; nothing is registered.",
    response: McpTestResult,
    errors: ["mcp.not-found"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { name } = viewOf(call);
      const config = call.services.app.inside.loaded().config.mcpServers[name];
      if (config === undefined) throw noServer(name);
      return { body: await testServer(name, config, call) };
    },
  }),
  route({
    id: "testMcpDraft",
    method: "POST",
    path: "/mcp/test",
    scope: "owner",
    summary: "The same with a draft that is not saved.",
    body: McpTestBody,
    response: McpTestResult,
    errors: ["mcp.invalid"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { services, body } = call;
      const { name = "draft", ...draft } = body;
      refuseNeither(draft);
      const saved = services.app.inside.loaded().config.mcpServers[name];
      requireConfirmed(draft, saved, call);
      return { body: await testServer(name, configOf(draft, saved), call) };
    },
  }),
  route({
    id: "reconnectMcpServer",
    method: "POST",
    path: "/mcp/servers/{name}/reconnect",
    scope: "admin",
    summary: "Ends the connection and makes a new one.",
    response: McpServerSchema,
    errors: ["mcp.not-found"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { name } = viewOf(call);
      await call.services.app.inside.mcp?.find(name)?.reconnect();
      return { body: viewOf(call) };
    },
  }),
  route({
    id: "listMcpTools",
    method: "GET",
    path: "/mcp/servers/{name}/tools",
    scope: "read",
    summary: "What a connected server has, also what is not offered to the agent.",
    response: McpToolsSchema,
    errors: ["mcp.not-found"],
    handle: (call) => {
      const { name } = viewOf(call);
      const { mcp, redact } = call.services.app.inside;
      return { body: toolLines(mcp?.find(name)?.catalog ?? [], redact) };
    },
  }),
  route({
    id: "getMcpLog",
    method: "GET",
    path: "/mcp/servers/{name}/log",
    scope: "read",
    summary: "The last lines of a server's log, redacted.",
    response: McpLogSchema,
    errors: ["mcp.not-found"],
    handle: (call) => {
      const { name } = viewOf(call);
      const { mcp, redact } = call.services.app.inside;
      return {
        body: (mcp?.find(name)?.log ?? []).map(({ at, level, event, data }) => ({
          at,
          level,
          text: redact(visible(textOf(event, data))),
        })),
      };
    },
  }),
];

/** @throws Problem `mcp.not-found`. */
export function viewOf({ services, params }: Caller): McpServerView {
  const name = params["name"] ?? "";
  const view = serverView(name, services);
  if (view === undefined) throw noServer(name);
  return view;
}

function noServer(name: string): Problem {
  return new Problem(
    "mcp.not-found",
    told({ detail: TEXT.noMcpServer, remedy: TEXT.listsThem }, { name: name.slice(0, 64) }),
  );
}

function textOf(event: string, data: JsonObject): string {
  const line = data["line"] ?? data["message"] ?? data["fact"];
  if (typeof line === "string") return event === "mcp.stderr" ? line : `${event}: ${line}`;
  return Object.keys(data).length === 0 ? event : `${event} ${JSON.stringify(data)}`;
}
