/** `/quarantine`: what commands left behind that runs by itself. An operator takes back, or removes, what this chat was shown. */
import type { Sender } from "../contract/message.ts";
import type { Quarantine, Quarantined, TakenBack } from "../contract/quarantine.ts";
import type { Session } from "../contract/session.ts";
import { code, codeBlock, unmarked } from "./in-markdown.ts";
import type { SayAnswer } from "./texts.ts";

export interface QuarantineTexts {
  readonly list: (items: readonly Quarantined[], more: number) => string;
  /** `again`: it is not what this chat was shown before. */
  readonly item: (item: Quarantined, again: boolean) => string;
  readonly which: (verb: string) => string;
  readonly unknown: (id: string) => string;
  readonly restored: (answer: TakenBack, id: string) => string;
  readonly deleted: (path: string) => string;
}

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

/** A chat is no place to read more; `margay quarantine show` shows it. */
const MAX_CHARS = 3_000;

export function quarantineTexts(say: SayAnswer): QuarantineTexts {
  return {
    list: (items, more) =>
      items.length === 0
        ? say("quarantine.none")
        : [
            say("quarantine.head"),
            ...items.map((item) => `- ${code(item.id)} ${say("quarantine.line", factsOf(item, say))}`),
            ...(more > 0 ? [`- ${say("quarantine.more", { n: more })}`] : []),
            say("quarantine.next"),
          ].join("\n"),
    item: (item, again) => itemText(item, again, say),
    which: (verb) => say("quarantine.which", { verb }),
    unknown: (id) => say("quarantine.unknown", { id: code(id) }),
    restored: (answer, id) => restoredText(answer, id, say),
    deleted: (path) => say("quarantine.deleted", { path: code(path) }),
  };
}

function itemText(item: Quarantined, again: boolean, say: SayAnswer): string {
  const { id, text, cut } = item;
  const isCut = cut === true || (text?.length ?? 0) > MAX_CHARS;
  return [
    ...(again ? [say("quarantine.changed")] : []),
    say("quarantine.about", factsOf(item, say)),
    text === undefined ? say("quarantine.noText") : codeBlock(text.slice(0, MAX_CHARS)),
    ...(isCut ? [say("quarantine.cut", { id })] : []),
    say("quarantine.offer", { id }),
  ].join("\n");
}

function factsOf({ path, why, kind, bytes }: Quarantined, say: SayAnswer): Record<"path" | "why" | "size", string> {
  return { path: code(path), why: unmarked(why), size: say(`quarantine.size.${kind}`, { bytes }) };
}

function restoredText(answer: TakenBack, id: string, say: SayAnswer): string {
  switch (answer.status) {
    case "taken back":
      return say("quarantine.restored", { path: code(answer.path) });
    case "occupied":
      return say("quarantine.occupied", { path: code(answer.path), id });
    case "changed":
      return say("quarantine.other", { id });
    case "unknown":
      return say("quarantine.unknown", { id: code(id) });
  }
}
