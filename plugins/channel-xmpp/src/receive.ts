/** Reads the account and its rooms: what the archives have behind the cursor, then what comes, in order. */
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import { hasArchive, isRefusal, isUnknown, newestOf, readArchive } from "./archive.ts";
import type { Link } from "./link.ts";
import { type Archived, NS, type Stanza } from "./names.ts";
import { type Reader, type Reading, readMessage } from "./read.ts";
import type { Rooms } from "./rooms.ts";
import { Said } from "./said.ts";
import { bareOf, type Settings } from "./settings.ts";
import { type Account, takeMessage } from "./take.ts";

/** How far one archive was read. */
interface Place {
  /** The last message that was taken. Absent: there was none. */
  readonly id?: string;
  /** When. */
  readonly at: number;
}

/** By the address of the archive: of the account, and of each room. */
type Cursor = Readonly<Record<string, Place>>;

/** One run of the channel. */
export interface Run {
  readonly account: Account;
  readonly settings: Settings;
  readonly link: Link;
  readonly rooms: Rooms;
  readonly inbox: ChannelInbox;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;

/** Until aborted. @throws a fault; what `inbox.accept` throws: the message is offered again. */
export async function receive(run: Run): Promise<void> {
  const { link, account, settings, signal } = run;
  const progress = new Progress(run);
  link.listen((stanza) => readNow(stanza, run));
  for (;;) {
    const event = await link.next(signal);
    if (event.type === "message") await progress.take(event.reading);
    else {
      await (event.type === "online" ? progress.begin() : progress.catchUp());
      account.host.up(settings.jid);
      if (!progress.isArchived) account.host.history("none");
    }
  }
}

function readNow(stanza: Stanza, run: Run): Reading | undefined {
  const { rooms, link, account } = run;
  if (stanza.name === "message") return readSafely(stanza, run);
  const { type, from } = stanza.attrs;
  if (stanza.name !== "presence" || from === undefined || rooms.take(stanza)) return undefined;
  // So that people see whether we are there: it lets nobody write who may not.
  if (type === "subscribe")
    void link
      .write(link.xml("presence", { to: bareOf(from), type: "subscribed" }))
      .catch((error: unknown) => account.host.log.warn("xmpp.subscribed-failed", { message: String(error) }));
  return undefined;
}

/** What nobody can read is put aside: the stream goes on. */
function readSafely(stanza: Stanza, run: Run, kept?: Archived): Reading {
  try {
    return readMessage(stanza, readerOf(run), kept);
  } catch (error) {
    run.account.host.deadLetter(stanza.toString(), error);
    return { why: "unreadable" };
  }
}

function readerOf({ settings, link, rooms }: Run): Reader {
  return { jid: settings.jid, resource: link.resource, room: (address) => rooms.get(address) };
}

/** How far everything was read, and what was taken in this run. */
class Progress {
  readonly #run: Run;
  readonly #host: ChannelHost;
  isArchived = false;
  /** Taken, of each archive: what comes from there and by the connection is offered once. */
  readonly #taken = new Set<string>();
  readonly #said: Said;

  constructor(run: Run) {
    this.#run = run;
    this.#host = run.account.host;
    this.#said = new Said(this.#host.state);
  }

  get #cursor(): Cursor | undefined {
    return this.#host.state.cursor() as Cursor | undefined; // written below
  }

  /** A new session: who we are, and where, is said anew. */
  async begin(): Promise<void> {
    const { link, settings, rooms } = this.#run;
    const { jid } = settings;
    this.isArchived = await hasArchive(link, jid);
    const isFirst = this.#cursor?.[jid] === undefined;
    if (isFirst) await this.#setPlace(jid, this.isArchived ? await newestOf(link, jid, false) : undefined);
    // Only whoever has asked for the list of contacts is told of new ones.
    await link.request(link.xml("iq", { type: "get" }, link.xml("query", { xmlns: NS.contacts })));
    await link.write(link.xml("presence"));
    if (isFirst || this.isArchived) {
      // What the server kept for us until now: at first it was not meant for this program, later it is in the archive too,
      // in its order. Behind the answer there is no more of it.
      await link.request(link.xml("iq", { type: "get", to: jid }, link.xml("query", { xmlns: NS.info })));
      link.forget((stanza) => stanza.getChild("delay", NS.delay) !== undefined);
    }
    if (!this.isArchived) this.#host.log.warn("xmpp.no-archive", { account: jid });
    await this.#readArchive(jid, false);
    for (const address of settings.rooms) {
      const place = this.#cursor?.[address];
      const room = await rooms.join(address, place?.at);
      if (room === undefined) continue;
      if (place === undefined)
        await this.#setPlace(address, room.hasArchive ? await newestOf(link, address, true) : undefined);
      else await this.#readArchive(address, true);
    }
  }

  /** The library had told the server that it has what we have not stored yet. */
  async catchUp(): Promise<void> {
    const { settings, rooms } = this.#run;
    await this.#readArchive(settings.jid, false);
    for (const address of settings.rooms)
      if (rooms.get(address)?.isJoined === true) await this.#readArchive(address, true);
  }

  async #readArchive(of: string, isRoom: boolean): Promise<void> {
    const { link, rooms, signal } = this.#run;
    if (isRoom ? rooms.get(of)?.hasArchive !== true : !this.isArchived) return;
    const place = this.#cursor?.[of];
    const read = async (from: { readonly after?: string; readonly start?: number }): Promise<void> => {
      for await (const kept of readArchive(link, { of, isRoom, ...from })) {
        signal.throwIfAborted();
        // Of rooms too, where a server keeps them with the account: those are read where they are.
        const isOther = (kept.stanza.attrs["type"] === "groupchat") !== isRoom;
        if (!isOther) await this.take(readSafely(kept.stanza, this.#run, kept));
        await this.#setPlace(of, kept.id);
      }
    };
    try {
      await read(place?.id === undefined ? {} : { after: place.id });
    } catch (error) {
      if (isUnknown(error) && place !== undefined) {
        // The server has cleaned up. What was taken already is known by its key.
        this.#host.log.warn("xmpp.archive-cleaned", { archive: of });
        await read({ start: place.at - DAY_MS });
      } else if (isRefusal(error)) this.#host.log.warn("xmpp.archive-refused", { archive: of, message: String(error) });
      else throw error;
    }
  }

  /** @throws as {@link takeMessage}: the cursor stays before it. */
  async take(reading: Reading): Promise<void> {
    if ("why" in reading) {
      this.#host.log.debug("xmpp.not-taken", { why: reading.why });
      return;
    }
    const { account, link, inbox, signal, settings } = this.#run;
    const message = "message" in reading ? reading.message : reading.retraction;
    const archive = message.kind === "group" ? message.chat : settings.jid;
    if (this.#taken.has(message.key)) {
      // Told again, from the archive.
    } else if ("message" in reading) {
      const { corrects } = reading.message;
      const edits = corrects === undefined ? undefined : this.#said.keyOf(corrects);
      await takeMessage(reading.message, edits, account, link, inbox, signal);
    } else {
      const { of: what, chat, from } = reading.retraction;
      const of = "key" in what ? what.key : this.#said.keyOf(what.said);
      const origin = { channel: account.id, chat };
      await inbox.removed({ of, origin, ...(from !== undefined && { from: { ...from, kind: "person" } }) });
    }
    this.#taken.add(message.key);
    if (this.#taken.size > 10_000) this.#taken.delete(this.#taken.values().next().value ?? "");
    if ("message" in reading) await this.#said.note(reading.message);
    if (message.archived !== undefined || message.kind === "group")
      await this.#setPlace(archive, message.archived ?? this.#cursor?.[archive]?.id);
  }

  async #setPlace(of: string, id: string | undefined): Promise<void> {
    const place: Place = { at: this.#host.clock.now(), ...(id !== undefined && { id }) };
    await this.#host.state.setCursor({ ...this.#cursor, [of]: place } as never); // all of it is JSON
  }
}
