// Telegram on this machine: the Bot API over HTTP, people and their chats behind it, and a way to make it misbehave.

import { createServer } from "node:http";

import type { Update, UserFromGetMe } from "grammy/types";

import { realClock, type EmulatorClock } from "./clock.ts";
import { Faults, type Fault } from "./faults.ts";
import { close, listen } from "./http.ts";
import { Limits } from "./limits.ts";
import { People } from "./people.ts";
import { notify, receive, type RequestRecord, type State } from "./server.ts";
import { shown, type Shown } from "./shown.ts";
import { Updates } from "./updates.ts";
import { World } from "./world.ts";

export type { Fault, FaultKind } from "./faults.ts";
export type { RequestRecord } from "./server.ts";
export type { Shown } from "./shown.ts";
export type { EmulatorClock } from "./clock.ts";

export interface TelegramOptions {
  /** Default: the time of the machine. */
  readonly clock?: EmulatorClock;
  /** Name of the bot. Default `margay_bot`. */
  readonly username?: string;
  readonly token?: string;
  /** `real`: about what Telegram allows (3 in 3 s to a person, 20 in a minute to a group, 30 in a second to all). Default `off`. */
  readonly limits?: "real" | "off";
  /** In groups the bot gets only what is meant for it, unless it is an administrator. Default false. */
  readonly privacy?: boolean;
  /** How long a button waits for its answer. Default 15,000. */
  readonly pressMs?: number;
  /** Methods this server is too old for: 404 without a complaint. */
  readonly without?: readonly string[];
}

export interface Telegram extends AsyncDisposable, Omit<People, never> {
  /** `apiRoot` of grammy. */
  readonly url: string;
  readonly token: string;
  readonly bot: UserFromGetMe;
  readonly requests: readonly RequestRecord[];
  /** What was asked for that the Bot API does not know. Disposing throws when there is any. */
  readonly complaints: readonly string[];
  /** The complaints so far; they no longer count. */
  takeComplaints(): readonly string[];
  /** Oldest first, service messages left out. */
  shown(chat: number | { readonly id: number }): readonly Shown[];
  /** Drafts that are shown at this moment, by number. */
  drafts(chat: { readonly id: number }): ReadonlyMap<number, { readonly text: string; readonly canStop: boolean }>;
  /** Bytes of a file, by its id. */
  bytes(fileId: string): Buffer | undefined;
  fault(fault: Fault): void;
  clearFaults(): void;
  /** 429 for so many seconds, in one chat or in all. */
  flood(seconds: number, chat?: number): void;
  /** The next answer brings the last `count` updates (default 1) once more, confirmed or not. */
  repeatUpdates(count?: number): void;
  /** The next answer with more than one update has them in reverse. */
  reverseUpdates(): void;
  /** A gap in the numbers of updates. @returns the last one that no update will have. */
  skipUpdateIds(count: number): number;
  /** Neither confirmed nor expired. */
  pendingUpdates(): readonly Update[];
  /** Takes no connection until `up`; what is held ends. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** From now on the token is wrong, or holds again. */
  revoke(isRevoked?: boolean): void;
  /** Whether a `getUpdates` waits at this moment. */
  isPolling(): boolean;
  /** Resolves when it is so; looked at after every request, answer and act of a person. */
  until(condition: () => boolean): Promise<void>;
  /** Resolves with the `count`th request of a method in all, once it has come. */
  received(method: string, count?: number): Promise<RequestRecord>;
}

/** Starts a Telegram with one bot and no people on 127.0.0.1. */
export async function startTelegram(options: TelegramOptions = {}): Promise<Telegram> {
  const { clock = realClock, username = "margay_bot", token = "700001:AAE-emulated-token-of-a-bot-0000000" } = options;
  const watchers = new Set<() => void>();
  const changed = (): void => notify(watchers);
  const world = new World(
    clock,
    account(username, options.privacy === true),
    new Updates(clock, changed),
    new Limits(clock, options.limits === "real"),
  );
  const state: State = {
    world,
    token,
    faults: new Faults(),
    requests: [],
    complaints: [],
    without: new Set(options.without),
    watchers,
    revoked: false,
  };
  const server = createServer((incoming, response) => {
    receive(state, incoming, response).catch((error: unknown) => {
      state.complaints.push(`the emulator itself failed: ${String(error)}`);
      response.destroy();
    });
  });
  const port = await listen(server);
  const admin = new People(world, options.pressMs ?? 15_000, changed);
  const until = (condition: () => boolean): Promise<void> => watch(watchers, condition);
  const { requests, complaints, faults } = state;
  return Object.assign(admin, {
    url: `http://127.0.0.1:${port}`,
    token,
    bot: world.me,
    requests,
    complaints,
    takeComplaints: () => complaints.splice(0),
    shown: (chat: number | { readonly id: number }) => shown(world, typeof chat === "number" ? chat : chat.id),
    drafts({ id }: { readonly id: number }) {
      return new Map([...world.room(id).drafts].filter(([, draft]) => draft.until > clock.now()));
    },
    bytes: (id: string) => world.files.get(id)?.bytes,
    fault: (fault: Fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    flood: (seconds: number, chat?: number) => world.limits.flood(seconds, chat),
    repeatUpdates: (count = 1) => world.updates.repeat(count),
    reverseUpdates: () => world.updates.reverse(),
    skipUpdateIds: (count: number) => world.updates.skip(count),
    pendingUpdates: () => world.updates.pending(),
    down: () => close(server),
    up: async () => void (await listen(server, port)),
    revoke: (isRevoked = true) => void (state.revoked = isRevoked),
    isPolling: () => world.updates.polling,
    until,
    async received(method: string, count = 1) {
      const found = (): RequestRecord | undefined => requests.filter((one) => one.method === method)[count - 1];
      await until(() => found() !== undefined);
      return found() as RequestRecord; // the line above waited for it
    },
    async [Symbol.asyncDispose]() {
      world.updates.close();
      await close(server);
      if (complaints.length > 0) throw new Error(`Telegram would not know:\n${complaints.join("\n")}`);
    },
  });
}

function account(username: string, privacy: boolean): UserFromGetMe {
  const no = {
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    can_manage_bots: false,
  };
  const topics = {
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    supports_join_request_queries: false,
  };
  const groups = { can_join_groups: true, can_read_all_group_messages: !privacy };
  return { id: 700_001, is_bot: true, first_name: "Margay", username, ...groups, ...no, ...topics };
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
