/** A store in memory that several agents of one process share, as processes share a database: for tests of what holds between them. */
import type { Millis, SessionId } from "../contract/base.ts";
import type { Blobs, Bus, Claim, KnownKey, Store } from "../contract/store.ts";
import { idOf } from "../journal/directory.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { sha256 } from "../machine/system/hash.ts";
import { GREW } from "../session/sessions.ts";
import { memoryJournals, type SharedMemory } from "./memory-journals.ts";

/** A session that waits to be looked at, and who drives it. */
interface Job {
  owner?: Node;
  /** It was woken since it was given. */
  woken: boolean;
}
interface Node {
  /** Of the sessions that it drives, or drove last: what it stores behind the epoch of another is refused. */
  readonly epochs: Map<SessionId, number>;
  readonly lost: Map<string, AbortController>;
  look?: (claim: Claim) => void;
}
interface Holder {
  readonly node: Node;
  readonly lost: AbortController;
}

export interface MemoryNode extends Store {
  /** It is gone, as after a kill: what it had is given to others, and whatever it still stores is refused. */
  fail(): void;
}
export interface ClusterOptions {
  readonly now: () => Millis;
  /** How long it takes until a statement runs. */
  readonly away: () => Promise<void>;
}
interface Cluster extends ClusterOptions {
  readonly shared: SharedMemory;
  readonly jobs: Map<string, Job>;
  readonly nodes: Set<Node>;
  readonly holders: Map<string, Holder>;
  /** Nodes take turns. */
  given: number;
}

/** @returns makes a node: a process of its own, as far as anybody can tell. */
export function memoryCluster(options: ClusterOptions): { readonly node: () => MemoryNode } {
  const cluster: Cluster = {
    ...options,
    shared: new Map(),
    jobs: new Map(),
    nodes: new Set(),
    holders: new Map(),
    given: 0,
  };
  const { shared, away, now } = cluster;
  const bus = memoryBus();
  const blobs = memoryBlobs(now);
  const keys = new Map<string, KnownKey>();
  return {
    node: () => {
      const node: Node = { epochs: new Map(), lost: new Map() };
      cluster.nodes.add(node);
      const told = (id: SessionId): void => bus.publish(GREW, id);
      return {
        journals: memoryJournals({ shared, away, epochs: node.epochs, told }),
        blobs,
        bus,
        now,
        keys: {
          find: (channel, key) => away().then(() => keys.get(`${channel}\n${key}`)),
          intend: (channel, key, session) => away().then(() => void keys.set(`${channel}\n${key}`, { session })),
          taken: (channel, key) => void keys.set(`${channel}\n${key}`, "taken"),
        },
        work: {
          wake: (key) => wake(cluster, key),
          take: (look) => {
            node.look = look;
            for (const [key, job] of cluster.jobs) if (job.owner === undefined && job.woken) give(cluster, key, job);
            return { [Symbol.dispose]: () => void delete node.look };
          },
        },
        leases: { hold: (name, signal) => hold(cluster, node, name, signal) },
        fail: () => fail(cluster, node),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  };
}

function wake(cluster: Cluster, key: string): void {
  const job = cluster.jobs.get(key) ?? { woken: false };
  cluster.jobs.set(key, job);
  job.woken = true;
  queueMicrotask(() => {
    if (job.woken) give(cluster, key, job);
  });
}

function give(cluster: Cluster, key: string, job: Job): void {
  const able = [...cluster.nodes].filter(({ look }) => look !== undefined);
  const owner = job.owner ?? able[(cluster.given += 1) % Math.max(1, able.length)];
  if (owner?.look === undefined) return; // it waits for a process
  const id = idOf(key);
  const row = cluster.shared.get(id);
  if (row === undefined) return;
  if (job.owner === undefined) {
    row.epoch += 1;
    owner.epochs.set(id, row.epoch);
    owner.lost.set(key, new AbortController());
  }
  job.owner = owner;
  job.woken = false;
  const lost = owner.lost.get(key)?.signal ?? AbortSignal.abort();
  const end: Claim["end"] = async (head, next) => {
    await cluster.away();
    if (job.owner !== owner) return "ended";
    if (job.woken || row.lines.length > Number(head)) return "again";
    delete job.owner;
    owner.epochs.delete(id);
    if (next !== undefined) setTimeout(() => wake(cluster, key), Math.max(0, next - cluster.now())).unref();
    return "ended";
  };
  owner.look({ key, lost, end });
}

function fail(cluster: Cluster, node: Node): void {
  cluster.nodes.delete(node);
  delete node.look;
  for (const [name, holder] of cluster.holders) if (holder.node === node) free(cluster, name, holder);
  for (const [key, job] of cluster.jobs) {
    if (job.owner !== node) continue;
    delete job.owner;
    node.lost.get(key)?.abort(gone(key));
    wake(cluster, key);
  }
}

async function hold(cluster: Cluster, node: Node, name: string, signal: AbortSignal): Promise<AbortSignal> {
  const { holders } = cluster;
  for (let holder = holders.get(name); holder !== undefined; holder = holders.get(name))
    await Promise.race([aborted(holder.lost.signal), aborted(signal).then(() => signal.throwIfAborted())]);
  const holder: Holder = { node, lost: new AbortController() };
  holders.set(name, holder);
  signal.addEventListener("abort", () => free(cluster, name, holder), { once: true });
  return holder.lost.signal;
}

function free({ holders }: Cluster, name: string, holder: Holder): void {
  if (holders.get(name) === holder) holders.delete(name);
  holder.lost.abort(gone(name));
}

function gone(name: string): RuntimeError {
  return new RuntimeError("session.fenced", `${name} is another's now.`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function memoryBus(): Bus {
  const listeners = new Set<(topic: string, text: string) => void>();
  return {
    publish: (topic, text) => queueMicrotask(() => listeners.forEach((listener) => listener(topic, text))),
    subscribe: (topic, take) => {
      const listener = (heard: string, text: string): void => void (heard === topic && take(text));
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

function memoryBlobs(now: () => Millis): Blobs {
  const kept = new Map<string, { readonly bytes: Uint8Array; readonly putAt: Millis }>();
  return {
    put: (bytes) => {
      const hash = sha256(bytes);
      kept.set(hash, { bytes: bytes.slice(), putAt: now() });
      return Promise.resolve({ sha256: hash, bytes: bytes.length });
    },
    read: ({ sha256: hash }) => {
      const found = kept.get(hash);
      return found === undefined
        ? Promise.reject(new RuntimeError("blob.missing", `The attachment ${hash.slice(0, 12)} is missing.`))
        : Promise.resolve(found.bytes.slice());
    },
    list: () =>
      Promise.resolve([...kept].map(([hash, { bytes, putAt }]) => ({ sha256: hash, bytes: bytes.length, putAt }))),
    remove: (hash, before = Infinity) =>
      Promise.resolve((kept.get(hash)?.putAt ?? Infinity) < before && kept.delete(hash)),
  };
}
