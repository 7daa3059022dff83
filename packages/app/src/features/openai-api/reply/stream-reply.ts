/** The reply of a stream: its texts, and its end when we end it. */
import { openAiError } from "../../../host/api/problem-body.ts";
import { Problem } from "../../../host/api/problem.ts";
import type { Call, Reply } from "../../../host/api/route.ts";
import { interrupted } from "../errors.ts";
import { sseBody, sseEvent } from "../../../host/live/sse-body.ts";

/** Clients take a stream that just ends for a whole one: what ends it early says so. */
export function streamReply(
  texts: AsyncGenerator<string>,
  { services, credential }: Pick<Call<unknown, unknown>, "services" | "credential">,
  headers: Readonly<Record<string, string>>,
): Reply {
  const { app, closing } = services;
  const over = AbortSignal.any([closing, ...(credential === undefined ? [] : [credential.gone])]);
  const farewell = (): string =>
    sseEvent(
      openAiError(closing.aborted ? interrupted() : new Problem("auth.expired", "The token is no longer valid.")),
    );
  return {
    raw: sseBody(texts, { clock: app.clock, over, farewell }),
    headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" },
  };
}
