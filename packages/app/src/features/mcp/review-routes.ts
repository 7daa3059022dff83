/** A person's yes or no to what an MCP server says of itself. */
import type { ServerReviews } from "@margay/core/internal";
import { announce } from "../../host/live/announce.ts";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { McpApproveBody, McpServerSchema, type McpServerView } from "./schema.ts";
import { viewOf } from "./routes.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export const MCP_REVIEW_ROUTES: readonly Route[] = [
  route({
    id: "approveMcpServer",
    method: "POST",
    path: "/mcp/servers/{name}/approve",
    scope: "admin",
    summary: "Approves what was looked at of a server; its tools are offered from the next epoch on.",
    body: McpApproveBody,
    response: McpServerSchema,
    errors: ["mcp.not-found", "mcp.manifest-changed"],
    timeoutMs: 60_000,
    handle: (call) => answered(call, call.services.app.inside.serverReviews.approve),
  }),
  route({
    id: "refuseMcpServer",
    method: "POST",
    path: "/mcp/servers/{name}/refuse",
    scope: "admin",
    summary: "A no to what was looked at, for the audit log: it stays out of every request.",
    body: McpApproveBody,
    response: McpServerSchema,
    errors: ["mcp.not-found", "mcp.manifest-changed"],
    handle: (call) => answered(call, call.services.app.inside.serverReviews.refuse),
  }),
];

/** A yes or a no to exactly what was looked at. @throws Problem `mcp.not-found`, `mcp.manifest-changed`. */
async function answered(
  call: Call<undefined, { manifestHash: string }>,
  answer: ServerReviews["approve"],
): Promise<{ readonly body: McpServerView }> {
  const { services, body, credential } = call;
  const { name, manifestHash: current } = viewOf(call);
  if (!(await answer(name, body.manifestHash, credential?.name ?? "unknown")))
    throw new Problem("mcp.manifest-changed", {
      ...told({ detail: TEXT.whatWaitsWhat, remedy: TEXT.readServerAgain }, { name }),
      ...(current !== undefined && { more: { current } }),
    });
  announce(services, "mcp", name);
  return { body: viewOf(call) };
}
