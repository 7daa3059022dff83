/** The webhook channel: replies leave as signed POSTs to the operator's address, messages come in on 127.0.0.1. */
import { type Channel, type Clock, type Logger } from "@margay/core";
import {
  type ChannelChange,
  ChannelFault,
  connectionCode,
  httpFetch,
  messageOf,
  type Millis,
  retryAfter,
  shownText,
  untilAborted,
} from "@margay/core/internal";
import type { OutboundMessage } from "@margay/core";
import { WEBHOOK_CAN } from "../kinds.ts";
import { serveWebhook } from "./server.ts";
import { sign, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "./signature.ts";

export interface WebhookOptions {
  readonly id: string;
  /** Signs both directions. */
  readonly secret: string;
  /** Where replies go; without it nothing can be sent. */
  readonly url: URL | undefined;
  readonly burstMs?: number;
  /** Where messages come in, on 127.0.0.1; without it none do. */
  readonly port: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when it listens. */
  readonly report?: (id: string, change: ChannelChange) => void;
}

const SEND_MS = 30_000;
/** Said of a receiver that is not there by whoever stands before it, or by one that has no time. */
const AWAY: readonly number[] = [408, 429, 502, 503, 504];
/** Codes of a connection that never stood: nothing can have left. */
const NOT_REACHED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

export function createWebhook(options: WebhookOptions): Channel {
  const { id, burstMs = 0 } = options;
  const fetch = httpFetch();
  return {
    id,
    can: { ...WEBHOOK_CAN, ...(burstMs > 0 && { burstMs }) },
    async run(inbox, signal) {
      const { port } = options;
      if (port !== undefined) return serveWebhook({ ...options, channel: id, port }, inbox, signal);
      options.report?.(id, { state: "up" });
      await untilAborted(signal);
    },
    async send(message, signal) {
      signal.throwIfAborted();
      await post(message, options, fetch, signal);
      return undefined; // receivers name nothing
    },
  };
}

async function post(
  message: OutboundMessage,
  { id, url, secret, clock }: WebhookOptions,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined)
    throw new ChannelFault(
      "refused",
      `Channel ${id} has no address. Set channels.${id}.options.url to where replies should go.`,
      { sent: "no" },
    );
  const now = clock.now();
  const body = JSON.stringify({
    reply: message.reply,
    kind: message.kind,
    chat: message.to.chat,
    ...(message.to.thread !== undefined && { thread: message.to.thread }),
    ...(message.silent === true && { silent: true }),
    text: shownText(message.parts), // attachments do not travel: the receiver learns their names
    at: new Date(now).toISOString(),
  });
  const timestamp = String(Math.floor(now / 1000));
  const over = new AbortController(); // the status is all that counts: what follows it is not read
  const until = AbortSignal.any([signal, over.signal, AbortSignal.timeout(SEND_MS)]);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": message.reply,
        [TIMESTAMP_HEADER]: timestamp,
        [SIGNATURE_HEADER]: sign(secret, timestamp, body),
      },
      body,
      signal: until,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new ChannelFault(
      "again",
      `The receiver of channel ${id} was not reached: ${messageOf(error)}. Replies are tried again; check that it runs.`,
      { cause: error, sent: NOT_REACHED.test(connectionCode(error) ?? "") ? "no" : "maybe" },
    );
  }
  over.abort(new Error("answered"));
  if (answer.status >= 200 && answer.status < 300) return;
  throw refusalOf(answer, id, now);
}

/** One address stands for all chats: what it asks for holds for the channel. */
function refusalOf({ status, headers }: Response, id: string, now: Millis): ChannelFault {
  const asked = retryAfter((name) => headers.get(name) ?? undefined, "", now);
  if ((status === 429 || status === 503) && asked.kind !== "none")
    return new ChannelFault("slow-down", `The receiver of channel ${id} asked to wait (${status}).`, {
      sent: "no",
      scope: "channel",
      retryAfterMs: asked.ms,
    });
  if (status >= 500 || status === 408 || status === 429)
    return new ChannelFault(
      "again",
      `The receiver of channel ${id} answered ${status}. Replies are tried again; look at its log.`,
      { answered: !AWAY.includes(status) },
    );
  // A redirect counts too: what was signed for one address is never sent to another.
  return new ChannelFault(
    "refused",
    `The receiver of channel ${id} refused with ${status}. Check channels.${id}.options.url.`,
    { sent: "no", answered: true },
  );
}
