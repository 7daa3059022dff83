/** One piece of a reply → its message; its files follow in one further message. */
import type { Address, ChannelHost, MediaPart, OutboundPiece } from "@margay/core/plugin";
import type { Sender } from "./account.ts";
import { addressOf, placeOf } from "./address.ts";
import { messageOf, NoAnswer, Refusal } from "./api.ts";
import { looksOf, type Saying } from "./blocks.ts";
import { faultOf } from "./faults.ts";
import { EVENT_TYPE, sentOf } from "./find-sent.ts";
import { textOf } from "./json.ts";
import type { Place } from "./places.ts";
import { shareFiles } from "./upload.ts";

/** @returns `channel:ts` of its first message. @throws a fault. */
export async function sendPiece(
  piece: OutboundPiece,
  sender: Sender,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { host } = sender;
  const { rendered, reply, actions } = piece;
  const said = textOfPiece(piece);
  const media = piece.parts.filter((part) => part.type === "media");
  const around = { hasMarkup: rendered !== undefined, hasLeft: false };
  try {
    signal.throwIfAborted();
    const to = await placeOf(piece.to, sender, signal);
    // Of a piece with files a part may have left.
    const before =
      piece.repeated === true && media.length > 0 ? await sentOf(piece, to, undefined, sender, signal) : undefined;
    let id = before?.id;
    around.hasLeft = id !== undefined;
    if (id === undefined && said.trim() !== "") {
      const saying: Saying = {
        text: said,
        isMarkup: rendered !== undefined,
        plain: rendered?.plain,
        ...(actions !== undefined && { actions }),
      };
      id = await say({ ...saying, to, reply }, sender, signal);
      around.hasLeft = true;
    }
    if (media.length > 0 && before?.hasFiles !== true)
      await shareFiles(await filesOf(media, host), { to, reply }, sender, signal);
    return id;
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host, around);
  }
}

/** Nobody is called by what a model writes, and no link grows into a picture. @throws Refusal, NoAnswer. */
export async function say(
  { to, reply, ...saying }: Saying & { readonly to: Place; readonly reply: string },
  { api, places, host }: Pick<Sender, "api" | "places" | "host">,
  signal: AbortSignal,
): Promise<string> {
  const { channel, thread } = to;
  const { body } = await api.call(
    "chat.postMessage",
    {
      channel,
      ...(thread !== undefined && { thread_ts: thread }),
      ...looksOf(saying),
      metadata: metadataOf(reply),
      unfurl_links: false,
      unfurl_media: false,
    },
    signal,
  );
  const ts = textOf(body["ts"]);
  if (ts === undefined) throw new NoAnswer("the answer names no message", "maybe");
  const where = textOf(body["channel"]) ?? channel;
  // A chat that we open is one to ask for what was missed, too.
  await places.begin({ channel: where, thread }, ts).catch((error: unknown) => {
    host.log.warn("slack.chat-not-kept", { channel: where, message: messageOf(error) }); // the message was sent in any case
  });
  return `${where}:${ts}`;
}

/** The message says something else from now on, and has the buttons of this piece. @throws a fault. */
export async function editPiece(
  platformId: string,
  piece: OutboundPiece,
  { api, host }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const { rendered, actions, reply } = piece;
  const saying: Saying = {
    text: textOfPiece(piece),
    isMarkup: rendered !== undefined,
    plain: rendered?.plain,
    ...(actions !== undefined && { actions }),
  };
  try {
    const said = { ...looksOf(saying), metadata: metadataOf(reply) };
    await api.call("chat.update", { ...addressOf(platformId), ...said }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host, { hasMarkup: rendered !== undefined });
  }
}

/** One that is gone is no error. @throws a fault. */
export async function removeMessage(platformId: string, { api, host }: Sender, signal: AbortSignal): Promise<void> {
  try {
    await api.call("chat.delete", addressOf(platformId), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal && error.code === "message_not_found") return;
    throw faultOf(error, host);
  }
}

/** In a thread Slack shows it, for two minutes or until something is said. @throws a fault: it shows none. */
export async function sendTyping({ chat, thread }: Address, { api, host }: Sender, signal: AbortSignal): Promise<void> {
  if (thread === undefined) throw host.fault("refused", "Slack shows it in threads alone.", { sent: "no" });
  const said = { channel_id: chat, thread_ts: thread, status: "is thinking…" };
  try {
    await api.call("assistant.threads.setStatus", said, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, host);
  }
}

function metadataOf(reply: string): { readonly event_type: string; readonly event_payload: object } {
  return { event_type: EVENT_TYPE, event_payload: { reply } };
}

function textOfPiece({ rendered, parts }: OutboundPiece): string {
  return rendered?.text ?? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function filesOf(media: readonly MediaPart[], host: ChannelHost): Promise<readonly File[]> {
  return Promise.all(media.map(async (part) => new File([await host.media.open(part)], part.name ?? "file")));
}
