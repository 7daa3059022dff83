/** Why a turn went as it did, from its journal: the same replay as `margay explain`. */
import { type Commit, type JournalRecord } from "@margay/core";
import {
  allOf,
  bySomeKind,
  ellipsis,
  explain,
  type Explained,
  firstOf,
  project,
  type SomeKinds,
} from "@margay/core/internal";
import type { z } from "zod";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import { findSession } from "../../host/sessions/access.ts";
import { branchesOf } from "./branches.ts";
import { outcomeOf, whyOf } from "./why.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { ExplainQuery, ExplainResult, TurnBranchesResult, type ExplainStep } from "./schema.ts";
import { TEXT } from "./api-texts.ts";

type Step = z.input<typeof ExplainStep>;

const MAX_ARGUMENT_CHARS = 500;

export const EXPLAIN_ROUTES: readonly Route[] = [
  route({
    id: "explainTurn",
    method: "GET",
    path: "/sessions/{id}/turns/{turn}/explain",
    scope: "read",
    summary: "Each commit of a turn: what the loop wanted there, why, and whether a replay wants the same.",
    query: ExplainQuery,
    response: ExplainResult,
    errors: ["session.not-found"],
    handle: async (call) => {
      const { services, params, query, language } = call;
      const { app, once } = services;
      await findSession(call, params["id"] ?? "", { trashed: true });
      const facts = await once(openJournalFacts).of(params["id"] ?? "");
      if (facts === undefined)
        throw refusal("session.not-found", language, {
          detail: TEXT.noSuchSession,
          remedy: TEXT.listsThem,
        });
      const { settings } = app.agent;
      const { turn = "" } = params;
      const steps: Step[] = [];
      let prompt: z.input<typeof ExplainResult>["prompt"];
      let inside = false;
      let before = 0;
      for await (const explained of explain(app.inside.readCommits(facts.id), settings)) {
        const { commit, state } = explained;
        const { seq, at, records } = commit;
        inside ||= allOf(records, "turn.started").some((record) => record.turn === turn);
        if (inside) {
          const miss = facts.misses.find((one) => one.seq === seq)?.cause;
          complete(steps, commit, miss);
          steps.push({
            ...stepOf(explained, call),
            n: steps.length + 1,
            ms: before === 0 ? 0 : Math.max(0, at - before),
            why: explained.outcome ? outcomeOf(records, language) : whyOf(explained.wanted, settings, language),
          });
          if (query.prompt === seq && firstOf(records, "model.requested") !== undefined)
            prompt = {
              seq,
              system: state.prefix?.system ?? "",
              tools: (state.prefix?.tools ?? []).map(({ name, description, inputSchema }) => ({
                name,
                description,
                schema: structuredClone(inputSchema) as never, // the same JSON, not readonly
              })),
              messages: JSON.parse(JSON.stringify(project(state))) as never[], // messages are made of JSON
            };
        }
        before = at;
        if (inside && allOf(records, "turn.ended").some((record) => record.turn === turn)) break;
      }
      if (steps.length === 0)
        throw refusal("request.not-found", language, {
          detail: TEXT.noSuchTurn,
        });
      if (query.prompt !== undefined && prompt === undefined)
        throw refusal("request.not-found", language, {
          detail: TEXT.turnHasNo,
          values: { seq: query.prompt },
        });
      return {
        body: { turn, steps, ok: steps.every(({ replayOk }) => replayOk), ...(prompt !== undefined && { prompt }) },
      };
    },
  }),
  route({
    id: "listTurnBranches",
    method: "GET",
    path: "/sessions/{id}/turns/{turn}/branches",
    scope: "read",
    summary: "Turns in the place of this one in other branches of the conversation.",
    response: TurnBranchesResult,
    errors: ["session.not-found", "session.trashed"],
    handle: async (call) => {
      const session = await findSession(call, call.params["id"] ?? "");
      return { body: { items: [...(await branchesOf(call, session, call.params["turn"] ?? ""))] } };
    },
  }),
];

function stepOf(
  { commit, wanted, outcome, verdict, promptHashOk, state }: Explained,
  { services }: Pick<Call<unknown, unknown>, "services">,
): Omit<Step, "n" | "ms" | "why"> {
  const { seq, at, records } = commit;
  const { redact } = services.app.inside;
  const request = firstOf(records, "model.requested");
  const { turn } = state;
  return {
    seq,
    at,
    step: wanted.do,
    origin: verdict === "outside" ? "outside" : outcome ? "outcome" : "step",
    facts: {
      stepsSoFar: turn?.steps ?? 0,
      attempt: turn?.attempt ?? 0,
      pending: state.pending.length,
      openCalls: (turn?.calls ?? []).filter(({ status }) => status !== "finished").length,
    },
    records: records.map(({ type }) => type),
    ...(request !== undefined && {
      request: {
        model: request.model,
        placed: [...request.placed],
        notices: allOf(records, "notice.added").map(({ notice }) => notice.kind),
        promptHash: request.promptHash,
        promptHashOk: promptHashOk === true,
        estimated: Math.round(request.estimated),
      },
    }),
    calls: [...new Set(records.flatMap(callsIn))],
    policy: allOf(records, "call.judged").map(({ call, rule, verdict, reason }) => ({
      ...{ call, rule, verdict },
      ...(reason !== undefined && { reason: redact(reason) }),
    })),
    replayOk: verdict !== "unexpected" && promptHashOk !== false,
  };
}

/** The answer says what the request before it cost. */
function complete(steps: Step[], commit: Commit, miss: string | undefined): void {
  const message = firstOf(commit.records, "model.responded")?.message;
  const at = steps.findLastIndex(({ request }) => request !== undefined);
  const step = steps[at];
  if (message === undefined || step?.request === undefined) return;
  const { usage, parts } = message;
  steps[at] = {
    ...step,
    request: {
      ...step.request,
      newTokens: usage.input - usage.cacheRead,
      cachedTokens: usage.cacheRead,
      outputTokens: usage.output,
      costUsd: usage.costUsd ?? null,
      ...(miss !== undefined && { cacheMiss: miss }),
      answer: {
        text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
        calls: parts.flatMap((part) =>
          part.type === "tool-call"
            ? [
                {
                  call: part.callId,
                  name: part.name,
                  arguments: ellipsis(JSON.stringify(part.input), MAX_ARGUMENT_CHARS),
                },
              ]
            : [],
        ),
        ms: Math.max(0, commit.at - step.at),
      },
    },
  };
}

function callsIn(record: JournalRecord): readonly string[] {
  return bySomeKind(CALLS, record) ?? ("call" in record ? [record.call] : []);
}

/** Those that do not say it in `call`; what is sent from a call is no step of it. */
const CALLS: SomeKinds<JournalRecord, [], readonly string[]> = {
  "tool.finished": ({ message }) => [message.callId],
  "model.responded": ({ message: { parts } }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])),
  "reply.queued": () => [],
};
