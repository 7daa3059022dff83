/** The webhook channel: replies leave as signed POSTs to the operator's address, messages come in on 127.0.0.1. */
import { httpFetch, messageOf, RuntimeError, untilAborted, type Channel, type Clock, type Logger } from "@margay/core";
import type { OutboundMessage } from "@margay/core";
import { serveWebhook } from "./webhook-server.ts";
import { sign, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "./webhook-signature.ts";

export interface WebhookOptions {
  readonly id: string;
  /** Signs both directions. */
  readonly secret: string;
  /** Where replies go; without it nothing can be sent. */
  readonly url: URL | undefined;
  /** Where messages come in, on 127.0.0.1; without it none do. */
  readonly port: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told when it listens, and when it tries again. */
  readonly report?: (id: string, state: "up" | "retrying", error?: string) => void;
}

const MAX_CHARS = 100_000; // one POST; receivers commonly take a megabyte
const SEND_MS = 30_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export function createWebhook(options: WebhookOptions): Channel {
  const { id, clock, log } = options;
  const fetch = httpFetch();
  return {
    id,
    can: { edit: false, buttons: false, media: false, maxChars: MAX_CHARS },
    async run(inbox, signal) {
      const { port } = options;
      for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        try {
          if (port === undefined) {
            options.report?.(id, "up");
            await untilAborted(signal);
          } else await serveWebhook({ ...options, channel: id, port }, inbox, signal);
        } catch (error) {
          log.warn("channel.failed", { channel: id, message: messageOf(error), pauseMs }); // the port is taken
          options.report?.(id, "retrying", messageOf(error));
          await clock.sleep(pauseMs, signal).catch(() => {}); // aborted: the loop ends
        }
      }
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
    throw failed(`Channel ${id} has no address. Set channels.${id}.options.url to where replies should go.`, false);
  const now = clock.now();
  const body = JSON.stringify({
    reply: message.reply,
    kind: message.kind,
    chat: message.to.chat,
    ...(message.to.thread !== undefined && { thread: message.to.thread }),
    text: textOf(message),
    at: new Date(now).toISOString(),
  });
  const timestamp = String(Math.floor(now / 1000));
  const over = new AbortController(); // the status is all that counts: what follows it is not read
  const until = AbortSignal.any([signal, over.signal, AbortSignal.timeout(SEND_MS)]);
  let status: number;
  try {
    ({ status } = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": message.reply,
        [TIMESTAMP_HEADER]: timestamp,
        [SIGNATURE_HEADER]: sign(secret, timestamp, body),
      },
      body,
      signal: until,
    }));
  } catch (error) {
    signal.throwIfAborted();
    throw failed(
      `The receiver of channel ${id} was not reached: ${messageOf(error)}. Replies are tried again; check that it runs.`,
      true,
    );
  }
  over.abort(new Error("answered"));
  if (status >= 200 && status < 300) return;
  if (status >= 500 || status === 408 || status === 429)
    throw failed(`The receiver of channel ${id} answered ${status}. Replies are tried again; look at its log.`, true);
  // A redirect counts too: what was signed for one address is never sent to another.
  throw failed(`The receiver of channel ${id} refused with ${status}. Check channels.${id}.options.url.`, false);
}

/** Attachments do not travel: the receiver learns their names. */
function textOf({ parts }: OutboundMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n");
}

function failed(message: string, retryable: boolean): RuntimeError {
  return new RuntimeError("channel.failed", message, { retryable });
}
