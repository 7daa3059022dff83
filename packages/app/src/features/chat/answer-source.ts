/** Where the answer to one message comes from: the agent of this process, or the one in the process that holds the lock. */
import type { AgentEvent, TurnOutcome } from "@margay/core";
import { followOtherTurns, messageOf, systemClock, type OtherTurns } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Cli } from "../../host/cli/command.ts";
import type { DoorLink } from "../../host/control/terminal-client.ts";
import type { Sending } from "../../host/control/terminal-frames.ts";
import type { ChatAgent, ChatSession, ReplySource } from "../../host/sessions/chat-agent.ts";
import { CHANNEL, type ShownReply } from "./answer-view.ts";

export interface AnswerSource extends AsyncDisposable {
  readonly agent: Pick<ChatAgent, "sessions" | "control">;
  readonly terminal: ReplySource;
  readonly practice: boolean;
  /** Whether an event belongs to what this command asked: other terminals talk in the conversation too. */
  isMine(event: AgentEvent): boolean;
  /** What was left open is shown and gone on with before anything is sent. */
  begin(session: ChatSession, show: (reply: ShownReply) => void): Promise<void>;
  put(bytes: Uint8Array): ReturnType<App["agent"]["blobs"]["put"]>;
  send(sending: Sending): Promise<TurnOutcome>;
  /** How many subagents of the conversation work. */
  subagents(session: ChatSession): Promise<number>;
  /** Resolves when what the message began is over. */
  settled(session: ChatSession): Promise<void>;
  /** Aborts when the other process is gone. */
  readonly lost?: AbortSignal;
}

const DOOR_MS = 100;

/** Composes; other terminals of this person find the control door from the first request on. */
export async function ownSource(cli: Cli, flags: Parameters<Cli["loadOptions"]>[0] = {}): Promise<AnswerSource> {
  const app = await cli.compose({ flags, asksAtOnce: true });
  const { agent } = app;
  let door: Promise<AsyncDisposable | undefined> | undefined;
  const ended = new AbortController();
  return {
    agent,
    terminal: app.terminal,
    practice: app.practice,
    isMine: () => true,
    begin: async (session, show) => {
      await showMissed(await agent.sessions.open(session.state.key, session.state.origin), show);
      agent.wake(session.state.key);
    },
    put: (bytes) => agent.blobs.put(bytes),
    send: ({ session, parts, ...options }) => {
      // Not before the first request has left: a start pays nothing for others.
      void (door ??= openDoorLater(app, cli, { flags, ended: ended.signal }));
      return agent.send(session, parts, options).finished;
    },
    subagents: async ({ state }) => agent.subagents(state.id).length,
    settled: () => agent.idle(),
    [Symbol.asyncDispose]: async () => {
      ended.abort(new Error("the answer is there"));
      await (await door)?.[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

async function openDoorLater(
  app: App,
  cli: Cli,
  { flags, ended }: { readonly flags: Parameters<Cli["loadOptions"]>[0]; readonly ended: AbortSignal },
): Promise<AsyncDisposable | undefined> {
  try {
    await systemClock().sleep(DOOR_MS, ended);
    const { openDoor } = await import("../../host/control/server.ts");
    return await openDoor(app, { ...cli, loadOptions: cli.loadOptions(flags) });
  } catch (error) {
    if (!ended.aborted) app.log.warn("control.closed", { message: messageOf(error) }); // others wait for the end of this command
    return undefined;
  }
}

/** Replies that an earlier process queued for this terminal and did not live to show. */
async function showMissed(
  session: Awaited<ReturnType<App["agent"]["sessions"]["open"]>>,
  show: (reply: ShownReply) => void,
): Promise<void> {
  for (const { reply, to, kind, parts } of session.state.outbox) {
    if (to.channel !== CHANNEL) continue;
    show({ reply, to, kind, parts });
    await session.commit({ type: "reply.delivered", reply });
  }
}

/** Nothing is composed: the process that runs has all of it. */
export async function sourceAt(link: DoorLink): Promise<AnswerSource> {
  await link.attach();
  const { agent, terminal, about, lost } = link;
  let others: OtherTurns | undefined;
  return {
    agent,
    terminal: {
      attach: (show) =>
        terminal.attach((message, alone) => {
          if (others?.shows(message.reply, alone) !== false) show(message, alone);
        }),
    },
    practice: about().practice,
    isMine: (event) => others?.isMine(event) !== false,
    begin: ({ state }) => {
      others = followOtherTurns(state);
      return Promise.resolve();
    },
    put: (bytes) => link.ask("put", { bytes: Buffer.from(bytes).toString("base64") }),
    send: (sending) => {
      others?.asked(sending.key ?? "");
      return link.send(sending);
    },
    subagents: ({ state: { key } }) => link.ask("subagents", { key }),
    settled: async ({ state: { key } }) => void (await link.ask("settled", { key })),
    lost,
    [Symbol.asyncDispose]: () => {
      link[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}
