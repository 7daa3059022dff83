/** Reads the mailbox: everything behind the cursor, in order, then waits for what comes. The flags of mails mean nothing. */
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import type { FetchMessageObject, FetchQueryObject, ImapFlow, MailboxObject } from "imapflow";
import { fieldOf, textOf } from "./errors.ts";
import { imapFault, openImap } from "./imap.ts";
import type { Settings } from "./settings.ts";
import { type Account, type ComingMail, KEEP_MS, takeMail } from "./take.ts";

/** How far the mailbox was read. */
interface Cursor {
  readonly uidValidity: string;
  /** The last mail that was taken. */
  readonly uid: number;
  /** When it was read. */
  readonly at: number;
}

/** A connection that was silent for so long is asked whether it lives; where there is no IDLE, so often for news. */
const ASK_MS = 60_000;
/** What a mail may have in all: 25 MB of files, as mails write them. More of it is not read. */
const MAX_MAIL_BYTES = 36 * 1024 * 1024;
/** Asked for at once: so much of a mail is in memory. */
const PART_BYTES = 256 * 1024;
const DAY_MS = 86_400_000;

/** Until aborted. @throws a fault; what `inbox.accept` throws: the mail is offered again. */
export async function receive(account: Account, inbox: ChannelInbox, signal: AbortSignal): Promise<void> {
  const { settings, host } = account;
  const client = await openImap(settings, host, signal);
  try {
    const news = watchNews(client);
    let cursor = await firstCursor(client, await openMailbox(client, settings, host), host);
    for (const prefix of ["id-", "kept-", "rate-"]) await host.state.forget(prefix, host.clock.now() - KEEP_MS);
    host.up(settings.from);
    while (!signal.aborted) {
      news.clear();
      cursor = await readNew(client, account, cursor, inbox, signal);
      host.alive();
      await news.wait(host, signal);
      await client.noop(); // ends IDLE, and proves that somebody is there
      host.alive();
    }
  } catch (error) {
    if (signal.aborted) return;
    throw isLibrary(error) ? imapFault(error, settings, host) : error;
  } finally {
    client.close();
  }
}

async function openMailbox(client: ImapFlow, { imap }: Settings, host: ChannelHost): Promise<MailboxObject> {
  try {
    return await client.mailboxOpen(imap.mailbox);
  } catch (error) {
    if (fieldOf(error, "responseStatus") !== "NO") throw error;
    throw host.fault(
      "config",
      `The mailbox ${imap.mailbox} of ${imap.user} cannot be opened: ${textOf(error)}. Check options.mailbox.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Where reading begins. The first time: behind what is there. When the mailbox has been numbered anew, a day before it was
 * read last: what was taken then is known by its Message-ID.
 */
async function firstCursor(
  client: ImapFlow,
  { uidValidity, uidNext }: MailboxObject,
  host: ChannelHost,
): Promise<Cursor> {
  const saved = host.state.cursor() as Cursor | undefined; // written below
  const validity = String(uidValidity);
  if (saved?.uidValidity === validity) return saved;
  let uid = uidNext - 1;
  if (saved !== undefined) {
    const since = await client.search({ since: new Date(saved.at - DAY_MS) }, { uid: true });
    if (Array.isArray(since) && since.length > 0) uid = Math.min(uid, Math.min(...since) - 1);
    host.log.warn("mailbox.renumbered", { from: uid });
  }
  const cursor: Cursor = { uidValidity: validity, uid, at: host.clock.now() };
  await host.state.setCursor({ ...cursor });
  return cursor;
}

async function readNew(
  client: ImapFlow,
  account: Account,
  from: Cursor,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<Cursor> {
  const { host, settings } = account;
  let cursor = from;
  // `n:*` names the last mail also when it is older.
  const found = await client.search({ uid: `${cursor.uid + 1}:*` }, { uid: true });
  const uids = (Array.isArray(found) ? found : []).filter((uid) => uid > from.uid).toSorted((a, b) => a - b);
  for (const uid of uids) {
    signal.throwIfAborted();
    const mail = await fetchMail(client, uid, host);
    const isTaken =
      mail !== undefined &&
      (await takeMail(mail, account, inbox, signal).catch((error: unknown) => {
        if (error instanceof Gone) return false;
        throw error;
      }));
    cursor = { ...cursor, uid, at: host.clock.now() };
    await host.state.setCursor({ ...cursor });
    if (isTaken) await file(client, uid, settings, host);
  }
  return cursor;
}

/** Somebody else has read and moved it meanwhile. */
class Gone extends Error {}

/** @returns undefined: it is gone. */
async function fetchMail(client: ImapFlow, uid: number, host: ChannelHost): Promise<ComingMail | undefined> {
  const part = async (start: number, query: FetchQueryObject = {}): Promise<FetchMessageObject | undefined> => {
    const source = { start, maxLength: Math.min(PART_BYTES, MAX_MAIL_BYTES - start) };
    const found = await client.fetchOne(String(uid), { ...query, source }, { uid: true });
    host.alive();
    if (found !== undefined && found !== false) return found;
    // On a connection that has ended the library finds nothing, and says nothing.
    if (!client.usable) throw host.fault("again", "The mail server ended the connection. It is tried again.");
    return undefined;
  };
  const first = await part(0, { uid: true, size: true, internalDate: true });
  if (first?.source === undefined) return undefined;
  const { source: begin, size = 0, internalDate } = first;
  let at = 0;
  // Not every server knows how long a mail is: it ends where nothing more comes.
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let bytes: Uint8Array = begin; bytes.length > 0;) {
      at += bytes.length;
      yield bytes;
      if (at >= MAX_MAIL_BYTES || (bytes.length < PART_BYTES && at >= size)) return;
      const next = await part(at);
      if (next === undefined) throw new Gone();
      bytes = next.source ?? new Uint8Array();
    }
  }
  return {
    source: source(),
    ...(internalDate !== undefined && { internalDate }),
    isCut: () => at >= MAX_MAIL_BYTES && size > at,
  };
}

/** Best effort: a mail that cannot be marked was taken all the same. */
async function file(client: ImapFlow, uid: number, { after }: Settings, { log }: ChannelHost): Promise<void> {
  if (after === "none") return;
  const range = String(uid);
  try {
    const done =
      after === "seen"
        ? await client.messageFlagsAdd(range, ["\\Seen"], { uid: true })
        : await client.messageMove(range, after.moveTo, { uid: true });
    if (done === false) log.warn("mail.not-filed", { uid });
  } catch (error) {
    log.warn("mail.not-filed", { uid, message: textOf(error) });
  }
}

interface News {
  clear(): void;
  /** Until something came, or it is time to ask. */
  wait(host: ChannelHost, signal: AbortSignal): Promise<void>;
}

/** News are told while `idle` runs, and only then. */
function watchNews(client: ImapFlow): News {
  let came = Promise.withResolvers<void>();
  client.on("exists", () => came.resolve());
  client.on("close", () => came.resolve());
  return {
    clear: () => {
      came = Promise.withResolvers();
    },
    wait: async ({ clock }, signal) => {
      const over = new AbortController();
      const idling = client.idle().then(
        () => {},
        () => came.resolve(), // the next command says what is wrong
      );
      void idling;
      const asking = clock.sleep(ASK_MS, AbortSignal.any([signal, over.signal])).catch(() => {});
      await Promise.race([came.promise, asking]);
      over.abort();
    },
  };
}

/** Errors of the library have a code; ours and those of the inbox are what they are. */
function isLibrary(error: unknown): boolean {
  return !(error instanceof Error) || !("kind" in error || "retryable" in error);
}
