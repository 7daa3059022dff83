/** `/ws?protocol=seed` and `/ws/chat`: for clients written against the seeds. */
import type { JsonObject } from "@margay/core";
import type { SessionId, Summary } from "@margay/core/internal";
import type { WebSocket } from "ws";
import type { z } from "zod";
import { Problem, toProblem } from "../../host/api/problem.ts";
import { SEED_FRAMES } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import type { SocketCall, SocketHandler } from "../../host/live/socket-handler.ts";
import { readWorkspaceFile } from "../../host/api/workspace-file.ts";
import {
  eventsOf,
  findSession,
  isOperator,
  mayRead,
  ownPrefix,
  requireChat,
  type Caller,
} from "../../host/sessions/access.ts";
import { stopSession } from "../../host/sessions/control.ts";
import { adopt } from "../../host/sessions/create.ts";
import { requireOwn } from "../../host/sessions/privacy.ts";
import { COMMIT_BYTES } from "../../host/live/outlet.ts";
import { readFrames } from "../../host/live/read-frames.ts";
import { projectSeed, type SeedProjection } from "./frames.ts";
import { followTasks } from "./tasks.ts";
import { sendMessage } from "../../host/sessions/send.ts";
import { socketOutlet, TRY_AGAIN } from "../../host/live/socket-outlet.ts";

const FRAME_BYTES = 1_048_576;
const MAX_SUBSCRIPTIONS = 64;
const FOR_READERS: ReadonlySet<string> = new Set(["subscribe", "unsubscribe", "ping"]);

const isOn = (services: Services): boolean => services.app.inside.loaded().config.gateway.seedView;

export const SEED_SOCKETS: readonly SocketHandler[] = [
  {
    path: "/ws",
    protocols: [],
    maxPayload: FRAME_BYTES,
    enabled: (services, query) => query.get("protocol") === "seed" && isOn(services),
    connect,
  },
  { path: "/ws/chat", protocols: [], maxPayload: FRAME_BYTES, enabled: isOn, connect },
];

type Input<Type extends keyof typeof SEED_FRAMES> = z.infer<(typeof SEED_FRAMES)[Type]>;

/** One client. */
interface Link {
  readonly caller: Caller;
  readonly events: ReturnType<typeof eventsOf>;
  readonly outlet: ReturnType<typeof socketOutlet>;
  readonly chunk: "message_chunk" | "stream";
  readonly followed: Map<SessionId, { readonly view: SeedProjection; readonly end: () => void }>;
  readonly send: (frame: JsonObject) => void;
  readonly fail: (error: unknown) => void;
}

function connect(socket: WebSocket, { services, credential, query }: SocketCall): void {
  const { app } = services;
  const events = eventsOf(services);
  const outlet = socketOutlet(socket, app.clock);
  const send = (frame: JsonObject): void => {
    // Nothing here can be asked for again: a client that does not keep up is let go, and nobody waits for it.
    if (outlet.waiting > COMMIT_BYTES) {
      socket.close(TRY_AGAIN, "too slow");
      socket.terminate();
    } else outlet.send(JSON.stringify(frame));
  };
  const fail = (error: unknown): void => {
    const problem = toProblem(error);
    if (problem.code === "internal")
      app.log.error("socket.failed", { message: error instanceof Error ? error.message : String(error) });
    send({ type: "error", code: problem.code, message: problem.details.detail });
  };
  const link: Link = {
    caller: { services, credential },
    events,
    outlet,
    chunk: query.get("chunk") === "message_chunk" ? "message_chunk" : "stream",
    followed: new Map(),
    ...{ send, fail },
  };
  readFrames(socket, app.clock, {
    frame: (frame) => void handle(link, frame).catch(fail),
    unreadable: () => fail(new Problem("request.malformed", "A frame is a JSON object with a type.")),
    tooMany: () => fail(new Problem("rate.exceeded", "Too many frames.")),
  });
  const endTasks = followTasks(events, (parent) => link.followed.has(parent), send);
  socket.once("close", () => {
    endTasks();
    for (const { end } of link.followed.values()) end();
  });
  send({ type: "connected", connection: app.ids.next("connection") });
}

/** Frames take effect in the order in which they came; what they start does not hold up the next. */
async function handle(link: Link, frame: Readonly<Record<string, unknown>>): Promise<void> {
  const { caller } = link;
  const type = String(frame["type"]);
  if (!Object.hasOwn(SEED_FRAMES, type))
    throw new Problem("request.invalid", `There is no frame ${type.slice(0, 64)}.`);
  const known = type as keyof typeof SEED_FRAMES;
  const parsed = SEED_FRAMES[known].safeParse(frame);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : (issue?.path.join("/") ?? "");
    throw new Problem("request.invalid", `The frame ${type} does not fit: ${where}: ${issue?.message ?? ""}`);
  }
  if (!FOR_READERS.has(type)) requireChat(caller, type);
  const run = COMMANDS[known] as (link: Link, frame: unknown) => Promise<void>; // the schema of this very type made it
  await run(link, parsed.data);
}

const COMMANDS: { readonly [Type in keyof typeof SEED_FRAMES]: (link: Link, frame: Input<Type>) => Promise<void> } = {
  message: async (link, frame) => {
    const { caller } = link;
    const { services } = caller;
    const name = nameOf(frame);
    const session = (await find(caller, name)) ?? (await open(keyOf(caller, name), services));
    follow(link, session);
    const files = frame.media ?? frame.attachments ?? [];
    const media = await Promise.all(files.map((file) => mediaOf(file, services)));
    const text = frame.content === "" ? [] : [{ type: "text" as const, text: frame.content }];
    await sendMessage(
      caller,
      await findSession(caller, session.id, { write: true }),
      { parts: [...media, ...text] },
      services.app.ids.next("key"),
    );
  },
  subscribe: async (link, frame) => {
    follow(link, await knownSession(link.caller, frame));
  },
  unsubscribe: async (link, frame) => leave(link, (await knownSession(link.caller, frame)).id),
  cancel: async ({ caller, followed }, frame) => {
    const session = await findSession(caller, (await knownSession(caller, frame)).id, { write: true });
    followed.get(session.id)?.view.mute();
    await stopSession(caller, session, {});
  },
  ping: ({ send }) => Promise.resolve(send({ type: "pong" })),
};

/** @throws Problem `auth.private`, `rate.exceeded`. */
function follow(link: Link, summary: Summary): void {
  const { caller, events, outlet, chunk, followed, send } = link;
  const { id } = summary;
  if (followed.has(id) || outlet.closed) return;
  requireOwn(caller, summary);
  if (followed.size >= MAX_SUBSCRIPTIONS)
    throw new Problem("rate.exceeded", `A socket follows at most ${MAX_SUBSCRIPTIONS} sessions.`);
  const view = projectSeed({ session: id, chunk, send });
  /** A conversation may become another person's while it is followed. */
  const maySee = (): boolean => {
    try {
      requireOwn(caller, summary);
      return true;
    } catch (error) {
      leave(link, id);
      link.fail(error);
      return false;
    }
  };
  const end = events.hub.follow(id, {
    commit: (commit) => maySee() && view.commit(commit),
    live: (event) => maySee() && view.live(event),
  });
  followed.set(id, { view, end });
}

function leave({ followed }: Link, session: SessionId): void {
  followed.get(session)?.end();
  followed.delete(session);
}

/** By our id, or by the name that the client gave it. */
async function find(caller: Caller, name: string): Promise<Summary | undefined> {
  const { index } = eventsOf(caller.services);
  const byId = await index.get(name as SessionId); // looked up by equality
  const found = byId ?? (await index.byKey(keyOf(caller, name)));
  return found !== undefined && mayRead(caller, found) ? found : undefined;
}

function keyOf(caller: Caller, name: string): string {
  return `${isOperator(caller) ? "web:" : ownPrefix(caller.credential)}${name}`;
}

async function knownSession(caller: Caller, frame: Named): Promise<Summary> {
  const found = await find(caller, nameOf(frame));
  if (found === undefined) throw new Problem("session.not-found", `There is no session ${nameOf(frame)}.`);
  return findSession(caller, found.id);
}

interface Named {
  readonly session_id?: string | undefined;
  readonly sessionId?: string | undefined;
}

function nameOf({ session_id, sessionId }: Named): string {
  const name = session_id ?? sessionId;
  if (name !== undefined) return name;
  throw new Problem("request.invalid", "The frame needs session_id.");
}

async function open(key: string, services: Services): Promise<Summary> {
  const at = key.indexOf(":");
  const address = { channel: key.slice(0, at), chat: key.slice(at + 1) };
  const session = await services.app.agent.sessions.open(key, address);
  return adopt(services, session.state.id);
}

/** An upload by its hash, or a file of the workspace by its path. */
async function mediaOf(file: string, services: Services): Promise<{ type: "media"; blob: MediaBlob; name?: string }> {
  if (/^[0-9a-f]{64}$/.test(file)) return { type: "media", blob: { sha256: file, bytes: 0 } };
  const blob = await services.app.agent.blobs.put(await readWorkspaceFile(services, services.app.loaded, file));
  return { type: "media", blob: { ...blob }, name: file.split("/").at(-1) ?? "file" };
}

type MediaBlob = { sha256: string; bytes: number };
