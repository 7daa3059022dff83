/** `push.json`: durable when a change returns; one writer, the process that holds the lock. */
import { join } from "node:path";
import { messageOf, readIfExists, replaceFile } from "@margay/core/internal";
import type { z } from "zod";
import type { App } from "../../app.ts";
import type { Services } from "../../host/api/services.ts";
import { userOf } from "../../host/auth/identify.ts";
import { OWNER } from "../../host/people.ts";
import { newVapidKey, type VapidKey } from "./encrypt.ts";
import { PushState } from "./schema.ts";

type State = z.output<typeof PushState>;
export type Subscription = Readonly<State["subscriptions"][number]>;
export type Owed = NonNullable<Subscription["owed"]>;
/** What one person was told. */
export type Reader = State["readers"][string];

export interface PushStore {
  /** Made at first use. */
  key(): VapidKey;
  list(): readonly Subscription[];
  /** In place of one with its endpoint; of many of one person the oldest goes. */
  add(subscription: Subscription): void;
  /** @returns false when there is none. */
  remove(gone: (subscription: Subscription) => boolean): boolean;
  reader(person: string): Reader;
  /** What a person was told, and what is owed to their devices, in one writing. */
  tell(person: string, reader: Reader, devices: readonly Subscription[]): void;
  /** Nothing when it is gone. */
  update(id: string, change: (subscription: Subscription) => Subscription): void;
  watch(changed: () => void): () => void;
}

/** Devices of one person: more are forgotten ones. */
const MAX_OF_A_PERSON = 20;
const FILE = "push.json";
const NOBODY: Reader = { told: [], done: [] };

/** For `services.once`. A damaged file is moved aside: browsers subscribe anew when their page is opened. */
export function openPush({ loaded, log }: App): PushStore {
  const path = join(loaded.places.home, FILE);
  const watchers = new Set<() => void>();
  let state = load(path, (message) => log.error("push.damaged", { message }));
  const save = (next: State): void => {
    replaceFile(path, `${JSON.stringify(next)}\n`);
    state = next;
    for (const changed of watchers) changed();
  };
  const known = (): State => {
    if (state === undefined) save({ version: 1, key: newVapidKey(), readers: {}, subscriptions: [] });
    return state as State; // made above
  };
  const list = (): readonly Subscription[] => state?.subscriptions ?? [];
  return {
    key: () => known().key,
    list,
    add: (subscription) => {
      const { subscriptions, ...rest } = known();
      const others = subscriptions.filter(({ endpoint }) => endpoint !== subscription.endpoint);
      const oldest = others.filter(isOf(personOf(subscription))).toReversed()[MAX_OF_A_PERSON - 1];
      save({ ...rest, subscriptions: [...others.filter((one) => one !== oldest), subscription] });
    },
    remove: (gone) => {
      const left = list().filter((one) => !gone(one));
      if (state === undefined || left.length === list().length) return false;
      const readers = Object.entries(state.readers).filter(([person]) => left.some(isOf(person)));
      save({ ...state, subscriptions: left, readers: Object.fromEntries(readers) });
      return true;
    },
    reader: (person) => state?.readers[person] ?? NOBODY,
    tell: (person, reader, devices) => {
      const { readers, subscriptions, ...rest } = known();
      const changed = new Map(devices.map((one) => [one.id, one]));
      const told = subscriptions.map((one) => changed.get(one.id) ?? one);
      save({ ...rest, readers: { ...readers, [person]: reader }, subscriptions: told });
    },
    update: (id, change) => {
      if (state === undefined || !list().some((one) => one.id === id)) return;
      save({ ...state, subscriptions: state.subscriptions.map((one) => (one.id === id ? change(one) : one)) });
    },
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

export function personOf({ for: person = OWNER }: Pick<Subscription, "for">): string {
  return person;
}

export function isOf(person: string): (subscription: Subscription) => boolean {
  return (subscription) => personOf(subscription) === person;
}

/** Those whose browser is logged in no more go: logged out, closed by somebody, expired, of a person who is gone. */
export function prune(services: Pick<Services, "app" | "auth">, store: PushStore): void {
  if (store.list().length === 0) return;
  const { gateway, people } = services.app.inside.loaded().config;
  const open = new Set(services.auth.browsers().map(({ id }) => id));
  const isVouched = (login: string): boolean =>
    login.startsWith(PROXIED) && userOf(login.slice(PROXIED.length), gateway.proxyAuth) !== undefined;
  store.remove(
    ({ login, for: person }) =>
      (!open.has(login) && !isVouched(login)) || (person !== undefined && !Object.hasOwn(people, person)),
  );
}

/** Logins that a proxy vouches for are known by their user. */
const PROXIED = "proxy:";

/** What this start finds owed may have come before the last one ended: it makes no sound a second time. */
function load(path: string, damaged: (message: string) => void): State | undefined {
  const text = readIfExists(path)?.toString("utf8");
  if (text === undefined) return undefined;
  try {
    const { subscriptions, ...rest } = PushState.parse(JSON.parse(text));
    const quiet = ({ owed, ...one }: Subscription): Subscription =>
      owed === undefined ? one : { ...one, owed: { ...owed, quiet: true, nextAt: 0 } };
    return { ...rest, subscriptions: subscriptions.map(quiet) };
  } catch (error) {
    replaceFile(`${path}.damaged`, text);
    damaged(messageOf(error));
    return undefined;
  }
}
