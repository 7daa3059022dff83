/** What a route tells as it happens, asked over the control door of whoever holds the lock. */
import type { IncomingMessage } from "node:http";
import { RuntimeError, type JsonObject } from "@margay/core";
import { isRecord, parseJson } from "@margay/core/internal";
import type { Language } from "../../texts/text.ts";
import { NoDoor } from "./holder.ts";

export interface Asked {
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body: JsonObject;
  readonly language: Language;
  /** Who asked is gone. */
  readonly signal: AbortSignal;
}

export interface Told {
  readonly event: string;
  readonly data: unknown;
}

/**
 * @param socket Of the door. @param patience Until when it must be answered.
 * @throws NoDoor; RuntimeError `usage.wrong` with the words of the route. What is iterated throws the reason of the signal.
 */
export async function askForEvents(socket: string, asked: Asked, patience: AbortSignal): Promise<AsyncIterable<Told>> {
  const response = await respond(socket, asked, patience);
  if (response.statusCode === 200) return eventsIn(response, asked.signal);
  const problem = parseJson(await textOf(response));
  const { detail, remedy } = isRecord(problem) ? problem : {};
  throw new RuntimeError("usage.wrong", [detail, remedy].filter((text) => typeof text === "string").join(" "));
}

function respond(socketPath: string, { path, body, language, signal }: Asked, patience: AbortSignal) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = process.getBuiltinModule("node:http").request({
      socketPath,
      path: `/api/v1${path}`,
      method: "POST",
      headers: { accept: "text/event-stream", "accept-language": language, "content-type": "application/json" },
      signal,
    });
    const late = (): void => void request.destroy(new NoDoor());
    patience.addEventListener("abort", late, { once: true });
    request.once("socket", (socket) => socket.once("connect", () => patience.removeEventListener("abort", late)));
    request.once("response", resolve);
    // Before an answer it is the door that is not there.
    request.on("error", () => reject(signal.aborted ? (signal.reason as Error) : new NoDoor()));
    request.end(JSON.stringify(body));
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  response.setEncoding("utf8");
  for await (const part of response) text += String(part);
  return text;
}

async function* eventsIn(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Told> {
  let text = "";
  response.setEncoding("utf8");
  try {
    for await (const part of response) {
      const blocks = (text + String(part)).split("\n\n");
      text = blocks.pop() ?? "";
      yield* blocks.flatMap(toldIn);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new RuntimeError("process.stopping", "The process that was asked has ended.", {
      cause: error,
      retryable: true,
    });
  }
}

/** A comment tells nothing. */
function toldIn(block: string): readonly Told[] {
  const event = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return event === undefined || data === undefined ? [] : [{ event, data: parseJson(data) }];
}
