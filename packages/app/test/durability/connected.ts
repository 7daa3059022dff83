/** A client that stays with a gateway through its kills, and what must hold when the last one is over. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Commit, JournalRecord } from "@margay/core";
import type { CrashPoint } from "@margay/core/internal/testing";
import { type Item } from "@margay/core/state";
import { callsOf } from "@margay/core/internal/state";
import { WebSocket } from "ws";
import { startedTwice } from "./kill-matrix.ts";
import { client, type Frame } from "../gateway/frames.ts";
import { openPage, type Page } from "../gateway/page.ts";
import { answerText, killedGateway, messageText, type KilledGateway, type Running } from "./killed-gateway.ts";

/** A process that stands still for so long will not go on. */
const STUCK_MS = 90_000;

export interface ConnectedVerdict {
  readonly killed: number;
  /** Promises that were broken; empty when all held. */
  readonly broken: readonly string[];
  /** What the session has at the end. */
  readonly commits: number;
}

/** One gateway after another over one directory, each killed at its point, and one more that finishes. */
export async function connectedLife(points: readonly CrashPoint[]): Promise<ConnectedVerdict> {
  const place = await killedGateway();
  try {
    const person = sitDown();
    let killed = 0;
    for (const at of points) {
      const running = await place.start(at);
      if (running !== undefined) await person.sit(running, "more");
      killed++;
      if (person.broken.length > 0) return { killed, broken: person.broken, commits: 0 };
    }
    const last = await place.start();
    if (last === undefined) throw new Error("nobody killed it");
    await person.sit(last, "enough");
    const { page, said } = person;
    const broken =
      page === undefined || person.broken.length > 0
        ? person.broken
        : [
            ...(await agrees(page, last)),
            ...saidOnce(page.view.items, said),
            ...recorded(place, said),
            ...effects(place, page.view.items, said),
            ...place.model.violations,
          ];
    return { killed, broken, commits: page?.view.seq ?? 0 };
  } finally {
    await place.close();
  }
}

interface Person {
  readonly page: Page | undefined;
  /** Messages so far. */
  readonly said: number;
  readonly broken: readonly string[];
  /** `more`: says the next thing whenever there is an answer, until the gateway is gone. `enough`: until all is answered. */
  sit(running: Running, appetite: "more" | "enough"): Promise<void>;
}

/** As a page does: follows, answers what asks, and says again with the same key what nobody confirmed. */
function sitDown(): Person {
  const broken: string[] = [];
  let page: Page | undefined;
  let said = 0;
  const undelivered = new Set<string>();
  const sit: Person["sit"] = async (running, appetite) => {
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    const socket = new WebSocket(`${running.url.replace("http", "ws")}/ws`, {
      headers: { authorization: `Bearer ${running.token}` },
    });
    socket.on("error", () => {}); // killed with its server
    const answered = new Set<string>();
    const send = (frame: object): void => socket.send(JSON.stringify(frame));
    const say = (): void =>
      send({
        id: "say",
        type: "message.send",
        session: page?.view.session ?? "new",
        key: keyOf(said),
        parts: [{ type: "text", text: messageText(said) }],
      });
    const subscribe = (to: Page): void =>
      send({ id: "follow", type: "subscribe", session: to.view.session, after: to.view.seq });
    const goOn = ({ view }: Page): void => {
      for (const { call, hash } of view.approvals) {
        if (answered.has(hash)) continue;
        answered.add(hash);
        send({ id: "allow", type: "approval.resolve", session: view.session, call, verdict: "allow", hash });
      }
      if (view.items.filter(({ kind }) => kind === "turn-end").length < said) return;
      if (appetite === "more") {
        said += 1;
        say();
      } else if (undelivered.size === 0) finish();
    };
    const take = (frame: Frame): void => {
      page?.take(frame);
      if (frame.type === "commit")
        for (const { type, reply } of frame.records) {
          if (type === "reply.queued") undelivered.add(reply);
          else if (type === "reply.delivered") undelivered.delete(reply);
        }
      // In what is told again after a kill the client answers what the next commit says was answered already.
      const isLate = frame.error?.code === "approval.settled";
      if (frame.type === "error" && !isLate) broken.push(`refused: ${JSON.stringify(frame.error)}`);
      else if (frame.type === "welcome") {
        if (page !== undefined) subscribe(page);
        if (said === 0) said = 1;
        if (page?.view.items.some((item) => item.kind === "user" && item.key === keyOf(said)) !== true) say();
      } else if (frame.type === "reply" && frame.id === "say" && page === undefined) {
        page = openPage(frame.result.session);
        subscribe(page); // when it knows all there is, nothing but the reply to this comes
      } else if (page !== undefined && (frame.id === "follow" || frame.session === page.view.session)) goOn(page);
    };
    // Each frame must be what its schema says.
    client(socket).socket.on("message", (data: Buffer) => {
      try {
        take(JSON.parse(data.toString()));
      } catch (error) {
        broken.push(error instanceof Error ? error.message : String(error)); // a commit that is missing or came twice
      }
      if (broken.length > 0) finish();
    });
    const stuck = setTimeout(() => {
      broken.push(`stuck behind commit ${page?.view.seq ?? 0}, message ${said}: ${JSON.stringify(page?.view.turn)}`);
      finish();
    }, STUCK_MS);
    await Promise.race([over, running.gone]);
    clearTimeout(stuck);
    socket.removeAllListeners("message");
    socket.terminate();
    if (broken.length > 0) running.kill();
  };
  return {
    get page() {
      return page;
    },
    get said() {
      return said;
    },
    broken,
    sit,
  };
}

function keyOf(n: number): string {
  return `my-message-${n}`;
}

/** Nobody has to come back through kills to see this: a fresh client, and who reads page by page. */
async function agrees({ view }: Page, { url, token }: Running): Promise<readonly string[]> {
  const broken: string[] = [];
  const { session } = view;
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
  const tab = client(socket);
  await once(socket, "open");
  tab.send({ id: "fresh", type: "subscribe", session });
  const snapshot = await tab.until(({ type }) => type === "snapshot");
  socket.terminate();
  if (snapshot.seq !== view.seq || snapshot.turn !== undefined || view.turn !== undefined)
    broken.push(`the client is at ${view.seq}, a fresh one at ${snapshot.seq}`);
  const pages: Item[] = [];
  for (let before: string | undefined; ;) {
    const query = `limit=200${before === undefined ? "" : `&before=${before}`}`;
    const response = await fetch(`${url}/api/v1/sessions/${session}/messages?${query}`, { headers });
    const { items, prev } = (await response.json()) as { items: readonly Item[]; prev: string | null };
    pages.unshift(...items);
    if (prev === null) break;
    before = items[0]?.id;
  }
  const seen: unknown = JSON.parse(JSON.stringify(view.items));
  if (!isDeepStrictEqual(seen, pages))
    broken.push(`the client sees ${JSON.stringify(seen)}, pages hold ${JSON.stringify(pages)}`);
  if (!isDeepStrictEqual(snapshot.items, pages.slice(-snapshot.items.length)))
    broken.push("a snapshot differs from the pages");
  const list = await fetch(`${url}/api/v1/sessions`, { headers });
  const { items } = (await list.json()) as { items: readonly { readonly id: string }[] };
  if (items.map(({ id }) => id).join() !== session) broken.push(`sessions: ${items.map(({ id }) => id).join()}`);
  return broken;
}

/** Each message is there once and was answered once. */
function saidOnce(items: readonly Item[], said: number): readonly string[] {
  const textOf = (item: Item): string =>
    "parts" in item ? item.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
  const numbers = Array.from({ length: said }, (_, index) => index + 1);
  const expected = {
    user: numbers.map(messageText),
    answers: numbers.map(answerText),
    ends: numbers.map(() => "done"),
    calls: numbers.flatMap(() => ["list_dir", "read_file", "exec", "write_file"]),
  };
  const assistant = items.flatMap((item) => (item.kind === "assistant" ? [item] : []));
  const seen = {
    user: items.filter(({ kind }) => kind === "user").map(textOf),
    answers: assistant.map(textOf).filter((text) => text.startsWith("Answer")),
    ends: items.flatMap((item) => (item.kind === "turn-end" ? [item.reason] : [])),
    calls: assistant.flatMap((item) => callsOf(item).map(({ name }) => name)),
  };
  const ids = items.map(({ id }) => id);
  return [
    ...(isDeepStrictEqual(seen, expected) ? [] : [`the client sees ${JSON.stringify(seen)}`]),
    ...(new Set(ids).size === ids.length ? [] : [`items come twice: ${ids.join()}`]),
  ];
}

/** On disk: one session without a hole, each write call started at most once per judgement, each reply queued and delivered once. */
function recorded(place: KilledGateway, said: number): readonly string[] {
  const journals = [...place.journals()].filter(([, lines]) => has(lines, "message.received"));
  const [lines = []] = journals.map(([, each]) => each);
  const broken = journals.length === 1 ? [] : [`${journals.length} sessions hold messages`];
  const seqs = lines.map(({ seq }) => Number(seq));
  if (!seqs.every((seq, index) => seq === index + 1)) broken.push(`the journal holds ${seqs.join()}`);
  const records = lines.flatMap((line) => [...line.records]);
  const of = <Type extends JournalRecord["type"]>(type: Type): Extract<JournalRecord, { type: Type }>[] =>
    records.filter((record): record is Extract<JournalRecord, { type: Type }> => record.type === type);
  const once = (what: string, names: readonly string[], count: number): void => {
    if (names.length !== count || new Set(names).size !== count) broken.push(`${what}: ${names.join()}, not ${count}`);
  };
  once(
    "messages",
    of("message.received").map(({ key }) => key),
    said,
  );
  once(
    "results",
    of("tool.finished").map(({ message }) => message.callId),
    said * 4,
  );
  const replies = of("reply.queued");
  once(
    "answers queued",
    replies.filter(({ kind }) => kind === "reply").map(({ reply }) => reply),
    said,
  );
  once(
    "delivered",
    of("reply.delivered").map(({ reply }) => reply),
    replies.length,
  );
  return [...broken, ...startedTwice(records)];
}

function has(lines: readonly Commit[], type: JournalRecord["type"]): boolean {
  return lines.some(({ records }) => records.some((record) => record.type === type));
}

/** In the workspace: no command ran twice, and what is called done is there. */
function effects({ workspace }: KilledGateway, items: readonly Item[], said: number): readonly string[] {
  const read = (name: string): string => {
    try {
      return readFileSync(join(workspace, name), "utf8");
    } catch {
      return ""; // never written
    }
  };
  const calls = items.flatMap((item) => (item.kind === "assistant" ? callsOf(item) : []));
  const ok = (name: string): readonly boolean[] =>
    calls.filter((call) => call.name === name).map(({ status }) => status === "ok");
  const ran = read("ran").split("\n");
  return Array.from({ length: said }, (_, index) => index + 1).flatMap((n) => {
    const times = ran.filter((line) => line === String(n)).length;
    const note = read(`note-${n}.txt`);
    return [
      ...(times > 1 ? [`command ${n} ran ${times} times`] : []),
      ...(ok("exec")[n - 1] === true && times === 0 ? [`command ${n} is called done and never ran`] : []),
      ...(ok("write_file")[n - 1] === true && note !== `note ${n}\n`
        ? [`note ${n} holds ${JSON.stringify(note)}`]
        : []),
    ];
  });
}
