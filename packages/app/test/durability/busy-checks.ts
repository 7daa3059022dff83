/** What must hold when a busy world has come to rest, as promises that were broken. */
import { isDeepStrictEqual } from "node:util";
import type { Commit, JournalRecord } from "@margay/core";
import { api, type BusyWorld } from "./busy-world.ts";
import type { Person, Said } from "./busy-client.ts";
import { answerText, idIn } from "./errands.ts";
import type { Running } from "./killed-gateway.ts";

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

/** One journal, without what a fork copied. */
interface Told {
  readonly session: string;
  readonly commits: readonly Commit[];
  readonly copied: number;
  of<Type extends JournalRecord["type"]>(type: Type): readonly Of<Type>[];
}

/** `faulty`: calls of the system failed. Then a turn and a call may fail, as long as somebody is told. */
export interface Circumstances {
  readonly faulty?: boolean;
}

export function promises(world: BusyWorld, person: Person, { faulty = false }: Circumstances = {}): readonly string[] {
  const journals = [...world.journals()].map(([name, commits]) => told(name, commits));
  return [
    ...person.broken,
    ...world.model.violations,
    ...journals.flatMap((journal) => [...whole(journal), ...turns(journal, faulty), ...replies(journal, world)]),
    ...forks(journals),
    ...person.said.flatMap((said) => answered(said, journals, world, faulty)),
    ...effects(journals, world, person, faulty),
    ...children(journals),
    ...memory(world),
  ];
}

function told(name: string, commits: readonly Commit[]): Told {
  const [first] = commits.flatMap(({ records }) => records);
  const copied = first?.type === "session.opened" ? (first.forked?.commits ?? 0) : 0;
  const records = commits.slice(copied).flatMap((commit) => [...commit.records]);
  return {
    session: name.slice(0, -".journal".length),
    commits,
    copied,
    of: <Type extends JournalRecord["type"]>(type: Type) =>
      records.filter((record): record is Of<Type> => record.type === type),
  };
}

function whole({ session, commits }: Told): readonly string[] {
  const seqs = commits.map(({ seq }) => Number(seq));
  return seqs.every((seq, index) => seq === index + 1) ? [] : [`${session} holds commits ${seqs.join()}`];
}

/** Each turn ends once and well, each call has one result, and what the model answered is on its way. */
function turns({ session, of }: Told, faulty: boolean): readonly string[] {
  const broken: string[] = [];
  const started = of("turn.started").map(({ turn }) => turn);
  const ended = of("turn.ended");
  if (!isDeepStrictEqual(started.toSorted(), ended.map(({ turn }) => turn).toSorted()))
    broken.push(`${session}: turns ${started.join()} ended ${ended.map(({ turn }) => turn).join()}`);
  for (const { turn, reason, error } of ended)
    if (reason !== "done" && !(faulty && reason === "failed"))
      broken.push(`${session}: ${turn} ended ${reason} ${error?.message ?? ""}`);
  const calls = of("model.responded").flatMap(({ message }) =>
    message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId as string] : [])),
  );
  const results = of("tool.finished").map(({ message }) => message.callId as string);
  if (!isDeepStrictEqual(calls.toSorted(), results.toSorted()))
    broken.push(`${session}: calls ${calls.join()} got results ${results.join()}`);
  const left = of("reply.queued").map(({ parts }) => textOf(parts));
  const isChild = of("session.opened").some(({ parent }) => parent !== undefined);
  for (const { message } of isChild ? [] : of("model.responded")) {
    const text = textOf(message.parts);
    const isLast = message.parts.every(({ type }) => type !== "tool-call");
    if (isLast && left.filter((each) => each.includes(text)).length !== 1)
      broken.push(`${session}: the model said ${JSON.stringify(text)} and what left is ${JSON.stringify(left)}`);
  }
  return broken;
}

/** Each reply leaves once; a receiver that takes each key once has each once. */
function replies({ session, of }: Told, { delivered }: BusyWorld): readonly string[] {
  const queued = of("reply.queued");
  const ids = queued.map(({ reply }) => reply);
  const done = of("reply.delivered").map(({ reply }) => reply);
  const broken = isDeepStrictEqual(ids.toSorted(), done.toSorted())
    ? []
    : [`${session}: replies ${ids.join()} were delivered ${done.join()}`];
  for (const { reply, to, parts } of queued) {
    if (to.channel !== "webhook") continue;
    const texts = new Set(delivered.filter((each) => each.reply === reply).map(({ text }) => text));
    if (texts.size !== 1 || !texts.has(textOf(parts)))
      broken.push(`${session}: the receiver of ${reply} has ${JSON.stringify([...texts])}`);
  }
  return broken;
}

/** A copy is whole, and nothing was ever done in it. */
function forks(journals: readonly Told[]): readonly string[] {
  return journals.flatMap(({ session, commits, copied }) => {
    if (copied === 0) return [];
    return commits.length === copied ? [] : [`the fork ${session} has ${commits.length} commits and not ${copied}`];
  });
}

function answered(
  { id, kind, place }: Said,
  journals: readonly Told[],
  { delivered }: BusyWorld,
  faulty: boolean,
): readonly string[] {
  const broken: string[] = [];
  const once = (what: string, times: number): void => {
    if (times !== 1) broken.push(`${kind} ${id}: ${what} ${times} times`);
  };
  const all = <Type extends JournalRecord["type"]>(type: Type): readonly Of<Type>[] =>
    journals.flatMap(({ of }) => of(type));
  once("received", all("message.received").filter(({ key }) => key === id || key.endsWith(`:${id}`)).length);
  const saying = (text: string): number =>
    all("reply.queued").filter((reply) => reply.kind === "reply" && textOf(reply.parts).includes(text)).length;
  // A turn that failed said so.
  const failed = faulty ? all("turn.ended").filter(({ reason }) => reason === "failed").length : 0;
  const errors = all("reply.queued").filter((reply) => reply.kind === "error").length;
  if (failed > errors) broken.push(`${failed} turns failed and ${errors} said so`);
  if (failed === 0) once("answered", saying(answerText(id)));
  if (kind === "spawn") once("its subagent reported", saying(`Noted ${id}c.`));
  if (kind === "cron") {
    const got = new Set(delivered.filter(({ text }) => text.includes(answerText(`${id}j`))).map(({ reply }) => reply));
    if ("webhook" in place) once("its job delivered", got.size);
  }
  return broken;
}

/** What is called done was done; nothing was done twice. */
function effects(journals: readonly Told[], world: BusyWorld, person: Person, faulty: boolean): readonly string[] {
  const { said, undone, asked } = person;
  const mayBeUndone = new Set(
    said.flatMap(({ id, place }) => ("chat" in place && asked.has(place.chat) && !undone.has(id) ? [id] : [])),
  );
  /** Whether the file of an errand is as its writes left it, or as it was before them. */
  const isAsItShould = (name: string, id: string, made: readonly string[]): boolean => {
    const text = world.file(name);
    if (mayBeUndone.has(id)) return text === "" || made.includes(text);
    return text === (undone.has(id) ? "" : made.at(-1));
  };
  const saying = (name: string, id: string): string =>
    `${name} holds ${JSON.stringify(world.file(name))}, ${undone.has(id) ? "" : "not "}taken back`;
  const broken: string[] = [];
  const ran = counted(world.ran());
  const noted = counted(world.noted());
  for (const [id, times] of [...ran, ...noted]) if (times > 1) broken.push(`${id} was done ${times} times`);
  for (const { of } of journals) {
    const inputs = new Map(
      of("model.responded").flatMap(({ message }) =>
        message.parts.flatMap((part) =>
          part.type === "tool-call" ? [[part.callId, JSON.stringify(part.input)] as const] : [],
        ),
      ),
    );
    for (const { message } of of("tool.finished")) {
      const input = inputs.get(message.callId) ?? "";
      const id = idIn(input) ?? "";
      const isOk = message.status === "ok";
      const must = (what: string, holds: boolean): void => {
        if (!holds) broken.push(`${id}: ${what}, and its result is ${message.status} ${textOf(message.parts)}`);
      };
      if (!faulty && (message.status === "error" || message.status === "denied")) must("failed without a fault", false);
      if (message.name === "exec") must("never ran", !isOk || ran.has(id));
      if (message.name === "mcp_effects_note") must("was never noted", !isOk || noted.has(id));
      if (message.name === "write_file" && input.includes("note-"))
        must(saying(`note-${id}.txt`, id), !isOk || isAsItShould(`note-${id}.txt`, id, [`${id}\n`]));
      if (message.name === "edit_file")
        must(saying(`file-${id}.txt`, id), !isOk || isAsItShould(`file-${id}.txt`, id, [`${id}\n`, `${id} ${id}\n`]));
      if (message.name === "remember")
        must("is not remembered once", !isOk || lines(world.file("memory/MEMORY.md"), `Fact ${id}`) === 1);
    }
  }
  return broken;
}

/** A call has one subagent. */
function children(journals: readonly Told[]): readonly string[] {
  const parents = journals.flatMap(({ of }) =>
    of("session.opened").flatMap(({ parent }) => (parent === undefined ? [] : [`${parent.session} ${parent.call}`])),
  );
  return [...counted(parents)].flatMap(([parent, times]) => (times === 1 ? [] : [`${parent} has ${times} subagents`]));
}

/** A row is summed up once. */
function memory(world: BusyWorld): readonly string[] {
  const kept = [...world.file("memory/HISTORY.md").matchAll(/Kept ([\w ]*)\./g)].flatMap(([, ids = ""]) =>
    ids.split(" "),
  );
  return [...counted(kept)].flatMap(([id, times]) => (times === 1 ? [] : [`${id} is in HISTORY.md ${times} times`]));
}

/** What people see of all of it. Two processes over one directory that nobody touched show the same. */
export async function seen(running: Running): Promise<Readonly<Record<string, unknown>>> {
  const all: Record<string, unknown> = {};
  const look = async (path: string): Promise<unknown> => {
    const answer = await api(running, path);
    all[path] = answer?.status === 200 ? answer.body : answer?.status;
    return all[path];
  };
  const { items } = (await look("/sessions?limit=200")) as { readonly items: readonly { readonly id: string }[] };
  for (const { id } of items)
    for (const path of ["", "/messages?limit=200", "/turns", "/undo", "/context"]) await look(`/sessions/${id}${path}`);
  for (const path of [
    "/approvals",
    "/cron/jobs",
    "/tasks",
    "/usage",
    "/budgets",
    "/outbox",
    "/tools/calls?limit=200",
    "/memory/facts",
    "/memory/files/MEMORY.md",
    "/memory/files/HISTORY.md",
    "/contacts",
    "/policy/rules",
  ])
    await look(path);
  return all;
}

/** Where two looks differ. */
export function differences(before: unknown, after: unknown, at = ""): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (typeof before === "object" && typeof after === "object" && before !== null && after !== null) {
    const left = before as Record<string, unknown>; // walked by name, lists too
    const right = after as Record<string, unknown>;
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => differences(left[name], right[name], `${at}/${name}`));
  }
  return [`after a restart ${at} is ${JSON.stringify(after)} and was ${JSON.stringify(before)}`.slice(0, 600)];
}

function counted(items: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const item of items) times.set(item, (times.get(item) ?? 0) + 1);
  return times;
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function lines(text: string, part: string): number {
  return text.split("\n").filter((line) => line.includes(part)).length;
}
