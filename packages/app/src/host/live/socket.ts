/** `/ws`, sub-protocol `margay.v1`: one socket, many sessions. */
import type { WebSocket } from "ws";
import type { z } from "zod";
import { allows } from "../auth/credential.ts";
import { problemDocument } from "../api/problem-body.ts";
import { Problem, toProblem } from "../api/problem.ts";
import { CLIENT_FRAMES, type ClientFrame, type ClientFrameType } from "../../protocol/frames.ts";
import type { SocketCall, SocketHandler } from "./socket-handler.ts";
import { eventsOf, findSession, isOperator, requireChat, type Caller } from "../sessions/access.ts";
import { resolveApproval, stopSession, withdrawMessage } from "../sessions/control.ts";
import { createSession } from "../sessions/create.ts";
import { detailOf } from "../sessions/detail.ts";
import { follow, type Following } from "./follow.ts";
import { readFrames } from "./read-frames.ts";
import { sendMessage } from "../sessions/send.ts";
import { socketOutlet, TRY_AGAIN } from "./socket-outlet.ts";
import type { Topic } from "./topics.ts";

const FRAME_BYTES = 1_048_576;
const MAX_SUBSCRIPTIONS = 64;
const COMMANDS_PER_SECOND = 60;
const RESTART_MS = 2000;

export const NATIVE_SOCKET: SocketHandler = {
  path: "/ws",
  protocols: ["margay.v1"],
  maxPayload: FRAME_BYTES,
  enabled: (_services, query) => query.get("protocol") !== "seed",
  connect,
};

function connect(socket: WebSocket, call: SocketCall): void {
  const { services, credential } = call;
  const { app } = services;
  const caller: Caller = { services, credential };
  const events = eventsOf(services);
  const outlet = socketOutlet(socket, app.clock);
  const connection = app.ids.next("connection");
  /** By session; a promise while the beginning is being sent. */
  const sessions = new Map<string, Promise<Following>>();
  const topics = new Map<Topic, () => void>();
  const send = (frame: object): void => outlet.send(JSON.stringify(frame));
  const fail = (id: string | null, error: unknown): void => {
    const problem = toProblem(error);
    if (problem.code === "internal")
      app.log.error("socket.failed", { message: error instanceof Error ? error.message : String(error) });
    send({ type: "error", id, error: problemDocument(problem, connection, call.language) });
  };

  /** Nothing may come between it and what is added. @throws Problem `rate.exceeded`. */
  const requireRoom = (): void => {
    if (sessions.size + topics.size >= MAX_SUBSCRIPTIONS)
      throw new Problem("rate.exceeded", `A socket follows at most ${MAX_SUBSCRIPTIONS} sessions and topics.`);
  };

  const subscribe = async (frame: ClientFrame<"subscribe">): Promise<void> => {
    if ("topic" in frame) {
      subscribeTopic(frame.id, frame.topic);
      return;
    }
    const summary = await findSession(caller, frame.session);
    await endOf(summary.id); // subscribed again: with the position it names
    if (outlet.closed) return;
    requireRoom();
    const following = follow(
      {
        session: summary.id,
        after: frame.after,
        live: frame.live ?? true,
        outlet,
        encode: JSON.stringify,
        begun: (from, seq) => send({ type: "reply", id: frame.id, result: { session: summary.id, seq, from } }),
      },
      {
        hub: events.hub,
        reader: events.reader,
        clock: app.clock,
        detail: (view) => detailOf(app, events, summary, view),
        dropped: (kind) => services.metrics.add("margay_ws_dropped_total", { kind }),
        // Whoever follows would go on as if nothing had happened: on a new line it asks from where it is.
        failed: (error) => {
          fail(null, error);
          socket.close(TRY_AGAIN);
        },
      },
    );
    sessions.set(summary.id, following);
    following.then(
      (each) => outlet.closed && each.end(),
      () => sessions.delete(summary.id), // its failure is the command's
    );
    await following;
  };

  /** Ends what follows a session; when it returns, nothing does. */
  const endOf = async (session: string): Promise<void> => {
    for (let current = sessions.get(session); current !== undefined; current = sessions.get(session)) {
      sessions.delete(session);
      await current.then(
        (each) => each.end(),
        () => {}, // it never began
      );
    }
  };

  const subscribeTopic = (id: string, topic: Topic): void => {
    if (!allows(caller.credential ?? credential, "read", app.clock.now()))
      throw new Problem("auth.scope", "This token follows its own sessions only.");
    if (!topics.has(topic)) requireRoom();
    topics.get(topic)?.();
    topics.set(
      topic,
      events.topics.follow(topic, (data) => {
        // A hint that something changed: who is behind reads the list again when it looks.
        if (outlet.waiting < FRAME_BYTES / 4) send({ type: "topic", topic, data });
        else services.metrics.add("margay_ws_dropped_total", { kind: "topic" });
      }),
    );
    send({ type: "reply", id, result: { topic } });
  };

  const unsubscribe = async (frame: ClientFrame<"unsubscribe">): Promise<unknown> => {
    if ("topic" in frame) {
      topics.get(frame.topic)?.();
      topics.delete(frame.topic);
      return { topic: frame.topic };
    }
    await endOf(frame.session);
    return { session: frame.session };
  };

  const write = (session: string): ReturnType<typeof findSession> => findSession(caller, session, { write: true });

  /** What answers by itself returns nothing. */
  const commands: { readonly [Type in ClientFrameType]: (frame: ClientFrame<Type>) => Promise<unknown> } = {
    subscribe: async (frame) => subscribe(frame),
    unsubscribe,
    "live.set": async ({ session, live }) => {
      (await sessions.get(session))?.live(live);
      return { session, live };
    },
    "message.send": async ({ id: _id, type: _type, session, key, ...body }) =>
      sendMessage(caller, session === "new" ? await createSession(caller, {}, key) : await write(session), body, key),
    "message.withdraw": async ({ session, messageId }) => {
      await withdrawMessage(caller, await write(session), messageId);
      return { session, messageId };
    },
    "turn.stop": async ({ session, discardWaiting, subagents }) =>
      stopSession(caller, await write(session), {
        ...(discardWaiting !== undefined && { discardWaiting }),
        ...(subagents !== undefined && { subagents }),
      }),
    "approval.resolve": async ({ session, call: id, verdict, hash, remember, reason }) => {
      if (!isOperator(caller)) throw new Problem("auth.scope", "Only operators answer approvals.");
      const body = {
        verdict,
        hash,
        ...(remember !== undefined && { remember }),
        ...(reason !== undefined && { reason }),
      };
      return resolveApproval(caller, await write(session), id, body);
    },
    // oxlint-disable-next-line require-await -- one shape for all commands
    ping: async ({ id, t }) => send({ type: "pong", id, ...(t !== undefined && { t }), now: app.clock.now() }),
  };
  const table = new Map<string, { readonly schema: z.ZodType; readonly run: (frame: never) => Promise<unknown> }>(
    Object.entries(CLIENT_FRAMES).map(([type, schema]) => [type, { schema, run: commands[type as ClientFrameType] }]), // the keys of both are the same
  );

  const handle = async (id: string, frame: Readonly<Record<string, unknown>>): Promise<void> => {
    const type = String(frame["type"]);
    const found = table.get(type);
    if (found === undefined)
      throw new Problem("request.invalid", {
        detail: `There is no frame ${type.slice(0, 64)}.`,
        errors: [{ path: "/type", code: "unknown", message: `known: ${[...table.keys()].join(", ")}` }],
      });
    const parsed = found.schema.safeParse(frame);
    if (!parsed.success) throw unfit(type, parsed.error);
    if (!FOR_READERS.has(type)) requireChat(caller, type);
    const result = await found.run(parsed.data as never); // the schema of this very type made it
    if (result !== undefined) send({ type: "reply", id, result });
  };

  readFrames(socket, app.clock, {
    frame: (frame) => {
      const { id } = frame;
      if (typeof id !== "string" || id === "" || id.length > 64) {
        fail(null, new Problem("request.invalid", "A frame needs an id of 1 to 64 characters."));
        return;
      }
      handle(id, frame).catch((error: unknown) => fail(id, error));
    },
    unreadable: () => fail(null, new Problem("request.malformed", "A frame is a JSON object with a type.")),
    tooMany: () => fail(null, new Problem("rate.exceeded", `More than ${COMMANDS_PER_SECOND} frames in a second.`)),
  });

  const goodbye = (reason: string, retryAfterMs: number | null): void =>
    send({ type: "goodbye", reason, retryAfterMs });
  const onClosing = (): void => goodbye("shutdown", RESTART_MS);
  const onGone = (): void => goodbye("credential", null);
  services.closing.addEventListener("abort", onClosing, { once: true });
  credential.gone.addEventListener("abort", onGone, { once: true });
  socket.once("close", () => {
    services.closing.removeEventListener("abort", onClosing);
    credential.gone.removeEventListener("abort", onGone);
    for (const end of topics.values()) end();
    for (const following of sessions.values()) following.then((each) => each.end()).catch(() => {}); // it never began
  });

  send({
    type: "welcome",
    protocol: "margay.v1",
    connection,
    now: app.clock.now(),
    scope: [...credential.scopes],
    limits: { frameBytes: FRAME_BYTES, subscriptions: MAX_SUBSCRIPTIONS, commandsPerSecond: COMMANDS_PER_SECOND },
    build: services.build,
  });
}

const FOR_READERS: ReadonlySet<string> = new Set(["subscribe", "unsubscribe", "live.set", "ping"]);

function unfit(type: string, error: z.ZodError): Problem {
  // A union says little: the shape that came nearest says what is wrong.
  const issues = error.issues.flatMap((issue) =>
    issue.code === "invalid_union"
      ? issue.errors.reduce((best, each) => (each.length < best.length ? each : best), issue.errors[0] ?? [])
      : [issue],
  );
  const faults = issues.flatMap((issue) =>
    (issue.code === "unrecognized_keys" ? issue.keys : [undefined]).map((key) => ({
      path: `/${[...issue.path, ...(key === undefined ? [] : [key])].map(String).join("/")}`,
      code: issue.code,
      message: key === undefined ? issue.message : "This field is not known.",
    })),
  );
  return new Problem("request.invalid", {
    detail: `The frame ${type} does not fit: ${faults[0]?.path ?? ""}: ${faults[0]?.message ?? ""}`,
    errors: faults.slice(0, 20),
  });
}
