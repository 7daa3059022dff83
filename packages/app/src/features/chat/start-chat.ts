/** `margay` in a terminal: the interactive chat over the agent of this process, or over that of the one that runs already. */
import type { Json } from "@margay/core";
import type { App } from "../../app.ts";
import { messageOf } from "@margay/core/internal";
import { liveConfig } from "../../host/settings/live-config.ts";
import type { Cli } from "../../host/cli/command.ts";
import type { DoorLink } from "../../host/control/terminal-client.ts";
import { openDoor } from "../../host/control/server.ts";
import { runParts } from "../../host/run-parts.ts";
import { heldText } from "../../host/schedule-held.ts";
import { isInterrupt } from "../../host/stopped-by.ts";
import type { ChatApp } from "../../host/tui/chat-app.ts";
import { runChat } from "../../host/tui/chat.ts";

export interface ChatStart {
  readonly key: string;
  readonly color: boolean;
  readonly signal: AbortSignal;
}

/** @param flags What holds over the file, also when that is read again. @returns the exit code. */
export async function startChat(
  composed: App,
  cli: Cli,
  { key, flags, ...options }: ChatStart & { readonly flags: Readonly<Record<string, Json>> },
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
  await using _door = await openDoor(app, { ...cli, loadOptions: config }).catch((error: unknown) => {
    app.log.warn("control.closed", { message: messageOf(error) }); // other terminals wait until this one is left
    return undefined;
  });
  try {
    return await runChat(
      {
        agent,
        terminal,
        practice: () => app.practice,
        language,
        command: app.command,
        workspace: loaded.workspace,
        sessionKey: key,
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
  { key, ...options }: ChatStart,
): Promise<number | undefined> {
  using owned = link;
  sayHeld(cli);
  await owned.attach();
  const chat: ChatApp = {
    agent: owned.agent,
    terminal: owned.terminal,
    practice: () => owned.about().practice,
    language: cli.language,
    command: cli.command,
    workspace: cli.loadShown().workspace,
    sessionKey: key,
    lost: owned.lost,
    whenConfigured: owned.whenConfigured,
  };
  const code = await runChat(chat, options);
  return owned.lost.aborted && code === 0 && !options.signal.aborted ? undefined : code;
}

function sayHeld(cli: Cli): void {
  const held = heldText(cli);
  if (held !== undefined) cli.terminal.err(`${held}\n`);
}
