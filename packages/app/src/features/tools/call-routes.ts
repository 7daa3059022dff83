/** Every tool call that was ever made: a view of the journals, never a store of its own. */
import { createView, type Item } from "@margay/core/state";
import { callsOf, type CallView } from "@margay/core/internal/state";
import { statsOf } from "../../host/facts/call-stats.ts";
import { openJournalFacts } from "../../host/live/journal-facts.ts";
import type { FoundCall } from "../../host/facts/calls.ts";
import { findSession, hiddenFrom } from "../../host/sessions/access.ts";
import { pageOf, timeKey } from "../../host/api/paging.ts";
import { refusal } from "../../host/api/refusal.ts";
import { route, type Call, type Reply, type Route } from "../../host/api/route.ts";
import { CallPage, CallQuery, StatsQuery, StatsResult, WholeCall } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { dayFormat } from "../../host/api/periods.ts";
import { TEXT } from "./api-texts.ts";

export const CALL_ROUTES: readonly Route[] = [
  route({
    id: "listCalls",
    method: "GET",
    path: "/tools/calls",
    scope: "read",
    summary: "Tool calls of all sessions, the newest first, file tools too.",
    query: CallQuery,
    response: CallPage,
    handle: async (caller) => {
      const { services, query } = caller;
      const isHidden = await hiddenFrom(caller);
      const { session, tool, status, origin, from, to } = query;
      const q = query.q?.toLowerCase();
      const found = (await allCalls(services)).filter(
        (call) =>
          !isHidden(call.session) &&
          (session === undefined || call.session === session) &&
          (tool === undefined || call.name === tool) &&
          (status === undefined || call.status === status) &&
          (origin === undefined || call.origin === origin) &&
          isWithin(call.at, from, to) &&
          (q === undefined || textOf(call).includes(q)),
      );
      return { body: pageOf(found, query, ({ at, session: id, call }) => timeKey(at, id, call)) };
    },
  }),
  route({
    id: "getCall",
    method: "GET",
    path: "/tools/calls/{session}/{call}",
    scope: "read",
    summary: "One call, nothing cut.",
    response: WholeCall,
    errors: ["call.not-found"],
    handle: async (call) => {
      const { listed, whole } = await callOf(call);
      const { at, key, origin, userMessage } = listed;
      return { body: { ...whole, at, key, origin, userMessage } };
    },
  }),
  route({
    id: "getCallOutput",
    method: "GET",
    path: "/tools/calls/{session}/{call}/output",
    scope: "read",
    summary: "The text that a call gave the model; a range of bytes is taken.",
    errors: ["call.not-found"],
    handle: async (call) => {
      const { result = [] } = (await callOf(call)).whole;
      const parts = "cut" in result ? [] : result; // only what is cut for a list is a Cut
      const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`));
      return rangeOf(Buffer.from(text.join("\n")), call.headers["range"]);
    },
  }),
  route({
    id: "getToolStats",
    method: "GET",
    path: "/tools/stats",
    scope: "read",
    summary: "Calls by tool, session, day or origin: how many, how well, how long.",
    query: StatsQuery,
    response: StatsResult,
    handle: async ({ services, query }) => {
      const { from, to, group, session } = query;
      const { timeZone } = services.app.inside.loaded();
      const day = dayFormat(timeZone);
      const calls = (await allCalls(services)).filter(
        (call) => isWithin(call.at, from, to) && (session === undefined || call.session === session),
      );
      const groups = Map.groupBy(calls, (call) => {
        switch (group) {
          case "tool":
            return call.name;
          case "session":
            return call.key;
          case "day":
            return day(call.at);
          case "origin":
            return call.origin;
        }
      });
      const items = [...groups].map(([key, list]) => ({ key, ...statsOf(list) }));
      return {
        body: {
          items: items.toSorted((a, b) => (group === "day" ? (a.key < b.key ? 1 : -1) : b.calls - a.calls)),
          total: statsOf(calls),
        },
      };
    },
  }),
];

async function allCalls({ once }: Services): Promise<readonly FoundCall[]> {
  return (await once(openJournalFacts).all()).flatMap(({ calls }) => calls);
}

function isWithin(at: number, from: number | undefined, to: number | undefined): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}

function textOf({ name, preview, userMessage, input }: FoundCall): string {
  return [name, preview, userMessage, JSON.stringify(input)].join("\n").toLowerCase();
}

/** @throws Problem `call.not-found`. */
async function callOf(
  caller: Pick<Call<unknown, unknown>, "services" | "params" | "language" | "credential">,
): Promise<{
  readonly listed: FoundCall;
  readonly whole: CallView;
}> {
  const { services, params, language } = caller;
  const { app, once } = services;
  const facts = await once(openJournalFacts).of(params["session"] ?? "");
  if (facts !== undefined) await findSession(caller, facts.id, { trashed: true });
  const listed = facts?.calls.find(({ call }) => call === params["call"]);
  if (facts !== undefined && listed !== undefined) {
    const view = createView(facts.id);
    for await (const commit of app.inside.readCommits(facts.id)) view.apply(commit);
    const whole = view.items.flatMap(viewsIn).find(({ call }) => call === listed.call);
    if (whole !== undefined) return { listed, whole };
  }
  throw refusal("call.not-found", language, {
    detail: TEXT.noSuchCall,
    remedy: TEXT.listsThem,
  });
}

function viewsIn(item: Item): readonly CallView[] {
  return item.kind === "assistant" ? callsOf(item) : [];
}

/** One range of bytes; whatever else is asked for is answered with all of it (RFC 9110, 14.2). */
function rangeOf(bytes: Buffer, header: string | undefined): Reply {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": "attachment; filename=output.txt",
    "accept-ranges": "bytes",
  };
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  const from = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1);
  if ((first === "" && last === "") || from > to) return { raw: bytes, headers };
  return {
    status: 206,
    raw: bytes.subarray(from, to + 1),
    headers: { ...headers, "content-range": `bytes ${from}-${to}/${bytes.length}` },
  };
}
