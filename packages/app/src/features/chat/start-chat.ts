/** `margay` in a terminal: the interactive chat over the agent of this process, or over that of the one that runs already. */
import type { Json } from "@margay/core";
import type { App } from "../../app.ts";
import { messageOf, TEMPORARY } from "@margay/core/internal";
import { liveConfig } from "../../host/settings/live-config.ts";
import type { Cli } from "../../host/cli/command.ts";
import type { DoorLink } from "../../host/control/terminal-client.ts";
import { openDoor } from "../../host/control/server.ts";
import { runParts } from "../../host/run-parts.ts";
import { heldText } from "../../host/schedule-held.ts";
import { isInterrupt } from "../../host/stopped-by.ts";
import type { ChatAgent } from "../../host/sessions/chat-agent.ts";
import type { ChatApp } from "../../host/tui/chat-app.ts";
import { newSessionKey, newTemporaryKey } from "../../host/tui/session-key.ts";
import { runChat } from "../../host/tui/chat.ts";

/** Where the chat is: it goes on there when the process whose conversations it shows ends. */
export interface ChatPlace {
  /** Absent: nothing was opened yet. */
  key?: string | undefined;
  /** How the first one is found. */
  readonly start: "new" | "temporary" | "last" | "chosen";
}

export interface ChatStart {
  readonly place: ChatPlace;
  readonly color: boolean;
  /** Lines alone. */
  readonly plain: boolean;
  readonly signal: AbortSignal;
}

/** @param flags What holds over the file, also when that is read again. @returns the exit code. */
export async function startChat(
  composed: App,
  cli: Cli,
  { place, flags, ...options }: ChatStart & { readonly flags: Readonly<Record<string, Json>> },
): Promise<number> {
  await using app = composed;
  sayHeld(cli);
  const { agent, terminal, language, loaded, schedule } = app;
  const config = cli.loadOptions(flags);
  let draw = (): void => {};
  const left = new AbortController();
  const parts = runParts(
    [...schedule.parts, liveConfig(app, config, () => draw())],
    app,
    AbortSignal.any([left.signal, options.signal]),
  );
  await using door = await openDoor(app, { ...cli, loadOptions: config }).catch((error: unknown) => {
    app.log.warn("control.closed", { message: messageOf(error) }); // other terminals wait until this one is left
    return undefined;
  });
  if (door !== undefined && (await app.inside.sessionIds()).some((id) => id.includes(TEMPORARY)))
    door
      .operate({ name: "sessions.endLeftOver", input: {} }, left.signal)
      .catch((error: unknown) => app.log.error("temporary.failed", { message: messageOf(error) }));
  try {
    return await shownChat(cli, options.plain)(
      {
        ...(await placed(place, agent)),
        ...ofPerson(cli),
        agent,
        terminal,
        practice: () => app.practice,
        language,
        command: app.command,
        workspace: loaded.workspace,
        put: (bytes) => agent.blobs.put(bytes),
        held: () => schedule.waits,
        ...(door !== undefined && { operate: (name, input) => operated(door.operate({ name, input }, left.signal)) }),
        whenConfigured: (redraw) => {
          draw = redraw;
        },
      },
      { ...options, interrupted: () => isInterrupt(options.signal) },
    );
  } finally {
    left.abort(new Error("the chat was left"));
    await parts;
  }
}

/** @returns the exit code; undefined when the other process ended, and the chat is to go on elsewhere. */
export async function openChatAt(
  link: DoorLink,
  cli: Cli,
  { place, ...options }: ChatStart,
): Promise<number | undefined> {
  using owned = link;
  sayHeld(cli);
  await owned.attach();
  const chat: ChatApp = {
    ...(await placed(place, owned.agent)),
    ...ofPerson(cli),
    put: (bytes) => owned.ask("put", { bytes: Buffer.from(bytes).toString("base64") }),
    operate: (name, input) => owned.ask("operation", { name, input }),
    agent: owned.agent,
    terminal: owned.terminal,
    practice: () => owned.about().practice,
    held: () => owned.about().held,
    language: cli.language,
    command: cli.command,
    workspace: cli.loadShown().workspace,
    lost: owned.lost,
    whenConfigured: owned.whenConfigured,
  };
  const code = await shownChat(cli, options.plain)(chat, options);
  return owned.lost.aborted && code === 0 && !options.signal.aborted ? undefined : code;
}

function shownChat({ terminal: { out } }: Cli, plain: boolean): typeof runChat {
  if (!plain) return runChat;
  return async (app, options) => (await import("../../host/tui/plain/plain.ts")).runPlain(app, { ...options, out });
}

/** The conversation it begins with. */
async function placed(
  place: ChatPlace,
  { sessions }: Pick<ChatAgent, "sessions">,
): Promise<Pick<ChatApp, "sessionKey" | "moved" | "chooses">> {
  const isFirst = place.key === undefined;
  if (place.key === undefined && place.start === "last")
    place.key = (await sessions.list())
      .filter(({ key, rows }) => key.startsWith("cli:") && rows > 0)
      .toSorted((a, b) => b.updatedAt - a.updatedAt)[0]?.key;
  const sessionKey = place.key ?? (place.start === "temporary" ? newTemporaryKey() : newSessionKey());
  place.key = sessionKey;
  return {
    sessionKey,
    moved: (key) => {
      place.key = key;
    },
    chooses: isFirst && place.start === "chosen",
  };
}

function ofPerson({ places: { home }, environment: { env } }: Cli): Pick<ChatApp, "home" | "env"> {
  return { home, env };
}

/** Of JSON, as another process would answer. */
async function operated(answer: Promise<unknown>): Promise<unknown> {
  return JSON.parse(JSON.stringify((await answer) ?? null)) as unknown;
}

function sayHeld(cli: Cli): void {
  const held = heldText(cli);
  if (held !== undefined) cli.terminal.err(`${held}\n`);
}
