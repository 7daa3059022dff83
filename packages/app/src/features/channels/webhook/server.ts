/** The way in of the webhook: signed POSTs on 127.0.0.1; what must come from afar goes through the operator's proxy. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, type Inbox, type InboundMessage, type Logger } from "@margay/core";
import { type Accepted, type ChannelChange, messageOf, never, untilAborted } from "@margay/core/internal";
import { isSigned, isTimely, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "./signature.ts";

export interface WebhookServerOptions {
  readonly channel: string;
  /** 0: any free one; the log names it. */
  readonly port: number;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly report?: (id: string, change: ChannelChange) => void;
}
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

const PATH = "/webhook";
const MAX_BODY_BYTES = 1_048_576;
const REQUEST_MS = 30_000;

/** Listens until aborted; messages in hand are finished first. @throws Error when the port cannot be had. */
export async function serveWebhook(options: WebhookServerOptions, inbox: Inbox, signal: AbortSignal): Promise<void> {
  const http = process.getBuiltinModule("node:http");
  const inHand = new Set<Promise<void>>();
  const server = http.createServer((request, response) => {
    const work = answer(request, options, inbox)
      .catch((error: unknown): Answer => {
        options.log.error("webhook.failed", { channel: options.channel, message: messageOf(error) });
        return { status: 503, body: { error: "The message could not be stored. Send it again later." } };
      })
      .then((result) => reply(response, result))
      .finally(() => inHand.delete(work));
    inHand.add(work);
  });
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  await listen(server, options.port);
  try {
    const { port } = server.address() as AddressInfo; // it listens on TCP
    options.log.info("channel.listening", { channel: options.channel, port });
    options.report?.(options.channel, { state: "up" });
    // Who posts to it has to try again: nobody keeps what was refused.
    options.report?.(options.channel, { history: "none" });
    await untilAborted(signal);
  } finally {
    server.close();
    server.closeIdleConnections();
    // A body that never ends would hold the process; an accepted message is on disk and known when it comes again.
    await Promise.race([Promise.all(inHand), options.clock.sleep(500, never())]);
    server.closeAllConnections();
  }
}

async function answer(request: IncomingMessage, options: WebhookServerOptions, inbox: Inbox): Promise<Answer> {
  if (new URL(request.url ?? "/", "http://127.0.0.1").pathname !== PATH)
    return { status: 404, body: { error: `There is nothing here. Use ${PATH}.` } };
  if (request.method !== "POST") return { status: 405, body: { error: "Use POST." } };
  const timestamp = header(request, TIMESTAMP_HEADER);
  const signature = header(request, SIGNATURE_HEADER);
  if (signature === "" || !isTimely(timestamp, options.clock.now())) return UNSIGNED; // before a byte of it is kept
  const body = await readBody(request);
  if (body === undefined) return { status: 413, body: { error: "The body is larger than 1 MiB. Send less." } };
  if (!isSigned(options.secret, timestamp, body, signature)) return UNSIGNED;
  const message = messageFrom(body, options.channel);
  if (message === undefined)
    return {
      status: 400,
      body: { error: "Send JSON: id, chat, sender and text, all texts. See docs/webhook.md for the others." },
    };
  return answerTo(await inbox.accept(message));
}

const UNSIGNED: Answer = {
  status: 401,
  body: { error: "The signature is missing, wrong or older than five minutes. Sign the request anew." },
};

function answerTo(accepted: Accepted): Answer {
  switch (accepted.status) {
    case "accepted":
      return { status: 202, body: { status: "accepted" } };
    case "duplicate":
    case "ignored":
      return { status: 200, body: { ...accepted } };
    case "refused":
      return {
        status: accepted.until === "room" ? 429 : accepted.until === "release" ? 503 : 403,
        body: { status: "refused", ...(accepted.answer !== undefined && { answer: accepted.answer }) },
      };
  }
}

/** Nobody sits behind a webhook who could approve something: its turns are unattended. */
function messageFrom(body: Uint8Array, channel: string): InboundMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const { id, chat, thread, sender, name, text, bot } = fields;
  if (!isText(id) || !isText(chat) || !isText(sender) || !isText(text)) return undefined;
  if (!isAbsentOr(thread, isText) || !isAbsentOr(name, isText)) return undefined;
  const facts = factsOf(fields);
  return facts === undefined
    ? undefined
    : {
        key: id,
        origin: { channel, chat, ...(thread !== undefined && { thread }) },
        from: { id: sender, kind: "person", ...(name !== undefined && { name }), ...(bot === true && { bot }) },
        parts: [{ type: "text", text }],
        attended: false,
        ...facts,
      };
}

const ADDRESSED: readonly string[] = ["named", "reply", "command", "other"] satisfies InboundMessage["addressed"][];

/** What the sender's program knows of the chat. @returns undefined for words that mean nothing. */
function factsOf({
  private: alone,
  group,
  title,
  addressed,
  at,
}: Readonly<Record<string, unknown>>): Pick<InboundMessage, "chat" | "title" | "addressed" | "sentAt"> | undefined {
  const sentAt = typeof at === "string" ? Date.parse(at) : undefined;
  if (at !== undefined && (sentAt === undefined || Number.isNaN(sentAt))) return undefined;
  if (!isAbsentOr(addressed, isAddressed) || !isAbsentOr(title, isText)) return undefined;
  return {
    ...(group === true ? { chat: "group" } : alone === true && { chat: "private" }),
    ...(group === true && title !== undefined && { title }),
    ...(addressed !== undefined && { addressed }),
    ...(sentAt !== undefined && { sentAt }),
  };
}

function isAddressed(value: unknown): value is NonNullable<InboundMessage["addressed"]> {
  return typeof value === "string" && ADDRESSED.includes(value);
}

function isAbsentOr<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** @returns undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(`${JSON.stringify(body)}\n`);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
