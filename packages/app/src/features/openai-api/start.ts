/** A request in its session: waits for its place, prepares the session, sends, and follows the turn. */
import { type AgentEvent, type ContentPart, type Session, type SessionState } from "@margay/core";
import { asUntrusted, asyncQueue, isIdle, messageOf, whenState, type CallId } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Problem } from "../../host/api/problem.ts";
import type { Asked, Ready } from "./asking.ts";
import { parseCallId, wireCallId, type ClientResult } from "./client-tools.ts";
import { follow, remember, type Entered, type Sent } from "./reply/follow.ts";
import { sessionKey } from "../../host/sessions/token-budget.ts";
import { freshName, originOf, senderOf, type Place } from "./place.ts";
import { openFor, prepareSession } from "./session.ts";
import { notTaken, refusal } from "./errors.ts";
import type { OpenAiState } from "./state.ts";
import { findTurn } from "./responses/turn-record.ts";

type TurnState = NonNullable<SessionState["turn"]>;

/** What the model is told when something else comes instead of a result. */
const NO_ANSWER =
  "Error: the client did not answer. It may or may not have run the tool. Next: check before you repeat it.";

export async function begin(ready: Ready, app: App, state: OpenAiState): Promise<Asked> {
  const { given } = ready;
  const entered = await enter(ready, app, state);
  const { place, session } = entered;
  try {
    const { turn } = session.state;
    if (turn === undefined) remember(given, place, app, state); // what has no name is removed in any case
    const sent = turn === undefined ? await open(ready, entered, app) : await resume(ready, entered, turn, app);
    return follow({ ...entered, given, sent }, app, state);
  } catch (error) {
    entered.leave();
    throw error;
  }
}

/** The session when it is idle or waits for this client, and ours until `leave` is called. */
async function enter({ given, place: found }: Ready, app: App, { queue }: OpenAiState): Promise<Entered> {
  const { token, reader, after, signal } = given;
  const limit = app.agent.settings.maxPending;
  const session = await openFor(app, found.key, originOf(token, found), reader);
  const leave = await queue.enter(found.key, signal, limit);
  try {
    await untilReady(session, signal);
    const past =
      after?.segment === undefined && after !== undefined ? await findTurn(session, after.message) : undefined;
    if (past?.endSeq === undefined || !past.isContinued) return { place: found, session, leave };
    const name = freshName(app.ids);
    const place: Place = { ...found, key: sessionKey(token, name), name, named: false };
    const fork = await app.agent.sessions.fork(found.key, place.key, past.endSeq);
    leave();
    return { place, session: fork, leave: await queue.enter(place.key, signal, limit) };
  } catch (error) {
    leave();
    throw error;
  }
}

function untilReady(session: Session, signal: AbortSignal): Promise<void> {
  return whenState(session, (state) => isIdle(state) || waitsForClient(state), signal);
}

/** Nothing is left to do but what the client has to. */
function waitsForClient({ turn, pending }: SessionState): boolean {
  const open = turn?.calls.filter(({ status }) => status !== "finished") ?? [];
  return pending.length === 0 && open.length > 0 && open.every(({ status }) => status === "deferred");
}

/** A new turn. */
async function open({ given, parts, store }: Ready, { place, session }: Entered, app: App): Promise<Sent> {
  const { token, conversation, signal } = given;
  if (conversation.results.length > 0) throw unknownCall(conversation.results[0]?.id ?? "");
  await prepareSession(app, session, {
    conversation,
    model: given.model.ref,
    agent: given.model.agent,
    tools: given.tools,
    imports: place.history === "imported",
    sender: senderOf(token).id,
    store,
  });
  signal.throwIfAborted();
  const stopping = new AbortController();
  const turn = app.agent.send(place.key, parts, {
    origin: originOf(token, place),
    from: senderOf(token),
    attended: given.attended,
    key: given.key,
    signal: stopping.signal,
    ...(Object.keys(given.sampling).length > 0 && { sampling: given.sampling }),
  });
  return {
    events: turn,
    start: { key: given.key },
    taken: turn.finished,
    stop: () => stopping.abort(new Error("the client is gone")),
    end: () => {},
  };
}

/** A turn that waits for the client goes on: with its results, or without them when something else came. */
async function resume({ given, parts }: Ready, { place, session }: Entered, turn: TurnState, app: App): Promise<Sent> {
  const { token, conversation, attended, key } = given;
  const from = senderOf(token);
  const told = resultsFor(turn, conversation.results);
  const { seq } = session.state;
  const events = asyncQueue<AgentEvent>();
  const taken = Promise.withResolvers<void>();
  const end = (): void => {
    unsubscribe();
    taken.resolve();
    events.end();
  };
  const unsubscribe = session.subscribe(events.push, (error) => {
    taken.reject(error);
    end();
  });
  try {
    // Before the results: the model sees it with them.
    if (parts.length > 0) {
      const origin = originOf(token, place);
      const taken = await app.agent.bus.accept({ key, origin, from, parts, attended, sessionKey: place.key });
      if (taken.status === "refused") throw notTaken(taken.reason, taken.until);
    }
    for (const { call, parts, isError } of told)
      await app.agent.control(place.key, { type: "result", call, parts, isError }, from);
  } catch (error) {
    end();
    throw error;
  }
  return {
    events,
    start: parts.length > 0 ? { key, resumed: true } : { turn: turn.id },
    taken: taken.promise,
    stop: () => {
      app.agent
        .control(place.key, { type: "stop", withdraw: true }, from)
        .catch((error: unknown) => app.log.warn("api.stop", { message: messageOf(error) }));
    },
    end,
    segment: { turn: turn.id, after: seq },
  };
}

/** @throws Problem `unknown_tool_call`, `missing_tool_result`. */
function resultsFor(turn: TurnState, results: readonly ClientResult[]): readonly Told[] {
  const waiting = turn.calls.filter(({ status }) => status === "deferred").map(({ call }) => call.callId);
  const given = new Map<CallId, string>();
  for (const { id, text } of results) {
    const known = parseCallId(id);
    if (known?.turn !== turn.id || !waiting.includes(known.call) || given.has(known.call)) throw unknownCall(id);
    given.set(known.call, text);
  }
  if (results.length === 0)
    return waiting.map((call) => ({ call, parts: [{ type: "text", text: NO_ANSWER }], isError: true }));
  const missing = waiting.find((call) => !given.has(call));
  if (missing !== undefined)
    throw refusal(
      "missing_tool_result",
      "messages",
      `There is no result for the call ${wireCallId(turn.id, missing)}: all calls of an answer are answered together.`,
    );
  return waiting.map((call) => ({ call, parts: asUntrusted(given.get(call) ?? "").parts, isError: false }));
}

interface Told {
  readonly call: CallId;
  readonly parts: readonly ContentPart[];
  readonly isError: boolean;
}

function unknownCall(id: string): Problem {
  return refusal(
    "unknown_tool_call",
    "messages",
    `No call ${JSON.stringify(id.slice(0, 100))} waits for a result here: it is not ours, was answered, or waited too long.`,
  );
}
