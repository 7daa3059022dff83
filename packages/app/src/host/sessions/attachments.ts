/**
 * Files of messages. All of them lie in one place, known by their content alone; so what a person may look at, and send,
 * is what a conversation of theirs shows. What they uploaded lies in their own room until they send it.
 */
import { join } from "node:path";
import { type Blobs, type MediaPart, messageOf, type Millis, openBlobs, type Summary } from "@margay/core/internal";
import { type Item } from "@margay/core/state";
import { isCut } from "@margay/core/internal/state";
import { Problem } from "../api/problem.ts";
import type { Services } from "../api/services.ts";
import { personsRoomStates, roomStateOf } from "../spaces.ts";
import { eventsOf, personOf, type Caller } from "./access.ts";

/** What one person has uploaded and not sent. It goes within a day. */
const MAX_WAITING_BYTES: number = 500 * 1024 * 1024;
const MAX_WAITING_FILES = 500;

type BlobRef = MediaPart["blob"];
type Session = Pick<Summary, "id">;

/** @param room What margay keeps of the person's room. */
function waitingIn(room: string): Blobs {
  return openBlobs(join(room, "uploads"));
}

/** What was uploaded before then and not sent goes, also of somebody who was removed meanwhile. */
export async function removeUnsent({ app: { loaded, log } }: Pick<Services, "app">, before: Millis): Promise<void> {
  for (const room of personsRoomStates(loaded.places))
    try {
      const waiting = waitingIn(room);
      for (const { sha256 } of await waiting.list()) await waiting.remove(sha256, before);
    } catch (error) {
      log.error("uploads.failed", { room, message: messageOf(error) }); // the next ones all the same
    }
}

/** Undefined: the caller's uploads lie where all files lie. */
function ownUploads(caller: Caller): Blobs | undefined {
  const person = personOf(caller);
  return person === undefined ? undefined : waitingIn(roomStateOf(caller.services.app.loaded.places, person));
}

/** @throws Problem `rate.exceeded` when a person has too many that they did not send. */
export async function keepUpload(caller: Caller, bytes: Uint8Array): Promise<BlobRef> {
  const own = ownUploads(caller);
  if (own === undefined) return caller.services.app.agent.blobs.put(bytes);
  const waiting = await own.list();
  const size = waiting.reduce((sum, one) => sum + one.bytes, bytes.length);
  if (waiting.length < MAX_WAITING_FILES && size <= MAX_WAITING_BYTES) return own.put(bytes);
  throw new Problem("rate.exceeded", "Too much was uploaded and not sent. Send some of it, or wait a day.");
}

/** @param session Where it is looked for besides; the caller reads it. @returns undefined: for the caller there is no such file. */
export async function fileFor(caller: Caller, sha256: string, session?: Session): Promise<Uint8Array | undefined> {
  const own = ownUploads(caller);
  const isCommon = own === undefined || (session !== undefined && (await isShown(caller, session, sha256)));
  const store = isCommon ? caller.services.app.agent.blobs : own;
  return store.read({ sha256, bytes: 0 }).catch(() => undefined);
}

/** Takes the file of a message to where all files lie. @throws Problem `media.not-found`. */
export async function attach(caller: Caller, { sha256 }: BlobRef, session: Session): Promise<Uint8Array> {
  const bytes = await fileFor(caller, sha256, session);
  if (bytes === undefined)
    throw new Problem("media.not-found", {
      detail: `There is no upload ${sha256.slice(0, 12)}….`,
      remedy: "Upload it again.",
    });
  if (personOf(caller) !== undefined) await caller.services.app.agent.blobs.put(bytes);
  return bytes;
}

/** From now on the conversation shows it. */
export async function wasSent(caller: Caller, blobs: readonly BlobRef[]): Promise<void> {
  const own = ownUploads(caller);
  for (const { sha256 } of blobs) await own?.remove(sha256);
}

async function isShown({ services }: Caller, { id }: Session, sha256: string): Promise<boolean> {
  const { items } = await eventsOf(services).reader.view(id);
  return items.some((item) => shownIn(item).some((part) => part.type === "media" && part.blob?.sha256 === sha256));
}

interface Shown {
  readonly type: string;
  readonly blob?: BlobRef;
}

function shownIn(item: Item): readonly Shown[] {
  if (item.kind === "user") return item.parts;
  if (item.kind !== "assistant") return [];
  return item.parts.flatMap((part): readonly Shown[] => {
    if (part.type !== "call") return [part];
    const { result = [] } = part.call;
    return isCut(result) ? [] : result;
  });
}
