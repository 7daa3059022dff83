/** One client follows one session: every commit once and in order, live events as far as the client keeps up. */
import type { Clock, Commit } from "@margay/core";
import type { LiveEvent, SessionId } from "@margay/core/internal";
import { type SessionView } from "@margay/core/state";
import { cutCommit, type WireCommit } from "@margay/core/internal/state";
import type { SessionDetail } from "../sessions/detail.ts";
import type { Hub } from "./hub.ts";
import { createLiveBuffer } from "./live-buffer.ts";
import { COMMIT_BYTES, LIVE_BYTES, type Outlet } from "./outlet.ts";
import type { Reader } from "./reader.ts";

export interface FollowDeps {
  readonly hub: Hub;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly detail: (view: SessionView) => SessionDetail;
  readonly failed: (error: unknown) => void;
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

/** Resolves when the client is up to date. */
export async function follow(options: FollowOptions, deps: FollowDeps): Promise<Following> {
  const { session, outlet, encode } = options;
  const { hub, reader, clock } = deps;
  /** `filling`: what is committed now will be read from the journal. */
  let mode: "filling" | "direct" | "ended" = "filling";
  let sent = options.after ?? 0;
  let live = options.live;
  /** Live events were left out: when there is room, one `partial` makes up for them. */
  let lost = false;

  const ended = (): boolean => mode === "ended" || outlet.closed;

  const buffer = createLiveBuffer(clock, (events) => {
    const [first] = events;
    if (first !== undefined) outlet.send(encode({ type: "live", session, turn: first.turn, events }));
  });

  const sendPartial = (): void => {
    lost = false;
    buffer.drop();
    const partial = live ? hub.partial(session) : undefined;
    if (partial !== undefined) outlet.send(encode({ type: "partial", session, ...partial }));
  };

  /** False: too large to be one frame. */
  const sendCommit = (commit: WireCommit): boolean => {
    const text = encode({ type: "commit", session, ...commit });
    if (text.length > FRAME_BYTES) return false;
    sent = commit.seq;
    outlet.send(text);
    options.sent?.(commit);
    return true;
  };

  const sendSnapshot = async (begun?: (seq: number) => void): Promise<void> => {
    const view = await reader.view(session);
    if (ended()) return;
    // From here on in one go: the view must not grow between its parts.
    sent = view.seq;
    begun?.(sent);
    outlet.send(encode(snapshotOf(view, deps.detail(view))));
  };

  const fill = async (): Promise<void> => {
    while (!ended()) {
      if (sent >= (hub.shown(session) ?? 0)) {
        mode = "direct";
        sendPartial();
        return;
      }
      if (outlet.waiting > COMMIT_BYTES) await outlet.drained();
      for await (const commit of reader.commits(session, sent)) {
        if (ended()) return;
        if (!sendCommit(commit)) {
          await sendSnapshot();
          break;
        }
        if (outlet.waiting > COMMIT_BYTES) await outlet.drained();
      }
    }
  };

  const recover = (): void => {
    mode = "filling";
    buffer.drop();
    fill().catch((error: unknown) => {
      end();
      deps.failed(error);
    });
  };

  const afterDrain = async (): Promise<void> => {
    await outlet.drained();
    if (mode === "direct" && lost && !outlet.closed) sendPartial();
  };

  const unfollow = hub.follow(session, {
    commit: (commit: Commit) => {
      if (mode !== "direct" || outlet.closed) return;
      if (outlet.waiting > COMMIT_BYTES || commit.seq !== sent + 1) {
        deps.dropped("commit");
        recover();
        return;
      }
      buffer.flush();
      if (!sendCommit(cutCommit(session, commit))) recover();
    },
    live: (event) => {
      if (mode !== "direct" || !live || outlet.closed) return;
      if (lost) return deps.dropped("live");
      if (outlet.waiting > LIVE_BYTES) {
        deps.dropped("live");
        lost = true;
        buffer.drop();
        void afterDrain();
        return;
      }
      buffer.push(event);
    },
  });

  const end = (): void => {
    mode = "ended";
    buffer.drop();
    unfollow();
  };

  const begin = async (): Promise<void> => {
    const replay = options.after === undefined ? undefined : await replayable(options, deps);
    if (replay === undefined) {
      await sendSnapshot((seq) => options.begun?.("snapshot", seq));
    } else {
      options.begun?.("replay", replay.last);
      for (const commit of replay.commits) {
        if (ended()) break;
        if (!sendCommit(commit)) {
          await sendSnapshot();
          break;
        }
        if (outlet.waiting > COMMIT_BYTES) await outlet.drained();
      }
    }
    await fill();
  };
  try {
    await begin();
  } catch (error) {
    end();
    throw error;
  }

  return {
    live: (on) => {
      live = on;
      if (mode !== "direct") return;
      if (on) sendPartial();
      else buffer.drop();
    },
    end,
  };
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
