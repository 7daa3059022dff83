/** `margay` in a terminal: the interactive chat over a composed app, and what happens without a message meanwhile. */
import type { App } from "../../app.ts";
import type { LoadOptions } from "../../config/load.ts";
import { liveConfig } from "../../host/settings/live-config.ts";
import { runParts } from "../../host/run-parts.ts";
import { isInterrupt } from "../../host/stopped-by.ts";
import { runChat } from "../../host/tui/chat.ts";

/** @returns the exit code. */
export async function startChat(
  app: App,
  sessionKey: string,
  options: {
    readonly color: boolean;
    readonly signal: AbortSignal;
    /** As the configuration was loaded: flags hold over what the file says later. */
    readonly config: LoadOptions;
  },
): Promise<number> {
  const { agent, terminal, language, loaded, schedule } = app;
  let draw = (): void => {};
  const left = new AbortController();
  const parts = runParts(
    [...schedule.parts, liveConfig(app, options.config, () => draw())],
    app,
    AbortSignal.any([left.signal, options.signal]),
  );
  try {
    return await runChat(
      {
        agent,
        terminal,
        practice: () => app.practice,
        language,
        command: app.command,
        workspace: loaded.workspace,
        sessionKey,
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
