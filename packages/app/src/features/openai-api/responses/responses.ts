/** `POST /v1/responses`. */
import { messageOf } from "@margay/core/internal";
import type { App } from "../../../app.ts";
import { openAiError } from "../../../host/api/problem-body.ts";
import { Problem } from "../../../host/api/problem.ts";
import type { Call, Reply } from "../../../host/api/route.ts";
import type { ResponseBody } from "../schema.ts";
import { hear } from "../../../host/sessions/hear.ts";
import { answerHeaders } from "../reply/answer-headers.ts";
import type { AnswerEvent } from "../reply/events.ts";
import { admit } from "../request.ts";
import type { Asked } from "../asking.ts";
import { ignoredFields, samplingOf } from "../chat/chat-request.ts";
import { begun } from "../reply/first.ts";
import { checkLimits } from "../limits.ts";
import type { KnownResponse } from "../session-index.ts";
import { AGENT, chooseModel } from "../models.ts";
import { clientTools, toolChoice } from "../client-tools.ts";
import { failedTurn, interrupted, refusal, restarted } from "../errors.ts";
import { createReplyText } from "../reply/reply-text.ts";
import { createResponseFold, type ResponseFold, type ResponseFrame } from "./response-events.ts";
import {
  conversationName,
  echoOf,
  refuseUnsupportedResponse,
  RESPONSE_FIELDS,
  responseConversation,
} from "./responses-request.ts";
import { sseEvent } from "../../../host/live/sse-body.ts";
import { stateOf, type OpenAiState } from "../state.ts";
import { streamReply } from "../reply/stream-reply.ts";
import { readerOf, tokenOf } from "../token.ts";

const HOUR_MS = 3_600_000;

export async function respond(call: Call<unknown, ResponseBody>): Promise<Reply> {
  const { body, services, headers, requestId } = call;
  const { app } = services;
  const { config } = app.inside.loaded();
  const [state, token] = [stateOf(services), tokenOf(call)];
  const asks = { token, reader: readerOf(call) };
  const model = chooseModel(body.model ?? AGENT, config, asks.reader);
  refuseUnsupportedResponse(body);
  const tools = clientTools(body, app.inside.tools, config.gateway.api.clientTools);
  const after = await previousOf(body, token, app, state);
  const key = app.ids.next("resp");
  const id = key.replace("-", "_");
  const controller = new AbortController();
  const background = body.background === true;
  const client = background ? services.closing : call.signal;
  const waiting = AbortSignal.any([client, controller.signal]);
  await checkLimits(services, token);
  const admitted = await admit(
    {
      ...asks,
      name: headers["margay-session"] ?? body.session_id ?? conversationName(body),
      user: body.user ?? undefined,
      conversation: responseConversation(body),
      model,
      sampling: {
        ...samplingOf(body, body.max_output_tokens, body.reasoning?.effort, config.agent.maxTokens),
        ...toolChoice(body.tool_choice, tools),
      },
      tools,
      streamed: body.stream === true,
      attended: headers["margay-approvals"] === "wait",
      key,
      keepMs: (body.store === false ? 1 : config.gateway.api.ephemeralHours) * HOUR_MS,
      ...(after !== undefined && { after }),
      hear: (bytes, stopped) => hear(bytes, token, services, stopped),
      reply: createReplyText({ rounds: config.gateway.api.text, stop: [] }),
      signal: waiting,
      stop: ({ named }) => (named || background ? controller.signal : waiting),
    },
    app,
    state,
  );
  const response: Omit<KnownResponse, "type"> = {
    id,
    token,
    session: admitted.place.key,
    message: key,
    model: model.id,
    at: app.clock.now(),
    echo: echoOf(body),
  };
  const frame = frameOf({ ...response, type: "response" }, app);
  const ignored = ignoredFields(body, RESPONSE_FIELDS);
  state.index.keep(response);
  const begin = async (): Promise<Asked> => {
    const asked = await admitted.begin();
    const { place, segment } = asked;
    if (place.key !== response.session || segment !== undefined)
      state.index.keep({ ...response, session: place.key, ...(segment !== undefined && { segment }) });
    return asked;
  };
  const working = begin();
  const over = working
    .then(({ finished }) => finished)
    .catch((error: unknown) => app.log.debug("api.response", { message: messageOf(error) }))
    .finally(() => state.running.delete(id));
  state.running.set(id, { stop: (reason) => controller.abort(reason), over });
  if (background && body.stream !== true) {
    const headers = answerHeaders({ place: admitted.place, turn: () => undefined }, ignored, requestId);
    return { body: createResponseFold(frame, "queued").object(), headers };
  }
  let asked: Asked;
  try {
    asked = await working;
  } catch (error) {
    state.index.drop(id);
    throw error;
  }
  return answerWith(asked, frame, call, ignored);
}

/** The answer as it comes, or whole when it is over. */
async function answerWith(
  asked: Asked,
  frame: ResponseFrame,
  call: Call<unknown, ResponseBody>,
  ignored: readonly string[],
): Promise<Reply> {
  const { body, services, requestId } = call;
  const fold = createResponseFold(frame);
  const { end, events } = await begun(asked.events, services.app.clock);
  if (end?.error !== undefined) throw failedTurn(end.error);
  if (body.stream === true)
    return streamReply(responseEvents(events, fold), call, answerHeaders(asked, ignored, requestId));
  for await (const event of events) {
    fold.push(event);
    if (event.type === "ended" && event.error !== undefined) throw failedTurn(event.error);
  }
  if (fold.status === "in_progress") throw interrupted();
  return { body: fold.object(), headers: answerHeaders(asked, ignored, requestId) };
}

export function frameOf(response: KnownResponse, app: App): ResponseFrame {
  return {
    id: response.id,
    created: Math.floor(response.at / 1000),
    model: response.model,
    echo: response.echo,
    rounds: app.inside.loaded().config.gateway.api.text,
  };
}

/** @throws Problem when this token has no such response, or its session was removed. */
async function previousOf(
  { previous_response_id: id }: ResponseBody,
  token: string,
  app: App,
  { index, running }: OpenAiState,
): Promise<KnownResponse | undefined> {
  if (id === undefined || id === null) return undefined;
  const known = index.response(id);
  const isThere =
    known?.token === token && (running.has(id) || (await app.agent.sessions.find(known.session)) !== undefined);
  if (isThere) return known;
  throw refusal(
    "previous_response_not_found",
    "previous_response_id",
    `There is no response ${JSON.stringify(id.slice(0, 100))} to continue.`,
  );
}

async function* responseEvents(events: AsyncIterable<AnswerEvent>, fold: ResponseFold): AsyncGenerator<string> {
  for (const event of fold.open()) yield sseEvent(event, event.type);
  try {
    for await (const event of events) {
      if (event.type === "restarted" && event.shown) throw restarted();
      for (const shown of fold.push(event)) yield sseEvent(shown, shown.type);
    }
    if (fold.status === "in_progress") throw interrupted();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield sseEvent(openAiError(error), "error");
  }
}
