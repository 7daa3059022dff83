// Discord on this machine: the gateway and REST, people and their channels behind it, and a way to make it misbehave.

import { createServer } from "node:http";

import type { APIMessage } from "discord-api-types/v10";

import { type Fault, Faults } from "./faults.ts";
import { Gateway, type GatewayRecord } from "./gateway.ts";
import { close, listen } from "./http.ts";
import type { Interaction } from "./interactions.ts";
import { Limits } from "./limits.ts";
import { People, type Place } from "./people.ts";
import { receive, type RequestRecord, type State } from "./server.ts";
import { World } from "./world.ts";

export interface DiscordOptions {
  /** Default: the time of the machine. */
  readonly now?: () => number;
  readonly username?: string;
  readonly token?: string;
  /** `real`: used-up buckets refuse. Default `off`: they are only told of. */
  readonly limits?: "real" | "off";
  /** Whether MESSAGE CONTENT is switched on for the application. Default true. */
  readonly messageContent?: boolean;
  /** Default 41,250. */
  readonly heartbeatMs?: number;
}

/** A message as people see it. */
interface Shown {
  readonly id: string;
  readonly own: boolean;
  readonly author: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly edited: boolean;
  readonly replyTo?: string;
  /** Who is called by it. */
  readonly calls: readonly string[];
  readonly flags: number;
  /** Ids of the buttons below it. */
  readonly buttons: readonly string[];
}

/** A Discord that was started. */
export type Discord = Awaited<ReturnType<typeof startDiscord>>;

/** Starts a Discord with one bot and no people on 127.0.0.1. */
export async function startDiscord(options: DiscordOptions = {}) {
  const { now = Date.now, username = "margay", token = "ODAwMDAx.emulated.token-of-a-bot" } = options;
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const world = new World(now, username);
  const complaints: string[] = [];
  const interactions = new Map<string, Interaction>();
  const typing: string[] = [];
  const reactions: { readonly message: string; readonly emoji: string }[] = [];
  const messageContent = options.messageContent !== false;
  const state: State = {
    world,
    faults: new Faults(),
    limits: new Limits(now, options.limits === "real"),
    nonces: new Map(),
    around: { interactions, identifiesLeft: () => gateway.identifiesLeft, typing, reactions },
    requests: [],
    complaints,
    changed,
    messageContent,
    token,
  };
  const gateway = new Gateway({
    world,
    token: () => state.token,
    complain: (text) => void complaints.push(text),
    changed,
    heartbeatMs: options.heartbeatMs ?? 41_250,
    messageContent,
  });
  world.tell = (event) => {
    gateway.sessions.tell(event);
    changed();
  };
  const server = createServer((incoming, response) => {
    receive(state, incoming, response).catch((error: unknown) => {
      complaints.push(`the emulator itself failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on("upgrade", (incoming, socket, head: Buffer) => gateway.upgrade(incoming, socket, head));
  world.url = `http://127.0.0.1:${await listen(server)}`;
  const until = (condition: () => boolean): Promise<void> => watch(watchers, condition);
  return Object.assign(new People(world, interactions), {
    /** `api` of a REST client is this and `/api`. */
    url: world.url,
    token,
    bot: world.me,
    requests: state.requests as readonly RequestRecord[],
    /** The complaints so far; they no longer count. Disposing throws when there are any. */
    takeComplaints: () => complaints.splice(0),
    gateway: sideOf(gateway, world),
    typing: typing as readonly string[],
    reactions: reactions as readonly (typeof reactions)[0][],
    /** Each list that was put, the oldest first. */
    commands: world.commands as World["commands"],
    /** Oldest first. */
    shown: ({ id }: Place) => shown(world, id),
    /** Bytes of a file, by its address. */
    bytes: (url: string) => world.files.get(new URL(url).pathname)?.bytes,
    fault: (fault: Fault) => state.faults.add(fault),
    /** 429 for so many seconds, in one channel or everywhere. */
    flood: (seconds: number, channel?: Place) => state.limits.flood(seconds, channel?.id ?? "global"),
    calm: () => state.limits.calm(),
    /** Addresses of files that are made from now on hold so long. */
    signFor: (ms: number) => void (world.signedMs = ms),
    /** From now on the token is wrong, or holds again. */
    revoke: (isRevoked = true) => void (state.token = isRevoked ? undefined : token),
    /** Resolves when it is so; looked at after every request, answer, frame and act of a person. */
    until,
    /** Resolves with the `count`th request of a route in all, once it has come. */
    async received(route: string, count = 1) {
      const found = (): RequestRecord | undefined => state.requests.filter((one) => one.route === route)[count - 1];
      await until(() => found() !== undefined);
      return found() as RequestRecord; // the line above waited for it
    },
    async [Symbol.asyncDispose]() {
      gateway.end();
      await close(server);
      if (complaints.length > 0) throw new Error(`Discord would not know:\n${complaints.join("\n")}`);
    },
  });
}

/** The gateway, to be made to misbehave. */
function sideOf(gateway: Gateway, world: World) {
  const newest = () => [...gateway.sessions.all.values()].at(-1);
  return {
    records: gateway.records as readonly GatewayRecord[],
    /** So many sockets are open. */
    open: () => gateway.sockets.length,
    /** Of the newest session: its last dispatch. */
    seq: () => newest()?.seq ?? 0,
    identifiesLeft: () => gateway.identifiesLeft,
    close: (code: number) => gateway.closeAll(code),
    drop: () => gateway.drop(),
    halfOpen: () => gateway.halfOpen(),
    /** Op 7. */
    reconnect: () => gateway.send({ op: 7, d: null }),
    /** Op 9. */
    invalidate: (resumable: boolean) => gateway.invalidate(resumable),
    /** The next resume gets op 9. */
    refuseResume: (resumable = false) => void gateway.refusals.push({ resumable }),
    /** No session can be taken up any more. */
    expire: () => gateway.sessions.all.clear(),
    /** A message is told once more, under a new number. */
    repeat: (message: APIMessage) => {
      const room = world.rooms.get(message.channel_id);
      if (room !== undefined) world.announce("MESSAGE_CREATE", room, message);
    },
    /** The last dispatches come again, under their numbers. */
    resend: (count: number) => {
      for (const frame of newest()?.told.slice(-count) ?? []) gateway.send(frame);
    },
    /** The last dispatches are lost: who resumes does not get them. */
    lose: (count: number) => void newest()?.told.splice(-count),
    /** The next so many dispatches come in reverse. */
    reorder: (count: number) => gateway.reorder(count),
    /** A dispatch with anything in it. */
    dispatch: (type: string, data: unknown) => {
      for (const session of gateway.sessions.all.values()) gateway.sessions.dispatch(session, type, data);
    },
    /** Takes no sockets until `up`; those that are open are dropped. */
    down: () => {
      gateway.down = true;
      gateway.drop();
    },
    up: () => void (gateway.down = false),
  };
}

function shown(world: World, channel: string): readonly Shown[] {
  const messages = [...(world.rooms.get(channel)?.messages.values() ?? [])];
  return messages.map((message) => ({
    id: message.id,
    own: message.author.id === world.me.id,
    author: message.author.global_name ?? message.author.username,
    text: message.content,
    files: message.attachments.map(({ url }) => url),
    edited: message.edited_timestamp !== null,
    ...(message.message_reference?.message_id !== undefined && { replyTo: message.message_reference.message_id }),
    calls: message.mentions.map(({ id }) => id),
    flags: message.flags ?? 0,
    buttons: (message.components ?? []).flatMap((row) =>
      "components" in row
        ? row.components.flatMap((part) => ("custom_id" in part ? [String(part.custom_id)] : []))
        : [],
    ),
  }));
}

function watch(watchers: Set<() => void>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      watchers.delete(check);
      resolve();
    };
    watchers.add(check);
    check();
  });
}
