/** One piece of a reply → its text, then its files. */
import { createHash } from "node:crypto";
import type { Address, ChannelHost, MediaPart, OutboundPiece } from "@margay/core/plugin";
import { type Api, Refusal } from "./api.ts";
import { faultOf } from "./faults.ts";
import { isNumber, platformChat, rememberMove } from "./moved.ts";
import { fileName, keyboardOf, type Kind, kindOf, type Step, stepsOf } from "./outgoing.ts";

export interface Sender {
  readonly api: Api;
  readonly host: ChannelHost;
}

/** Where a message goes, as all methods take it. */
interface Aim {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly disable_notification?: true;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

interface Sending extends Sender {
  /** Drawn below a text. */
  readonly keyboard: ReturnType<typeof keyboardOf>;
  readonly signal: AbortSignal;
}

/** How much of a piece has left. */
interface Done {
  readonly steps: number;
  /** Of its first message. */
  readonly id: string;
}

/** @returns the id of its first message. @throws a fault. */
export async function sendPiece(
  piece: OutboundPiece,
  sender: Sender,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { host } = sender;
  const { rendered, parts, to } = piece;
  const plain = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const media = parts.filter((part) => part.type === "media");
  const sound = piece.silent === true ? { disable_notification: true as const } : {};
  const steps = stepsOf(rendered?.text ?? plain, rendered !== undefined, media);
  try {
    signal.throwIfAborted();
    let done = steps.length > 1 ? doneBefore(piece, host) : undefined;
    for (const step of steps.slice(done?.steps ?? 0)) {
      const quote = done === undefined ? piece.quote : undefined;
      const id = await toWhereItIs(to, host, (aim) =>
        perform(
          step,
          { ...aim, ...answering(quote, aim), ...sound },
          { ...sender, keyboard: keyboardOf(piece), signal },
        ),
      );
      done = { steps: (done?.steps ?? 0) + 1, id: done?.id ?? String(id) };
      // When a file fails the text is not sent again with it.
      if (steps.length > 1) await host.state.setValue(nameOf(piece), { ...done });
    }
    return done?.id;
  } catch (error) {
    signal.throwIfAborted();
    if (rendered !== undefined && error instanceof Refusal && /can't parse entities/i.test(error.message))
      throw host.fault("markup", `Telegram cannot read the markup: ${error.message}. It is sent as plain text.`, {
        cause: error,
        sent: "no",
      });
    throw faultOf(error, host);
  }
}

/** Best effort. */
export async function sendTyping(to: Address, { api, host }: Sender, signal: AbortSignal): Promise<void> {
  try {
    await toWhereItIs(to, host, (aim) => api.call("sendChatAction", { ...aim, action: "typing" }, { signal }));
  } catch {
    // It is over in five seconds anyway.
  }
}

/** A group that has become a supergroup refuses, and says where it is: what waits for it goes there. */
async function toWhereItIs<T>(to: Address, host: ChannelHost, send: (aim: Aim) => Promise<T>): Promise<T> {
  try {
    return await send(aimOf(to, host));
  } catch (error) {
    if (!(error instanceof Refusal) || error.movedTo === undefined) throw error;
    await rememberMove(host, to.chat, error.movedTo);
    return send(aimOf(to, host));
  }
}

export function aimOf({ chat, thread }: Address, host: ChannelHost): Aim {
  if (!isNumber(chat)) throw host.fault("gone", `${chat} is no chat of Telegram. Write to its number.`, { sent: "no" });
  return {
    chat_id: Number(platformChat(host, chat)),
    ...(thread !== undefined && { message_thread_id: Number(thread) }),
  };
}

/** Telegram itself sends it without a message that is gone. In a group that has moved older ones have other numbers. */
function answering(quote: string | undefined, { chat_id: chat }: Aim): Pick<Aim, "reply_parameters"> {
  const [, where, message] = /^(-?\d+):(\d+)$/.exec(quote ?? "") ?? [];
  if (message === undefined || where !== String(chat)) return {};
  return { reply_parameters: { message_id: Number(message), allow_sending_without_reply: true } };
}

/** @returns the number of the message. @throws Refusal, NoAnswer. */
async function perform(step: Step, aim: Aim, sending: Sending): Promise<number> {
  if (step.type === "text") return sendText(step.text, step.html, aim, sending);
  const { files } = step;
  const [first] = files;
  if (first === undefined) return 0; // no step is without files
  if (files.length === 1) return sendFile(first, aim, sending);
  try {
    return await sendAlbum(files, aim, sending);
  } catch (error) {
    if (!isOfFile(error)) throw error;
    // One of them is none that Telegram can show.
    const ids: number[] = [];
    for (const file of files) ids.push(await sendFile(file, aim, sending));
    return ids[0] ?? 0;
  }
}

async function sendText(text: string, html: boolean, aim: Aim, { api, keyboard, signal }: Sending): Promise<number> {
  const message = await api.call(
    "sendMessage",
    { ...aim, text, ...(html && { parse_mode: "HTML" }), link_preview_options: { is_disabled: true }, ...keyboard },
    { signal },
  );
  return message.message_id;
}

/** As what it is; as a document; in words. */
async function sendFile(part: MediaPart, aim: Aim, sending: Sending): Promise<number> {
  const file = await fileOf(part, sending.host);
  const kind = kindOf(part);
  let refusal = "";
  for (const as of kind === "document" ? [kind] : ([kind, "document"] as const))
    try {
      return await sendAs(as, file, aim, sending);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      refusal = error.message;
    }
  sending.host.log.warn("telegram.file-refused", { name: file.name, message: refusal });
  const megabytes = (file.size / 1_000_000).toFixed(1);
  return sendText(`[${file.name} (${megabytes} MB) could not be sent: ${refusal}]`, false, aim, sending);
}

async function sendAs(as: Kind, file: File, aim: Aim, { api, signal }: Sending): Promise<number> {
  const files = new Map([["file", file]]);
  const content = "attach://file";
  const options = { signal, files };
  switch (as) {
    case "photo":
      return (await api.call("sendPhoto", { ...aim, photo: content }, options)).message_id;
    case "audio":
      return (await api.call("sendAudio", { ...aim, audio: content }, options)).message_id;
    case "voice":
      return (await api.call("sendVoice", { ...aim, voice: content }, options)).message_id;
    case "video":
      return (await api.call("sendVideo", { ...aim, video: content }, options)).message_id;
    case "document":
      return (await api.call("sendDocument", { ...aim, document: content }, options)).message_id;
  }
}

async function sendAlbum(parts: readonly MediaPart[], aim: Aim, { api, host, signal }: Sending): Promise<number> {
  const files = new Map<string, File>();
  for (const [index, part] of parts.entries()) files.set(`file${index}`, await fileOf(part, host));
  const media = [...files.keys()].map((name) => ({ type: "photo" as const, media: `attach://${name}` }));
  const [message] = await api.call("sendMediaGroup", { ...aim, media }, { signal, files });
  return message?.message_id ?? 0;
}

async function fileOf(part: MediaPart, host: ChannelHost): Promise<File> {
  return new File([await host.media.open(part)], fileName(part), { type: part.mediaType });
}

/** Telegram does not take this file, or not in this way; the chat is another question. */
function isOfFile(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.code === 400 || error.code === 413) && error.movedTo === undefined;
}

function doneBefore(piece: OutboundPiece, { state }: ChannelHost): Done | undefined {
  return state.value(nameOf(piece)) as Done | undefined; // written above
}

function nameOf({ reply }: OutboundPiece): string {
  return `sent-${createHash("sha256").update(reply).digest("hex").slice(0, 40)}`;
}
