// What changed since the prefix froze, told by appended messages: the prefix itself never changes.
import type { Millis } from "../contract/base.ts";
import type { Address, NoticeMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { cutAt } from "../lib/text.ts";
import { formatZoned, type ZonedTime } from "../lib/zoned-time.ts";
import type { ShownSkill } from "./sections/skills.ts";
import { openingTag, type ShownFile, type WatchedFile } from "./sections/workspace-file.ts";
import { serversNotice, type WaitingServer } from "./server-notices.ts";
import { skillChanges } from "./skill-notices.ts";

/** Bound on the text of a changed file in its notice. */
const MAX_NOTICE_CHARS = 4_000;
const GONE = "none";

/** A watched file as it is now; `undefined`: missing, blank or the shipped template. */
export interface FileNow extends Pick<WatchedFile, "path" | "notice"> {
  readonly now: ShownFile | undefined;
}
/** What was read for the notices, before they are made. */
export interface NoticeOptions {
  readonly files: readonly FileNow[];
  readonly skills?: readonly ShownSkill[];
  /** Servers that wait for a person. */
  readonly waiting?: readonly WaitingServer[];
  readonly now: Millis;
  readonly zone: (at: Millis) => ZonedTime;
  /** SHA-256 of a text, as hex. */
  readonly hash: (text: string) => string;
}

/** Changed files, each once, skills and servers that wait, then the clock notice as the last one before the user's message. */
export function collectNotices(state: SessionState, options: NoticeOptions): readonly NoticeMessage[] {
  const { files, skills, waiting, now, hash } = options;
  const told = state.messages.filter((message) => message.role === "notice");
  const changes =
    state.parent === undefined
      ? [
          ...files.map((file) => fileNotice(state, told, file, options)),
          skills && skillChanges(state, skills, now, hash),
          waiting && serversNotice(state, waiting, now),
        ]
      : [];
  return [...changes.filter((notice) => notice !== undefined), clockNotice(state, options)];
}

/**
 * `<runtime_context>time=2026-11-21T09:05+08:00 Saturday, channel=telegram, chat_id=42</runtime_context>`
 *
 * @param byRuntime the message that follows was written by no person: a job, a subagent, the process.
 */
export function runtimeContext(time: ZonedTime, origin: Pick<Address, "channel" | "chat">, byRuntime = false): string {
  const from = byRuntime ? ", from=runtime (not a person)" : "";
  return `<runtime_context>time=${formatZoned(time)}, channel=${escapeId(origin.channel)}, chat_id=${escapeId(origin.chat)}${from}</runtime_context>`;
}

function clockNotice(state: SessionState, options: NoticeOptions): NoticeMessage {
  const next = state.pending[0];
  const origin = next?.replyTo ?? state.turn?.replyTo ?? state.origin;
  const byRuntime = next !== undefined && next.message.from.kind !== "person";
  const text = runtimeContext(options.zone(options.now), origin, byRuntime);
  return { role: "notice", at: options.now, kind: "clock", text };
}

function fileNotice(
  { prefix }: SessionState,
  told: readonly NoticeMessage[],
  { path, notice, now }: FileNow,
  options: NoticeOptions,
): NoticeMessage | undefined {
  if (prefix === undefined) return undefined; // the freeze that follows will hold the current text
  const mark = now === undefined ? GONE : options.hash(now.text).slice(0, 12);
  const announced = lastAnnounced(told, path);
  const known = announced === undefined ? inPrefix(prefix.system, path, now?.section) : announced === mark;
  if (known) return undefined;
  const body =
    now === undefined ? "The file is now empty or gone; what it said no longer holds." : excerpt(path, now.text);
  return {
    role: "notice",
    at: options.now,
    kind: notice,
    text: `${tag(path)} hash="${mark}">\n${body}\n</file_changed>`,
  };
}

/** What the newest notice about a file announced: derived from the journal, so a restart announces nothing twice. */
function lastAnnounced(told: readonly NoticeMessage[], path: string): string | undefined {
  const start = `${tag(path)} hash="`;
  const last = told.findLast(({ text }) => text.startsWith(start));
  return last?.text.slice(start.length, last.text.indexOf('"', start.length));
}

function inPrefix(system: string, path: string, section: string | undefined): boolean {
  return section === undefined ? !system.includes(openingTag(path)) : system.includes(section);
}

function excerpt(path: string, text: string): string {
  if (text.length <= MAX_NOTICE_CHARS) return text;
  return `${cutAt(text, MAX_NOTICE_CHARS)}\n[cut at ${MAX_NOTICE_CHARS} of ${text.length} characters. Use read_file on ${path} for the rest.]`;
}

function tag(path: string): string {
  return `<file_changed path="${path}"`;
}

/** An id can be chosen by a stranger: it must not close the tag or add a field. */
function escapeId(id: string): string {
  return id.replace(
    /[&<>,\p{Cc}\u2028\u2029]/gu,
    (character) => ESCAPES.get(character) ?? `&#${character.codePointAt(0)};`,
  );
}
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);
