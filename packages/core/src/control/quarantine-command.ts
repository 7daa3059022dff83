/** `/quarantine`: what commands left behind that runs by itself. An operator takes back, or removes, what this chat was shown. */
import type { Sender } from "../contract/message.ts";
import type { Quarantine } from "../contract/quarantine.ts";
import type { Session } from "../contract/session.ts";
import type { QuarantineTexts } from "./quarantine-texts.ts";

interface Request {
  readonly session: Session;
  readonly by: Sender;
  /** An id, `restore ID` or `delete ID`; absent: all are listed. */
  readonly argument: string | undefined;
  /** Absent: nothing is kept aside here. */
  readonly quarantine: Quarantine | undefined;
  readonly texts: QuarantineTexts;
}

/** Of more it is said how many. */
const LINES = 20;

/** By conversation: the hash of what it was shown, by id. */
const shown = new WeakMap<Session, Map<string, string>>();

export async function quarantineCommand({ session, by, argument, quarantine, texts }: Request): Promise<string> {
  const [first = "", second = ""] = argument?.split(/\s+/) ?? [];
  const items = (await quarantine?.list()) ?? [];
  if (quarantine === undefined || first === "") return texts.list(items.slice(0, LINES), items.length - LINES);
  const verb = first === "restore" || first === "delete" ? first : undefined;
  const id = verb === undefined ? first : second;
  if (id === "") return texts.which(first);
  const item = items.find((one) => one.id === id);
  if (item === undefined) return texts.unknown(id);
  const seen = shown.get(session) ?? new Map<string, string>();
  const before = seen.get(id);
  if (verb === undefined || before !== item.sha256) {
    shown.set(session, seen.set(id, item.sha256));
    return texts.item(item, verb !== undefined && before !== undefined);
  }
  if (verb === "restore") return texts.restored(await quarantine.takeBack(id, before, by.id), id);
  const done = await quarantine.remove(id, by.id);
  return done.status === "removed" ? texts.deleted(done.path) : texts.unknown(id);
}
