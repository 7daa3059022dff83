/** `POST /v1/chat/completions`. */
import type { Call, Reply } from "../../../host/api/route.ts";
import type { ChatBody } from "../schema.ts";
import { hear } from "../../../host/sessions/hear.ts";
import { answerHeaders } from "../reply/answer-headers.ts";
import { ask } from "../request.ts";
import { completionChunks, wholeCompletion, type ChatFrame } from "./chat-stream.ts";
import { conversationOf, ignoredFields, refuseUnsupported, samplingOf } from "./chat-request.ts";
import { begun } from "../reply/first.ts";
import { checkLimits } from "../limits.ts";
import { chooseModel } from "../models.ts";
import { clientTools, toolChoice } from "../client-tools.ts";
import { failedTurn } from "../errors.ts";
import { createReplyText } from "../reply/reply-text.ts";
import { stateOf } from "../state.ts";
import { streamReply } from "../reply/stream-reply.ts";
import { readerOf, tokenOf } from "../token.ts";

const HOUR_MS = 3_600_000;

export async function complete(call: Call<unknown, ChatBody>): Promise<Reply> {
  const { body, services, headers, signal, requestId } = call;
  const { app } = services;
  const { config } = app.inside.loaded();
  const { api } = config.gateway;
  const token = tokenOf(call);
  const reader = readerOf(call);
  const model = chooseModel(body.model, config, reader);
  refuseUnsupported(body);
  const tools = clientTools(body, app.inside.tools, api.clientTools);
  const stops = typeof body.stop === "string" ? [body.stop] : (body.stop ?? []);
  const text = { rounds: api.text, stop: stops.filter((one) => one !== "") };
  const limit = body.max_completion_tokens ?? body.max_tokens;
  const key = app.ids.next("chatcmpl");
  await checkLimits(services, token);
  const asked = await ask(
    {
      token,
      reader,
      name: headers["margay-session"] ?? body.session_id ?? undefined,
      user: body.user ?? undefined,
      conversation: conversationOf(body.messages),
      model,
      sampling: {
        ...samplingOf(body, limit, body.reasoning_effort, config.agent.maxTokens),
        ...toolChoice(body.tool_choice, tools),
      },
      tools,
      streamed: body.stream === true,
      attended: headers["margay-approvals"] === "wait",
      key,
      keepMs: (body.store === false ? 1 : api.ephemeralHours) * HOUR_MS,
      hear: (bytes, stopped) => hear(bytes, token, services, stopped),
      reply: createReplyText(text),
      signal,
      // A named session goes on without its client.
      stop: ({ named }) => (named ? undefined : signal),
    },
    app,
    stateOf(services),
  );
  const frame: ChatFrame = {
    id: key,
    created: Math.floor(app.clock.now() / 1000),
    model: model.id,
    fingerprint: () => asked.session.state.prefix?.hash,
    reasoning: api.reasoning,
  };
  const given = (): Readonly<Record<string, string>> => answerHeaders(asked, ignoredFields(body), requestId);
  const reply = createReplyText(text);
  if (body.stream !== true) {
    const whole = await wholeCompletion(asked.events, reply, frame);
    return { body: whole, headers: given() };
  }
  const { end, events } = await begun(asked.events, app.clock);
  if (end?.error !== undefined) throw failedTurn(end.error);
  const chunks = completionChunks(events, reply, {
    ...frame,
    includeUsage: body.stream_options?.include_usage === true,
    showTools: headers["margay-events"] === "1",
  });
  return streamReply(chunks, call, given());
}
