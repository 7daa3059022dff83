/** One client follows one session: every commit once and in order, live events as far as the client keeps up. */
import type { Clock, Commit } from "@margay/core";
import type { LiveEvent, SessionId } from "@margay/core/internal";
import { type SessionView } from "@margay/core/state";
import { cutCommit, type WireCommit } from "@margay/core/internal/state";
import type { SessionDetail } from "../sessions/detail.ts";
import type { Hub } from "./hub.ts";
import { createLiveBuffer, type LiveBuffer } from "./live-buffer.ts";
import { COMMIT_BYTES, LIVE_BYTES, type Outlet } from "./outlet.ts";
import type { Reader } from "./reader.ts";

export interface FollowDeps {
  readonly hub: Hub;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly detail: (view: SessionView) => SessionDetail;
  readonly failed: (error: unknown) => void;
  /** Asked before anything goes out: a conversation may become another person's. @throws Problem `auth.private`. */
  readonly requireOwn: () => void;
  /** Counts what a slow client lost. */
  readonly dropped: (kind: "live" | "commit") => void;
}

export interface FollowOptions {
  readonly session: SessionId;
  /** The last commit the client has; undefined: none, it wants a snapshot. */
  readonly after: number | undefined;
  readonly live: boolean;
  readonly outlet: Outlet;
  /** Frame → what goes out. */
  readonly encode: (frame: SessionFrame) => string;
  /** Before the first frame: how the client will be served. */
  readonly begun?: (from: "replay" | "snapshot", seq: number) => void;
  /** After a commit went out. */
  readonly sent?: (commit: WireCommit) => void;
}

export type SessionFrame =
  | { readonly type: "snapshot"; readonly session: SessionId; readonly seq: number; readonly [rest: string]: unknown }
  | ({ readonly type: "commit"; readonly session: SessionId } & WireCommit)
  | { readonly type: "partial"; readonly session: SessionId; readonly [rest: string]: unknown }
  | {
      readonly type: "live";
      readonly session: SessionId;
      readonly turn: string;
      readonly events: readonly LiveEvent[];
    };

export interface Following {
  live(on: boolean): void;
  end(): void;
}

const REPLAY_COMMITS = 2000;
const REPLAY_BYTES = 4_194_304;
const FRAME_BYTES = 4_194_304;
const SNAPSHOT_ITEMS = 50;
const SNAPSHOT_BYTES = 1_048_576;

interface Follower {
  readonly options: FollowOptions;
  readonly deps: FollowDeps;
  readonly buffer: LiveBuffer;
  /** `filling`: what is committed now will be read from the journal. */
  mode: "filling" | "direct" | "ended";
  /** The last commit that went out. */
  sent: number;
  live: boolean;
  /** The client was told how it is served. */
  hasBegun: boolean;
  /** Live events were left out: when there is room, one `partial` makes up for them. */
  lost: boolean;
  /** Ends what the hub tells. */
  unfollow: () => void;
}

/** Resolves when the client is up to date. @throws What kept it from beginning; what fails after `begun` goes to `failed`. */
export async function follow(options: FollowOptions, deps: FollowDeps): Promise<Following> {
  const { session, outlet, encode } = options;
  const follower: Follower = {
    options,
    deps,
    buffer: createLiveBuffer(deps.clock, (events) => {
      const [first] = events;
      if (first !== undefined) outlet.send(encode({ type: "live", session, turn: first.turn, events }));
    }),
    mode: "filling",
    sent: options.after ?? 0,
    live: options.live,
    hasBegun: false,
    lost: false,
    unfollow: () => {},
  };
  follower.unfollow = deps.hub.follow(session, {
    commit: (commit) => takeCommit(follower, commit),
    live: (event) => takeLive(follower, event),
  });
  try {
    await begin(follower);
  } catch (error) {
    end(follower);
    if (!follower.hasBegun) throw error;
    deps.failed(error); // the client was told that it is served
  }
  return {
    live: (on) => {
      follower.live = on;
      if (follower.mode !== "direct") return;
      if (on) sendPartial(follower);
      else follower.buffer.drop();
    },
    end: () => end(follower),
  };
}

/** @returns whether the client may see what comes now; else it is told why it ends. */
function maySee(follower: Follower): boolean {
  try {
    follower.deps.requireOwn();
    return true;
  } catch (error) {
    end(follower);
    follower.deps.failed(error);
    return false;
  }
}

function isOver({ mode, options }: Follower): boolean {
  return mode === "ended" || options.outlet.closed;
}

function end(follower: Follower): void {
  follower.mode = "ended";
  follower.buffer.drop();
  follower.unfollow();
}

async function begin(follower: Follower): Promise<void> {
  const { options, deps } = follower;
  const replay = options.after === undefined ? undefined : await replayable(options, deps);
  const begun = (from: "replay" | "snapshot", seq: number): void => {
    follower.hasBegun = true;
    options.begun?.(from, seq);
  };
  if (replay === undefined) await sendSnapshot(follower, (seq) => begun("snapshot", seq));
  else {
    begun("replay", replay.last);
    await sendAll(follower, replay.commits);
  }
  await fill(follower);
}

/** From the journal, until there is nothing that the hub has shown and the client has not. */
async function fill(follower: Follower): Promise<void> {
  const { options, deps } = follower;
  const { session, outlet } = options;
  while (!isOver(follower)) {
    if (follower.sent >= (deps.hub.shown(session) ?? 0)) {
      follower.mode = "direct";
      sendPartial(follower);
      return;
    }
    if (outlet.waiting > COMMIT_BYTES) await outlet.drained();
    await sendAll(follower, deps.reader.commits(session, follower.sent));
  }
}

/** Ends early with a snapshot in place of a commit that is too large to be one frame. */
async function sendAll(follower: Follower, commits: Iterable<WireCommit> | AsyncIterable<WireCommit>): Promise<void> {
  const { outlet } = follower.options;
  for await (const commit of commits) {
    if (isOver(follower)) return;
    if (!sendCommit(follower, commit)) return sendSnapshot(follower);
    if (outlet.waiting > COMMIT_BYTES) await outlet.drained();
  }
}

/** @returns false: too large to be one frame. */
function sendCommit(follower: Follower, commit: WireCommit): boolean {
  const { session, encode, outlet, sent } = follower.options;
  const text = encode({ type: "commit", session, ...commit });
  if (text.length > FRAME_BYTES) return false;
  follower.sent = commit.seq;
  outlet.send(text);
  sent?.(commit);
  return true;
}

async function sendSnapshot(follower: Follower, begun?: (seq: number) => void): Promise<void> {
  const { options, deps } = follower;
  const view = await deps.reader.view(options.session);
  if (isOver(follower)) return;
  // From here on in one go: the view must not grow between its parts.
  follower.sent = view.seq;
  begun?.(view.seq);
  options.outlet.send(options.encode(snapshotOf(view, deps.detail(view))));
}

function sendPartial(follower: Follower): void {
  const { options, deps, buffer, live } = follower;
  const { session, outlet, encode } = options;
  follower.lost = false;
  buffer.drop();
  const partial = live ? deps.hub.partial(session) : undefined;
  if (partial !== undefined) outlet.send(encode({ type: "partial", session, ...partial }));
}

function takeCommit(follower: Follower, commit: Commit): void {
  if (!maySee(follower)) return;
  const { options, deps, buffer } = follower;
  const { session, outlet } = options;
  if (follower.mode !== "direct" || outlet.closed) return;
  if (outlet.waiting > COMMIT_BYTES || commit.seq !== follower.sent + 1) {
    deps.dropped("commit");
    recover(follower);
    return;
  }
  buffer.flush();
  if (!sendCommit(follower, cutCommit(session, commit))) recover(follower);
}

/** A slow client reads what it missed from the journal. */
function recover(follower: Follower): void {
  follower.mode = "filling";
  follower.buffer.drop();
  fill(follower).catch((error: unknown) => {
    end(follower);
    follower.deps.failed(error);
  });
}

function takeLive(follower: Follower, event: LiveEvent): void {
  if (!maySee(follower)) return;
  const { options, deps, buffer } = follower;
  const { outlet } = options;
  if (follower.mode !== "direct" || !follower.live || outlet.closed) return;
  if (follower.lost) return deps.dropped("live");
  if (outlet.waiting <= LIVE_BYTES) return buffer.push(event);
  deps.dropped("live");
  follower.lost = true;
  buffer.drop();
  void afterDrain(follower);
}

async function afterDrain(follower: Follower): Promise<void> {
  const { outlet } = follower.options;
  await outlet.drained();
  if (follower.mode === "direct" && follower.lost && !outlet.closed) sendPartial(follower);
}

/** The commits that the client misses; undefined when they are too many, or when it has what never was. */
async function replayable(
  { session, after = 0 }: FollowOptions,
  { reader, hub }: FollowDeps,
): Promise<{ readonly commits: readonly WireCommit[]; readonly last: number } | undefined> {
  const commits: WireCommit[] = [];
  let bytes = 0;
  let last = 0;
  if (after === hub.shown(session)) return { commits, last: after };
  for await (const commit of reader.commits(session, 0)) {
    last = commit.seq;
    if (commit.seq <= after) continue;
    bytes += JSON.stringify(commit).length;
    commits.push(commit);
    if (commits.length > REPLAY_COMMITS || bytes > REPLAY_BYTES) return undefined;
  }
  return after > last ? undefined : { commits, last };
}

export function snapshotOf(view: SessionView, detail: SessionDetail): SessionFrame & { readonly type: "snapshot" } {
  let count = Math.min(SNAPSHOT_ITEMS, view.items.length);
  const sizes = view.items.slice(view.items.length - count).map((item) => JSON.stringify(item).length);
  let bytes = sizes.reduce((sum, size) => sum + size, 0);
  for (const size of sizes) {
    if (bytes <= SNAPSHOT_BYTES || count <= 1) break;
    bytes -= size;
    count -= 1;
  }
  return {
    type: "snapshot",
    ...view.snapshot(count),
    detail,
    more: count < view.items.length,
  };
}
