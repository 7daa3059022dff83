/** `/ws`, sub-protocol `margay.v1`: one socket, many sessions. */
import type { WebSocket } from "ws";
import type { z } from "zod";
import { allows } from "../auth/credential.ts";
import { problemDocument } from "../api/problem-body.ts";
import { Problem, toProblem } from "../api/problem.ts";
import { CLIENT_FRAMES, type ClientFrame, type ClientFrameType } from "../../protocol/frames.ts";
import { TEMPORARY, type Summary } from "@margay/core/internal";
import type { Outlet } from "./outlet.ts";
import type { SocketCall, SocketHandler } from "./socket-handler.ts";
import { eventsOf, findSession, personOf, requireChat, type Caller } from "../sessions/access.ts";
import { resolveApproval, stopSession, withdrawMessage } from "../sessions/control.ts";
import { createSession } from "../sessions/create.ts";
import { requireOwn } from "../sessions/privacy.ts";
import { detailOf } from "../sessions/detail.ts";
import { follow, type Following } from "./follow.ts";
import { mayOf, OF_PERSONS, pageOf, speaksOf } from "./of-persons.ts";
import type { OpenPage } from "./pages.ts";
import { readFrames } from "./read-frames.ts";
import { sendMessage } from "../sessions/send.ts";
import { socketOutlet, TRY_AGAIN } from "./socket-outlet.ts";
import type { Topic } from "./topics.ts";
import { unfit } from "./unfit.ts";

const FRAME_BYTES = 1_048_576;
const MAX_SUBSCRIPTIONS = 64;
const COMMANDS_PER_SECOND = 60;
const RESTART_MS = 2000;

export const NATIVE_SOCKET: SocketHandler = {
  path: "/ws",
  protocols: ["margay.v1"],
  ofPersons: true,
  maxPayload: FRAME_BYTES,
  enabled: (_services, query) => query.get("protocol") !== "seed",
  connect,
};

/** One client, and what it follows. */
interface Connection {
  readonly id: string;
  readonly socket: WebSocket;
  readonly call: SocketCall;
  readonly caller: Caller;
  readonly outlet: Outlet;
  /** By session; a promise while the beginning is being sent. */
  readonly sessions: Map<string, Promise<Following>>;
  readonly topics: Map<Topic, () => void>;
  /** Of the owner or of a person; programs have none. */
  readonly page: OpenPage | undefined;
}

function connect(socket: WebSocket, call: SocketCall): void {
  const { services, credential } = call;
  const { app } = services;
  const caller: Caller = { services, credential };
  const connection: Connection = {
    id: app.ids.next("connection"),
    ...{ socket, call, caller, page: pageOf(caller) },
    outlet: socketOutlet(socket, app.clock),
    ...{ sessions: new Map(), topics: new Map() },
  };
  readFrames(socket, app.clock, {
    frame: (frame) => {
      const { id } = frame;
      if (typeof id !== "string" || id === "" || id.length > 64) {
        fail(connection, null, new Problem("request.invalid", "A frame needs an id of 1 to 64 characters."));
        return;
      }
      handle(connection, id, frame).catch((error: unknown) => fail(connection, id, error));
    },
    unreadable: () => fail(connection, null, new Problem("request.malformed", "A frame is a JSON object with a type.")),
    tooMany: () =>
      fail(connection, null, new Problem("rate.exceeded", `More than ${COMMANDS_PER_SECOND} frames in a second.`)),
  });
  untilClosed(connection);
  const person = mayOf(connection.caller);
  send(connection, {
    type: "welcome",
    protocol: "margay.v1",
    connection: connection.id,
    now: app.clock.now(),
    scope: [...credential.scopes],
    ...(person !== undefined && { person }),
    limits: { frameBytes: FRAME_BYTES, subscriptions: MAX_SUBSCRIPTIONS, commandsPerSecond: COMMANDS_PER_SECOND },
    build: services.build,
  });
}

function send({ outlet }: Connection, frame: object): void {
  outlet.send(JSON.stringify(frame));
}

function fail(connection: Connection, id: string | null, error: unknown): void {
  const { call } = connection;
  const problem = toProblem(error);
  if (problem.code === "internal")
    call.services.app.log.error("socket.failed", { message: error instanceof Error ? error.message : String(error) });
  send(connection, { type: "error", id, error: problemDocument(problem, connection.id, call.language) });
}

/** Says goodbye when the gateway or the credential ends, and lets go of what the client follows when it is gone. */
function untilClosed(connection: Connection): void {
  const { socket, call, topics, sessions, page } = connection;
  const { services, credential } = call;
  const goodbye = (reason: string, retryAfterMs: number | null): void =>
    send(connection, { type: "goodbye", reason, retryAfterMs });
  const onClosing = (): void => goodbye("shutdown", RESTART_MS);
  const onGone = (): void => goodbye("credential", null);
  services.closing.addEventListener("abort", onClosing, { once: true });
  credential.gone.addEventListener("abort", onGone, { once: true });
  socket.once("close", () => {
    page?.[Symbol.dispose]();
    services.closing.removeEventListener("abort", onClosing);
    credential.gone.removeEventListener("abort", onGone);
    for (const end of topics.values()) end();
    for (const following of sessions.values()) following.then((each) => each.end()).catch(() => {}); // it never began
  });
}

async function handle(connection: Connection, id: string, frame: Readonly<Record<string, unknown>>): Promise<void> {
  const type = String(frame["type"]);
  const found = TABLE.get(type);
  if (found === undefined)
    throw new Problem("request.invalid", {
      detail: `There is no frame ${type.slice(0, 64)}.`,
      errors: [{ path: "/type", code: "unknown", message: `known: ${[...TABLE.keys()].join(", ")}` }],
    });
  const parsed = found.schema.safeParse(frame);
  if (!parsed.success) throw unfit(type, parsed.error);
  const { caller } = connection;
  if (!FOR_READERS.has(type)) requireChat(caller, type);
  const result = await found.run(parsed.data as never, connection); // the schema of this very type made it
  if (result !== undefined) send(connection, { type: "reply", id, result });
}

type Commands = {
  readonly [Type in ClientFrameType]: (frame: ClientFrame<Type>, connection: Connection) => Promise<unknown>;
};

/** What answers by itself returns nothing. */
const COMMANDS: Commands = {
  subscribe,
  unsubscribe,
  "live.set": async ({ session, live }, { sessions }) => {
    (await sessions.get(session))?.live(live);
    return { session, live };
  },
  // oxlint-disable-next-line require-await -- one shape for all commands
  "page.set": async ({ visible }, { page }) => {
    page?.seen(visible);
    return { visible };
  },
  "message.send": async ({ id: _id, type: _type, session, key, ...body }, { caller }) =>
    sendMessage(
      caller,
      session === "new" || session === TEMPORARY
        ? await createSession(caller, { temporary: session === TEMPORARY }, key)
        : await writable(caller, session),
      body,
      key,
    ),
  "message.withdraw": async ({ session, messageId }, { caller }) => {
    await withdrawMessage(caller, await writable(caller, session), messageId);
    return { session, messageId };
  },
  "turn.stop": async ({ session, discardWaiting, subagents }, { caller }) =>
    stopSession(caller, await findSession(caller, session, OF_ANYBODY), {
      ...(discardWaiting !== undefined && { discardWaiting }),
      ...(subagents !== undefined && { subagents }),
    }),
  "approval.resolve": async ({ session, call: id, verdict, hash, remember, reason }, { caller }) => {
    const body = {
      verdict,
      hash,
      ...(remember !== undefined && { remember }),
      ...(reason !== undefined && { reason }),
    };
    return resolveApproval(caller, await findSession(caller, session, OF_ANYBODY), id, body);
  },
  // oxlint-disable-next-line require-await -- one shape for all commands
  ping: async ({ id, t }, connection) =>
    send(connection, {
      ...{ type: "pong", id },
      ...(t !== undefined && { t }),
      now: connection.call.services.app.clock.now(),
    }),
};

const TABLE: ReadonlyMap<
  string,
  { readonly schema: z.ZodType; readonly run: (frame: never, connection: Connection) => Promise<unknown> }
> = new Map(
  Object.entries(CLIENT_FRAMES).map(([type, schema]) => [type, { schema, run: COMMANDS[type as ClientFrameType] }]), // the keys of both are the same
);

/** Nothing may come between it and what is added. @throws Problem `rate.exceeded`. */
function requireRoom({ sessions, topics }: Connection): void {
  if (sessions.size + topics.size >= MAX_SUBSCRIPTIONS)
    throw new Problem("rate.exceeded", `A socket follows at most ${MAX_SUBSCRIPTIONS} sessions and topics.`);
}

async function subscribe(frame: ClientFrame<"subscribe">, connection: Connection): Promise<void> {
  if ("topic" in frame) {
    subscribeTopic(frame.id, frame.topic, connection);
    return;
  }
  const { caller, outlet, sessions } = connection;
  const summary = await findSession(caller, frame.session);
  await endOf(summary.id, connection); // subscribed again: with the position it names
  if (outlet.closed) return;
  requireRoom(connection);
  const following = begin(frame, summary, connection);
  sessions.set(summary.id, following);
  following.then(
    (each) => outlet.closed && each.end(),
    () => sessions.delete(summary.id), // its failure is the command's
  );
  await following;
}

function begin(
  { id, after, live = true }: Extract<ClientFrame<"subscribe">, { session: string }>,
  summary: Summary,
  connection: Connection,
): Promise<Following> {
  const { services } = connection.call;
  const { app } = services;
  const events = eventsOf(services);
  return follow(
    {
      ...{ session: summary.id, after, live, outlet: connection.outlet, encode: JSON.stringify },
      begun: (from, seq) => send(connection, { type: "reply", id, result: { session: summary.id, seq, from } }),
    },
    {
      hub: events.hub,
      reader: events.reader,
      clock: app.clock,
      detail: (view) => detailOf(app, events, summary, view, false),
      requireOwn: () => requireOwn(connection.caller, summary),
      dropped: (kind) => services.metrics.add("margay_ws_dropped_total", { kind }),
      // Whoever follows would go on as if nothing had happened: on a new line it asks from where it is.
      failed: (error) => {
        fail(connection, null, error);
        connection.socket.close(TRY_AGAIN);
      },
    },
  );
}

/** Ends what follows a session; when it returns, nothing does. */
async function endOf(session: string, { sessions }: Connection): Promise<void> {
  for (let current = sessions.get(session); current !== undefined; current = sessions.get(session)) {
    sessions.delete(session);
    await current.then(
      (each) => each.end(),
      () => {}, // it never began
    );
  }
}

function subscribeTopic(id: string, topic: Topic, connection: Connection): void {
  const { caller, call, topics, outlet } = connection;
  const { services, credential } = call;
  const person = personOf(caller);
  const isTheirs = person !== undefined && OF_PERSONS.has(topic);
  if (!isTheirs && !allows(caller.credential ?? credential, "read", services.app.clock.now()))
    throw new Problem("auth.scope", "This token follows its own sessions only.");
  if (!topics.has(topic)) requireRoom(connection);
  topics.get(topic)?.();
  topics.set(
    topic,
    eventsOf(services).topics.follow(topic, async (data) => {
      if (isTheirs && !(await speaksOf(data, caller))) return;
      // A hint that something changed: who is behind reads the list again when it looks.
      if (outlet.waiting < FRAME_BYTES / 4) send(connection, { type: "topic", topic, data });
      else services.metrics.add("margay_ws_dropped_total", { kind: "topic" });
    }),
  );
  send(connection, { type: "reply", id, result: { topic } });
}

async function unsubscribe(frame: ClientFrame<"unsubscribe">, connection: Connection): Promise<unknown> {
  if ("topic" in frame) {
    connection.topics.get(frame.topic)?.();
    connection.topics.delete(frame.topic);
    return { topic: frame.topic };
  }
  await endOf(frame.session, connection);
  return { session: frame.session };
}

/** What an operator does to it without reading it. */
const OF_ANYBODY = { write: true, hidden: true } as const;

function writable(caller: Caller, session: string): ReturnType<typeof findSession> {
  return findSession(caller, session, { write: true });
}

const FOR_READERS: ReadonlySet<string> = new Set(["subscribe", "unsubscribe", "live.set", "page.set", "ping"]);
