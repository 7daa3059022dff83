/** What messages that were accepted lack: names, then files, brought beside the turns, each until it is there or is known not to come. */
import type { Logger } from "../../contract/base.ts";
import type { Channel } from "../../contract/channel.ts";
import type { SentFile } from "../../contract/message.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { hasComing } from "../../lib/text.ts";
import type { NamingOptions } from "../names/naming.ts";
import type { KeepOptions } from "./keep-file.ts";

export interface FetchingOptions extends KeepOptions, Pick<NamingOptions, "alone" | "label"> {
  readonly channel: (id: string) => Channel | undefined;
  readonly log: Pick<Logger, "warn" | "error">;
  /** Whether the model gets the pictures of a message before its text. */
  readonly mediaFirst: () => boolean;
  /** There is more to work with. */
  readonly wake: (sessionKey: string) => void;
  /** Aborts when the agent closes: what is not there then is fetched at the next start. */
  readonly closing: AbortSignal;
}

export interface Fetching {
  /** Looks at a session when it is opened, and after each of its records. */
  look(session: Session): void;
  readonly busy: boolean;
  idle(): Promise<void>;
}

export function createFetching(options: FetchingOptions): Fetching {
  const { log, closing, wake } = options;
  /** By message: aborts when it is withdrawn. */
  const all = new WeakMap<Session, Map<string, AbortController>>();
  const running = new Set<Promise<void>>();
  const begin = (session: Session, message: string, channel: string, works: Map<string, AbortController>): void => {
    const over = new AbortController();
    works.set(message, over);
    const done = bring(session, message, channel, options, AbortSignal.any([closing, over.signal]))
      .finally(() => works.get(message) === over && works.delete(message))
      .then(
        () => look(session), // its author may have added one in the last moment
        (error: unknown) => {
          // Withdrawn, or closed; a journal that fails is told by who opens it again.
          if (!over.signal.aborted && !closing.aborted)
            log.error("media.failed", { session: session.state.id, message: messageOf(error) });
        },
      )
      .finally(() => {
        running.delete(done);
        wake(session.state.key);
      });
    running.add(done);
  };
  const look = (session: Session): void => {
    const known = all.get(session);
    if (known === undefined && !hasComing(session.state)) return;
    const works = known ?? new Map<string, AbortController>();
    all.set(session, works);
    const wanted = wantedIn(session.state);
    for (const [message, over] of works)
      if (!wanted.has(message)) over.abort(new Error("the message is not waiting any more"));
    for (const [message, channel] of wanted) if (!works.has(message)) begin(session, message, channel, works);
  };
  return {
    look,
    get busy() {
      return running.size > 0;
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Messages that wait for something, and the channel that has it. Of what a message answers the files come behind its names. */
function wantedIn({ pending, heard: lines = [] }: SessionState): ReadonlyMap<string, string> {
  const waiting = pending.flatMap(({ message, heard, replyTo: { channel } }) =>
    [message, ...(heard === undefined || message.unnamed !== undefined ? [] : [heard])].flatMap(
      ({ id, files, unnamed }) =>
        files === undefined && unnamed === undefined ? [] : [[id, unnamed?.origin.channel ?? channel] as const],
    ),
  );
  const named = lines.flatMap(({ message: { id, unnamed } }) =>
    unnamed === undefined ? [] : [[id, unnamed.origin.channel] as const],
  );
  return new Map([...waiting, ...named]);
}

/** @throws the reason of the signal; what a journal throws. */
async function bring(
  session: Session,
  message: string,
  channel: string,
  options: FetchingOptions,
  signal: AbortSignal,
): Promise<void> {
  const { nameAll } = await import("../names/naming.ts");
  await nameAll(session, message, options, signal);
  if (nextOf(session.state, message) !== undefined) await fetchAll(session, message, channel, options, signal);
}

function nextOf({ pending }: SessionState, id: string): SentFile | undefined {
  const messages = pending.flatMap(({ message, heard }) => (heard === undefined ? [message] : [heard, message]));
  return messages.find((message) => message.id === id)?.files?.[0];
}

/** In their order. @throws the reason of the signal; what a journal throws. */
async function fetchAll(
  session: Session,
  message: string,
  channel: string,
  options: FetchingOptions,
  signal: AbortSignal,
): Promise<void> {
  const { fetchedPart } = await import("./keep-file.ts");
  for (;;) {
    const file = nextOf(session.state, message);
    if (file === undefined) return;
    const part = await fetchedPart(file, () => options.channel(channel), options, signal);
    // Its author may have changed it meanwhile.
    if (nextOf(session.state, message)?.file !== file.file) continue;
    const isItsOwn = session.state.pending.some((item) => item.message.id === message);
    const first = part.type === "media" && isItsOwn && options.mediaFirst();
    await session.commit({ type: "media.fetched", message, file: file.file, part, ...(first && { first }) });
  }
}
