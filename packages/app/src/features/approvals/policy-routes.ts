/** What tools may do, asked of the policy that decides it; nothing runs. */
import {
  type JsonObject,
  type Policy,
  type PolicyRule,
  type Tool,
  type ToolCallPart,
  type Verdict,
} from "@margay/core";
import { emptyState, sha256, type JudgeContext, type SessionId } from "@margay/core/internal";
import { callFilesOf } from "@margay/core/internal";
import { eventsOf } from "../../host/sessions/access.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Route } from "../../host/api/route.ts";
import { PolicyCheckBody, PolicyCheckSchema, PolicySchema, RulesSchema, type PolicyView } from "./schema.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { filled, told, words } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type Row = PolicyView["rows"][number];

export const POLICY_ROUTES: readonly Route[] = [
  route({
    id: "getPolicy",
    method: "GET",
    path: "/policy",
    scope: "read",
    summary: "What each tool may do, with and without a person there, and what decides it.",
    response: PolicySchema,
    handle: async ({ services: { app } }) => {
      const { policy, tools } = app.inside;
      const { config } = app.inside.loaded();
      const rows = await Promise.all(
        tools.list().flatMap((tool) => casesOf(tool).map((one) => rowOf(tool, one, policy))),
      );
      return {
        body: {
          restrictToWorkspace: config.tools.restrictToWorkspace,
          approvalTimeoutMs: config.policy.approvalTimeoutSeconds * 1000,
          rows,
        },
      };
    },
  }),
  route({
    id: "listPolicyRules",
    method: "GET",
    path: "/policy/rules",
    scope: "read",
    summary: "The operator's rules, in the order in which they are asked, then the answers that were kept.",
    response: RulesSchema,
    handle: ({ services: { app } }) => ({
      body: [
        ...rulesOf(app.inside.loaded().config.policy.rules).map((rule) => ({ ...rule, origin: "config" as const })),
        ...app.inside.savedRules.list().map(({ id, tool, shown, by, at }) => ({
          id,
          tool,
          action: "allow" as const,
          origin: "answer" as const,
          covers: shown,
          by,
          at,
        })),
      ],
    }),
  }),
  route({
    id: "deletePolicyRule",
    method: "DELETE",
    path: "/policy/rules/{id}",
    scope: "admin",
    summary: "Takes a rule back; a rule that asks or forbids only with a fresh proof.",
    status: 204,
    errors: ["request.not-found", "auth.fresh-required"],
    handle: async (call) => {
      const { savedRules } = call.services.app.inside;
      const removed = await savedRules.remove(call.params["id"] ?? "");
      if (removed !== undefined) {
        eventsOf(call.services).topics.publish("approvals", { rule: removed.id, state: "removed" });
        return { status: 204 };
      }
      const { rules } = call.services.app.inside.loaded().config.policy;
      const found = rulesOf(rules).find(({ id }) => id === call.params["id"]);
      if (found === undefined)
        throw new Problem("request.not-found", told({ detail: TEXT.noSuchRule, remedy: TEXT.listsThem }));
      if (found.action !== "allow") requireOwner(call, TEXT.takingBackRule);
      const left = rulesOf(rules).filter(({ id }) => id !== found.id);
      const patch = { policy: { rules: left.length === 0 ? null : left.map(({ id: _id, ...rule }) => rule) } };
      await changeSettings(patchEdits(patch, call), call, { dryRun: false });
      return { status: 204 };
    },
  }),
  route({
    id: "checkPolicy",
    method: "POST",
    path: "/policy/check",
    scope: "admin",
    summary: "Would this call be allowed? Nothing runs.",
    body: PolicyCheckBody,
    response: PolicyCheckSchema,
    errors: ["tool.not-found"],
    handle: async (call) => {
      const { services, body, language } = call;
      const { policy, tools } = services.app.inside;
      const tool = tools.get(body.tool);
      if (tool === undefined)
        throw new Problem(
          "tool.not-found",
          told({ detail: TEXT.noTool, remedy: TEXT.listsThem2 }, { tool: body.tool }),
        );
      const attended = body.source === "web" || body.source === "cli" || body.source === "channel";
      const verdict = await policy.judge(
        partOf(tool.name, body.input as JsonObject), // z.json() with readonly types
        {
          ...contextOf(tool, attended, { channel: body.source, chat: "check" }, body.untrusted),
          callFiles: callFilesOf(services.app.loaded.workspace, tool.name, body.input),
        },
      );
      const denied = verdict.kind === "ask" && !attended;
      return {
        body: {
          verdict: denied ? "deny" : verdict.kind,
          rule: verdict.rule,
          why: denied
            ? words(language, TEXT.wouldAskedAnd)
            : verdict.kind === "allow" && verdict.by !== undefined
              ? words(language, filled(TEXT.allowedExactlyFor, { by: verdict.by }))
              : whyOf(verdict),
        },
      };
    },
  }),
];

/** Ids that stay when others are added or taken away; equal rules count up. */
function rulesOf(rules: readonly PolicyRule[]): readonly (PolicyRule & { readonly id: string })[] {
  const seen = new Map<string, number>();
  return rules.map((rule) => {
    const hash = sha256(JSON.stringify([rule.tool, rule.action, rule.match, rule.session])).slice(0, 16);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return { id: count === 1 ? hash : `${hash}-${count}`, ...rule };
  });
}

interface Case {
  readonly name?: string;
  readonly input: JsonObject;
}

/** Arguments that the built-in rules tell apart. */
function casesOf({ name }: Tool): readonly Case[] {
  switch (name) {
    case "write_file":
    case "edit_file":
      return [
        { name: "inside", input: { path: "notes.md" } },
        { name: "protected", input: { path: "AGENTS.md" } },
        { name: "outside", input: { path: "../elsewhere.txt" } },
      ];
    case "message":
      return [
        { name: "here", input: {} },
        { name: "elsewhere", input: { channel: "elsewhere", chat_id: "other" } },
      ];
    case "exec":
      return [
        { name: "plain", input: { command: "ls" } },
        { name: "deny list", input: { command: "rm -rf /" } },
      ];
    default:
      return [{ input: {} }];
  }
}

async function rowOf(tool: Tool, { name, input }: Case, policy: Policy): Promise<Row> {
  const judge = async (attended: boolean, untrusted: boolean): Promise<Row["attended"]> => {
    const verdict = await policy.judge(partOf(tool.name, input), contextOf(tool, attended, HERE, untrusted));
    return {
      verdict: verdict.kind === "ask" && !attended ? "deny" : verdict.kind,
      rule: verdict.rule,
      origin: verdict.rule.startsWith("rule ") ? "rule" : "built-in",
    };
  };
  return {
    tool: tool.name,
    effect: tool.effect,
    ...(name !== undefined && { case: name }),
    attended: await judge(true, false),
    unattended: await judge(false, false),
    untrusted: { attended: await judge(true, true), unattended: await judge(false, true) },
  };
}

const HERE = { channel: "web", chat: "check" };

function contextOf(tool: Tool, attended: boolean, origin: JudgeContext["origin"], untrusted = false): JudgeContext {
  const state = emptyState("check" as SessionId); // of no session
  const label = { ...state.label, ...(untrusted && { integrity: "untrusted" as const }) };
  return { state: { ...state, label }, origin, attended, effect: tool.effect };
}

function partOf(name: string, input: JsonObject): ToolCallPart {
  return { type: "tool-call", callId: "check" as ToolCallPart["callId"], name, input }; // of no turn
}

function whyOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case "allow":
      return verdict.rule;
    case "ask":
      return verdict.prompt;
    case "deny":
      return verdict.reason;
  }
}
