/** `GET`, cancel and `DELETE` of `/v1/responses/{id}`: the index says which turn it is, the journal what it says. */
import { raceAbort, type TurnId } from "@margay/core/internal";
import type { App } from "../../../app.ts";
import { Problem } from "../../../host/api/problem.ts";
import type { Call, Reply } from "../../../host/api/route.ts";
import { answerEvents } from "../reply/events.ts";
import type { KnownResponse } from "../session-index.ts";
import { unsupported } from "../errors.ts";
import { frameOf } from "./responses.ts";
import { createResponseFold, type ResponseFold } from "./response-events.ts";
import { stateOf, type OpenAiState } from "../state.ts";
import { tokenOf } from "../token.ts";
import { pastEvents } from "./turn-record.ts";

type ResponseCall = Call<{ readonly stream?: string | undefined } | undefined, unknown>;

export async function getResponse(call: ResponseCall): Promise<Reply> {
  if (call.query?.stream === "true") throw unsupported("stream", "A response that was made is returned whole.");
  const { known, state } = find(call);
  const fold = await read(known, call.services.app, state);
  return { body: fold.object(), headers: { "x-request-id": call.requestId } };
}

/** A response that is over stays as it is. */
export async function cancelResponse(call: ResponseCall): Promise<Reply> {
  const { app } = call.services;
  const { known, state } = find(call);
  const working = state.running.get(known.id);
  if (working !== undefined) {
    working.stop(new Error("the response was cancelled"));
    await raceAbort(working.over, call.signal);
  }
  const fold = await read(known, app, state);
  return { body: fold.object(), headers: { "x-request-id": call.requestId } };
}

/** What was said stays in the session; an unnamed one without other responses goes with it. */
export function deleteResponse(call: ResponseCall): Reply {
  const { known, state } = find(call);
  state.running.get(known.id)?.stop(new Error("the response was deleted"));
  state.index.drop(known.id);
  state.index.release(known.session, call.services.app.clock.now());
  const body = { id: known.id, object: "response", deleted: true };
  return { body, headers: { "x-request-id": call.requestId } };
}

/** @throws Problem when this token has no such response. */
function find(call: ResponseCall): { readonly known: KnownResponse; readonly state: OpenAiState } {
  const state = stateOf(call.services);
  const token = tokenOf(call);
  const known = state.index.response(call.params["id"] ?? "");
  if (known?.token === token) return { known, state };
  throw missing(call.params["id"] ?? "");
}

function missing(id: string): Problem {
  return new Problem("message.not-found", {
    detail: `There is no response ${JSON.stringify(id.slice(0, 100))}.`,
    more: { code: "response_not_found", param: "id" },
  });
}

/** @throws Problem when its session was removed. */
async function read(known: KnownResponse, app: App, { running }: OpenAiState): Promise<ResponseFold> {
  const fold = createResponseFold(frameOf(known, app), running.has(known.id) ? "queued" : "cancelled");
  const session = await app.agent.sessions.find(known.session);
  if (session === undefined) {
    if (running.has(known.id)) return fold;
    throw missing(known.id);
  }
  const { segment } = known;
  const start = segment === undefined ? { key: known.message } : { turn: segment.turn as TurnId }; // it was one
  const past = pastEvents(session, segment?.after);
  for await (const event of answerEvents(past, start, app.inside.redact)) fold.push(event);
  return fold;
}
