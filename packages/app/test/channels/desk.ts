// A chat platform of this test, over HTTP, and the plugin that speaks it, installed as a user's: what no platform of ours has.
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Json, JsonObject } from "@margay/core";
import { approveInstalled } from "../plugins/approve-installed.ts";

export interface Shown {
  readonly chat: string;
  readonly text: string;
  readonly key: string;
  readonly handle: Json;
}

export interface Desk extends AsyncDisposable {
  readonly url: string;
  /** What people see, in order. */
  readonly shown: readonly Shown[];
  /** Sends that were refused: none of them is shown. */
  readonly refused: readonly Shown[];
  /** A person writes. `handle`: what an answer to it needs. */
  write(text: string, message?: { readonly chat?: string; readonly handle?: JsonObject; readonly key?: string }): void;
  /** The plugin learns that a part of it does not work; "": all of it does. */
  degrade(reason: string): void;
  /** The person reacts. @param of the id of the message */
  react(of: string, emoji: string): void;
  /** The next sends are shown, and their answers are lost on the way. */
  lose(sends: number): void;
  /** The next sends come outside of the window, says the platform. */
  close(sends: number): void;
  /** The next sends fail, for a reason of the platform's own. */
  refuse(sends: number): void;
  /** Ends the connections that are open. */
  cut(): void;
  /** Resolves when so many are shown. */
  showed(count: number): Promise<void>;
}

export async function startDesk(): Promise<Desk> {
  const shown: Shown[] = [];
  const refused: Shown[] = [];
  const updates: JsonObject[] = [];
  const polls = new Set<() => void>();
  const watchers = new Set<() => void>();
  let lost = 0;
  let closed = 0;
  let broken = 0;
  const taken = (sent: Shown, response: ServerResponse): void => {
    if (broken > 0) {
      broken -= 1;
      response.writeHead(503).end();
      return;
    }
    if (closed > 0) {
      closed -= 1;
      refused.push(sent);
      response.writeHead(403).end("outside of the window");
      return;
    }
    shown.push(sent);
    lost -= 1;
    if (lost >= 0) response.destroy();
    else response.end(JSON.stringify({ id: `desk-${shown.length}` }));
    for (const look of watchers) look();
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://desk");
    if (pathname === "/send") {
      let raw = "";
      for await (const chunk of request.setEncoding("utf8")) raw += String(chunk);
      taken(JSON.parse(raw) as Shown, response);
      return;
    }
    if (pathname === "/missed") {
      response.end("[]");
      return;
    }
    const answer = (): boolean => {
      const news = updates.slice(Number(searchParams.get("after")));
      if (news.length === 0 || response.destroyed) return response.destroyed;
      response.end(JSON.stringify(news));
      return true;
    };
    const look = (): void => void (answer() && polls.delete(look));
    polls.add(look);
    look();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    refused,
    write(text, { chat = "1", handle, key = `m${updates.length + 1}` } = {}) {
      updates.push({ key, chat, text, ...(handle !== undefined && { handle }) });
      for (const look of polls) look();
    },
    degrade(degraded) {
      updates.push({ degraded });
      for (const look of polls) look();
    },
    react(react, emoji) {
      updates.push({ react, emoji, chat: "1" });
      for (const look of polls) look();
    },
    lose: (sends) => void (lost = sends),
    close: (sends) => void (closed = sends),
    refuse: (sends) => void (broken = sends),
    cut: () => server.closeAllConnections(),
    showed: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (shown.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const PLUGIN = `export const plugin = {
  contract: "channel/1",
  kind: "desk",
  create: ({ id, settings }, host) => {
    const ask = (path, init, signal) =>
      host.request(settings.baseUrl + path, init, { ms: 30_000, maxBytes: 100_000, signal });
    return {
      id,
      can: { once: "no", text: { dialect: "plain", max: 200 } },
      run: async (inbox, signal) => {
        host.up("desk");
        if (settings.asksBack) {
          const missed = async (place, { since }) => {
            await ask("/missed?since=" + since, {}, signal);
            return "closed";
          };
          const places = () => [{ id: "1", chat: "1", at: 0 }];
          await host.lanes({ places, missed, take: async () => undefined }, () => {}, signal).catchUp();
        }
        let after = host.state.cursor() ?? 0;
        while (!signal.aborted) {
          const answer = await ask("/updates?after=" + after, {}, signal);
          if ("failed" in answer) throw host.fault("again", answer.failed + ". Start it.", { sent: "no" });
          for (const { key, chat, text, handle, react, emoji, degraded } of await answer.json()) {
            const from = { id: "ada", kind: "person" };
            const parts = [{ type: "text", text }];
            if (degraded) host.degraded(degraded);
            else if (degraded === "") host.up("desk");
            else if (react) await inbox.reacted({ of: react, origin: { channel: id, chat }, from, emoji });
            else await inbox.accept({ key, origin: { channel: id, chat }, from, parts, chat: "private", ...(handle && { handle }) });
            after += 1;
            await host.state.setCursor(after);
          }
        }
      },
      send: async (piece, signal) => {
        const [{ text }] = piece.parts;
        const body = JSON.stringify({ chat: piece.to.chat, text, key: piece.reply, handle: piece.handle ?? null });
        const answer = await ask("/send", { method: "POST", body }, signal);
        if ("failed" in answer) throw host.fault("again", answer.failed + ". Wait.", { sent: answer.sent });
        if (answer.status === 503) throw host.fault("again", "The desk is busy. Wait.", { sent: "no" });
        if (answer.status === 403) throw host.fault("window", "Too late. Wait for the next message.", { sent: "no", answered: true });
        return (await answer.json()).id;
      },
    };
  },
};`;

/** Into a state directory, as `margay plugin add` does. */
export async function installDesk(home: string, can: JsonObject = {}): Promise<void> {
  const folder = join(home, "plugins", "node_modules", "margay-channel-desk");
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  write("package.json", {
    name: "margay-channel-desk",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
    margay: { channel: "channel.json" },
  });
  write("channel.json", {
    contract: "channel/1",
    kind: "desk",
    title: "Desk",
    needs: "poll",
    can: { once: "no", text: { dialect: "plain", max: 200 }, ...can },
    account: ["baseUrl"],
    schema: { type: "object", properties: { baseUrl: { type: "string" }, options: { type: "object" } } },
    guide: { en: "guide.md", zh: "guide.md" },
  });
  write("guide.md", "Nothing to do.\n");
  write("index.js", PLUGIN);
  await approveInstalled(home, "margay-channel-desk");
}

/** Of `config.json`: its person is a guest there. */
export function deskConfig({ url }: Pick<Desk, "url">, more: JsonObject = {}): JsonObject {
  return { channels: { desk: { enabled: true, kind: "desk", baseUrl: url, operators: ["ada"], ...more } } };
}
