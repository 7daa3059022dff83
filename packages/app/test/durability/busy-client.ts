/** Who uses a busy world: says things, answers what asks, forks, takes back; tries again what nobody confirmed. */
import { setTimeout as wait } from "node:timers/promises";
import type { JournalRecord } from "@margay/core";
import { WebSocket } from "ws";
import { client, type Frame } from "../gateway/frames.ts";
import { openPage, type Page } from "../gateway/page.ts";
import { api, type BusyWorld } from "./busy-world.ts";
import { errandText, type Errand } from "./errands.ts";
import type { Running } from "./killed-gateway.ts";

/** Where it is said: one of a few chats in the browser, by request or over the socket, or by the webhook. */
export type Place = { readonly chat: number; readonly by: "http" | "socket" } | { readonly webhook: string };

export interface Said extends Errand {
  readonly place: Place;
}

/** `gone`: the gateway does not answer any more. `later`: it said that it cannot now. */
interface Tab {
  /** Chats that are new too. */
  subscribe(): void;
  /** @returns the reply; undefined when the gateway is gone. */
  send(frame: object): Promise<Frame>;
  end(): void;
}

type Tried = "done" | "later" | "gone";

export interface SitOptions {
  /** Then what is left is a broken promise. */
  readonly deadlineMs?: number;
  /** Whether it is enough already. */
  readonly until?: () => Promise<boolean>;
}

export interface Person {
  readonly said: readonly Said[];
  /** Errands whose file was taken back. */
  readonly undone: ReadonlySet<string>;
  /** Chats of which a turn was to be taken back: of errands that shared it, or were cut apart by a kill, nobody knows which went. */
  readonly asked: ReadonlySet<number>;
  /** Promises that were broken in front of the person. */
  readonly broken: readonly string[];
  say(said: Said): void;
  /** Once its chat is there, whatever happens in it. */
  fork(chat: number): void;
  consolidate(chat: number): void;
  /** As soon as the turn of that errand has ended. */
  undo(errand: Said & { readonly place: { readonly chat: number } }): void;
  /** Until the gateway is gone, or nothing waits to be confirmed and `left` names nothing. */
  sit(running: Running, left: () => Promise<readonly string[]>, options?: SitOptions): Promise<void>;
}

const LOOK_MS = 40;
/** The gateway lets go of who cannot be served now: on a new line it goes on. */
const TRY_AGAIN = 1013;

export function sitDown(world: BusyWorld): Person {
  const said: Said[] = [];
  const undone = new Set<string>();
  const asked = new Set<number>();
  const broken: string[] = [];
  const chats = new Map<number, string>();
  const pages = new Map<string, Page>();
  /** What is still to be confirmed. */
  const open = new Map<string, (running: Running, send: Tab["send"]) => Promise<Tried>>();

  const judge = (what: string, answer: Awaited<ReturnType<typeof api>>, fine: readonly number[] = []): Tried => {
    if (answer === undefined) return "gone";
    if (answer.status < 300 || fine.includes(answer.status)) return "done";
    const { code } = (answer.body ?? {}) as { readonly code?: string }; // a problem
    if ([409, 429].includes(answer.status) || (answer.status >= 500 && code !== "internal")) return "later";
    broken.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return "done";
  };

  const say: Person["say"] = (errand) => {
    said.push(errand);
    const { place, id } = errand;
    const parts = [{ type: "text", text: errandText(errand) }];
    open.set(`say ${id}`, async (running, send) => {
      if ("webhook" in place) {
        // A channel listens a moment after the gateway does.
        const status = await world.post(id, place.webhook, errandText(errand)).catch(() => 503);
        return judge(`webhook ${id}`, { status, body: undefined as never });
      }
      const chat = chats.get(place.chat);
      const isFirst = said.find((each) => "chat" in each.place && each.place.chat === place.chat) === errand;
      if (chat === undefined && !isFirst) return "later";
      if (chat === undefined) {
        const answer = await api(running, "/sessions", { method: "POST", body: { message: { parts } }, key: id });
        if (answer?.status === 201) chats.set(place.chat, (answer.body as { id: string }).id);
        return judge(`create ${id}`, answer);
      }
      if (place.by === "http")
        return judge(
          `say ${id}`,
          await api(running, `/sessions/${chat}/messages`, { method: "POST", body: { parts }, key: id }),
        );
      const reply = await send({ type: "message.send", session: chat, key: id, parts });
      if (reply === undefined) return "gone";
      if (reply.type === "error") return judge(`say ${id}`, { status: reply.error.status, body: reply.error as never });
      return "done";
    });
  };

  const inChat = (what: string, chat: number, work: (running: Running, session: string) => Promise<Tried>): void =>
    void open.set(`${what} (${open.size})`, async (running) => {
      const session = chats.get(chat);
      return session === undefined ? "later" : work(running, session);
    });

  /** A page of a browser: follows all chats through one socket and answers what asks in them. */
  const follow = (running: Running, again: () => void): Tab => {
    const socket = new WebSocket(`${running.url.replace("http", "ws")}/ws`, {
      headers: { authorization: `Bearer ${running.token}` },
    });
    socket.on("error", () => {}); // killed with its server
    const tab = client(socket);
    const subscribed = new Set<string>();
    const answered = new Set<string>();
    const subscribe = (): void => {
      if (socket.readyState !== WebSocket.OPEN) return;
      for (const session of chats.values()) {
        if (subscribed.has(session)) continue;
        subscribed.add(session);
        const page = pages.get(session) ?? openPage(session);
        pages.set(session, page);
        void untilTaken(() => ({
          type: "subscribe",
          session,
          ...(page.view.seq > 0 && { after: page.view.seq }),
        }));
        answerAll(page); // what asked before this tab was opened still asks
      }
    };
    const answerAll = ({ view: { session, approvals } }: Page): void => {
      for (const { call, hash } of approvals) {
        if (answered.has(hash)) continue;
        answered.add(hash);
        const allow = { type: "approval.resolve", session, call, verdict: "allow", hash };
        void untilTaken(() => allow);
      }
    };
    const opened = new Promise<void>((resolve) =>
      socket.once("open", () => {
        subscribe();
        resolve();
      }),
    );
    const over = new Promise<undefined>((resolve) =>
      socket.once("close", (code) => {
        resolve(undefined);
        if (code === TRY_AGAIN) again();
      }),
    );
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      const page = pages.get(frame.session as string);
      if (page === undefined) return;
      try {
        page.take(frame);
      } catch (error) {
        broken.push(`${frame.session}: ${error instanceof Error ? error.message : String(error)}`); // missing or twice
      }
      answerAll(page);
    });
    let number = 0;
    const send: Tab["send"] = async (frame) => {
      await Promise.race([opened, over]);
      if (socket.readyState !== WebSocket.OPEN) return undefined;
      const id = `p${(number += 1)}`;
      tab.send({ id, ...frame });
      return Promise.race([tab.until((each) => each.id === id), over]);
    };
    /** As the page does: until it was taken, or answered before. A disk may refuse it. */
    const untilTaken = async (frame: () => object): Promise<void> => {
      for (
        let reply = await send(frame());
        reply?.type === "error" && reply.error.status >= 500;
        reply = await send(frame())
      )
        await wait(LOOK_MS);
    };
    return {
      send,
      end: () => {
        socket.removeAllListeners("message");
        socket.terminate();
      },
      subscribe,
    };
  };

  return {
    said,
    undone,
    asked,
    broken,
    say,
    fork: (chat) =>
      inChat("fork", chat, async (running, session) =>
        judge(`fork ${session}`, await api(running, `/sessions/${session}/fork`, { method: "POST", body: {} })),
      ),
    consolidate: (chat) =>
      inChat("compact", chat, async (running, session) =>
        judge(`compact ${session}`, await api(running, `/sessions/${session}/compact`, { method: "POST" })),
      ),
    undo: (errand) => {
      let tried = false;
      inChat(`undo ${errand.id}`, errand.place.chat, async (running, session) => {
        const ended = turnOf(world, session, errand.id);
        if (ended === undefined) return "later";
        const { turn, text } = ended;
        const path = `/sessions/${session}/undo`;
        const answer = await api(running, path, { method: "POST", body: { turn } });
        asked.add(errand.place.chat);
        // Taken back already: the answer was lost with its gateway.
        const result = judge(`undo ${errand.id}`, answer, tried ? [404] : []);
        // What somebody else may have changed meanwhile is left alone, and the answer says so.
        const { preview } = (answer?.body ?? {}) as {
          readonly preview?: { readonly files: readonly { readonly problem?: string }[] };
        };
        const isLeft = preview?.files.some(({ problem }) => problem !== undefined) === true;
        // Messages that waited together are one turn.
        const ids = [...text.matchAll(/Answer (\w+)\./g)].map(([, id = ""]) => id);
        if (result === "done" && !tried && !isLeft && ids.length === 1) undone.add(errand.id);
        tried = true;
        return result;
      });
    },
    sit: async (
      running,
      left,
      { deadlineMs = Number.POSITIVE_INFINITY, until = () => Promise.resolve(false) } = {},
    ) => {
      const deadline = performance.now() + deadlineMs;
      let isOver = false;
      const again = (): void => {
        if (!isOver) page = follow(running, again);
      };
      let page = follow(running, again);
      void running.gone.then(() => (isOver = true));
      const work = [...open].map(async ([name, attempt]) => {
        while (!isOver) {
          const mine = page;
          const tried = await attempt(running, mine.send);
          page.subscribe();
          if (tried === "done") open.delete(name);
          if (tried === "done" || (tried === "gone" && page === mine)) return;
          await wait(LOOK_MS);
        }
      });
      while (!isOver && broken.length === 0 && !(await until())) {
        const names = open.size > 0 ? [...open.keys()] : await left();
        if (names.length === 0) break;
        if (performance.now() > deadline) broken.push(`stuck after ${deadlineMs / 1000} s: ${names.join("; ")}`);
        await wait(LOOK_MS);
      }
      isOver = true;
      page.end();
      await Promise.all(work);
    },
  };
}

/** The turn that ended with this errand in it. */
function turnOf(
  world: BusyWorld,
  session: string,
  id: string,
): Extract<JournalRecord, { type: "turn.ended" }> | undefined {
  for (const { records } of world.journals().get(`${session}.journal`) ?? [])
    for (const record of records)
      if (record.type === "turn.ended" && record.text.includes(`Answer ${id}.`)) return record;
  return undefined;
}
