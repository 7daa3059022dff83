/** A message in, whichever way it came: one door (`Inbox.accept`), one set of refusals. */
import {
  type Accepted,
  OUR_NAMES,
  parseCommand,
  type SessionId,
  sourceOf,
  type Summary,
  unknownCommand,
} from "@margay/core/internal";
import type { Address, ContentPart, InboundMessage, UserMessage } from "@margay/core";
import type { SessionView } from "@margay/core/state";
import type { ItemOf } from "@margay/core/internal/state";
import type { z } from "zod";
import { mediaTypeOf } from "../api/media-type.ts";
import { spentBudget } from "./token-budget.ts";
import { Problem } from "../api/problem.ts";
import type { SendBody, SendPart, SentSchema } from "../../protocol/messages.ts";
import { attach, wasSent } from "./attachments.ts";
import { eventsOf, isOperator, personOf, requireWritable, senderOf, type Caller } from "./access.ts";
import { OPERATOR } from "../operator.ts";
import { told } from "../api/words.ts";
import { TEXT } from "./api-texts.ts";

export type Sent = z.infer<typeof SentSchema>;

/** What a token may say with a slash; the rest is for operators. */
export const TOKEN_COMMANDS: ReadonlySet<string> = new Set(["new", "stop", "help", "status"]);

type Refused = Extract<Accepted, { readonly status: "refused" }>;

export type Said = z.infer<typeof SendBody> & {
  /** It was said before, and the caller only repeats it: it is not their word. */
  readonly repeats?: UserMessage;
};

/** Resolves when the message cannot be lost. @throws Problem: nothing was accepted. */
export async function sendMessage(
  caller: Caller,
  session: Pick<Summary, "id" | "key" | "origin">,
  body: Said,
  key: string,
): Promise<Sent> {
  const { services } = caller;
  const { app } = services;
  requireWritable(session);
  services.rates.take(`sends:${caller.credential?.id ?? ""}`, app.inside.loaded().config.gateway.limits.sendsPerMinute);
  const text = body.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  checkCommand(caller, text);
  if (body.deliver === "channel" && sourceOf(session) !== "channel") throw noChannel();
  if (app.inside.stopFlag.on && parseCommand(text, OUR_NAMES) === undefined) throw estopped();
  await requireBudget(caller);
  const parts = await Promise.all(body.parts.map((part) => partOf(part, caller, session)));
  if (body.mode === "interrupt") await app.agent.control(session.key, { type: "stop", withdraw: false }, OPERATOR);
  const message: InboundMessage = {
    key,
    origin: addressOf(session),
    from: body.repeats?.from ?? senderOf(caller),
    parts,
    ...(body.repeats !== undefined && knownMarks(body.repeats)),
    sessionKey: session.key,
    ...(body.deliver === "channel" && { replyTo: session.origin }),
    ...(personOf(caller) !== undefined && { chat: "private" as const }),
    // A program cannot press the button: what asks is refused at once.
    attended: isOperator(caller) || personOf(caller) !== undefined,
    ...((body.mode === "queue" || (body.mode === undefined && !app.agent.settings.steering)) && { mode: "queue" }),
  };
  const accepted = await app.agent.bus.accept(message);
  if (accepted.status === "refused") throw refused(accepted, app.agent.settings.maxPending);
  await wasSent(
    caller,
    parts.flatMap((part) => (part.type === "media" ? [part.blob] : [])),
  );
  const view = await eventsOf(services).reader.view(session.id);
  const item = findByKey(view, key, message.origin.channel);
  if (accepted.status !== "accepted") {
    if (item !== undefined && !sameText(item, app.inside.redact(text)))
      throw new Problem("idempotency.conflict", {
        detail: `The key ${key} was used for another message.`,
        remedy: "Use a new key for a new message.",
      });
    return sent("duplicate", session.id, item, view);
  }
  return sent("accepted", session.id, item, view, accepted.seq);
}

/** @throws Problem `budget.exhausted` when the token has spent what it may spend today. */
export async function requireBudget({ credential, services }: Caller): Promise<void> {
  const spent = credential?.kind === "token" ? await spentBudget(services, credential.id) : undefined;
  if (spent !== undefined) throw new Problem("budget.exhausted", { detail: spent.detail, retryAfterMs: spent.waitMs });
}

/** Without any, the inbox judges by the sender. */
function knownMarks({ integrity, confidentiality, readers }: UserMessage): Pick<InboundMessage, "marks"> {
  if (integrity === undefined && confidentiality === undefined && readers === undefined) return {};
  return {
    marks: {
      ...(integrity !== undefined && { integrity }),
      ...(confidentiality !== undefined && { confidentiality }),
      ...(readers !== undefined && { readers }),
    },
  };
}

/** Replies to what is said here stay here, unless `replyTo` says otherwise. */
function addressOf({ id, key }: Pick<Summary, "id" | "key">): Address {
  const at = key.indexOf(":");
  const channel = key.slice(0, at);
  return channel === "web" || channel === "api" ? { channel, chat: key.slice(at + 1) } : { channel: "web", chat: id };
}

function noChannel(): Problem {
  return new Problem("request.invalid", {
    ...told({ detail: TEXT.conversationInNo, remedy: TEXT.sendWithout }),
    errors: [{ path: "/deliver", code: "no-channel", message: "needs a session of a chat app" }],
  });
}

/** @throws Problem `request.invalid` for what looks like a command and is none, `auth.scope` for one that is not theirs. */
function checkCommand(caller: Caller, text: string): void {
  const unknown = unknownCommand(text);
  if (unknown !== undefined)
    throw new Problem("request.invalid", {
      detail: `There is no command /${unknown.name}.`,
      remedy: unknown.close === undefined ? "Send /help for all commands." : `Did you mean /${unknown.close}?`,
      errors: [{ path: "/parts/0/text", code: "unknown-command", message: `/${unknown.name}` }],
    });
  const name = parseCommand(text, OUR_NAMES)?.name;
  if (name === undefined || isOperator(caller) || personOf(caller) !== undefined) return; // a role has its own table
  if (!TOKEN_COMMANDS.has(name) || /^\/stop\S*\s+all/i.test(text.trim()))
    throw new Problem("auth.scope", `This token may not use /${name}.`);
}

/** @throws Problem `media.not-found`. */
async function partOf(
  part: z.infer<typeof SendPart>,
  caller: Caller,
  session: Pick<Summary, "id">,
): Promise<ContentPart> {
  if (part.type === "text") return part;
  const bytes = await attach(caller, part.blob, session);
  const { type } = mediaTypeOf(bytes);
  const name = part.name?.split(/[\\/]/).at(-1);
  return {
    type: "media",
    mediaType: type,
    blob: { sha256: part.blob.sha256, bytes: bytes.length },
    ...(name !== undefined && name !== "" && { name }),
  };
}

function refused({ reason, until }: Refused, maxPending: number): Problem {
  if (until === "release") return estopped(); // since the check above
  if (until !== "room") return new Problem("request.invalid", reason);
  return new Problem("queue.full", {
    detail: `${maxPending} messages wait in this session already.`,
    remedy: "Wait for an answer, or stop and discard what waits.",
    headers: { "retry-after": "5" },
  });
}

function estopped(): Problem {
  return new Problem("system.estopped", {
    detail: "The emergency stop is on: nothing new is taken.",
    remedy: "Take it back on the page Security, or send /resume.",
  });
}

function findByKey(view: SessionView, key: string, channel: string): ItemOf<"user"> | undefined {
  const item = view.items.findLast(
    (each) => each.kind === "user" && each.key === key && each.origin.channel === channel,
  );
  return item?.kind === "user" ? item : undefined;
}

function sameText(item: ItemOf<"user">, text: string): boolean {
  return item.parts.map((part) => (part.type === "text" ? part.text : "")).join("") === text || hasCut(item);
}

function hasCut(item: ItemOf<"user">): boolean {
  return item.parts.some((part) => part.type === "text" && part.cut !== undefined);
}

function sent(
  status: Sent["status"],
  session: SessionId,
  item: ItemOf<"user"> | undefined,
  view: SessionView,
  seq?: number,
): Sent {
  return {
    status,
    session,
    seq: item === undefined ? (seq ?? view.seq) : Number(item.id.split(".")[0]),
    messageId: item === undefined || item.command === true ? null : item.messageId,
    position: Math.max(
      0,
      view.pending.findIndex(({ messageId }) => messageId === item?.messageId),
    ),
  };
}
